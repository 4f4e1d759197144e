#include "trace/seen_lookups.h"

#include <algorithm>
#include <bit>

namespace ana {

namespace {
constexpr uint32_t kSpread = 0x9e3779b1, kWordShift = 3;
constexpr uint8_t kJumpIfNot = 0x75, kJumpIf = 0x74, kJumpIfAbove = 0x77, kJump = 0xeb;

uint32_t present_of(const StepOperand& o) { return o.locked ? kGsPresentAtomic : kGsPresent; }
}  // namespace

size_t SeenLookups::whether_wanted() {
  out_.put({0x89, 0xc8, 0xc1, 0xe8, kSeenLineShift});  // mov %ecx, %eax; shr
  out_.put({0x65, 0x80, 0xb8});                              // cmpb $0, %gs:table(%rax)
  out_.put_number(kGsLinesTold);
  out_.put({0});
  return out_.jump_far(kJumpIf);
}

// In a table that is not used otherwise: by bytes, of lines; by lines, where only what is atomic and so writes is looked up
// by bytes, of what reads those.
size_t SeenLookups::for_place(uint32_t number) {
  int32_t entry = place_entry(number);
  out_.load_gs(kRax, kGsPresent);
  out_.compare_gs(kRax, entry);
  size_t seen = out_.jump_far(kJumpIf);
  out_.store_gs(kRax, static_cast<uint32_t>(entry));
  return seen;
}

int32_t SeenLookups::bytes_table(const StepOperand& o) const {
  auto log = static_cast<uint32_t>(std::countr_zero(o.bytes));
  if (o.locked && by_bytes_) return seen_lines(true) + (o.writes ? 0 : kSeenTableBytes);
  return seen_table(log, o.writes);
}

// Each place by itself, by a hash, so that reports name more than one; not by lines, where only a later replay reports.
uint32_t SeenLookups::spread(uint32_t number) const { return by_bytes_ ? number * kSpread & (kSeenEntries - 1) : 0; }

// Atomic ones have tables that are not used otherwise:
// what they tell is less.
size_t SeenLookups::for_bytes(const StepOperand& o, uint32_t number) {
  auto log = static_cast<uint32_t>(std::countr_zero(o.bytes));
  int32_t table = bytes_table(o);
  out_.put({0x89, 0xc8});  // mov %ecx, %eax
  if (auto shift = std::min<uint32_t>(log, kWordShift)) out_.put({0xc1, 0xe8, static_cast<uint8_t>(shift)});  // shr
  out_.put({0x25});  // and
  out_.put_number(kSeenEntries - 1);
  out_.put({0x35});  // xor
  out_.put_number(spread(number));
  out_.add_gs(kRcx, present_of(o));
  out_.compare_gs_entry(kRcx, table);
  size_t seen = out_.jump_far(kJumpIf);
  out_.store_gs_entry(kRcx, table);
  return seen;
}

void SeenLookups::for_lines(const StepOperand& o, std::vector<size_t>& done) {
  std::vector<size_t> tell;
  int32_t table = seen_lines(o.writes);
  if (o.bytes > 1u << kWordShift) {
    out_.put({0x89, 0xc8, 0x83, 0xe0, (1 << kSeenLineShift) - 1, 0x83, 0xf8});  // mov %ecx, %eax; and $63, %eax; cmp
    out_.put({static_cast<uint8_t>((1u << kSeenLineShift) - o.bytes)});
    size_t crosses = out_.jump_far(kJumpIfAbove), inside = 0;
    for (bool second : {false, true}) {
      if (second) out_.set_relative(crosses, out_.here());
      put_line_key();
      out_.compare_gs_entry(kRcx, table);
      inside = out_.jump_far(second ? kJumpIfNot : kJumpIf);
      if (!second) {
        done.push_back(inside);
        note_line(o);
        tell.push_back(out_.jump_far(kJumpIfNot));
      }
    }
    out_.lea(kRcx, kRcx, kNone, 1, 1);
    out_.compare_gs_entry(kRcx, table + 8);
    done.push_back(out_.jump_far(kJumpIf));
    out_.lea(kRcx, kRcx, kNone, 1, -1);
    out_.set_relative(inside, out_.here());
    note_line(o);
    out_.lea(kRcx, kRcx, kNone, 1, 1);
    note_line(o, 8);
  } else {
    if (o.bytes > 1) {
      out_.put({0xf6, 0xc1, static_cast<uint8_t>(o.bytes - 1)});  // test $, %cl
      tell.push_back(out_.jump_far(kJumpIfNot));
    }
    put_line_key();
    out_.compare_gs_entry(kRcx, table);
    done.push_back(out_.jump_far(kJumpIf));
    note_line(o);
  }
  for (size_t jump : tell) out_.set_relative(jump, out_.here());
}

void SeenLookups::quickly_whether_wanted(Register half_address, std::vector<size_t>& maybe) {
  out_.shift_right(half_address, kSeenLineShift, true);
  out_.test_gs_byte(kGsLinesTold, half_address);
  maybe.push_back(out_.jump_far(kJumpIfNot));
}

void SeenLookups::quickly_for_place(uint32_t number, Register r, std::vector<size_t>& maybe) {
  out_.load_gs(r, kGsPresent);
  out_.compare_gs(r, place_entry(number));
  maybe.push_back(out_.jump_far(kJumpIfNot));
}

void SeenLookups::quickly_for_lines(const StepOperand& o, Register address, Register other, std::vector<size_t>& maybe) {
  if (o.bytes > 1u << kWordShift) {
    out_.move_half(other, address);
    out_.and_half(other, (1u << kSeenLineShift) - 1);
    out_.compare_half(other, (1u << kSeenLineShift) - o.bytes);
    maybe.push_back(out_.jump_far(kJumpIfAbove));
  } else if (o.bytes > 1) {
    out_.test_half(address, o.bytes - 1u);
    maybe.push_back(out_.jump_far(kJumpIfNot));
  }
  out_.shift_right(address, kSeenLineShift);
  out_.move_half(other, address);
  out_.and_half(other, kSeenLines - 1);
  out_.add_gs(address, kGsPresent);
  out_.compare_gs_entry(address, seen_lines(o.writes), other);
  maybe.push_back(out_.jump_far(kJumpIfNot));
}

// The key of the next line is in the next entry, even behind the last.
void SeenLookups::quickly_for_two_lines(const StepOperand& o, Register address, Register other, std::vector<size_t>& maybe) {
  out_.move_half(other, address);
  out_.and_half(other, (1u << kSeenLineShift) - 1);
  out_.compare_half(other, (1u << kSeenLineShift) - o.bytes);
  size_t crosses = out_.jump_short(kJumpIfAbove), both = 0;
  for (bool two : {false, true}) {
    if (two) out_.land(crosses);
    out_.shift_right(address, kSeenLineShift);
    out_.move_half(other, address);
    out_.and_half(other, kSeenLines - 1);
    out_.add_gs(address, kGsPresent);
    out_.compare_gs_entry(address, seen_lines(o.writes), other);
    maybe.push_back(out_.jump_far(kJumpIfNot));
    if (!two) both = out_.jump_short(kJump);
  }
  out_.lea(address, address, kNone, 1, 1);
  out_.compare_gs_entry(address, seen_lines(o.writes) + 8, other);
  maybe.push_back(out_.jump_far(kJumpIfNot));
  out_.land(both);
}

void SeenLookups::quickly_for_bytes(const StepOperand& o, uint32_t number, Register address, Register other,
                                    std::vector<size_t>& maybe) {
  auto log = static_cast<uint32_t>(std::countr_zero(o.bytes));
  out_.move_half(other, address);
  if (auto shift = std::min<uint32_t>(log, kWordShift)) out_.shift_right(other, static_cast<uint8_t>(shift), true);
  out_.and_half(other, kSeenEntries - 1);
  out_.xor_half(other, spread(number));
  out_.add_gs(address, present_of(o));
  out_.compare_gs_entry(address, bytes_table(o), other);
  maybe.push_back(out_.jump_far(kJumpIfNot));
}

// The key of the line in rcx, its place in rax.
void SeenLookups::put_line_key() {
  out_.put({0x48, 0xc1, 0xe9, kSeenLineShift, 0x89, 0xc8, 0x25});  // shr, %rcx; mov %ecx, %eax; and
  out_.put_number(kSeenLines - 1);
  out_.add_gs(kRcx, kGsPresent);
}

// It is told. Keeps flags.
void SeenLookups::note_line(const StepOperand& o, int32_t further) {
  out_.store_gs_entry(kRcx, seen_lines(false) + further);
  if (o.writes) out_.store_gs_entry(kRcx, seen_lines(true) + further);
}

}  // namespace ana
