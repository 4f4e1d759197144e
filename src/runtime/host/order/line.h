// The shared state of a line: one 8-byte word in a table indexed by line. The same for a page (page.h), which stands
// for all its lines while these have the same users.
//
//   bits 1-11   writer: slot + 1 of the last writer, 0 none
//   bits 12-22  reader: slot + 1 of the one thread that has read since, 0 none
//   bit 23      many: more than one thread has read since; then every table is looked at
//   bits 32-39  streak: how often in a row its present user has come back for it
//   bits 40-47  patience: the streak from which leases are given; grows when a lease proved wrong
//   bits 48-58  next: slot + 1 of the thread that waits for the line and gets it before any other, 0 none. Without it
//               readers that come back again and again would keep a writer out for ever. Not in words of pages.
//
// The other bits are the page's own. Stale entries in a table (reads before the last write) do no harm in "many": the
// clock covers them.
#pragma once
#include "runtime/host/slot.h"

namespace ana {

static_assert(kMaxSlots < 1 << 11);

class LineWord {
 public:
  explicit constexpr LineWord(uint64_t bits) : bits_(bits) {}
  uint64_t bits() const { return bits_; }

  uint32_t writer() const { return bits_ >> 1 & 0x7ff; }
  uint32_t reader() const { return bits_ >> 12 & 0x7ff; }
  bool many_readers() const { return bits_ >> 23 & 1; }
  uint32_t streak() const { return bits_ >> 32 & 0xff; }
  uint32_t patience() const {
    uint32_t p = bits_ >> 40 & 0xff;
    return p ? p : kFirstPatience;
  }

  uint32_t next() const { return bits_ >> 48 & 0x7ff; }

  bool has_users() const { return bits_ & kUsers; }
  // The same thread wrote last, the same have read since.
  bool has_users_of(LineWord other) const { return !((bits_ ^ other.bits_) & kUsers); }

  LineWord with_next(uint32_t who) const { return LineWord((bits_ & ~kNext) | uint64_t{who} << 48); }
  LineWord with_writer(uint32_t writer) const { return LineWord((bits_ & (kCounters | kNext)) | uint64_t{writer} << 1); }
  LineWord with_reader(uint32_t who) const {
    if (many_readers() || reader() == who) return *this;
    if (reader()) return LineWord(bits_ | 1u << 23);
    return LineWord(bits_ | uint64_t{who} << 12);
  }
  LineWord with_longer_streak() const { return streak() < 0xff ? LineWord(bits_ + (1ull << 32)) : *this; }
  LineWord with_broken_streak() const {
    uint64_t p = patience();
    if (streak() >= p && p < kLongestPatience) p *= 2;
    return LineWord((bits_ & ~kCounters) | p << 40);
  }

 private:
  static constexpr uint32_t kFirstPatience = 3, kLongestPatience = 64;
  static constexpr uint64_t kUsers = 0xfffffe;
  static constexpr uint64_t kCounters = 0xffffull << 32, kNext = 0x7ffull << 48;
  uint64_t bits_;
};

inline uint64_t* line_table() { return reinterpret_cast<uint64_t*>(layout::kLines); }

}  // namespace ana
