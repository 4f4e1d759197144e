#include "trace/atomic_checks.h"

#include <Zydis/Zydis.h>
#include <string.h>

#include <algorithm>

#include "anaphora/runtime_abi.h"
#include "trace/cold_call.h"

namespace ana {

namespace {

constexpr uint32_t kMostBehindCheck = 32;  // instructions, up to the access that a check is of
constexpr uint64_t kCallBytes = 5;
constexpr uint32_t kOrders = ANA_SITE_ACQUIRE | ANA_SITE_RELEASE, kUpdates = ANA_SITE_READ | ANA_SITE_WRITE;

uint64_t address_of_check(const ElfFile& program, uint64_t base) {
  for (const ElfFile::Symbol& f : program.functions())
    if (f.name == "__ana_check") return base + f.address;
  return 0;
}

}  // namespace

AtomicChecks::AtomicChecks(const StepCode& code, const ElfFile& program, uint64_t base) {
  if (!program.position_independent()) base = 0;
  uint64_t check = address_of_check(program, base);
  std::vector<Check> checks;
  for (const StepCode::Section& section : code.sections) {
    for (uint64_t into = 0; into + kCallBytes + kColdSiteBytes <= section.bytes; into++) {
      const uint8_t* bytes = section.contents + into;
      uint64_t after = section.address + into + kCallBytes;
      if (bytes[0] != 0xe8 || after + static_cast<uint64_t>(int64_t{displacement_at(bytes + 1)}) != check) continue;
      uint64_t site = after + kColdSiteBytes + static_cast<uint64_t>(int64_t{displacement_at(bytes + kCallBytes + 3)});
      uint32_t column = ANA_SITE_ATOMIC | kOrders;
      if (const uint8_t* at = program.at(site - base + offsetof(AnaSite, column), sizeof column))
        memcpy(&column, at, sizeof column);
      if (column & ANA_SITE_ATOMIC) checks.push_back({after, column & ANA_SITE_FLAGS, &section});
    }
  }
  bool has_fences = std::any_of(checks.begin(), checks.end(), [](const Check& c) { return !(c.flags & kUpdates); });
  for (const Check& each : checks) {
    atomic_.insert(each.after);
    find_access(code, each, !has_fences && (each.flags & (kUpdates | kOrders)) == kUpdates);
  }
}

void AtomicChecks::find_access(const StepCode& code, const Check& check, bool may_relax) {
  ZydisDecoder decoder;
  ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
  const StepCode::Section& section = *check.section;
  uint64_t address = check.after;
  for (uint32_t n = 0; n < kMostBehindCheck; n++) {
    ZydisDecodedInstruction instruction;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    uint64_t into = address - section.address;
    if (into >= section.bytes) return;
    const uint8_t* bytes = section.contents + into;
    if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, bytes, section.bytes - into, &instruction, operands))) return;
    uint32_t what = code.index[address - code.begin];
    if (what >= kStepFirstOperand) {
      accesses_.insert(address);
      const StepOperand& first = code.operands[what - kStepFirstOperand];
      if (may_relax && first.locked && first.last) {
        relaxed_.insert(address);
        quiet_.insert(check.after);
        return;
      }
      may_relax = false;  // perhaps the load before a loop of compare and exchange
    }
    uint64_t next = address + instruction.length;
    if (instruction.mnemonic == ZYDIS_MNEMONIC_JMP && operands[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE)
      next += static_cast<uint64_t>(operands[0].imm.value.s);
    else if (instruction.meta.branch_type != ZYDIS_BRANCH_TYPE_NONE) return;
    address = next;
  }
}

void AtomicChecks::relax(std::vector<KnownOperand>& operands) const {
  for (KnownOperand& operand : operands)
    if (is_relaxed_update(operand.site)) operand.flags &= ~kOrders;
}

}  // namespace ana
