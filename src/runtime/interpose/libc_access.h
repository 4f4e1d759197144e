// Ranged accesses of library code to the program's memory, each at a count of its own.
//
// The pass does not see what library functions do to memory, so the wrappers check the lines themselves, in the way of
// runtime_abi.h: the inline check first, then the host. Where a thread waited is known in a trace by its count and its
// site; as all these accesses share one site, each of them counts first, like a poll.
//
// An access holds until the next one, or the next operation, check or poll. Long ranges are therefore used in strips:
// for_strips() and copy() give every other thread its chance between two of them, as between two parts of a memcpy.
//
// From the wrappers, on any thread; nothing when passive.
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "anaphora/runtime_abi.h"
#include "runtime/interpose/runtime.h"

namespace ana {

constexpr size_t kLineBytes = 1u << ANA_LINE_SHIFT;
constexpr size_t kStripBytes = 4096;

// The site of all accesses here: somewhere in a library.
inline constexpr AnaSite kLibrarySite{};
inline constexpr AnaSite kReadSite{0, 0, 0, ANA_SITE_READ};
// Of ranges of which only a part is accessed.
inline constexpr AnaSite kClaimSite{0, 0, 0, ANA_SITE_CLAIM};

namespace access {

template <class T>
inline T from_gs(uint64_t offset) {
  return *reinterpret_cast<volatile T __seg_gs*>(offset);
}

// A safe point.
inline void count() {
  if (count_reaches_limit()) g_host->library_poll(&kLibrarySite);
}

inline AnaRange range_of(const void* p, size_t bytes, bool write) {
  uint64_t first = reinterpret_cast<uint64_t>(p);
  return ana_range(first, first + bytes - 1, write);
}

inline bool holds(const AnaRange& range) {
  uint32_t epoch = from_gs<uint32_t>(ANA_GS_EPOCH);
  uint64_t field = ANA_GS_PERMISSIONS + (range.first & ANA_RANGE_WRITE ? 4 : 0);
  uint64_t first = (range.first & ~ANA_RANGE_WRITE) >> ANA_LINE_SHIFT, last = range.last >> ANA_LINE_SHIFT;
  for (uint64_t line = first; line <= last; ++line) {
    if (from_gs<uint32_t>(field + 8 * (line & ANA_LINE_MASK)) < epoch) return false;
  }
  return true;
}

inline void acquire(const AnaRange* ranges, uint32_t ranges_count, const AnaSite* site = &kLibrarySite) {
  count();
  for (uint32_t i = 0; i < ranges_count; ++i) {
    if (!holds(ranges[i])) {
      g_host->acquire(ranges, ranges_count, site);
      break;
    }
  }
  asm volatile("" ::: "memory");  // the bytes are read and written after this
}

// At most a few strips at once.
inline void read(const void* p, size_t bytes) {
  if (passive() || bytes == 0) return;
  AnaRange range = range_of(p, bytes, false);
  acquire(&range, 1);
}

inline void write(void* p, size_t bytes) {
  if (passive() || bytes == 0) return;
  AnaRange range = range_of(p, bytes, true);
  acquire(&range, 1);
}

// Two at once; `bytes` are not 0.
inline void read_two(const void* a, size_t a_bytes, const void* b, size_t b_bytes) {
  if (passive()) return;
  AnaRange ranges[2] = {range_of(a, a_bytes, false), range_of(b, b_bytes, false)};
  acquire(ranges, 2);
}

inline void write_and_read(void* to, const void* from, size_t bytes) {
  if (passive()) return;
  AnaRange ranges[2] = {range_of(to, bytes, true), range_of(from, bytes, false)};
  acquire(ranges, 2);
}

// Calls step(offset, bytes) for each part of [p, p + bytes) that lies in one strip.
template <class Step>
inline void for_strips(const void* p, size_t bytes, Step step) {
  for (size_t done = 0; done < bytes;) {
    size_t part = kStripBytes - (reinterpret_cast<uint64_t>(p) + done) % kStripBytes;
    if (part > bytes - done) part = bytes - done;
    step(done, part);
    done += part;
  }
}

// Before a library function reads or writes all of a long range by itself: each strip is taken once. What the function
// does later, after it blocked, is no longer covered; the order with threads that race with it can then be lost.
inline void read_all(const void* p, size_t bytes) {
  if (passive()) return;
  for_strips(p, bytes, [p](size_t at, size_t n) {
    read(static_cast<const char*>(p) + at, n);
    (void)*(static_cast<const volatile char*>(p) + at);  // where memory ends, so does a length that is wrong
  });
}

inline void write_all(void* p, size_t bytes) {
  if (passive()) return;
  for_strips(p, bytes, [p](size_t at, size_t n) { write(static_cast<char*>(p) + at, n); });
}

// The length of a string, or `limit` if that is shorter: line by line, each read only while it is held. What strlen()
// finds by itself in memory that others write may differ in replay, and so must decide nothing here.
inline size_t length(const char* s, size_t limit = SIZE_MAX) {
  if (passive()) return limit == SIZE_MAX ? strlen(s) : strnlen(s, limit);
  for (size_t done = 0; done < limit;) {
    size_t part = kLineBytes - (reinterpret_cast<uint64_t>(s) + done) % kLineBytes;
    if (part > limit - done) part = limit - done;
    AnaRange range = range_of(s + done, part, false);
    acquire(&range, 1, &kClaimSite);
    const auto* end = static_cast<const char*>(memchr(s + done, 0, part));
    if (telling()) g_host->tell(Told::kAccess, s + done, end ? static_cast<size_t>(end - s) - done + 1 : part, &kReadSite);
    if (end) return static_cast<size_t>(end - s);
    done += part;
  }
  return limit;
}

// Before a library function reads a string by itself.
inline void read_string(const char* s) {
  if (!passive() && s) length(s);
}

// As memcpy and memset, exact in every strip.
inline void copy(void* to, const void* from, size_t bytes) {
  char* t = static_cast<char*>(to);
  const char* f = static_cast<const char*>(from);
  if (passive()) {
    memcpy(t, f, bytes);
    return;
  }
  for_strips(t, bytes, [t, f](size_t at, size_t n) {
    write_and_read(t + at, f + at, n);
    memcpy(t + at, f + at, n);
  });
}

inline void fill(void* to, int byte, size_t bytes) {
  char* t = static_cast<char*>(to);
  if (passive()) {
    memset(t, byte, bytes);
    return;
  }
  for_strips(t, bytes, [t, byte](size_t at, size_t n) {
    write(t + at, n);
    memset(t + at, byte, n);
  });
}

}  // namespace access
}  // namespace ana
