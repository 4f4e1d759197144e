// Instructions whose results are inputs of the program: rdtsc, rdtscp, rdrand and rdseed, as intrinsics and as inline
// assembly that consists of nothing else.
#include <string>

#include "anaphora/runtime_abi.h"
#include "instrument/rewrite.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace ana {
namespace {

AllocaInst* local_word(CallBase& call) {
  IRBuilder<> builder(&*call.getFunction()->getEntryBlock().begin());
  return builder.CreateAlloca(builder.getInt32Ty(), nullptr, "ana.out");
}

// A hook that fills a local word and forgets where it was: the word stays private.
FunctionCallee declare_hook(CallBase& call, StringRef name, ArrayRef<Type*> parameters) {
  auto* type = FunctionType::get(Type::getInt64Ty(call.getContext()), parameters, false);
  FunctionCallee hook = call.getModule()->getOrInsertFunction(name, type);
  if (auto* function = dyn_cast<Function>(hook.getCallee())) {
    function->addParamAttr(static_cast<unsigned>(parameters.size()) - 1, Attribute::NoCapture);
  }
  return hook;
}

Value* read_clock(IRBuilder<>& builder) {
  Module* module = builder.GetInsertBlock()->getModule();
  return builder.CreateCall(module->getOrInsertFunction("__ana_rdtsc", builder.getInt64Ty()));
}

// {clock, processor}
std::pair<Value*, Value*> read_clock_and_processor(IRBuilder<>& builder, CallBase& call) {
  AllocaInst* word = local_word(call);
  FunctionCallee hook = declare_hook(call, "__ana_rdtscp", {builder.getPtrTy()});
  Value* clock = builder.CreateCall(hook, {word});
  return {clock, builder.CreateLoad(builder.getInt32Ty(), word)};
}

// {number, ok}
std::pair<Value*, Value*> read_random(IRBuilder<>& builder, CallBase& call, StringRef name, unsigned bits) {
  AllocaInst* word = local_word(call);
  FunctionCallee hook = declare_hook(call, name, {builder.getInt32Ty(), builder.getPtrTy()});
  Value* number = builder.CreateCall(hook, {builder.getInt32(bits), word});
  return {number, builder.CreateLoad(builder.getInt32Ty(), word)};
}

void replace(CallBase& call, IRBuilder<>& builder, ArrayRef<Value*> values) {
  auto* type = dyn_cast<StructType>(call.getType());
  Value* result = nullptr;
  if (!type) {
    result = builder.CreateZExtOrTrunc(values[0], call.getType());
  } else {
    result = PoisonValue::get(type);
    for (unsigned i = 0; i < type->getNumElements(); ++i) {
      Value* value = builder.CreateZExtOrTrunc(values[i], type->getElementType(i));
      result = builder.CreateInsertValue(result, value, i);
    }
  }
  call.replaceAllUsesWith(result);
  call.eraseFromParent();
}

bool rewrite_intrinsic(IntrinsicInst& call) {
  IRBuilder<> builder(&call);
  auto random = [&](StringRef hook, unsigned bits) {
    auto [number, ok] = read_random(builder, call, hook, bits);
    replace(call, builder, {number, ok});
    return true;
  };
  switch (call.getIntrinsicID()) {
    case Intrinsic::readcyclecounter:
    case Intrinsic::x86_rdtsc:
      replace(call, builder, {read_clock(builder)});
      return true;
    case Intrinsic::x86_rdtscp: {
      auto [clock, processor] = read_clock_and_processor(builder, call);
      replace(call, builder, {clock, processor});
      return true;
    }
    case Intrinsic::x86_rdrand_16:
      return random("__ana_rdrand", 16);
    case Intrinsic::x86_rdrand_32:
      return random("__ana_rdrand", 32);
    case Intrinsic::x86_rdrand_64:
      return random("__ana_rdrand", 64);
    case Intrinsic::x86_rdseed_16:
      return random("__ana_rdseed", 16);
    case Intrinsic::x86_rdseed_32:
      return random("__ana_rdseed", 32);
    case Intrinsic::x86_rdseed_64:
      return random("__ana_rdseed", 64);
    default:
      return false;
  }
}

// Instructions separated by ';', without superfluous blanks.
std::string normalise(StringRef text) {
  std::string result;
  bool blank = false;
  for (char c : text) {
    if (c == '\n') c = ';';
    if (c == ' ' || c == '\t') {
      blank = true;
      continue;
    }
    bool separator = c == ';' || c == ',';
    if (blank && !result.empty() && result.back() != ';' && result.back() != ',' && !separator) result += ' ';
    blank = false;
    if (c == ';' && (result.empty() || result.back() == ';')) continue;
    result += c;
  }
  while (!result.empty() && result.back() == ';') result.pop_back();
  return result;
}

bool all_integers(Type* type, unsigned count) {
  auto* record = dyn_cast<StructType>(type);
  if (!record) return count == 1 && type->isIntegerTy() && type->getIntegerBitWidth() <= 64;
  if (record->getNumElements() != count) return false;
  return all_of(record->elements(), [](Type* t) { return t->isIntegerTy() && t->getIntegerBitWidth() <= 64; });
}

bool rewrite_assembly(CallBase& call) {
  auto* assembly = dyn_cast<InlineAsm>(call.getCalledOperand());
  if (!assembly || !isa<CallInst>(call) || call.arg_size() != 0) return false;
  std::string text = normalise(assembly->getAsmString());
  StringRef constraints = assembly->getConstraintString();
  IRBuilder<> builder(&call);
  auto high = [&](Value* clock) { return builder.CreateLShr(clock, 32); };
  auto low = [&](Value* clock) { return builder.CreateAnd(clock, 0xffffffffu); };
  if (text == "rdtsc" && constraints.starts_with("={ax},={dx}") && all_integers(call.getType(), 2)) {
    Value* clock = read_clock(builder);
    replace(call, builder, {low(clock), high(clock)});
    return true;
  }
  if ((text == "rdtsc;shlq $$32,%rdx;orq %rdx,%rax" || text == "rdtsc;shl $$32,%rdx;or %rdx,%rax") &&
      constraints.starts_with("={ax}") && all_integers(call.getType(), 1)) {
    replace(call, builder, {read_clock(builder)});
    return true;
  }
  if (text == "rdtscp" && constraints.starts_with("={ax},={dx},={cx}") && all_integers(call.getType(), 3)) {
    auto [clock, processor] = read_clock_and_processor(builder, call);
    replace(call, builder, {low(clock), high(clock), processor});
    return true;
  }
  if (text == "rdtscp" && constraints.starts_with("={ax},={dx}") && all_integers(call.getType(), 2)) {
    Value* clock = read_clock_and_processor(builder, call).first;
    replace(call, builder, {low(clock), high(clock)});
    return true;
  }
  for (StringRef instruction : {"rdrand", "rdseed"}) {
    bool with_flag = text == (instruction + " $0;setc $1").str() ||
                     (text == (instruction + " $0").str() && constraints.contains("@ccc"));
    bool plain = text == (instruction + " $0").str() && all_integers(call.getType(), 1);
    if (!(with_flag && all_integers(call.getType(), 2)) && !plain) continue;
    Type* type = plain ? call.getType() : call.getType()->getStructElementType(0);
    auto [number, ok] = read_random(builder, call, ("__ana_" + instruction).str(), type->getIntegerBitWidth());
    if (plain) replace(call, builder, {number});
    else replace(call, builder, {number, ok});
    return true;
  }
  return false;
}

}  // namespace

bool rewrite_input(CallBase& call) {
  if (auto* intrinsic = dyn_cast<IntrinsicInst>(&call)) return rewrite_intrinsic(*intrinsic);
  return call.isInlineAsm() && rewrite_assembly(call);
}

}  // namespace ana
