// Straight stretches of a program's code, in which whether accesses have to be told is asked once for several
// (translate.cc): those whose addresses are apart by known numbers, from registers that do not change before them.
#pragma once
#include <stdint.h>

#include <unordered_set>
#include <vector>

#include "trace/make_step_table.h"

namespace ana {

// Accesses that are asked for together: to all bytes from the first to the last.
struct AccessGroup {
  StepOperand all;  // as if it were one
  bool of_one;      // it is
};

struct AccessRun {
  uint64_t begin, end;             // instructions
  std::vector<AccessGroup> groups;
  std::unordered_set<uint32_t> operands;  // that they stand for
  uint16_t registers = 0;          // that make their addresses
};

class AccessRuns {
 public:
  // `by_lines`: reads and writes are asked for apart, and a write stands for a read of the same bytes.
  AccessRuns(const StepCode& code, bool by_lines);

  // The run that begins at an instruction. `may_ask(operand, instruction)`: whether it may be left out at all, and
  // `may_pass(instruction)`: whether it may be in a run. It has less than two operands if it is not worth while.
  template <class MayAsk, class MayPass>
  AccessRun plan(const StepCode::Section& section, uint64_t begin, MayAsk may_ask, MayPass may_pass) const {
    std::vector<Found> found;
    uint16_t changed = 0;
    uint64_t at = begin;
    for (int n = 0; n < kMostInstructions && at < section.address + section.bytes; n++) {
      Step step = step_at(section, at);
      if (step.bytes == 0 || (n != 0 && targets_.contains(at)) || !may_pass(at)) break;
      if (uint32_t what = code_.index[at - code_.begin]; what >= kStepFirstOperand) {
        for (uint32_t i = what - kStepFirstOperand;; i++) {
          const StepOperand& o = code_.operands[i];
          if (may_ask(i, at) && !(registers_of(o) & changed)) found.push_back({i, at + step.bytes});
          if (o.last) break;
        }
      }
      changed |= step.changed;
      at += step.bytes;
    }
    return group(begin, found);
  }

 private:
  static constexpr int kMostInstructions = 32;
  struct Step {
    uint32_t bytes = 0;    // 0: it does not go on straight behind it
    uint16_t changed = 0;  // registers
  };
  struct Found {
    uint32_t operand;
    uint64_t end;  // of its instruction
  };
  Step step_at(const StepCode::Section& section, uint64_t address) const;
  static uint16_t registers_of(const StepOperand& operand);
  AccessRun group(uint64_t begin, const std::vector<Found>& found) const;

  const StepCode& code_;
  bool by_lines_;
  std::unordered_set<uint64_t> targets_;  // of jumps
};

// By the processor's numbers, from the order of a signal's.
uint8_t register_number(uint8_t signal_register);

}  // namespace ana
