// Which flags and general registers a program's code still needs before each of its instructions, so that a translation
// (translate.h) keeps these there and no others: backwards over jumps until nothing changes.
//
// What cannot be known, as where an indirect jump leads, needs all of them. Callers and callees do not look at each
// other's flags. Before a call all registers are needed but r11, which no convention passes anything in or keeps; behind
// a return those that return values or that the convention of C keeps. Conventions that keep more restore it by what
// tells nothing: pops.
#pragma once
#include <stdint.h>

#include <unordered_set>
#include <vector>

#include "trace/make_step_table.h"

namespace ana {

class Liveness {
 public:
  // `cold`: functions that take nothing in registers and keep all but r11 (anaphora/runtime_abi.h).
  Liveness(const StepCode& code, const std::unordered_set<uint64_t>& cold);
  // Before the instruction at `address`. Registers are bits, by the processor's numbers.
  bool has_flags(uint64_t address) const { return (alive_[address - begin_] >> kFlagsShift) != 0; }
  uint16_t registers(uint64_t address) const { return static_cast<uint16_t>(alive_[address - begin_]); }

 private:
  static constexpr uint32_t kFlagsShift = 16;
  struct Step;
  static Step step_of(const uint8_t* bytes, uint64_t length, uint64_t address,
                      const std::unordered_set<uint64_t>& cold);
  static bool takes_r11(const std::vector<Step>& steps, uint64_t function);
  uint32_t alive_at(uint64_t address) const;

  uint64_t begin_;
  std::vector<uint32_t> alive_;  // of each byte of the code
};

}  // namespace ana
