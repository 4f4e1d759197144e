// The shared state of a line: one 8-byte word in a table indexed by line. The words of eight lines, a *block*, are in
// one cache line and have one lock, so that taking neighbours together costs little more than taking one.
//
//   bit 0       locked; of the block, in the word of its first line
//   bits 1-11   writer: slot + 1 of the last writer, 0 none
//   bits 12-22  reader: slot + 1 of the one thread that has read since, 0 none
//   bit 23      many: more than one thread has read since; then every table is looked at
//   bits 24-31  caution: how much has been fought over the block of late; in the word of its first line
//   bits 32-39  streak: how often in a row its present user has come back for it
//   bits 40-47  patience: the streak from which leases are given; grows when a lease proved wrong
//   bits 48-58  next: slot + 1 of the thread that waits for the line and gets it before any other, 0 none. Without it
//               readers that come back again and again would keep a writer out for ever.
//
// Stale entries in a table (reads before the last write) do no harm in "many": the clock covers them.
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

constexpr uint32_t kBlockLines = 8;

// What is under the block's lock. The caution is no part of the protocol: it says how bold a guess may be.
class Block {
 public:
  explicit Block(uint32_t line) : first_(line & ~(kBlockLines - 1)), words_(line_table() + first_) {}
  uint32_t first() const { return first_; }

  bool try_lock() {
    uint64_t bits = __atomic_load_n(words_, __ATOMIC_RELAXED) & ~kLocked;
    return __atomic_compare_exchange_n(words_, &bits, bits | kLocked, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
  }
  void lock() {
    for (int n = 0; !try_lock(); SpinLock::back_off(n)) {}
  }
  // Pairs with try_lock().
  void unlock() { __atomic_store_n(words_, words_[0] & ~kLocked, __ATOMIC_RELEASE); }

  LineWord word(uint32_t line) const {
    uint64_t bits = __atomic_load_n(words_ + (line - first_), __ATOMIC_RELAXED);
    return LineWord(line == first_ ? bits & ~kOfBlock : bits);
  }
  void set_word(uint32_t line, LineWord word) {
    uint64_t bits = line == first_ ? word.bits() | (words_[0] & kOfBlock) : word.bits();
    __atomic_store_n(words_ + (line - first_), bits, __ATOMIC_RELAXED);
  }

  // Conflicts count more than takings without one: who fights over every fourth line had better not guess.
  bool is_fought_over() const { return caution() >= kConflict * 2; }
  void note_conflict() { set_caution(caution() + kConflict < kLargest ? caution() + kConflict : kLargest); }
  void note_peace() {
    if (caution()) set_caution(caution() - 1);
  }

 private:
  static constexpr uint64_t kLocked = 1, kOfBlock = 0xff000001;
  static constexpr uint32_t kConflict = 4, kLargest = 32;
  uint32_t caution() const { return words_[0] >> 24 & 0xff; }
  void set_caution(uint32_t caution) {
    __atomic_store_n(words_, (words_[0] & ~0xff000000ull) | uint64_t{caution} << 24, __ATOMIC_RELAXED);
  }

  uint32_t first_;
  uint64_t* words_;
};

}  // namespace ana
