// The functions of a program whose checks tell atomic accesses (atomic_checks.h), for translations of it (translate.h): there
// checks have to be called always.
#pragma once
#include <stdint.h>

#include <utility>
#include <vector>

#include "trace/atomic_checks.h"
#include "trace/elf_file.h"

namespace ana {

class TellingFunctions {
 public:
  // `base` is what its addresses are off by. `by_instructions`: what an instruction can tell alone, its check need not.
  TellingFunctions(const ElfFile& program, uint64_t base, const AtomicChecks& atomics, bool by_instructions);

  bool contains(uint64_t address) const;

 private:
  std::vector<std::pair<uint64_t, uint64_t>> functions_;  // first address, and that behind them
  bool all_ = false;                                      // of some check it is not known to which function it belongs
};

}  // namespace ana
