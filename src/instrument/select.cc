#include "instrument/select.h"

#include "instrument/site_flags.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Regex.h"

using namespace llvm;

namespace ana {
namespace {

constexpr uint64_t kSmallOperation = kLineBytes;

// Functions of libm: they touch nothing but errno, and never wait.
bool is_mathematical(StringRef name) {
  static const StringSet<> names = {
      "acos", "acosh", "asin", "asinh", "atan",   "atan2", "atanh", "cbrt",  "ceil",      "copysign", "cos",
      "cosh", "erf",   "erfc", "exp",   "exp2",   "expm1", "fabs",  "fdim",  "floor",     "fma",      "fmax",
      "fmin", "fmod",  "hypot", "ldexp", "log",   "log10", "log1p", "log2",  "logb",      "lrint",    "lround",
      "llrint", "llround", "nearbyint", "pow", "remainder", "rint", "round", "scalbn", "sin", "sinh", "sqrt",
      "tan",  "tanh",  "tgamma", "trunc", "abs",  "labs",  "llabs"};
  if (names.contains(name)) return true;
  return (name.ends_with("f") || name.ends_with("l")) && names.contains(name.drop_back());
}

// Assembly that may wait for another thread keeps what it holds while it waits, for ever: it cannot be ordered.
bool has_loop(const InlineAsm& assembly) {
  static const Regex backward_jump("(^|[^a-z])(j[a-z]+|loop[a-z]*)[[:space:]]+[^;\n]*([0-9]b|\\$\\{:uid\\})");
  return backward_jump.match(assembly.getAsmString());
}

void warn_of_waiting(const CallBase& call, const InlineAsm& assembly) {
  static const Regex atomic("(^|[^a-z])(lock|xchg[bwlq]?)([^a-z]|$)");
  if (!atomic.match(assembly.getAsmString())) return;
  call.getContext().diagnose(DiagnosticInfoInlineAsm(
      call, "a lock that waits inside inline assembly cannot be recorded; put the loop into C, around the assembly",
      DS_Warning));
}

// A pointer that points to nothing: a mark, or none.
bool is_number(const Value& pointer) {
  auto* expression = dyn_cast<ConstantExpr>(&pointer);
  return isa<ConstantPointerNull>(pointer) || (expression && expression->getOpcode() == Instruction::IntToPtr);
}

class Selector {
 public:
  Selector(Function& function, PrivateMemory& memory)
      : function_(function), layout_(function.getParent()->getDataLayout()), memory_(memory) {}

  std::vector<Access> run() {
    std::vector<Instruction*> instructions;
    for (Instruction& inst : instructions_of(function_)) instructions.push_back(&inst);
    for (Instruction* inst : instructions) visit(*inst);
    return std::move(accesses_);
  }

 private:
  static iterator_range<inst_iterator> instructions_of(Function& function) {
    return make_range(inst_begin(function), inst_end(function));
  }

  // Adds [pointer, pointer + size) in pieces of at most a line.
  void add(Instruction& inst, Value* pointer, uint64_t size, Align align, bool write, bool alone) {
    if (!size || pointer->getType()->getPointerAddressSpace() != 0 || memory_.contains(pointer)) return;
    for (uint64_t at = 0; at < size; at += kMaxAccess) {
      Access access{&inst, pointer, static_cast<int64_t>(at), std::min(kMaxAccess, size - at),
                    commonAlignment(align, at), write, alone};
      accesses_.push_back(access);
    }
  }

  uint64_t size_of(Type* type) { return layout_.getTypeStoreSize(type).getKnownMinValue(); }

  void visit(Instruction& inst) {
    if (auto* load = dyn_cast<LoadInst>(&inst)) {
      if (load->hasMetadata(LLVMContext::MD_invariant_load)) return;
      add(inst, load->getPointerOperand(), size_of(load->getType()), load->getAlign(), false, !load->isSimple());
    } else if (auto* store = dyn_cast<StoreInst>(&inst)) {
      add(inst, store->getPointerOperand(), size_of(store->getValueOperand()->getType()), store->getAlign(), true,
          !store->isSimple());
    } else if (auto* update = dyn_cast<AtomicRMWInst>(&inst)) {
      add(inst, update->getPointerOperand(), size_of(update->getType()), update->getAlign(), true, true);
    } else if (auto* exchange = dyn_cast<AtomicCmpXchgInst>(&inst)) {
      add(inst, exchange->getPointerOperand(), size_of(exchange->getCompareOperand()->getType()),
          exchange->getAlign(), true, true);
    } else if (isa<FenceInst>(inst)) {
      if (site_flags(inst)) add(inst, fence_word(), 1, Align(1), false, true);
    } else if (auto* operation = dyn_cast<MemIntrinsic>(&inst)) {
      visit_small(*operation);
    } else if (auto* intrinsic = dyn_cast<IntrinsicInst>(&inst)) {
      visit_masked(*intrinsic);
    } else if (auto* call = dyn_cast<CallBase>(&inst); call && call->isInlineAsm()) {
      visit_assembly(*call);
    }
  }

