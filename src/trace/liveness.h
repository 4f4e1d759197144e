// Where in a program's code the processor's flags are still needed, so that a translation (translate.h) keeps them
// there and nowhere else: liveness of the six status flags, backwards over jumps until nothing changes. What cannot be
// known, as where an indirect jump leads, needs all of them; callers and callees never look at each other's.
#pragma once
#include <stdint.h>

#include <vector>

#include "trace/make_step_table.h"

namespace ana {

class FlagFlow {
 public:
  explicit FlagFlow(const StepCode& code);
  // Before the instruction at `address`.
  bool alive(uint64_t address) const { return alive_[address - begin_] != 0; }

 private:
  struct Step;
  static Step step_of(const uint8_t* bytes, uint64_t length, uint64_t address);
  uint16_t alive_at(uint64_t address) const;

  uint64_t begin_;
  std::vector<uint16_t> alive_;  // of each byte of the code
};

}  // namespace ana
