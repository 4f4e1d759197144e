#include "trace/atomic_checks.h"

#include <Zydis/Zydis.h>
#include <string.h>
#include <sys/ucontext.h>

#include <algorithm>

#include "anaphora/runtime_abi.h"
#include "trace/cold_call.h"
#include "trace/runtime_calls.h"

namespace ana {

namespace {

constexpr uint32_t kMostBehindCheck = 32;  // instructions, up to the access that a check is of
constexpr uint64_t kCallBytes = 5;
constexpr uint32_t kOrders = ANA_SITE_ACQUIRE | ANA_SITE_RELEASE, kUpdates = ANA_SITE_READ | ANA_SITE_WRITE;

struct Decoded {
  ZydisDecodedInstruction instruction;
  ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];

  // Of a jump that is always taken.
  bool is_jump() const {
    return instruction.mnemonic == ZYDIS_MNEMONIC_JMP && operands[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE;
  }
  bool is_locked() const {
    return (instruction.attributes & ZYDIS_ATTRIB_HAS_LOCK) != 0 || instruction.mnemonic == ZYDIS_MNEMONIC_XCHG;
  }
  bool changes(ZydisRegister r) const {
    for (uint8_t i = 0; i < instruction.operand_count; i++) {
      const ZydisDecodedOperand& o = operands[i];
      if (o.type == ZYDIS_OPERAND_TYPE_REGISTER && (o.actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) &&
          ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, o.reg.value) == r)
        return true;
    }
    return false;
  }
};

class CodeReader {
 public:
  explicit CodeReader(const StepCode::Section& section) : section_(section) {
    ZydisDecoderInit(&decoder_, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
  }
  bool read(uint64_t address, Decoded& out) const {
    uint64_t into = address - section_.address;
    return into < section_.bytes && ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder_, section_.contents + into,
                                                                        section_.bytes - into, &out.instruction, out.operands));
  }

 private:
  const StepCode::Section& section_;
  ZydisDecoder decoder_;
};

// The one range that stands behind a check (cold_call.h), as far as instructions can be compared with it.
class ClaimedRange {
 public:
  // `at`: behind the site. None if there are more, or if it is not described by one operand and its length.
  ClaimedRange(const CodeReader& code, uint64_t at, uint32_t column) {
    bool one = (column >> ANA_SITE_DESCRIBED_SHIFT & ANA_SITE_DESCRIBED) == 1 &&
               (column >> ANA_SITE_RANGES_SHIFT & ANA_SITE_RANGES) == 1;
    Decoded first, length;
    if (!one || !code.read(at, first) || first.instruction.mnemonic != ZYDIS_MNEMONIC_NOP ||
        first.operands[0].type != ZYDIS_OPERAND_TYPE_MEMORY)
      return;
    uint64_t next = at + first.instruction.length;
    if (!code.read(next, length) || length.instruction.mnemonic != ZYDIS_MNEMONIC_TEST ||
        length.operands[1].type != ZYDIS_OPERAND_TYPE_IMMEDIATE)
      return;
    memory_ = first.operands[0].mem;
    address_ = displacement(memory_, next);
    bytes_ = length.operands[1].imm.value.u + 1;
  }

  bool is_known() const { return bytes_ != 0; }
  bool is_changed_by(const Decoded& d) const {
    return (memory_.base != ZYDIS_REGISTER_NONE && d.changes(memory_.base)) ||
           (memory_.index != ZYDIS_REGISTER_NONE && d.changes(memory_.index));
  }
  bool is_on_stack() const { return memory_.base == ZYDIS_REGISTER_RSP; }
  // Whether all that the instruction accesses is this. `next` is behind it.
  bool is_accessed_by(const Decoded& d, const StepOperand& operand, uint64_t next) const {
    if (operand.repeated || !operand.last || operand.thread_local_ || operand.bytes != bytes_) return false;
    for (uint8_t i = 0; i < d.instruction.operand_count_visible; i++) {
      const ZydisDecodedOperand& o = d.operands[i];
      if (o.type == ZYDIS_OPERAND_TYPE_MEMORY)
        return o.mem.base == memory_.base && o.mem.index == memory_.index &&
               (o.mem.index == ZYDIS_REGISTER_NONE || o.mem.scale == memory_.scale) && displacement(o.mem, next) == address_;
    }
    return false;
  }

