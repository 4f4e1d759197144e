#include "instrument/rewrite.h"

#include "anaphora/runtime_abi.h"
#include "instrument/rewrite_table.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace ana {
namespace {

bool has_type(Type* type, char letter) {
  switch (letter) {
    case 'p':
      return type->isPointerTy() && type->getPointerAddressSpace() == 0;
    case 'i':
      return type->isIntegerTy(32);
    case 'f':
      return type->isFloatTy();
    case 'd':
      return type->isDoubleTy();
    case 'x':
      return type->isX86_FP80Ty();
    case 'v':
      return type->isVoidTy();
    default:
      return type->isIntegerTy(64);
  }
}

bool has_signature(FunctionType* type, StringRef signature) {
  if (type->isVarArg() || type->getNumParams() + 1 != signature.size()) return false;
  if (!has_type(type->getReturnType(), signature[0])) return false;
  for (unsigned i = 0; i < type->getNumParams(); ++i) {
    if (!has_type(type->getParamType(i), signature[i + 1])) return false;
  }
  return true;
}

// The attributes of the library function say that it is pure, which its replacement is not.
AttributeList without_memory_effects(AttributeList attributes, LLVMContext& context) {
  attributes = attributes.removeFnAttribute(context, Attribute::Memory);
  attributes = attributes.removeFnAttribute(context, Attribute::NoSync);
  return attributes.removeFnAttribute(context, Attribute::NoCallback);
}

bool rewrite_name(CallBase& call) {
  static const StringMap<StringRef> table = [] {
    StringMap<StringRef> names;
    for (const NameRewrite& rewrite : kNameRewrites) names[rewrite.name] = rewrite.signature;
    return names;
  }();
  Function* callee = call.getCalledFunction();
  if (!callee || !callee->isDeclaration() || callee->isIntrinsic()) return false;
  auto found = table.find(callee->getName());
  if (found == table.end() || !has_signature(callee->getFunctionType(), found->second)) return false;
  LLVMContext& context = call.getContext();
  FunctionCallee replacement =
      callee->getParent()->getOrInsertFunction(("__ana_" + callee->getName()).str(), callee->getFunctionType(),
                                               without_memory_effects(callee->getAttributes(), context));
  call.setCalledFunction(replacement);
  call.setAttributes(without_memory_effects(call.getAttributes(), context));
  return true;
}

// Big atomics are calls of libatomic, which nobody instruments: __atomic_op(size, pointer, ...) or
// __atomic_op_N(pointer, ...). No other thread can come between the range and the call.
void claim_for_libatomic(CallBase& call, SiteTable& sites) {
  Function* callee = call.getCalledFunction();
  if (!callee || !callee->isDeclaration() || !callee->getName().starts_with("__atomic_")) return;
  StringRef name = callee->getName();
  bool write = !name.starts_with("__atomic_load");
  IRBuilder<> builder(&call);
  Value* size = nullptr;
  Value* pointer = nullptr;
  unsigned bytes = 0;
  if (!name.rsplit('_').second.getAsInteger(10, bytes) && call.arg_size() >= 1) {
    size = builder.getInt64(bytes);
    pointer = call.getArgOperand(0);
  } else if (call.arg_size() >= 2 && call.getArgOperand(0)->getType()->isIntegerTy(64)) {
    size = call.getArgOperand(0);
    pointer = call.getArgOperand(1);
  }
  if (!pointer || !pointer->getType()->isPointerTy()) return;
  FunctionCallee range = call.getModule()->getOrInsertFunction("__ana_range", builder.getVoidTy(), builder.getPtrTy(),
                                                               builder.getInt64Ty(), builder.getInt32Ty(),
                                                               builder.getPtrTy());
  builder.CreateCall(range, {pointer, size, builder.getInt32(write),
                             sites.create(*call.getFunction(), call.getDebugLoc())});
}

}  // namespace

void rewrite_calls(Function& function, PrivateMemory& memory, SiteTable& sites) {
  SmallVector<CallBase*, 32> calls;
  for (Instruction& inst : instructions(function)) {
    if (auto* call = dyn_cast<CallBase>(&inst)) calls.push_back(call);
  }
  for (CallBase* call : calls) {
    if (call->isMustTailCall()) continue;
    if (rewrite_memory(*call, memory, sites) || rewrite_input(*call) || rewrite_name(*call)) continue;
    claim_for_libatomic(*call, sites);
  }
}

}  // namespace ana
