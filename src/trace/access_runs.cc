#include "trace/access_runs.h"

#include <Zydis/Zydis.h>

#include <algorithm>

#include "trace/translation.h"

namespace ana {

namespace {

constexpr int64_t kMostBytes = 1 << kSeenLineShift;  // of a group: two lines

struct Decoder {
  ZydisDecoder decoder;
  Decoder() { ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64); }
};

struct Instruction {
  ZydisDecodedInstruction instruction;
  ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];

  bool decode(const StepCode::Section& section, uint64_t address) {
    static const Decoder shared;
    uint64_t into = address - section.address;
    return ZYAN_SUCCESS(ZydisDecoderDecodeFull(&shared.decoder, section.contents + into, section.bytes - into, &instruction,
                                               operands));
  }
  bool branches() const { return instruction.meta.branch_type != ZYDIS_BRANCH_TYPE_NONE; }
};

bool same_registers(const StepOperand& a, const StepOperand& b) {
  return a.base == b.base && a.index == b.index && (a.index == kNoRegister || a.scale == b.scale);
}
bool same_place(const StepOperand& a, const StepOperand& b) {
  return same_registers(a, b) && a.displacement == b.displacement && a.bytes == b.bytes;
}

}  // namespace

uint8_t register_number(uint8_t signal_register) {
  constexpr uint8_t kNumbers[] = {8, 9, 10, 11, 12, 13, 14, 15, 7, 6, 5, 3, 2, 0, 1, 4};
  return signal_register == kNoRegister ? kNoRegister : kNumbers[signal_register];
}

AccessRuns::AccessRuns(const StepCode& code, bool by_lines) : code_(code), by_lines_(by_lines) {
  for (const StepCode::Section& section : code.sections) {
    Instruction i;
    for (uint64_t at = section.address; at < section.address + section.bytes;) {
      bool known = i.decode(section, at);
      uint64_t next = at + (known ? i.instruction.length : 1u);
      if (known && i.branches() && i.operands[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE)
        targets_.insert(next + static_cast<uint64_t>(i.operands[0].imm.value.s));
      at = next;
    }
  }
}

AccessRuns::Step AccessRuns::step_at(const StepCode::Section& section, uint64_t address) const {
  Instruction i;
  if (!i.decode(section, address) || i.branches()) return {};
  bool stops = i.instruction.mnemonic == ZYDIS_MNEMONIC_UD2 || i.instruction.mnemonic == ZYDIS_MNEMONIC_INT3 ||
               i.instruction.mnemonic == ZYDIS_MNEMONIC_HLT || i.instruction.mnemonic == ZYDIS_MNEMONIC_SYSCALL;
  if (stops) return {};
  Step step{.bytes = i.instruction.length};
  for (size_t n = 0; n < i.instruction.operand_count; n++) {
    const ZydisDecodedOperand& o = i.operands[n];
    if (o.type != ZYDIS_OPERAND_TYPE_REGISTER || !(o.actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)) continue;
    ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, o.reg.value);
    if (whole >= ZYDIS_REGISTER_RAX && whole <= ZYDIS_REGISTER_R15)
      step.changed |= static_cast<uint16_t>(1u << (whole - ZYDIS_REGISTER_RAX));
  }
  return step;
}

uint16_t AccessRuns::registers_of(const StepOperand& o) {
  uint32_t out = 0;
  for (uint8_t r : {register_number(o.base), register_number(o.index)})
    if (r != kNoRegister) out |= 1u << r;
  return static_cast<uint16_t>(out);
}

AccessRun AccessRuns::group(uint64_t begin, const std::vector<Found>& found) const {
  AccessRun run;
  run.begin = run.end = begin;
  auto add = [&](const StepOperand& o) {
    for (AccessGroup& g : run.groups) {
      int64_t first = std::min(g.all.displacement, o.displacement);
      int64_t last = std::max(g.all.displacement + g.all.bytes, o.displacement + o.bytes);
      if (!same_registers(g.all, o) || (by_lines_ && g.all.writes != o.writes) || last - first > kMostBytes) continue;
      g.of_one &= g.all.displacement == first && g.all.bytes == last - first && g.all.bytes == o.bytes;
      g.all.displacement = first;
      g.all.bytes = static_cast<uint16_t>(last - first);
      return;
    }
    run.groups.push_back({o, true});
  };
  auto is_written = [&](const StepOperand& o) {
    return std::any_of(found.begin(), found.end(), [&](const Found& f) {
      return code_.operands[f.operand].writes && same_place(code_.operands[f.operand], o);
    });
  };
  for (const Found& f : found) {
    const StepOperand& o = code_.operands[f.operand];
    run.end = std::max(run.end, f.end);
    run.registers |= registers_of(o);
    run.operands.insert(f.operand);
    if (by_lines_ && !o.writes && is_written(o)) continue;
    add(o);
  }
  return run;
}

}  // namespace ana
