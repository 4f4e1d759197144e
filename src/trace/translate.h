// Makes a Translation (translation.h) of a program's code, or of a library's.
//
// Each instruction is copied, with relative operands made to name what they named; before one that accesses memory stands
// code that notes the address, and keeps all registers and flags. Calls push the address that they would have pushed, so
// the stack is as it would be: whoever looks at it (exceptions, setjmp, a runtime that wants to know its caller) finds the
// program's own code. Returns and indirect jumps find their targets' copies in a table. So does whoever comes to the
// program's own code from outside: where functions begin and where calls return to a jump is put over it, elsewhere a
// breakpoint, whose signal leads to the copy.
#pragma once
#include <stdint.h>

#include <string>
#include <vector>

#include "trace/elf_file.h"
#include "trace/looks.h"
#include "trace/make_step_table.h"

namespace ana {

struct TranslationWishes {
  // If there are any: nothing is told but these.
  std::vector<Look> looks = {};
  // For detectors of races, of accesses in one epoch of a thread: to a line one read and one write are told; or to the
  // same bytes, one of each place.
  enum class Once { kNothing, kLines, kBytes } once = Once::kNothing;
  // If there are any: nothing is told but what may lie in these lines, by their numbers. With kBytes.
  std::vector<uint64_t> lines = {};
  // Neither plain accesses are told nor relaxed ones that order nothing. With one of the above.
  bool only_ordering = false;
  // Of each slot, which of its counted events are told (order_entries.h). None: all of them.
  std::vector<std::vector<uint32_t>> order = {};
};

// Of one file among those that are followed.
struct TranslationPlace {
  uint64_t at = 0;                // where the copy goes, in reach of all that the code refers to; 0: behind a program
  uint32_t first_operand = 0;     // the number of its first operand, among those of all files
  bool fences_elsewhere = false;  // as for AtomicChecks
  std::string library = {};       // its path; empty: the program
  bool is_first = true;
};

// Its bytes start with a Translation. `base` as for read_step_code().
std::vector<uint8_t> translate(const StepCode& code, const ElfFile& program, uint64_t base, const TranslationWishes& wishes,
                               const TranslationPlace& place = {});
// One behind the other, as translation.h has it.
std::vector<uint8_t> join_translations(const std::vector<std::vector<uint8_t>>& all);

}  // namespace ana
