#include "instrument/emit.h"

#include "anaphora/runtime_abi.h"
#include "instrument/options.h"
#include "instrument/site_flags.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"

using namespace llvm;

namespace ana {

// The address space in which x86 puts what lies behind the gs segment.
constexpr unsigned kGsSpace = 256;

static FunctionCallee declare_hook(Module& module, StringRef name) {
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
  if (opt_every_access) {
    begin_ = declare_hook(module, "__ana_begin");
    end_ = declare_hook(module, "__ana_end");
  }
  unlikely_ = MDBuilder(context).createBranchWeights(1, 1u << 20);
}

Constant* Emitter::control(uint64_t offset) {
  return ConstantExpr::getIntToPtr(ConstantInt::get(i64_, offset), gs_pointer_);
}

// What is added to the base; null if nothing is.
static Value* distance(IRBuilder<>& builder, const Place& place) {
  Type* type = builder.getInt64Ty();
  Value* offset = place.offset ? ConstantInt::get(type, place.offset, true) : nullptr;
  if (!place.index) return offset;
  Value* scaled = place.scale == 1 ? place.index : builder.CreateMul(place.index, ConstantInt::get(type, place.scale, true));
  return offset ? builder.CreateAdd(scaled, offset) : scaled;
}

Value* Emitter::address(IRBuilder<>& builder, const Place& place) {
  Value* base = place.base;
  if (base->getType()->isPointerTy()) base = builder.CreatePtrToInt(base, i64_);
  Value* added = distance(builder, place);
  return added ? builder.CreateAdd(base, added) : base;
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
  Value* first = address(builder, range.first);
  if (range.write) first = mark_write(builder, first);
  builder.CreateAlignedStore(first, control(slot), Align(8));
  builder.CreateAlignedStore(address(builder, range.last), control(slot + 8), Align(8));
  return slot + sizeof(AnaRange);
}

void Emitter::call_hook(IRBuilder<>& builder, FunctionCallee callee, uint64_t count, const DebugLoc& where,
                        uint32_t site_flags) {
  Value* site = site_address(builder, sites_.create(*builder.GetInsertBlock()->getParent(), where, site_flags));
  CallInst* call = builder.CreateCall(callee, {ConstantInt::get(i32_, count), site});
  call->setCallingConv(CallingConv::PreserveAll);
  call->setDoesNotThrow();
  call->addFnAttr(Attribute::NoMerge);
}

// The text behind a cold call, and its operands.
namespace {

class Description {
 public:
  explicit Description(IRBuilder<>& builder) : builder_(builder) {}

  // False if there would be too many operands: each may need two registers.
  bool add(const Range& range) {
    constexpr size_t kMostOperands = 5;
    int64_t bytes = range.last.offset - range.first.offset;
    bool is_short = range.first.base == range.last.base && range.first.index == range.last.index && bytes >= 0 &&
                    bytes <= UINT8_MAX;
    if (ranges_ == ANA_SITE_DESCRIBED || pointers_.size() + (is_short ? 1 : 2) > kMostOperands) return false;
    add_operand(range.write ? "nopq" : "nopl", range.first);
    if (is_short) text_ += (Twine("\n\ttestb $$") + Twine(bytes) + ", %al").str();
    else add_operand("nopl", range.last);
    ++ranges_;
    return true;
  }

  void call(StringRef name, Constant* site, size_t all) {
    std::string text = (Twine("call ") + name + "@PLT # " + Twine(all) + "\n\tnopl ${0:c}(%rip)").str() + text_;
    std::string constraints = "i" + constraints_ + ",~{r11},~{memory},~{dirflag},~{fpsr},~{flags}";
    SmallVector<Value*, 8> arguments{site};
    SmallVector<Type*, 8> types{site->getType()};
    for (Value* pointer : pointers_) {
      arguments.push_back(pointer);
      types.push_back(pointer->getType());
    }
    auto* type = FunctionType::get(builder_.getVoidTy(), types, false);
    CallInst* call = builder_.CreateCall(InlineAsm::get(type, text, constraints, true), arguments);
    for (unsigned i = 1; i < arguments.size(); ++i) {
      if (!in_register_[i - 1])
        call->addParamAttr(i, Attribute::get(builder_.getContext(), Attribute::ElementType, builder_.getInt8Ty()));
    }
    call->setDoesNotThrow();
  }

 private:
  // As memory, in whatever way instructions can address it; but not relative to fs, which the runtime does not know.
  void add_operand(StringRef instruction, const Place& place) {
    Value* base = place.base;
    Value* pointer = base->getType()->isPointerTy() ? base : builder_.CreateIntToPtr(base, builder_.getPtrTy());
    bool in_register = is_thread_local(pointer);
    Value* added = distance(builder_, {base, in_register ? 0 : place.offset, place.index, place.scale});
    if (added) pointer = builder_.CreateGEP(builder_.getInt8Ty(), pointer, added);
    pointers_.push_back(pointer);
    in_register_.push_back(in_register);
    constraints_ += in_register ? ",r" : ",*m";
    std::string operand = (Twine("$") + Twine(pointers_.size())).str();
    if (in_register) operand = (Twine(place.offset) + "(" + operand + ")").str();
    text_ += (Twine("\n\t") + instruction + " " + operand).str();
  }

  static bool is_thread_local(const Value* pointer) {
    const Value* object = getUnderlyingObject(pointer);
    auto* intrinsic = dyn_cast<IntrinsicInst>(object);
    if (intrinsic) return intrinsic->getIntrinsicID() == Intrinsic::threadlocal_address;
    auto* variable = dyn_cast<GlobalVariable>(object);
    return variable && variable->isThreadLocal();
  }

