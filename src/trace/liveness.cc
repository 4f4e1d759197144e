#include "trace/flag_flow.h"

#include <Zydis/Zydis.h>

namespace ana {

namespace {

constexpr uint16_t kStatus = ZYDIS_CPUFLAG_CF | ZYDIS_CPUFLAG_PF | ZYDIS_CPUFLAG_AF | ZYDIS_CPUFLAG_ZF |
                             ZYDIS_CPUFLAG_SF | ZYDIS_CPUFLAG_OF;

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

}  // namespace

struct FlagFlow::Step {
  uint64_t address, next, target = 0;  // next: behind it; target: of a jump
  uint16_t read = kStatus, written = 0;
  bool falls = true, ends = false;     // goes on behind it; to where nobody looks at flags
};

FlagFlow::Step FlagFlow::step_of(const uint8_t* bytes, uint64_t length, uint64_t address) {
  static const Decoder shared;
  Step step{.address = address, .next = address + 1};
  ZydisDecodedInstruction instruction;
  ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
  if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&shared.decoder, bytes, length, &instruction, operands))) return step;
  step.next = address + instruction.length;
  step.read = 0;
  if (const ZydisAccessedFlags* flags = instruction.cpu_flags) {
    step.read = static_cast<uint16_t>(flags->tested & kStatus);
    uint32_t written = flags->modified | flags->set_0 | flags->set_1 | flags->undefined;
    if (is_certain(instruction, operands)) step.written = static_cast<uint16_t>(written & kStatus);
  }
  step.ends = instruction.mnemonic == ZYDIS_MNEMONIC_CALL || instruction.mnemonic == ZYDIS_MNEMONIC_RET;
  if (step.ends || instruction.meta.branch_type == ZYDIS_BRANCH_TYPE_NONE) return step;
  step.falls = instruction.mnemonic != ZYDIS_MNEMONIC_JMP;
  bool relative = operands[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE;
  if (relative) step.target = step.next + static_cast<uint64_t>(operands[0].imm.value.s);
  else step.read = kStatus;
  return step;
}

uint16_t FlagFlow::alive_at(uint64_t address) const {
  return address - begin_ < alive_.size() ? alive_[address - begin_] : kStatus;
}

FlagFlow::FlagFlow(const StepCode& code) : begin_(code.begin), alive_(code.index.size()) {
  std::vector<Step> steps;
  for (const StepCode::Section& section : code.sections) {
    for (uint64_t into = 0; into < section.bytes;) {
      steps.push_back(step_of(section.contents + into, section.bytes - into, section.address + into));
      into = steps.back().next - section.address;
    }
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
      uint16_t after = 0;
      if (!step->ends && step->falls) after |= alive_at(step->next);
      if (!step->ends && step->target) after |= alive_at(step->target);
      auto before = static_cast<uint16_t>(step->read | (after & ~step->written));
      uint16_t& known = alive_[step->address - begin_];
      changed |= known != before;
      known = before;
    }
  }
}

}  // namespace ana
