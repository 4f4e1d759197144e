// String functions as ranged accesses: what the pass calls in place of strlen and its kin.
//
// They do what the library's do, in pieces: each piece is read or written only while its lines are held, and other
// threads may come between two pieces, as they may between two loads of the real function. Where a string is copied,
// its length is found first, and exactly so many bytes and the end are copied then, whatever others write meanwhile.
//
// Signatures are the library's own; a site as a further argument would be ignored. Passive, they are plain calls.
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/interpose/libc_access.h"

namespace ana {
namespace {

using access::copy;
using access::fill;
using access::length;

inline size_t rest_of_line(const void* p) { return kLineBytes - reinterpret_cast<uint64_t>(p) % kLineBytes; }
inline size_t least(size_t a, size_t b) { return a < b ? a : b; }

char* end_string(char* at) {
  access::write(at, 1);
  *at = 0;
  return at;
}

// Calls step(a, b, bytes) with pieces of two ranges that are held together, until it returns something other than 0.
template <class Step>
int for_pairs(const void* a, const void* b, size_t bytes, Step step) {
  const char* x = static_cast<const char*>(a);
  const char* y = static_cast<const char*>(b);
  for (size_t done = 0; done < bytes;) {
    size_t part = least(least(rest_of_line(x + done), rest_of_line(y + done)), bytes - done);
    access::read_two(x + done, part, y + done, part);
    int result = step(x + done, y + done, part);
    if (result) return result;
    done += part;
  }
  return 0;
}

constexpr int kEqualToTheEnd = 1 << 20;  // of two strings: no difference of bytes is as large

template <class Convert>
int compare_strings(const char* a, const char* b, size_t limit, Convert convert) {
  int result = for_pairs(a, b, limit, [convert](const char* x, const char* y, size_t n) {
    for (size_t i = 0; i < n; ++i) {
      int difference = convert(static_cast<unsigned char>(x[i])) - convert(static_cast<unsigned char>(y[i]));
      if (difference) return difference;
      if (!x[i]) return kEqualToTheEnd;
    }
    return 0;
  });
  return result == kEqualToTheEnd ? 0 : result;
}

int same(int c) { return c; }

// Calls step(piece, bytes) with pieces of a line that are held, until it returns an address.
template <class Step>
void* for_lines(const void* p, size_t bytes, Step step) {
  const char* at = static_cast<const char*>(p);
  for (size_t done = 0; done < bytes;) {
    size_t part = least(rest_of_line(at + done), bytes - done);
    access::read(at + done, part);
    if (const void* found = step(at + done, part)) return const_cast<void*>(found);
    done += part;
  }
  return nullptr;
}

// Windows of the text that overlap by the length of what is sought, each held together with it.
char* find(const char* text, size_t text_bytes, const char* what, size_t bytes) {
  if (bytes == 0) return const_cast<char*>(text);
  for (size_t at = 0; text_bytes - at >= bytes; at += kStripBytes) {
    size_t window = least(kStripBytes + bytes - 1, text_bytes - at);
    access::read_two(text + at, window, what, bytes);
    if (void* found = memmem(text + at, window, what, bytes)) return static_cast<char*>(found);
    if (text_bytes - at <= kStripBytes) break;
  }
  return nullptr;
}

char* duplicate(const char* s, size_t bytes) {
  char* block = static_cast<char*>(malloc(bytes + 1));
  if (!block) return nullptr;
  copy(block, s, bytes);
  end_string(block + bytes);
  return block;
}

}  // namespace
}  // namespace ana

using namespace ana;

extern "C" [[noreturn]] void __chk_fail();

// --- lengths and searches

ANA_EXPORT size_t __ana_strlen(const char* s) { return length(s); }
ANA_EXPORT size_t __ana_strnlen(const char* s, size_t n) { return length(s, n); }

ANA_EXPORT void* __ana_memchr(const void* p, int c, size_t n) {
  if (passive()) return const_cast<void*>(memchr(p, c, n));
  return for_lines(p, n, [c](const char* at, size_t part) { return memchr(at, c, part); });
}

ANA_EXPORT void* __ana_memrchr(const void* p, int c, size_t n) {
  if (passive()) return const_cast<void*>(memrchr(p, c, n));
  const char* start = static_cast<const char*>(p);
  while (n) {
    size_t part = reinterpret_cast<uint64_t>(start + n - 1) % kLineBytes + 1;
    part = least(part, n);
    n -= part;
    access::read(start + n, part);
    if (const void* found = memrchr(start + n, c, part)) return const_cast<void*>(found);
  }
  return nullptr;
}

ANA_EXPORT char* __ana_strchr(const char* s, int c) {
  if (passive()) return const_cast<char*>(strchr(s, c));
  char wanted = static_cast<char>(c);
  void* found = for_lines(s, SIZE_MAX, [wanted](const char* at, size_t part) -> const void* {
    for (size_t i = 0; i < part; ++i) {
      if (at[i] == wanted || !at[i]) return at + i;
    }
    return nullptr;
  });
  char* at = static_cast<char*>(found);
  return *at == wanted ? at : nullptr;
}

