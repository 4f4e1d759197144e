#include "trace/liveness.h"

#include <Zydis/Zydis.h>

#include <algorithm>

namespace ana {

namespace {

constexpr uint32_t kStatus = ZYDIS_CPUFLAG_CF | ZYDIS_CPUFLAG_PF | ZYDIS_CPUFLAG_AF | ZYDIS_CPUFLAG_ZF |
                             ZYDIS_CPUFLAG_SF | ZYDIS_CPUFLAG_OF;
constexpr uint32_t kRegisters = 0xffff, kAll = kStatus << 16 | kRegisters;
constexpr uint32_t kR11 = 1 << 11;
// rax, rdx, rbx, rsp, rbp, r12 to r15.
constexpr uint32_t kAfterReturn = 1 << 0 | 1 << 2 | 1 << 3 | 1 << 4 | 1 << 5 | 0xf000;

struct Decoder {
  ZydisDecoder decoder;
  Decoder() { ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64); }
};

// What repeats or shifts by a number in a register may do so 0 times, and changes nothing then.
bool is_certain(const ZydisDecodedInstruction& instruction, const ZydisDecodedOperand* operands) {
  constexpr ZydisInstructionAttributes kRepeats =
      ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE;
  if (instruction.attributes & kRepeats) return false;
  bool shifts = instruction.meta.category == ZYDIS_CATEGORY_SHIFT || instruction.meta.category == ZYDIS_CATEGORY_ROTATE;
  return !shifts || (operands[1].type == ZYDIS_OPERAND_TYPE_IMMEDIATE && operands[1].imm.value.u != 0);
}

// The bit of a general register, whatever part of it; 0 of others.
uint32_t bit_of(ZydisRegister part) {
  ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, part);
  if (whole < ZYDIS_REGISTER_RAX || whole > ZYDIS_REGISTER_R15) return 0;
  return 1u << (whole - ZYDIS_REGISTER_RAX);
}

// xor and sub of a register with itself, which need not know what was in it.
bool clears(const ZydisDecodedInstruction& instruction, const ZydisDecodedOperand* operands) {
  return (instruction.mnemonic == ZYDIS_MNEMONIC_XOR || instruction.mnemonic == ZYDIS_MNEMONIC_SUB) &&
         operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER && operands[1].type == ZYDIS_OPERAND_TYPE_REGISTER &&
         operands[0].reg.value == operands[1].reg.value;
}

bool is_whole(ZydisRegister part) {
  auto width = ZydisRegisterGetWidth(ZYDIS_MACHINE_MODE_LONG_64, part);
  return width >= 32;  // the upper half of a register is cleared with the lower one
}

}  // namespace

struct Liveness::Step {
  uint64_t address, next, target = 0;  // next: behind it; target: of a jump or call
  uint32_t read = kAll, written = 0;
  bool falls = true;   // goes on behind it
  bool calls = false;  // what it goes to comes back
  bool takes_r11 = false;  // as an operand
};

Liveness::Step Liveness::step_of(const uint8_t* bytes, uint64_t length, uint64_t address,
                                 const std::unordered_set<uint64_t>& cold) {
  static const Decoder shared;
  Step step{.address = address, .next = address + 1};
  ZydisDecodedInstruction instruction;
  ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
  if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&shared.decoder, bytes, length, &instruction, operands))) return step;
  step.next = address + instruction.length;
  step.read = 0;
  if (const ZydisAccessedFlags* flags = instruction.cpu_flags) {
    step.read = (flags->tested & kStatus) << kFlagsShift;
    uint32_t written = flags->modified | flags->set_0 | flags->set_1 | flags->undefined;
    if (is_certain(instruction, operands)) step.written = (written & kStatus) << kFlagsShift;
  }
  for (size_t i = 0; i < instruction.operand_count; i++) {
    const ZydisDecodedOperand& o = operands[i];
    if (o.type == ZYDIS_OPERAND_TYPE_MEMORY) step.read |= bit_of(o.mem.base) | bit_of(o.mem.index);
    if (o.type != ZYDIS_OPERAND_TYPE_REGISTER) continue;
    bool written = (o.actions & ZYDIS_OPERAND_ACTION_WRITE) && is_whole(o.reg.value) && is_certain(instruction, operands);
    if (written) step.written |= bit_of(o.reg.value);
    bool read = !written || ((o.actions & ZYDIS_OPERAND_ACTION_MASK_READ) && !clears(instruction, operands));
    if (read && !(clears(instruction, operands) && is_whole(o.reg.value))) step.read |= bit_of(o.reg.value);
  }
  step.takes_r11 = step.read & kR11;
  bool relative = operands[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE;
  if (instruction.meta.branch_type == ZYDIS_BRANCH_TYPE_NONE) {
    bool stops = instruction.mnemonic == ZYDIS_MNEMONIC_SYSCALL || instruction.mnemonic == ZYDIS_MNEMONIC_UD2;
    if (stops) step.read |= kRegisters;
    return step;
  }
  if (relative) step.target = step.next + static_cast<uint64_t>(operands[0].imm.value.s);
  if (instruction.mnemonic == ZYDIS_MNEMONIC_RET) {
    step.read |= kAfterReturn;
    step.falls = false;
    return step;
  }
  if (instruction.mnemonic == ZYDIS_MNEMONIC_CALL) {
    step.calls = true;
    step.written |= kStatus << kFlagsShift;
    step.written |= kR11;
    if (!cold.contains(step.target)) step.read |= kRegisters & ~kR11;
    return step;
  }
  step.falls = instruction.mnemonic != ZYDIS_MNEMONIC_JMP;
  if (!relative) step.read = kAll;
  return step;
}

uint32_t Liveness::alive_at(uint64_t address) const {
  return address - begin_ < alive_.size() ? alive_[address - begin_] : kAll;
}

// Whether one of the first instructions of a function reads r11 before any writes it.
bool Liveness::takes_r11(const std::vector<Step>& steps, uint64_t function) {
  constexpr int kFirst = 8;
  auto step = std::lower_bound(steps.begin(), steps.end(), function,
                               [](const Step& s, uint64_t address) { return s.address < address; });
  if (step == steps.end() || step->address != function) return false;
  for (int n = 0; n < kFirst && step != steps.end(); ++n, ++step) {
    if (step->takes_r11) return true;
    if (step->written & kR11 && !step->calls) return false;
  }
  return false;
}

Liveness::Liveness(const StepCode& code, const std::unordered_set<uint64_t>& cold)
    : begin_(code.begin), alive_(code.index.size(), kAll) {  // as what is none of the program's needs
  std::vector<Step> steps;
  for (const StepCode::Section& section : code.sections) {
    for (uint64_t into = 0; into < section.bytes;) {
      steps.push_back(step_of(section.contents + into, section.bytes - into, section.address + into, cold));
      into = steps.back().next - section.address;
    }
  }
  // Those that take something in r11 after all: what stands for indirect calls, where processors are not trusted.
  for (size_t i = 0; i < steps.size(); i++) {
    if (steps[i].calls && takes_r11(steps, steps[i].target)) steps[i].read |= kR11;
  }
  for (const Step& step : steps) alive_[step.address - begin_] = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
      uint32_t after = step->falls ? alive_at(step->next) : 0;
      if (!step->calls && step->target) after |= alive_at(step->target);
      uint32_t before = step->read | (after & ~step->written);
      uint32_t& known = alive_[step->address - begin_];
      changed |= known != before;
      known = before;
    }
  }
}

}  // namespace ana
