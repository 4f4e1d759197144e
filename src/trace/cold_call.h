// What stands behind a cold call of instrumented code (anaphora/runtime_abi.h), read from the code. Freestanding; by any
// thread. Registers are in the order in which instructions number them.
#pragma once
#include "anaphora/runtime_abi.h"

namespace ana {

struct ColdCall {
  static constexpr int kRsp = 4;
  uint64_t registers[16];    // as they are when the call returns
  const uint8_t* behind;     // where it returns to
};

inline int32_t displacement_at(const uint8_t* at) {
  return static_cast<int32_t>(at[0] | at[1] << 8 | at[2] << 16 | static_cast<uint32_t>(at[3]) << 24);
}

constexpr int kColdSiteBytes = 7;  // nopl site(%rip)

// A debugger that waits for the call to return may have put a breakpoint on the first byte.
inline const AnaSite* cold_site(const uint8_t* behind) {
  return reinterpret_cast<const AnaSite*>(behind + kColdSiteBytes + displacement_at(behind + 3));
}

// The operand of a nop.
struct ColdOperand {
  uint64_t address;
  bool wide;             // nopq
  const uint8_t* next;   // instruction; null if this is none of ours
};

inline ColdOperand read_cold_operand(const uint8_t* at, const uint64_t* registers) {
  uint8_t rex = (*at & 0xf0) == 0x40 ? *at++ : 0;
  if (at[0] != 0x0f || at[1] != 0x1f) return {0, false, nullptr};
  uint8_t mod = at[2] >> 6, base = at[2] & 7;
  at += 3;
  uint64_t address = 0;
  bool has_base = true, is_relative = false;
  if (mod == 3) return {0, false, nullptr};
  if (base == 4) {
    uint8_t sib = *at++;
    uint8_t index = (sib >> 3 & 7) | (rex & 2) << 2;
    base = sib & 7;
    if (index != ColdCall::kRsp) address = registers[index] << (sib >> 6);
    has_base = base != 5 || mod != 0;
  } else if (base == 5 && mod == 0) {
    has_base = false;
    is_relative = true;
  }
  if (has_base) address += registers[base | (rex & 1) << 3];
  if (mod == 1) {
    address += static_cast<uint64_t>(static_cast<int8_t>(*at++));
  } else if (mod == 2 || !has_base) {
    address += static_cast<uint64_t>(static_cast<int64_t>(displacement_at(at)));
    at += 4;
  }
  if (is_relative) address += reinterpret_cast<uint64_t>(at);
  return {address, (rex & 8) != 0, at};
}

// What instrumented code has put there itself.
inline void fit_ranges(AnaRange* range, const AnaRange* end) {
  for (; range < end; ++range) *range = ana_range(range->first, range->last, range->first >> 63);
}

// Puts the ranges that stand behind the call into `ranges`; those that follow there are there already. Returns how many
// there are in all, or -1 if the code is not as the compiler left it.
inline int read_cold_ranges(const ColdCall& call, AnaRange* ranges) {
  constexpr uint8_t kTestByte = 0xa8;
  uint32_t numbers = cold_site(call.behind)->column;
  const uint8_t* at = call.behind + kColdSiteBytes;
  uint32_t described = numbers >> ANA_SITE_DESCRIBED_SHIFT & ANA_SITE_DESCRIBED;
  for (uint32_t i = 0; i < described; ++i) {
    ColdOperand first = read_cold_operand(at, call.registers);
    if (!first.next) return -1;
    ColdOperand last{first.address, false, first.next + 2};
    if (*first.next == kTestByte) last.address += first.next[1];
    else last = read_cold_operand(first.next, call.registers);
    if (!last.next) return -1;
    ranges[i] = ana_range(first.address, last.address, first.wide);
    at = last.next;
  }
  uint32_t all = numbers >> ANA_SITE_RANGES_SHIFT & ANA_SITE_RANGES;
  fit_ranges(ranges + described, ranges + all);
  return static_cast<int>(all);
}

}  // namespace ana
