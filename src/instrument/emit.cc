#include "instrument/emit.h"

#include "anaphora/runtime_abi.h"
#include "instrument/options.h"
#include "instrument/site_flags.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/MDBuilder.h"

using namespace llvm;

namespace ana {

// The address space in which x86 puts what lies behind the gs segment.
constexpr unsigned kGsSpace = 256;

static FunctionCallee declare_cold(Module& module, StringRef name) {
  LLVMContext& context = module.getContext();
  FunctionCallee callee = module.getOrInsertFunction(name, Type::getVoidTy(context), Type::getInt32Ty(context),
                                                     PointerType::getUnqual(context));
  if (auto* function = dyn_cast<Function>(callee.getCallee())) {
    function->setCallingConv(CallingConv::PreserveAll);
    function->setDoesNotThrow();
    function->addFnAttr(Attribute::Cold);
  }
  return callee;
}

Emitter::Emitter(Module& module, SiteTable& sites) : module_(module), sites_(sites) {
  LLVMContext& context = module.getContext();
  i32_ = Type::getInt32Ty(context);
  i64_ = Type::getInt64Ty(context);
  gs_pointer_ = PointerType::get(context, kGsSpace);
  check_ = declare_cold(module, "__ana_check");
  poll_ = declare_cold(module, "__ana_poll");
  if (opt_every_access) {
    begin_ = declare_cold(module, "__ana_begin");
    end_ = declare_cold(module, "__ana_end");
  }
  unlikely_ = MDBuilder(context).createBranchWeights(1, 1u << 20);
}

Constant* Emitter::control(uint64_t offset) {
  return ConstantExpr::getIntToPtr(ConstantInt::get(i64_, offset), gs_pointer_);
}

Value* Emitter::address(IRBuilder<>& builder, Value* base, int64_t offset) {
  if (base->getType()->isPointerTy()) base = builder.CreatePtrToInt(base, i64_);
  return offset ? builder.CreateAdd(base, ConstantInt::get(i64_, offset, true)) : base;
}

// The mask is applied in 32 bits: in 64 bits it would be merged with the scaling of the table's index into a mask that
// no instruction can hold as an immediate.
Value* Emitter::line_of(IRBuilder<>& builder, Value* address) {
  Value* line = builder.CreateTrunc(builder.CreateLShr(address, ANA_LINE_SHIFT), i32_);
  return builder.CreateZExt(builder.CreateAnd(line, ANA_LINE_MASK), i64_);
}

Value* Emitter::table_offset(IRBuilder<>& builder, Value* line, bool write) {
  return builder.CreateAdd(builder.CreateShl(line, 3), ConstantInt::get(i64_, ANA_GS_PERMISSIONS + (write ? 4 : 0)));
}

Value* Emitter::permission(IRBuilder<>& builder, Value* table_offset) {
  return builder.CreateAlignedLoad(i32_, builder.CreateIntToPtr(table_offset, gs_pointer_), Align(4));
}

// Constants of cold blocks are made by assembly, which stays where it is: the compiler would move them out of loops,
// into registers that the hot path needs.
Value* Emitter::site_address(IRBuilder<>& builder, Constant* site) {
  auto* type = FunctionType::get(builder.getPtrTy(), {builder.getPtrTy()}, false);
  CallInst* call = builder.CreateCall(InlineAsm::get(type, "leaq $1, $0", "=r,*m", true), {site});
  call->addParamAttr(0, Attribute::get(module_.getContext(), Attribute::ElementType, builder.getInt8Ty()));
  call->setDoesNotThrow();
  return call;
}

Value* Emitter::mark_write(IRBuilder<>& builder, Value* address) {
  static_assert(ANA_RANGE_WRITE == uint64_t{1} << 63);
  auto* type = FunctionType::get(i64_, {i64_}, false);
  CallInst* call = builder.CreateCall(InlineAsm::get(type, "btsq $$63, $0", "=r,0,~{flags}", true), {address});
  call->setDoesNotThrow();
  return call;
}

uint64_t Emitter::pass_range(IRBuilder<>& builder, const Range& range, uint64_t slot) {
  Value* first = address(builder, range.first, range.first_offset);
  if (range.write) first = mark_write(builder, first);
  builder.CreateAlignedStore(first, control(slot), Align(8));
  builder.CreateAlignedStore(address(builder, range.last, range.last_offset), control(slot + 8), Align(8));
  return slot + sizeof(AnaRange);
}

void Emitter::call_cold(IRBuilder<>& builder, FunctionCallee callee, uint64_t count, const DebugLoc& where,
                        uint32_t site_flags) {
  Value* site = site_address(builder, sites_.create(*builder.GetInsertBlock()->getParent(), where, site_flags));
  CallInst* call = builder.CreateCall(callee, {ConstantInt::get(i32_, count), site});
  call->setCallingConv(CallingConv::PreserveAll);
  call->setDoesNotThrow();
  call->addFnAttr(Attribute::NoMerge);
}

// The new block is the last of the function, and goes on to `next`.
BasicBlock* Emitter::cold_block(BasicBlock* next, FunctionCallee callee, ArrayRef<Check> own, ArrayRef<Range> held,
                                const DebugLoc& where, const Counter* counter, uint32_t site_flags) {
  assert(own.size() + held.size() <= ANA_MAX_RANGES);
  Function* function = next->getParent();
  BasicBlock* block = BasicBlock::Create(module_.getContext(), "ana.cold", function);
  IRBuilder<> builder(block);
  builder.SetCurrentDebugLocation(where);
  uint64_t slot = ANA_GS_RANGES;
  for (const Check& check : own) slot = pass_range(builder, check.range, slot);
  for (const Range& range : held) slot = pass_range(builder, range, slot);
  if (counter) store_count(builder, *counter);
  call_cold(builder, callee, own.size() + held.size(), where, site_flags);
  if (counter) load_count(builder, *counter);
  builder.CreateBr(next);
  return block;
}

// Goes on in a new block if the permission holds.
void Emitter::test(IRBuilder<>& builder, Value* table_offset, Value* epoch, BasicBlock* cold) {
  Value* missing = builder.CreateICmpULT(permission(builder, table_offset), epoch);
  BasicBlock* block = builder.GetInsertBlock();
  BasicBlock* next = BasicBlock::Create(module_.getContext(), "ana.next", block->getParent(), block->getNextNode());
  builder.CreateCondBr(missing, cold, next, unlikely_);
  builder.SetInsertPoint(next);
}

void Emitter::test_lines(IRBuilder<>& builder, const Check& check, Value* epoch, BasicBlock* cold) {
  const Range& range = check.range;
  auto test_at = [&](Value* base, int64_t offset) {
    Value* line = line_of(builder, address(builder, base, offset));
    test(builder, table_offset(builder, line, range.write), epoch, cold);
  };
  test_at(range.first, range.first_offset);
  if (check.extent == Extent::kOneLine) return;
  if (check.extent == Extent::kFewLines) {
    constexpr int64_t kStep = kLineBytes;
    for (int64_t at = range.first_offset + kStep; at < range.last_offset; at += kStep) test_at(range.first, at);
  }
  test_at(range.last, range.last_offset);
}

// Tests the lines from the first byte's to the last one's, four at a time and then one by one. Lines are numbered
// modulo their mask: where the numbers wrap inside the range, the runtime is asked.
void Emitter::scan_lines(IRBuilder<>& builder, const Range& range, Value* epoch, BasicBlock* cold) {
  LLVMContext& context = module_.getContext();
  Value* first = line_of(builder, address(builder, range.first, range.first_offset));
  Value* last = line_of(builder, address(builder, range.last, range.last_offset));
  first = table_offset(builder, first, range.write);
  last = table_offset(builder, last, range.write);
  BasicBlock* before = builder.GetInsertBlock();
  Function* function = before->getParent();
  BasicBlock* fours = BasicBlock::Create(context, "ana.fours", function, before->getNextNode());
  BasicBlock* four = BasicBlock::Create(context, "ana.four", function, fours->getNextNode());
  BasicBlock* ones = BasicBlock::Create(context, "ana.ones", function, four->getNextNode());
  BasicBlock* one = BasicBlock::Create(context, "ana.one", function, ones->getNextNode());
  BasicBlock* after = BasicBlock::Create(context, "ana.next", function, one->getNextNode());
  builder.CreateCondBr(builder.CreateICmpUGT(first, last), cold, fours, unlikely_);
  auto plus = [&](Value* offset, uint64_t lines) {
    return builder.CreateAdd(offset, ConstantInt::get(i64_, lines * 2 * sizeof(uint32_t)));
  };

  builder.SetInsertPoint(fours);
  PHINode* at = builder.CreatePHI(i64_, 2);
  builder.CreateCondBr(builder.CreateICmpULE(plus(at, 3), last), four, ones);
  builder.SetInsertPoint(four);
  for (uint64_t i = 0; i < 4; ++i) test(builder, plus(at, i), epoch, cold);
  at->addIncoming(first, before);
  at->addIncoming(plus(at, 4), builder.GetInsertBlock());
  builder.CreateBr(fours);

  builder.SetInsertPoint(ones);
  PHINode* rest = builder.CreatePHI(i64_, 2);
  builder.CreateCondBr(builder.CreateICmpULE(rest, last), one, after);
  builder.SetInsertPoint(one);
  test(builder, rest, epoch, cold);
  rest->addIncoming(at, fours);
  rest->addIncoming(plus(rest, 1), builder.GetInsertBlock());
  builder.CreateBr(ones);
  builder.SetInsertPoint(after);
}

void Emitter::load_count(IRBuilder<>& builder, const Counter& counter) {
  Value* count = builder.CreateAlignedLoad(i64_, control(ANA_GS_COUNT), Align(8));
  builder.CreateStore(count, counter.now);
  builder.CreateStore(count, counter.synced);
}

void Emitter::store_count(IRBuilder<>& builder, const Counter& counter) {
  Value* polls = builder.CreateSub(builder.CreateLoad(i64_, counter.now), builder.CreateLoad(i64_, counter.synced));
  Value* count = builder.CreateAlignedLoad(i64_, control(ANA_GS_COUNT), Align(8));
  builder.CreateAlignedStore(builder.CreateAdd(count, polls), control(ANA_GS_COUNT), Align(8));
}

void Emitter::check(Instruction* before, ArrayRef<Check> own, ArrayRef<Range> held, const DebugLoc& where,
                    const Counter* counter) {
  BasicBlock* block = before->getParent();
  BasicBlock* next = block->splitBasicBlock(before->getIterator(), "ana.ok");
  BasicBlock* cold = cold_block(next, check_, own, held, where, counter, atomic_site_flags(*before));
  block->getTerminator()->eraseFromParent();
  IRBuilder<> builder(block);
  builder.SetCurrentDebugLocation(where);
  LoadInst* epoch = builder.CreateAlignedLoad(i32_, control(ANA_GS_EPOCH), Align(4), true);
  for (const Check& check : own) {
    if (check.extent == Extent::kScan) scan_lines(builder, check.range, epoch, cold);
    else test_lines(builder, check, epoch, cold);
  }
  builder.CreateBr(next);
}

void Emitter::poll(Instruction* before, ArrayRef<Range> held, const DebugLoc& where, const Counter* counter,
                   bool is_prologue) {
  BasicBlock* block = before->getParent();
  BasicBlock* next = block->splitBasicBlock(before->getIterator(), "ana.ok");
  BasicBlock* cold = cold_block(next, poll_, {}, held, where, counter);
  block->getTerminator()->eraseFromParent();
  IRBuilder<> builder(block);
  if (!is_prologue) builder.SetCurrentDebugLocation(where);
  Value* place = counter ? static_cast<Value*>(counter->now) : control(ANA_GS_COUNT);
  Value* count = builder.CreateAlignedLoad(i64_, place, Align(8));
  count = builder.CreateAdd(count, ConstantInt::get(i64_, 1));
  builder.CreateAlignedStore(count, place, Align(8));
  LoadInst* limit = builder.CreateAlignedLoad(i64_, control(ANA_GS_LIMIT), Align(8), true);
  builder.CreateCondBr(builder.CreateICmpUGE(count, limit), cold, next, unlikely_);
}

// Only a load that has no other effect can be repeated; what else only reads is taken for a write, and is not.
void Emitter::bracket(Instruction* access, ArrayRef<Range> ranges) {
  auto* load = dyn_cast<LoadInst>(access);
  bool can_repeat = load && !load->isVolatile();
  BasicBlock* before = access->getParent();
  BasicBlock* block = before->splitBasicBlock(access->getIterator(), "ana.access");
  BasicBlock* next = block->splitBasicBlock(std::next(access->getIterator()), "ana.ok");
  DebugLoc where = access->getDebugLoc();
  IRBuilder<> builder(access);
  builder.SetCurrentDebugLocation(where);
  uint64_t slot = ANA_GS_RANGES;
  uint32_t flags = site_flags(*access);
  for (Range range : ranges) {
    if (!isa<LoadInst, StoreInst>(access) && !access->isAtomic()) flags |= range.write ? ANA_SITE_WRITE : ANA_SITE_READ;
    range.write |= !can_repeat;
    slot = pass_range(builder, range, slot);
  }
  call_cold(builder, begin_, ranges.size(), where, flags);
  block->getTerminator()->eraseFromParent();
  builder.SetInsertPoint(block);
  builder.SetCurrentDebugLocation(where);
  call_cold(builder, end_, ranges.size(), where);
  if (!can_repeat) {
    builder.CreateBr(next);
    return;
  }
  LoadInst* retry = builder.CreateAlignedLoad(i64_, control(ANA_GS_RETRY), Align(8), true);
  builder.CreateCondBr(builder.CreateICmpNE(retry, ConstantInt::get(i64_, 0)), block, next, unlikely_);
}

}  // namespace ana
