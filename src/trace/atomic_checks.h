// The checks of atomic accesses in a program's code, and the instructions that they are of, for translations of it
// (translate.h).
//
// An atomic access is told by its check, which knows its order. If it is not certain which instruction that is of, it comes
// once more from the instruction; the merge leaves that out. So that must come, and must not count as told for plain accesses.
// It is among the first behind the check. A load or an update that is relaxed orders nothing by itself, only with fences: if
// the program has none, the instruction can tell it alone, as often as a plain access, and the check need not be called. Which
// instruction that is must be certain: an update has a lock prefix; a load is from the address that stands behind the check, of
// as many bytes, by the same registers, which nothing has changed since. Relaxed stores end what others have released: they stay.
//
// Where it is as certain which instruction a check of any order is of, the instruction need not come. Such checks are
// counted (order_entries.h): where it is known beforehand what they order, most are not called, and their instructions tell
// the accesses as if they were relaxed.
#pragma once
#include <stdint.h>

#include <unordered_set>
#include <vector>

#include "trace/elf_file.h"
#include "trace/known_operands.h"
#include "trace/make_step_table.h"

namespace ana {

class AtomicChecks {
 public:
  // `base` as for read_step_code(). `fences_elsewhere`: other code that is followed has fences, so these order something.
  AtomicChecks(const StepCode& code, const ElfFile& program, uint64_t base, bool fences_elsewhere = false);
  bool has_fences() const { return has_fences_; }

  // Where the calls of all of them return to.
  const std::unordered_set<uint64_t>& all() const { return atomic_; }
  // Of the check whose call returns to `after`.
  bool is_atomic(uint64_t after) const { return atomic_.contains(after); }
  bool is_told_by_instruction(uint64_t after) const { return quiet_.contains(after); }
  // The instruction may be an access that a check has told.
  bool is_access(uint64_t instruction) const { return accesses_.contains(instruction); }
  bool is_relaxed(uint64_t instruction) const { return relaxed_.contains(instruction); }
  // It is certain that the instruction is the one that its check has told, each time.
  bool is_told_by_check(uint64_t instruction) const { return told_by_checks_.contains(instruction); }
  // The same of the check whose call returns to `after`.
  bool is_counted(uint64_t after) const { return counted_.contains(after); }
  // From now on these instructions are relaxed.
  void relax_counted() { relaxed_.insert(told_by_checks_.begin(), told_by_checks_.end()); }
  // Loads and stores among these look like any other: from now on their operands say that they are atomic.
  void mark_relaxed(StepCode& code) const;
  // What these instructions tell says that it orders nothing.
  void relax(std::vector<KnownOperand>& operands) const;

 private:
  struct Check {
    uint64_t after;
    uint32_t flags;  // ANA_SITE_
    const StepCode::Section* section;
    uint32_t column;
  };
  void find_access(const StepCode& code, const Check& check, bool may_relax);

  bool has_fences_;
  std::unordered_set<uint64_t> atomic_, quiet_, counted_, accesses_, relaxed_, told_by_checks_;
};

}  // namespace ana