  // Memory operands say what is accessed. If any memory may be, so is what the pointers in registers point to: an atomic
  // variable, as a rule, hence on one line.
  void visit_assembly(CallBase& call) {
    auto& assembly = *cast<InlineAsm>(call.getCalledOperand());
    if (call.doesNotAccessMemory() || assembly.getAsmString().empty()) return;
    if (has_loop(assembly)) return warn_of_waiting(call, assembly);
    bool any_memory = StringRef(assembly.getConstraintString()).contains("~{memory}");
    unsigned argument = 0;
    for (const InlineAsm::ConstraintInfo& operand : assembly.ParseConstraints()) {
      bool is_output = operand.Type == InlineAsm::isOutput;
      if (operand.Type != InlineAsm::isInput && !(is_output && operand.isIndirect)) continue;
      Value* value = call.getArgOperand(argument);
      if (operand.isIndirect) {
        add(call, value, size_of(call.getParamElementType(argument)), Align(1), is_output, true);
      } else if (any_memory && value->getType()->isPointerTy() && !is_number(*value)) {
        add(call, value, 1, Align(1), true, true);
      }
      ++argument;
    }
  }

  void visit_small(MemIntrinsic& operation) {
    if (!is_small_memory_operation(operation)) return;
    uint64_t size = cast<ConstantInt>(operation.getLength())->getZExtValue();
    bool alone = operation.isVolatile();
    add(operation, operation.getRawDest(), size, operation.getDestAlign().valueOrOne(), true, alone);
    if (auto* transfer = dyn_cast<MemTransferInst>(&operation)) {
      add(operation, transfer->getRawSource(), size, transfer->getSourceAlign().valueOrOne(), false, alone);
    }
  }

  // The whole vector counts as accessed, whatever the mask says: lines are wider than most vectors.
  void visit_masked(IntrinsicInst& call) {
    auto alignment = [&](unsigned operand) { return cast<ConstantInt>(call.getArgOperand(operand))->getAlignValue(); };
    switch (call.getIntrinsicID()) {
      case Intrinsic::masked_load:
        return add(call, call.getArgOperand(0), size_of(call.getType()), alignment(1), false, false);
      case Intrinsic::masked_store:
        return add(call, call.getArgOperand(1), size_of(call.getArgOperand(0)->getType()), alignment(2), true, false);
      case Intrinsic::masked_expandload:
        return add(call, call.getArgOperand(0), size_of(call.getType()), Align(1), false, false);
      case Intrinsic::masked_compressstore:
        return add(call, call.getArgOperand(1), size_of(call.getArgOperand(0)->getType()), Align(1), true, false);
      case Intrinsic::masked_gather:
        return add_lanes(call, call.getArgOperand(0), call.getType(), call.getArgOperand(2), alignment(1), false);
      case Intrinsic::masked_scatter:
        return add_lanes(call, call.getArgOperand(1), call.getArgOperand(0)->getType(), call.getArgOperand(3),
                         alignment(2), true);
      default:
        return;
    }
  }

  void add_lanes(IntrinsicInst& call, Value* pointers, Type* values, Value* mask, Align align, bool write) {
    auto* type = dyn_cast<FixedVectorType>(values);
    if (!type) return;
    IRBuilder<> builder(&call);
    for (unsigned lane = 0; lane < type->getNumElements(); ++lane) {
      Value* active = builder.CreateExtractElement(mask, lane);
      if (auto* constant = dyn_cast<Constant>(active); constant && constant->isNullValue()) continue;
      Value* pointer = builder.CreateExtractElement(pointers, lane);
      if (!isa<Constant>(active)) pointer = builder.CreateSelect(active, pointer, own_byte());
      add(call, pointer, size_of(type->getElementType()), align, write, false);
    }
  }

