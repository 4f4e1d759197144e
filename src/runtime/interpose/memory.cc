// memcpy, memmove and memset of instrumented code: pieces small enough to be held at once, each at a count of its own.
#include <string.h>

#include "runtime/interpose/libc_access.h"

namespace {

using namespace ana;

constexpr size_t kPiece = kStripBytes;

void* copy_forwards(char* to, const char* from, size_t size, const AnaSite* site) {
  for (size_t at = 0; at < size; at += kPiece) {
    size_t n = size - at < kPiece ? size - at : kPiece;
    AnaRange ranges[2] = {access::range_of(to + at, n, true), access::range_of(from + at, n, false)};
    access::acquire(ranges, 2, site);
    memmove(to + at, from + at, n);
  }
  return to;
}

void* copy_backwards(char* to, const char* from, size_t size, const AnaSite* site) {
  for (size_t end = size; end;) {
    size_t n = end < kPiece ? end : kPiece;
    end -= n;
    AnaRange ranges[2] = {access::range_of(to + end, n, true), access::range_of(from + end, n, false)};
    access::acquire(ranges, 2, site);
    memmove(to + end, from + end, n);
  }
  return to;
}

}  // namespace

ANA_EXPORT void* __ana_memcpy(void* to, const void* from, size_t size, const AnaSite* site) {
  if (passive()) return memcpy(to, from, size);
  return copy_forwards(static_cast<char*>(to), static_cast<const char*>(from), size, site);
}

ANA_EXPORT void* __ana_memmove(void* to, const void* from, size_t size, const AnaSite* site) {
  if (passive()) return memmove(to, from, size);
  auto* t = static_cast<char*>(to);
  auto* f = static_cast<const char*>(from);
  return t > f && t < f + size ? copy_backwards(t, f, size, site) : copy_forwards(t, f, size, site);
}

ANA_EXPORT void* __ana_memset(void* to, int byte, size_t size, const AnaSite* site) {
  if (passive()) return memset(to, byte, size);
  auto* t = static_cast<char*>(to);
  for (size_t at = 0; at < size; at += kPiece) {
    size_t n = size - at < kPiece ? size - at : kPiece;
    AnaRange range = access::range_of(t + at, n, true);
    access::acquire(&range, 1, site);
    memset(t + at, byte, n);
  }
  return to;
}

ANA_EXPORT void __ana_range(const void* at, size_t size, uint32_t write, const AnaSite* site) {
  if (passive() || !size) return;
  AnaRange range = access::range_of(at, size, write);
  access::acquire(&range, 1, site);
}
