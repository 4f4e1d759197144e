// Instructions whose results are inputs of the program: rdtsc, rdtscp, rdrand, rdseed, cpuid, rdpid and xgetbv, as
// intrinsics and as inline assembly that consists of nothing else.
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

AllocaInst* local_words(CallBase& call, unsigned count) {
  IRBuilder<> builder(&*call.getFunction()->getEntryBlock().begin());
  return builder.CreateAlloca(ArrayType::get(builder.getInt32Ty(), count), nullptr, "ana.out");
}

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

// Which processor it is, as rdtscp says, too.
Value* read_processor(IRBuilder<>& builder) {
  Module* module = builder.GetInsertBlock()->getModule();
  return builder.CreateCall(module->getOrInsertFunction("__ana_rdpid", builder.getInt64Ty()));
}

Value* read_control(IRBuilder<>& builder, Value* number) {
  Module* module = builder.GetInsertBlock()->getModule();
  FunctionCallee hook = module->getOrInsertFunction("__ana_xgetbv", builder.getInt64Ty(), builder.getInt32Ty());
  return builder.CreateCall(hook, {builder.CreateZExtOrTrunc(number, builder.getInt32Ty())});
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
    case Intrinsic::x86_rdpid:
      replace(call, builder, {read_processor(builder)});
      return true;
    case Intrinsic::x86_xgetbv:
      replace(call, builder, {read_control(builder, call.getArgOperand(0))});
      return true;
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

// The registers of assembly with inputs: those of its outputs, in order, and the value that goes into each. False if there
// is anything else. What may be in any register is taken to be `any`.
struct Operands {
  SmallVector<char, 4> outputs;  // 'a' to 'd'
  Value* inputs[4] = {};

  bool read(CallBase& call, const InlineAsm& assembly, char any) {
    unsigned next = 0;
    for (const InlineAsm::ConstraintInfo& part : assembly.ParseConstraints()) {
      if (part.Type == InlineAsm::isClobber) continue;
      if (part.isIndirect || part.Codes.size() != 1) return false;
      StringRef code = part.Codes[0];
      char name = code.size() == 4 && code.front() == '{' && code[2] == 'x' ? code[1] : code == "r" && any ? any : 0;
      if (unsigned index; name == 0 && !code.getAsInteger(10, index) && index < outputs.size()) name = outputs[index];
      if (name < 'a' || name > 'd') return false;
      if (part.Type == InlineAsm::isOutput) {
        outputs.push_back(name);
      } else {
        Value*& input = inputs[name - 'a'];
        input = call.getArgOperand(next++);
        if (!input->getType()->isIntegerTy()) return false;
      }
    }
    return all_integers(call.getType(), static_cast<unsigned>(outputs.size()));
  }
  // What goes into the register, or nothing that matters.
  Value* input(IRBuilder<>& builder, char name) const {
    Value* value = inputs[name - 'a'];
    return value ? builder.CreateZExtOrTrunc(value, builder.getInt32Ty()) : builder.getInt32(0);
  }
};

// ebx may be kept elsewhere meanwhile, as <cpuid.h> does.
bool rewrite_identification(CallBase& call, const InlineAsm& assembly, StringRef text) {
  bool exchanged = text == "xchgq %rbx,${1:q};cpuid;xchgq %rbx,${1:q}" || text == "xchg %rbx,${1:q};cpuid;xchg %rbx,${1:q}";
  Operands operands;
  if ((text != "cpuid" && !exchanged) || !operands.read(call, assembly, exchanged ? 'b' : 0)) return false;
  if (!operands.inputs[0] || operands.outputs.empty()) return false;
  IRBuilder<> builder(&call);
  AllocaInst* words = local_words(call, 4);
  FunctionCallee hook = declare_hook(call, "__ana_cpuid", {builder.getInt32Ty(), builder.getInt32Ty(), builder.getPtrTy()});
  builder.CreateCall(hook, {operands.input(builder, 'a'), operands.input(builder, 'c'), words});
  SmallVector<Value*, 4> values;
  for (char name : operands.outputs) {
    Value* at = builder.CreateConstInBoundsGEP2_32(words->getAllocatedType(), words, 0, static_cast<unsigned>(name - 'a'));
    values.push_back(builder.CreateLoad(builder.getInt32Ty(), at));
  }
  replace(call, builder, values);
  return true;
}

bool rewrite_control(CallBase& call, const InlineAsm& assembly, StringRef text) {
  Operands operands;
  if (text != "xgetbv" && text != ".byte 0x0f,0x01,0xd0") return false;
  if (!operands.read(call, assembly, 0) || !operands.inputs[2] || operands.outputs.empty()) return false;
  IRBuilder<> builder(&call);
  Value* control = read_control(builder, operands.input(builder, 'c'));
  SmallVector<Value*, 2> values;
  for (char name : operands.outputs) {
    if (name != 'a' && name != 'd') return false;
    values.push_back(name == 'd' ? builder.CreateLShr(control, 32) : builder.CreateAnd(control, 0xffffffffu));
  }
  replace(call, builder, values);
  return true;
}

bool rewrite_assembly(CallBase& call) {
  auto* assembly = dyn_cast<InlineAsm>(call.getCalledOperand());
  if (!assembly || !isa<CallInst>(call)) return false;
  std::string text = normalise(assembly->getAsmString());
  if (rewrite_identification(call, *assembly, text) || rewrite_control(call, *assembly, text)) return true;
  if (call.arg_size() != 0) return false;
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
  if (text == "rdpid $0" && all_integers(call.getType(), 1)) {
    replace(call, builder, {read_processor(builder)});
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
