// Further string functions as ranged accesses: what they read and write is held while the library's own does the work.
// See strings.cc.
#undef _FORTIFY_SOURCE
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/interpose/character_set.h"
#include "runtime/interpose/held_memory.h"

using namespace ana;

// --- numbers; longer ones are held in part

#define ANA_INTEGER(result, name)                                                          \
  ANA_HELD(result, name, (const char* s, char** end, int base), (s, end, base), held.string(s, kLikelyNumber), \
           held.write(end, sizeof *end))
#define ANA_FLOATING(result, name) \
  ANA_HELD(result, name, (const char* s, char** end), (s, end), held.string(s, kLikelyNumber), held.write(end, sizeof *end))
#define ANA_ATO(result, name) ANA_HELD(result, name, (const char* s), (s), held.string(s, kLikelyNumber))

ANA_INTEGER(long, strtol)
ANA_INTEGER(unsigned long, strtoul)
ANA_INTEGER(long long, strtoll)
ANA_INTEGER(unsigned long long, strtoull)
ANA_INTEGER(intmax_t, strtoimax)
ANA_INTEGER(uintmax_t, strtoumax)
ANA_FLOATING(double, strtod)
ANA_FLOATING(float, strtof)
ANA_FLOATING(long double, strtold)
ANA_ATO(int, atoi)
ANA_ATO(long, atol)
ANA_ATO(long long, atoll)
ANA_ATO(double, atof)

// --- sets of characters

ANA_EXPORT size_t __ana_strspn(const char* s, const char* set) {
  if (passive()) return strspn(s, set);
  return static_cast<size_t>(skip(const_cast<char*>(s), CharacterSet(set), false) - s);
}

ANA_EXPORT size_t __ana_strcspn(const char* s, const char* set) {
  if (passive()) return strcspn(s, set);
  return static_cast<size_t>(skip(const_cast<char*>(s), CharacterSet(set), true) - s);
}

ANA_EXPORT char* __ana_strpbrk(const char* s, const char* set) {
  if (passive()) return const_cast<char*>(strpbrk(s, set));
  char* found = skip(const_cast<char*>(s), CharacterSet(set), true);
  return *found ? found : nullptr;  // skip() has just read it
}

ANA_EXPORT char* __ana_strchrnul(const char* s, int c) {
  if (passive()) return const_cast<char*>(strchrnul(s, c));
  const char one[] = {static_cast<char>(c), 0};
  return skip(const_cast<char*>(s), CharacterSet(one), true);
}

// --- whole strings and ranges

ANA_HELD(char*, strcasestr, (const char* text, const char* what), (const_cast<char*>(text), what), held.string(text),
         held.string(what))
ANA_HELD(int, strcoll, (const char* a, const char* b), (a, b), held.string(a), held.string(b))
ANA_HELD(int, strverscmp, (const char* a, const char* b), (a, b), held.string(a), held.string(b))
ANA_HELD(size_t, strxfrm, (char* to, const char* from, size_t n), (to, from, n), held.string(from), held.write(to, n))
ANA_HELD(void, swab, (const void* from, void* to, ssize_t n), (from, to, n),
         if (n > 1) held.read(from, static_cast<size_t>(n)), held.write(to, static_cast<size_t>(n)))

ANA_EXPORT void __ana_explicit_bzero(void* to, size_t n) { access::fill(to, 0, n); }

ANA_EXPORT void* __ana_memccpy(void* to, const void* from, int c, size_t n) {
  HeldMemory held;
  if (!passive()) {
    const char* at = static_cast<const char*>(from);
    size_t bytes = 0;
    for (bool found = false; bytes < n && !found; ++bytes) {
      access::read(at + bytes, 1);
      found = at[bytes] == static_cast<char>(c);
    }
    held.read(from, bytes);
    held.write(to, bytes);
    held.hold();
    n = bytes;
  }
  return memccpy(to, from, c, n);
}
