// The code of a recorded program that has to be followed to know what it accesses: its own, and that of its libraries that
// were built with Anaphora. Code built with --every-access tells by itself; it is followed only where somebody looks at calls.
#pragma once
#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

#include "trace/load_schedule.h"
#include "trace/make_step_table.h"
#include "trace/trace_reader.h"
#include "trace/translate.h"

namespace ana {

class FollowedCode {
 public:
  enum class Which { kWithoutEveryAccess, kAll };
  // Libraries whose place is not known, or that lie too far from room for a translation, are left out: if a replay comes to
  // a check of one, it says so.
  static Result<FollowedCode> read(const TraceReader& reader, const Schedule& schedule, Which which);

  bool empty() const { return parts_.empty(); }
  // A replay of the schedule will be followed by translations.
  Status add_to(Schedule& schedule, const TranslationWishes& wishes);
  // As a look at an access has to be for add_to(): once for each operand of its instruction, of which one has the address.
  std::vector<Look> with_operands(const Look& look) const;

 private:
  struct Part {
    std::string library;  // its path; empty: the program
    ElfFile elf;
    uint64_t base, end;   // end: of all that it refers to
    StepCode code;
  };
  Status add(const std::string& path, const MappedLibrary* library, Which which);
  bool have_fences() const;
  static std::vector<KnownOperand> operands_of(Part& part, const TranslationWishes& wishes, bool fences_elsewhere);

  std::deque<Part> parts_;
};

// Whether some of it tells each access by itself.
bool has_every_access(const TraceReader& reader, const Schedule& schedule);

}  // namespace ana
