// An access in two words, for the shadow of the common case (access_shadow.h): plain, of 1, 2, 4 ... 32 bytes, at a site near
// the others. What it does not say itself follows from the thread: its slot, and the upper half of the count.
#pragma once
#include <bit>
#include <cstdint>

#include "analysis/vector_time.h"

namespace ana::races {

// Bytes that share one memory of who accessed them.
constexpr uint64_t kWordBytes = 8;

class BriefAccess {
 public:
  static constexpr uint32_t kMostThreads = (1 << 16) - 1, kMostBytes = 32;

  BriefAccess() = default;
  BriefAccess(Epoch epoch, bool write, uint64_t address, uint32_t bytes, uint32_t site, uint32_t count)
      : who_(epoch.time | uint64_t{epoch.thread} << kThread | uint64_t{write} << kWrite |
             (address % kWordBytes) << kStart | static_cast<uint64_t>(std::countr_zero(bytes)) << kLogBytes),
        where_(uint64_t{count} << 32 | site) {}
  // Its part in the word that is `part` behind the first one.
  BriefAccess part(uint64_t part, uint64_t first, uint64_t last) const {
    BriefAccess out = *this;
    out.who_ |= part << kPart | first << kFirst | last << kLast;
    return out;
  }
  // The same of fewer bytes of the word.
  BriefAccess narrowed(uint64_t first, uint64_t last) const {
    BriefAccess out = *this;
    if (!is_none()) out.who_ = (who_ & ~(uint64_t{63} << kFirst)) | first << kFirst | last << kLast;
    return out;
  }
  static BriefAccess elsewhere() {
    BriefAccess out;
    out.who_ = ~0ull;
    return out;
  }

  bool is_none() const { return who_ == 0; }
  bool is_elsewhere() const { return who_ == ~0ull; }
  bool same_but_for_place(const BriefAccess& other) const { return who_ == other.who_; }
  bool same_bytes(const BriefAccess& other) const { return ((who_ ^ other.who_) >> kFirst & 63) == 0; }
  bool same_thread(const BriefAccess& other) const { return ((who_ ^ other.who_) >> kThread & 0xffff) == 0; }
  Epoch epoch() const { return {thread(), static_cast<uint32_t>(who_)}; }
  Thread thread() const { return static_cast<Thread>(who_ >> kThread & 0xffff); }
  bool write() const { return who_ >> kWrite & 1; }
  uint8_t first() const { return who_ >> kFirst & 7; }
  uint8_t last() const { return who_ >> kLast & 7; }
  uint64_t address(uint64_t word) const { return word - (who_ >> kPart & 7) * kWordBytes + (who_ >> kStart & 7); }
  uint32_t bytes() const { return 1u << (who_ >> kLogBytes & 7); }
  uint32_t site() const { return static_cast<uint32_t>(where_); }
  uint32_t count() const { return static_cast<uint32_t>(where_ >> 32); }

 private:
  enum { kThread = 32, kFirst = 48, kLast = 51, kWrite = 54, kPart = 55, kStart = 58, kLogBytes = 61 };
  uint64_t who_ = 0, where_ = 0;
};
static_assert(sizeof(BriefAccess) == 16);

// The accesses to a word, or to one half of it, all to the same bytes of it.
struct alignas(64) Cell {
  static constexpr int kReads = 3;
  BriefAccess write;          // elsewhere(): the word's Variables tell
  BriefAccess reads[kReads];  // since; those that are not ordered

  bool is_unread() const { return reads[0].is_none() && reads[1].is_none() && reads[2].is_none(); }
  bool is_empty() const { return write.is_none() && is_unread(); }
  // One that is there, if any is.
  const BriefAccess& any() const {
    for (const BriefAccess& read : reads)
      if (!read.is_none()) return read;
    return write;
  }
  Cell narrowed(uint64_t first, uint64_t last) const {
    Cell out;
    out.write = write.narrowed(first, last);
    for (int i = 0; i < kReads; i++) out.reads[i] = reads[i].narrowed(first, last);
    return out;
  }
  // Takes it if nobody but this thread has accessed it, or nobody has written since it last read: there is no race.
  bool takes_own(const BriefAccess& now) {
    if (now.write()) {
      if (!is_unread() || !write.same_bytes(now) || !write.same_thread(now) || write.is_none()) return false;
      write = now;
      return true;
    }
    bool known = write.is_none() || write.same_thread(now) || reads[0].same_but_for_place(now);
    if (!known || reads[0].is_none() || !reads[0].same_bytes(now) || !reads[0].same_thread(now)) return false;
    reads[0] = now;
    return true;
  }
};
static_assert(sizeof(Cell) == 64);

}  // namespace ana::races
