// memcpy, memmove and memset, as intrinsics, as library calls and as their fortified variants.
#include "anaphora/runtime_abi.h"
#include "instrument/rewrite.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace ana {
namespace {

enum class Operation : uint8_t { kCopy, kMove, kSet };

StringRef hook_name(Operation operation) {
  switch (operation) {
    case Operation::kCopy:
      return "__ana_memcpy";
    case Operation::kMove:
      return "__ana_memmove";
    default:
      return "__ana_memset";
  }
}

CallInst* call_hook(IRBuilder<>& builder, Operation operation, Value* to, Value* second, Value* size, Constant* site) {
  Module* module = builder.GetInsertBlock()->getModule();
  Type* pointer = builder.getPtrTy();
  Type* type = operation == Operation::kSet ? static_cast<Type*>(builder.getInt32Ty()) : pointer;
  FunctionCallee hook = module->getOrInsertFunction(hook_name(operation), pointer, pointer, type, builder.getInt64Ty(),
                                                    pointer);
  // What is only copied stays private: the hook keeps no pointer.
  if (auto* function = dyn_cast<Function>(hook.getCallee())) {
    function->setDoesNotThrow();
    function->addParamAttr(0, Attribute::NoCapture);
    if (type == pointer) function->addParamAttr(1, Attribute::NoCapture);
  }
  if (type != pointer) second = builder.CreateZExtOrTrunc(second, type);
  return builder.CreateCall(hook, {to, second, builder.CreateZExtOrTrunc(size, builder.getInt64Ty()), site});
}

bool rewrite_intrinsic(MemIntrinsic& operation, PrivateMemory& memory, SiteTable& sites) {
  if (is_small_memory_operation(operation) || operation.getDestAddressSpace() != 0) return false;
  Operation kind = isa<MemMoveInst>(operation) ? Operation::kMove : Operation::kCopy;
  Value* second = nullptr;
  if (auto* transfer = dyn_cast<MemTransferInst>(&operation)) {
    if (transfer->getSourceAddressSpace() != 0) return false;
    second = transfer->getRawSource();
    if (memory.contains(operation.getRawDest()) && memory.contains(second)) return false;
  } else {
    kind = Operation::kSet;
    second = cast<MemSetInst>(operation).getValue();
    if (memory.contains(operation.getRawDest())) return false;
  }
  IRBuilder<> builder(&operation);
  call_hook(builder, kind, operation.getRawDest(), second, operation.getLength(),
            sites.create(*operation.getFunction(), operation.getDebugLoc()));
  operation.eraseFromParent();
  return true;
}

// Fortified: where the size exceeds that of the object, the library's own function is called, which ends the program.
void keep_fortification(CallBase& call) {
  IRBuilder<> builder(&call);
  Value* too_big = builder.CreateICmpUGT(call.getArgOperand(2), call.getArgOperand(3));
  if (auto* known = dyn_cast<ConstantInt>(too_big); known && known->isZero()) return;
  MDNode* unlikely = MDBuilder(call.getContext()).createBranchWeights(1, 1u << 20);
  Instruction* fail = SplitBlockAndInsertIfThen(too_big, call.getIterator(), false, unlikely);
  builder.SetInsertPoint(fail);
  builder.SetCurrentDebugLocation(call.getDebugLoc());
  builder.CreateCall(call.getFunctionType(), call.getCalledOperand(),
                     {call.getArgOperand(0), call.getArgOperand(1), call.getArgOperand(2), call.getArgOperand(3)});
}

bool rewrite_library_call(CallInst& call, SiteTable& sites) {
  Function* callee = call.getCalledFunction();
  if (!callee || !callee->isDeclaration()) return false;
  StringRef name = callee->getName();
  bool fortified = name.consume_front("__");
  if (fortified && !name.consume_back("_chk")) return false;
  if (name != "memcpy" && name != "memmove" && name != "memset") return false;
  FunctionType* type = callee->getFunctionType();
  bool is_set = name == "memset";
  if (type->getNumParams() != (fortified ? 4u : 3u) || !type->getReturnType()->isPointerTy() ||
      !type->getParamType(0)->isPointerTy() || type->getParamType(1)->isPointerTy() == is_set ||
      !type->getParamType(2)->isIntegerTy(64)) {
    return false;
  }
  if (fortified) keep_fortification(call);
  IRBuilder<> builder(&call);
  Operation kind = is_set ? Operation::kSet : name == "memmove" ? Operation::kMove : Operation::kCopy;
  CallInst* hook = call_hook(builder, kind, call.getArgOperand(0), call.getArgOperand(1), call.getArgOperand(2),
                             sites.create(*call.getFunction(), call.getDebugLoc()));
  call.replaceAllUsesWith(hook);
  call.eraseFromParent();
  return true;
}

}  // namespace

bool rewrite_memory(CallBase& call, PrivateMemory& memory, SiteTable& sites) {
  if (auto* operation = dyn_cast<MemIntrinsic>(&call)) return rewrite_intrinsic(*operation, memory, sites);
  auto* direct = dyn_cast<CallInst>(&call);
  return direct && rewrite_library_call(*direct, sites);
}

}  // namespace ana