 private:
  static uint64_t displacement(const ZydisDecodedOperandMem& memory, uint64_t next) {
    uint64_t out = memory.disp.has_displacement ? static_cast<uint64_t>(memory.disp.value) : 0;
    return memory.base == ZYDIS_REGISTER_RIP ? out + next : out;
  }

  ZydisDecodedOperandMem memory_{};
  uint64_t address_ = 0, bytes_ = 0;
};

}  // namespace

AtomicChecks::AtomicChecks(const StepCode& code, const ElfFile& program, uint64_t base, bool fences_elsewhere) {
  if (!program.position_independent()) base = 0;
  std::unordered_set<uint64_t> calls = runtime_calls(program, base, {"__ana_check"});
  std::vector<Check> checks;
  for (const StepCode::Section& section : code.sections) {
    for (uint64_t into = 0; into + kCallBytes + kColdSiteBytes <= section.bytes; into++) {
      const uint8_t* bytes = section.contents + into;
      uint64_t after = section.address + into + kCallBytes;
      if (bytes[0] != 0xe8 || !calls.contains(after + static_cast<uint64_t>(int64_t{displacement_at(bytes + 1)}))) continue;
      uint64_t site = after + kColdSiteBytes + static_cast<uint64_t>(int64_t{displacement_at(bytes + kCallBytes + 3)});
      uint32_t column = ANA_SITE_ATOMIC | kOrders;
      if (const uint8_t* at = program.at(site - base + offsetof(AnaSite, column), sizeof column))
        memcpy(&column, at, sizeof column);
      if (column & ANA_SITE_ATOMIC) checks.push_back({after, column & ANA_SITE_FLAGS, &section, column});
    }
  }
  has_fences_ = std::any_of(checks.begin(), checks.end(), [](const Check& c) { return !(c.flags & kUpdates); });
  for (const Check& each : checks) {
    atomic_.insert(each.after);
    find_access(code, each, !has_fences_ && !fences_elsewhere && (each.flags & ANA_SITE_READ) && !(each.flags & kOrders));
  }
}

void AtomicChecks::find_access(const StepCode& code, const Check& check, bool may_relax) {
  CodeReader reader(*check.section);
  bool is_load = !(check.flags & ANA_SITE_WRITE);
  ClaimedRange claimed(reader, check.after + kColdSiteBytes, check.column);
  bool certain = claimed.is_known() && (is_load || !claimed.is_on_stack());  // of its registers, and that it comes next
  std::vector<uint64_t> before;  // instructions that may be the access, unless it is certain that another is
  uint64_t address = check.after;
  for (uint32_t n = 0; n < kMostBehindCheck; n++) {
    Decoded d;
    if (!reader.read(address, d)) break;
    uint32_t what = code.index[address - code.begin];
    uint64_t next = address + d.instruction.length;
    if (what >= kStepFirstOperand) {
      const StepOperand& first = code.operands[what - kStepFirstOperand];
      bool locked = d.is_locked();  // not the operand: mark_relaxed() may have been called
      bool is_update = locked && first.writes && first.last;
      bool is_claimed = certain && claimed.is_accessed_by(d, first, next);
      if (may_relax && (is_load ? is_claimed && !first.writes : is_update)) {
        relaxed_.insert(address);
        quiet_.insert(check.after);
        return;
      }
      bool is_update_too = (check.flags & kUpdates) == kUpdates;
      if (is_claimed && (is_load ? !first.writes : is_update_too ? is_update : first.writes)) {
        told_by_checks_.insert(address);
        counted_.insert(check.after);
        accesses_.insert(address);
        return;
      }
      before.push_back(address);
      if (!is_load) {
        // Perhaps the load before a loop of compare and exchange, unless it is from the stack.
        certain &= first.base == REG_RSP && !locked;
        may_relax = false;
      }
    }
    certain &= !claimed.is_changed_by(d);
    if (d.is_jump()) next += static_cast<uint64_t>(d.operands[0].imm.value.s);
    else if (d.instruction.meta.branch_type != ZYDIS_BRANCH_TYPE_NONE) break;
    address = next;
  }
  accesses_.insert(before.begin(), before.end());
}

void AtomicChecks::relax(std::vector<KnownOperand>& operands) const {
  for (KnownOperand& operand : operands)
    if (is_relaxed(operand.site)) operand.flags &= ~kOrders;
}

void AtomicChecks::mark_relaxed(StepCode& code) const {
  for (uint64_t instruction : relaxed_) code.operands[code.index[instruction - code.begin] - kStepFirstOperand].locked = 1;
}

}  // namespace ana
