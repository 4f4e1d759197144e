// strtok and qsort: library code that works on the program's memory for long.
//
// strtok is written anew, with a state of our own: each line is then read and written only while it is held.
#include "runtime/interpose/libc_wrappers.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/interpose/character_set.h"

extern "C" char* __strtok_r(char*, const char*, char**) noexcept;

namespace ana {
namespace {

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

// As strtok_r, but between two separators that follow each other lies an empty token.
ANA_EXPORT char* __ana_strsep(char** at, const char* separators) {
  if (ana::passive()) return strsep(at, separators);
  ana::access::read(at, sizeof *at);
  char* start = *at;
  if (!start) return nullptr;
  char* end = ana::skip(start, ana::CharacterSet(separators), true);
  ana::access::write(end, 1);
  char* next = *end ? end + 1 : nullptr;
  if (next) *end = 0;
  ana::access::write(at, sizeof *at);
  *at = next;
  return start;
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