ANA_EXPORT char* __ana_strrchr(const char* s, int c) {
  if (passive()) return const_cast<char*>(strrchr(s, c));
  char wanted = static_cast<char>(c);
  const char* last = nullptr;
  for_lines(s, SIZE_MAX, [wanted, &last](const char* at, size_t part) -> const void* {
    for (size_t i = 0; i < part; ++i) {
      if (at[i] == wanted) last = at + i;
      if (!at[i]) return at + i;
    }
    return nullptr;
  });
  return const_cast<char*>(last);
}

ANA_EXPORT char* __ana_strstr(const char* text, const char* what) {
  if (passive()) return const_cast<char*>(strstr(text, what));
  size_t text_bytes = length(text);
  return find(text, text_bytes, what, length(what));
}

ANA_EXPORT void* __ana_memmem(const void* text, size_t text_bytes, const void* what, size_t bytes) {
  if (passive()) return memmem(text, text_bytes, what, bytes);
  return find(static_cast<const char*>(text), text_bytes, static_cast<const char*>(what), bytes);
}

// --- comparisons

ANA_EXPORT int __ana_memcmp(const void* a, const void* b, size_t n) {
  if (passive()) return memcmp(a, b, n);
  return for_pairs(a, b, n, [](const char* x, const char* y, size_t part) { return memcmp(x, y, part); });
}

ANA_EXPORT int __ana_bcmp(const void* a, const void* b, size_t n) { return __ana_memcmp(a, b, n); }

ANA_EXPORT int __ana_strcmp(const char* a, const char* b) {
  return passive() ? strcmp(a, b) : compare_strings(a, b, SIZE_MAX, same);
}

ANA_EXPORT int __ana_strncmp(const char* a, const char* b, size_t n) {
  return passive() ? strncmp(a, b, n) : compare_strings(a, b, n, same);
}

ANA_EXPORT int __ana_strcasecmp(const char* a, const char* b) {
  return passive() ? strcasecmp(a, b) : compare_strings(a, b, SIZE_MAX, tolower);
}

ANA_EXPORT int __ana_strncasecmp(const char* a, const char* b, size_t n) {
  return passive() ? strncasecmp(a, b, n) : compare_strings(a, b, n, tolower);
}

// --- copies

ANA_EXPORT void* __ana_mempcpy(void* to, const void* from, size_t n) {
  copy(to, from, n);
  return static_cast<char*>(to) + n;
}

ANA_EXPORT char* __ana_stpcpy(char* to, const char* from) {
  if (passive()) return stpcpy(to, from);
  size_t n = length(from);
  copy(to, from, n);
  return end_string(to + n);
}

ANA_EXPORT char* __ana_strcpy(char* to, const char* from) {
  __ana_stpcpy(to, from);
  return to;
}

ANA_EXPORT char* __ana_stpncpy(char* to, const char* from, size_t n) {
  size_t bytes = length(from, n);
  copy(to, from, bytes);
  fill(to + bytes, 0, n - bytes);
  return to + bytes;
}

ANA_EXPORT char* __ana_strncpy(char* to, const char* from, size_t n) {
  __ana_stpncpy(to, from, n);
  return to;
}

ANA_EXPORT char* __ana_strcat(char* to, const char* from) {
  __ana_stpcpy(to + length(to), from);
  return to;
}

ANA_EXPORT char* __ana_strncat(char* to, const char* from, size_t n) {
  char* end = to + length(to);
  size_t bytes = length(from, n);
  copy(end, from, bytes);
  end_string(end + bytes);
  return to;
}

ANA_EXPORT char* __ana_strdup(const char* s) { return duplicate(s, length(s)); }
ANA_EXPORT char* __ana_strndup(const char* s, size_t n) { return duplicate(s, length(s, n)); }

// --- fortified copies: `room` is how many bytes the compiler knows to be there

static void check_room(size_t needed, size_t room) {
  if (needed > room) __chk_fail();
}

static char* append_string(char* to, size_t at, const char* from, size_t bytes, size_t room) {
  check_room(at + bytes + 1, room);
  copy(to + at, from, bytes);
  return end_string(to + at + bytes);
}

ANA_EXPORT void* __ana___mempcpy_chk(void* to, const void* from, size_t n, size_t room) {
  check_room(n, room);
  return __ana_mempcpy(to, from, n);
}

ANA_EXPORT char* __ana___stpcpy_chk(char* to, const char* from, size_t room) {
  return append_string(to, 0, from, length(from), room);
}

ANA_EXPORT char* __ana___strcpy_chk(char* to, const char* from, size_t room) {
  append_string(to, 0, from, length(from), room);
  return to;
}

ANA_EXPORT char* __ana___stpncpy_chk(char* to, const char* from, size_t n, size_t room) {
  check_room(n, room);
  return __ana_stpncpy(to, from, n);
}

ANA_EXPORT char* __ana___strncpy_chk(char* to, const char* from, size_t n, size_t room) {
  check_room(n, room);
  return __ana_strncpy(to, from, n);
}

ANA_EXPORT char* __ana___strcat_chk(char* to, const char* from, size_t room) {
  append_string(to, length(to), from, length(from), room);
  return to;
}

ANA_EXPORT char* __ana___strncat_chk(char* to, const char* from, size_t n, size_t room) {
  append_string(to, length(to), from, length(from, n), room);
  return to;
}
