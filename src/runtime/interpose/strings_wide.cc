// Functions of wide strings as ranged accesses. See strings.cc.
#undef _FORTIFY_SOURCE
#include <stdlib.h>
#include <wchar.h>

#include "runtime/interpose/held_memory.h"

extern "C" {
void* __ana_memcpy(void*, const void*, size_t, const AnaSite*);
void* __ana_memmove(void*, const void*, size_t, const AnaSite*);
}

using namespace ana;

static size_t bytes_of(size_t characters) { return characters * sizeof(wchar_t); }
static constexpr size_t kPiece = kStripBytes / sizeof(wchar_t);
static size_t piece(size_t characters) { return characters < kPiece ? characters : kPiece; }

static wchar_t* end_string(wchar_t* at) {
  access::write(at, sizeof *at);
  *at = 0;
  return at;
}

static wchar_t* append(wchar_t* to, const wchar_t* from, size_t n) {
  access::copy(to, from, bytes_of(n));
  return end_string(to + n);
}

ANA_EXPORT size_t __ana_wcslen(const wchar_t* s) { return wide_length(s); }
ANA_EXPORT size_t __ana_wcsnlen(const wchar_t* s, size_t n) { return wide_length(s, n); }

ANA_HELD(int, wcscmp, (const wchar_t* a, const wchar_t* b), (a, b), held.wide(a), held.wide(b))
ANA_HELD(int, wcsncmp, (const wchar_t* a, const wchar_t* b, size_t n), (a, b, n), held.wide(a, n), held.wide(b, n))
ANA_HELD(int, wcscasecmp, (const wchar_t* a, const wchar_t* b), (a, b), held.wide(a), held.wide(b))
ANA_HELD(int, wcscoll, (const wchar_t* a, const wchar_t* b), (a, b), held.wide(a), held.wide(b))
ANA_HELD(wchar_t*, wcschr, (const wchar_t* s, wchar_t c), (const_cast<wchar_t*>(s), c), held.wide(s))
ANA_HELD(wchar_t*, wcsrchr, (const wchar_t* s, wchar_t c), (const_cast<wchar_t*>(s), c), held.wide(s))
ANA_HELD(wchar_t*, wcsstr, (const wchar_t* s, const wchar_t* what), (const_cast<wchar_t*>(s), what), held.wide(s),
         held.wide(what))
ANA_HELD(wchar_t*, wcspbrk, (const wchar_t* s, const wchar_t* set), (const_cast<wchar_t*>(s), set), held.wide(s),
         held.wide(set))
ANA_HELD(size_t, wcsspn, (const wchar_t* s, const wchar_t* set), (s, set), held.wide(s), held.wide(set))
ANA_HELD(size_t, wcscspn, (const wchar_t* s, const wchar_t* set), (s, set), held.wide(s), held.wide(set))
ANA_HELD(long, wcstol, (const wchar_t* s, wchar_t** end, int base), (s, end, base), held.wide(s, kLikelyNumber),
         held.write(end, sizeof *end))
ANA_HELD(unsigned long, wcstoul, (const wchar_t* s, wchar_t** end, int base), (s, end, base), held.wide(s, kLikelyNumber),
         held.write(end, sizeof *end))
ANA_HELD(double, wcstod, (const wchar_t* s, wchar_t** end), (s, end), held.wide(s, kLikelyNumber), held.write(end, sizeof *end))
ANA_HELD(size_t, wcstombs, (char* to, const wchar_t* from, size_t n), (to, from, n), held.wide(from),
         held.write(to, to ? n : 0))
ANA_HELD(size_t, mbstowcs, (wchar_t* to, const char* from, size_t n), (to, from, n), held.string(from),
         held.write(to, to ? bytes_of(n) : 0))

ANA_EXPORT wchar_t* __ana_wmemcpy(wchar_t* to, const wchar_t* from, size_t n) {
  return static_cast<wchar_t*>(__ana_memcpy(to, from, bytes_of(n), &kLibrarySite));
}

ANA_EXPORT wchar_t* __ana_wmemmove(wchar_t* to, const wchar_t* from, size_t n) {
  return static_cast<wchar_t*>(__ana_memmove(to, from, bytes_of(n), &kLibrarySite));
}

ANA_EXPORT wchar_t* __ana_wmemset(wchar_t* to, wchar_t c, size_t n) {
  for (size_t at = 0; at < n; at += kPiece) {
    access::write(to + at, bytes_of(piece(n - at)));
    wmemset(to + at, c, piece(n - at));
  }
  return to;
}

ANA_EXPORT int __ana_wmemcmp(const wchar_t* a, const wchar_t* b, size_t n) {
  int result = 0;
  for (size_t at = 0; at < n && result == 0; at += kPiece) {
    access::read_two(a + at, bytes_of(piece(n - at)), b + at, bytes_of(piece(n - at)));
    result = wmemcmp(a + at, b + at, piece(n - at));
  }
  return result;
}

ANA_EXPORT wchar_t* __ana_wmemchr(const wchar_t* s, wchar_t c, size_t n) {
  const wchar_t* found = nullptr;
  for (size_t at = 0; at < n && !found; at += kPiece) {
    access::read(s + at, bytes_of(piece(n - at)));
    found = wmemchr(s + at, c, piece(n - at));
  }
  return const_cast<wchar_t*>(found);
}

ANA_EXPORT wchar_t* __ana_wcscpy(wchar_t* to, const wchar_t* from) {
  append(to, from, wide_length(from));
  return to;
}

ANA_EXPORT wchar_t* __ana_wcsncpy(wchar_t* to, const wchar_t* from, size_t n) {
  size_t length = wide_length(from, n);
  access::copy(to, from, bytes_of(length));
  access::fill(to + length, 0, bytes_of(n - length));
  return to;
}

ANA_EXPORT wchar_t* __ana_wcscat(wchar_t* to, const wchar_t* from) {
  append(to + wide_length(to), from, wide_length(from));
  return to;
}

ANA_EXPORT wchar_t* __ana_wcsncat(wchar_t* to, const wchar_t* from, size_t n) {
  append(to + wide_length(to), from, wide_length(from, n));
  return to;
}

ANA_EXPORT wchar_t* __ana_wcsdup(const wchar_t* s) {
  size_t n = wide_length(s);
  auto* block = static_cast<wchar_t*>(malloc(bytes_of(n + 1)));
  if (block) append(block, s, n);
  return block;
}
