// strtok and qsort: library code that works on the program's memory for long.
//
// strtok is written anew, with a state of our own: each line is then read and written only while it is held.
#include "runtime/interpose/libc_wrappers.h"

#include <stdlib.h>
#include <string.h>

extern "C" char* __strtok_r(char*, const char*, char**) noexcept;

namespace ana {
namespace {

struct CharacterSet {
  bool has[256] = {};

  explicit CharacterSet(const char* s) {
    size_t n = access::length(s);
    for (size_t done = 0; done < n;) {
      size_t part = kLineBytes - (reinterpret_cast<uint64_t>(s) + done) % kLineBytes;
      if (part > n - done) part = n - done;
      access::read(s + done, part);
      for (size_t i = 0; i < part; ++i) has[static_cast<unsigned char>(s[done + i])] = true;
      done += part;
    }
    has[0] = false;
  }
};

// The first character from `s` that is in the set or is not, as `wanted` says, or the end of the string.
char* skip(char* s, const CharacterSet& set, bool wanted) {
  for (;;) {
    size_t part = kLineBytes - reinterpret_cast<uint64_t>(s) % kLineBytes;
    access::read(s, part);
    for (char* end = s + part; s != end; ++s) {
      if (!*s || set.has[static_cast<unsigned char>(*s)] == wanted) return s;
    }
  }
}

// `at` is where the last token ended; returns the next one, or null, and moves `at`.
char* next_token(char* s, const char* separators, char*& at) {
  CharacterSet set(separators);
  char* start = s ? s : at;
  if (!start) return nullptr;
  start = skip(start, set, false);
  access::read(start, 1);
  if (!*start) {
    at = start;
    return nullptr;
  }
  char* end = skip(start, set, true);
  access::write(end, 1);
  at = *end ? end + 1 : end;
  *end = 0;
  return start;
}

char* g_strtok;  // inside kLibc

// The state of strtok_r is the program's.
char* next_token_r(char* s, const char* separators, char** at) {
  access::read(at, sizeof *at);
  char* state = *at;
  char* token = next_token(s, separators, state);
  access::write(at, sizeof *at);
  *at = state;
  return token;
}

}  // namespace
}  // namespace ana

ANA_EXPORT char* strtok(char* s, const char* separators) noexcept {
  if (ana::passive()) return ANA_REAL(strtok)(s, separators);
  ana::KnownSection section(ana::WellKnown::kLibc);
  return ana::next_token(s, separators, ana::g_strtok);
}

ANA_EXPORT char* strtok_r(char* s, const char* separators, char** at) noexcept {
  return ana::passive() ? ANA_REAL(strtok_r)(s, separators, at) : ana::next_token_r(s, separators, at);
}

ANA_EXPORT char* __strtok_r(char* s, const char* separators, char** at) noexcept {
  return strtok_r(s, separators, at);
}

// The comparison is code of the program and may wait, so the array is not held all the time: only what has happened to
// it before is in order.
ANA_EXPORT void qsort(void* base, size_t n, size_t size, int (*compare)(const void*, const void*)) {
  size_t bytes;
  if (!__builtin_mul_overflow(n, size, &bytes)) ana::access::write_all(base, bytes);
  ANA_REAL(qsort)(base, n, size, compare);
}

ANA_EXPORT void qsort_r(void* base, size_t n, size_t size, int (*compare)(const void*, const void*, void*),
                        void* with) {
  size_t bytes;
  if (!__builtin_mul_overflow(n, size, &bytes)) ana::access::write_all(base, bytes);
  ANA_REAL(qsort_r)(base, n, size, compare, with);
}
