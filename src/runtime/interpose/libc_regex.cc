// Regular expressions. A compiled one grows while it is used, under a lock of the library's own, so its uses are ordered.
#include "runtime/interpose/libc_wrappers.h"

#include <regex.h>

#include "runtime/interpose/held_memory.h"

ANA_EXPORT int regexec(const regex_t* pattern, const char* s, size_t n, regmatch_t* matches, int flags) {
  if (ana::passive()) return ANA_REAL(regexec)(pattern, s, n, matches, flags);
  ana::Section section(pattern);
  ana::HeldMemory held;
  if (flags & REG_STARTEND) {
    ana::access::read(matches, sizeof *matches);
    held.read(s + matches->rm_so, static_cast<size_t>(matches->rm_eo - matches->rm_so));
  } else {
    held.string(s);
  }
  held.write(matches, n * sizeof *matches);
  held.hold();
  return ANA_REAL(regexec)(pattern, s, n, matches, flags);
}