  // Nobody writes it. Its check tells those who look at a replay of a fence, which may have no instruction.
  Value* fence_word() {
    Module& module = *function_.getParent();
    GlobalVariable* word = module.getNamedGlobal("ana.fence");
    if (word) return word;
    auto* type = ArrayType::get(Type::getInt8Ty(module.getContext()), kLineBytes);
    word = new GlobalVariable(module, type, false, GlobalValue::InternalLinkage, Constant::getNullValue(type), "ana.fence");
    word->setAlignment(Align(kLineBytes));
    return word;
  }

  // Stands in for the pointers of lanes that are masked off: these may be anything, this one is nobody else's.
  Value* own_byte() {
    if (!own_byte_) {
      IRBuilder<> builder(&*function_.getEntryBlock().begin());
      AllocaInst* byte = builder.CreateAlloca(ArrayType::get(builder.getInt8Ty(), 8), nullptr, "ana.lane");
      byte->setAlignment(Align(8));
      own_byte_ = byte;
    }
    return own_byte_;
  }

  Function& function_;
  const DataLayout& layout_;
  PrivateMemory& memory_;
  std::vector<Access> accesses_;
  Value* own_byte_ = nullptr;
};

}  // namespace

bool PrivateMemory::contains(const Value* pointer) {
  SmallVector<const Value*, 4> objects;
  getUnderlyingObjects(pointer, objects, nullptr, 8);
  for (const Value* object : objects) {
    auto& known = isa<GlobalValue>(object) ? globals_ : locals_;
    auto [entry, is_new] = known.try_emplace(object, false);
    if (is_new) entry->second = is_private(object);
    if (!entry->second) return false;
  }
  return true;
}

bool PrivateMemory::is_private(const Value* object) {
  if (auto* variable = dyn_cast<GlobalVariable>(object)) {
    if (variable->isConstant()) return true;
    return variable->isThreadLocal() && is_private_tls(*variable);
  }
  if (auto* argument = dyn_cast<Argument>(object)) {
    if (!argument->hasByValAttr()) return false;
  } else if (!isa<AllocaInst>(object) && !isNoAliasCall(object)) {
    return false;
  }
  return !PointerMayBeCaptured(object, true, true);
}

// Another thread can use a thread's copy only through its address; every way to the address is in sight if the variable
// is not visible outside the module.
bool PrivateMemory::is_private_tls(const GlobalVariable& variable) {
  if (!variable.hasLocalLinkage()) return false;
  for (const User* user : variable.users()) {
    auto* intrinsic = dyn_cast<IntrinsicInst>(user);
    if (!intrinsic || intrinsic->getIntrinsicID() != Intrinsic::threadlocal_address) return false;
    if (PointerMayBeCaptured(intrinsic, true, true)) return false;
  }
  return true;
}

std::vector<Access> select_accesses(Function& function, PrivateMemory& memory) {
  return Selector(function, memory).run();
}

bool is_small_memory_operation(const Instruction& inst) {
  auto* operation = dyn_cast<MemIntrinsic>(&inst);
  auto* length = operation ? dyn_cast<ConstantInt>(operation->getLength()) : nullptr;
  return length && length->getValue().ule(kSmallOperation);
}

bool may_yield(const Instruction& inst) {
  auto* call = dyn_cast<CallBase>(&inst);
  if (!call) return false;
  if (call->isInlineAsm()) return !call->doesNotAccessMemory();
  if (auto* intrinsic = dyn_cast<IntrinsicInst>(call)) {
    switch (intrinsic->getIntrinsicID()) {
      case Intrinsic::eh_sjlj_setjmp:
      case Intrinsic::eh_sjlj_longjmp:
        return true;
      default:
        return false;
    }
  }
  // Attributes are no help: a pure function polls, too, once it is instrumented.
  const Function* callee = call->getCalledFunction();
  return !(callee && callee->isDeclaration() && is_mathematical(callee->getName()));
}

bool ends_segment(const Instruction& inst) {
  if (may_yield(inst) || isa<FenceInst>(inst)) return true;
  if (auto* operation = dyn_cast<MemIntrinsic>(&inst)) return operation->isVolatile();
  return inst.isAtomic() || inst.isVolatile();
}

}  // namespace ana