  IRBuilder<>& builder_;
  std::string text_, constraints_;
  SmallVector<Value*, 8> pointers_;
  SmallVector<bool, 8> in_register_;
  uint32_t ranges_ = 0;
};

}  // namespace

void Emitter::call_cold(IRBuilder<>& builder, Hook hook, ArrayRef<Range> ranges, const DebugLoc& where,
                        uint32_t site_flags) {
  assert(ranges.size() <= ANA_MAX_RANGES);
  Description description(builder);
  uint32_t all = static_cast<uint32_t>(ranges.size()), described = 0;
  while (described < all && description.add(ranges[described])) ++described;
  uint64_t slot = ANA_GS_RANGES + described * sizeof(AnaRange);
  for (const Range& range : ranges.drop_front(described)) slot = pass_range(builder, range, slot);
  site_flags |= all << ANA_SITE_RANGES_SHIFT | described << ANA_SITE_DESCRIBED_SHIFT;
  Constant* site = sites_.create(*builder.GetInsertBlock()->getParent(), where, site_flags);
  description.call(hook == Hook::kCheck ? "__ana_check" : "__ana_poll", site, ranges.size());
}

// The new block is the last of the function, and goes on to `next`.
BasicBlock* Emitter::cold_block(BasicBlock* next, Hook hook, ArrayRef<Check> own, ArrayRef<Range> held,
                                const DebugLoc& where, const Counter* counter, uint32_t site_flags) {
  Function* function = next->getParent();
  function->addFnAttr(Attribute::NoRedZone);  // the compiler does not know that there are calls
  BasicBlock* block = BasicBlock::Create(module_.getContext(), "ana.cold", function);
  IRBuilder<> builder(block);
  builder.SetCurrentDebugLocation(where);
  SmallVector<Range, 8> ranges;
  for (const Check& check : own) ranges.push_back(check.range);
  ranges.append(held.begin(), held.end());
  if (counter) store_count(builder, *counter);
  call_cold(builder, hook, ranges, where, site_flags);
  if (counter) load_count(builder, *counter);
  builder.CreateBr(next);
  return block;
}

// Goes on in a new block if nothing is missing.
void Emitter::go_on_unless(IRBuilder<>& builder, Value* missing, BasicBlock* cold) {
  BasicBlock* block = builder.GetInsertBlock();
  BasicBlock* next = BasicBlock::Create(module_.getContext(), "ana.next", block->getParent(), block->getNextNode());
  builder.CreateCondBr(missing, cold, next, unlikely_);
  builder.SetInsertPoint(next);
}

void Emitter::test_lines(IRBuilder<>& builder, const Check& check, Value* epoch, BasicBlock* cold) {
  const Range& range = check.range;
  auto test_at = [&](const Place& place) {
    Value* line = line_of(builder, address(builder, place));
    Value* until = permission(builder, table_offset(builder, line, range.write));
    go_on_unless(builder, builder.CreateICmpULT(until, epoch), cold);
  };
  test_at(range.first);
  if (check.extent == Extent::kOneLine) return;
  if (check.extent == Extent::kFewLines) {
    constexpr int64_t kStep = kLineBytes;
    for (int64_t at = range.first.offset + kStep; at < range.last.offset; at += kStep) test_at({range.first.base, at});
  }
  test_at(range.last);
}

void Emitter::scan_lines(IRBuilder<>& builder, const Range& range, BasicBlock* cold) {
  auto* results = StructType::get(module_.getContext(), {i32_, i64_, i64_});
  auto* type = FunctionType::get(results, {i64_, i64_}, false);
  const char* text = range.write ? "call __ana_scan_write@PLT" : "call __ana_scan_read@PLT";
  const char* constraints = "={@ccb},={ax},={dx},1,2,~{r11},~{memory},~{dirflag},~{fpsr},~{flags}";
  CallInst* call = builder.CreateCall(InlineAsm::get(type, text, constraints, true),
                                      {address(builder, range.first),
                                       address(builder, range.last)});
  call->setDoesNotThrow();
  Value* missing = builder.CreateICmpNE(builder.CreateExtractValue(call, 0), ConstantInt::get(i32_, 0));
  go_on_unless(builder, missing, cold);
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
  BasicBlock* cold = cold_block(next, Hook::kCheck, own, held, where, counter, atomic_site_flags(*before));
  block->getTerminator()->eraseFromParent();
  IRBuilder<> builder(block);
  builder.SetCurrentDebugLocation(where);
  LoadInst* epoch = nullptr;
  for (const Check& check : own) {
    if (check.extent == Extent::kScan) {
      scan_lines(builder, check.range, cold);
      continue;
    }
    if (!epoch) epoch = builder.CreateAlignedLoad(i32_, control(ANA_GS_EPOCH), Align(4), true);
    test_lines(builder, check, epoch, cold);
  }
  builder.CreateBr(next);
}

void Emitter::poll(Instruction* before, ArrayRef<Range> held, const DebugLoc& where, const Counter* counter,
                   bool is_prologue) {
  BasicBlock* block = before->getParent();
  BasicBlock* next = block->splitBasicBlock(before->getIterator(), "ana.ok");
  BasicBlock* cold = cold_block(next, Hook::kPoll, {}, held, where, counter);
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
  call_hook(builder, begin_, ranges.size(), where, flags);
  block->getTerminator()->eraseFromParent();
  builder.SetInsertPoint(block);
  builder.SetCurrentDebugLocation(where);
  call_hook(builder, end_, ranges.size(), where);
  if (!can_repeat) {
    builder.CreateBr(next);
    return;
  }
  LoadInst* retry = builder.CreateAlignedLoad(i64_, control(ANA_GS_RETRY), Align(8), true);
  builder.CreateCondBr(builder.CreateICmpNE(retry, ConstantInt::get(i64_, 0)), block, next, unlikely_);
}

}  // namespace ana
