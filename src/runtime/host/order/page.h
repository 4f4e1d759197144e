// Sixty-four lines, which have one lock. A page is *whole* while all its lines have the same users: then its own word
// says who they are, and the words of its lines mean nothing. So who uses much of a page costs little more than who
// uses a line; where threads share the page line by line, it is split, and the lines have their own words.
//
//   bit 0       locked
//   bits 1-23   users, and
//   bits 32-47  streak and patience, as in the word of a line (line.h), while the page is whole
//   bits 24-31  caution: how much has been fought over the page of late. No part of the protocol: it says how bold a
//               guess may be.
//   bit 63      split
#pragma once
#include "runtime/host/order/line.h"

namespace ana {

constexpr uint32_t kPageLines = 64;
static_assert((uint64_t{ANA_LINE_MASK} + 1) / kPageLines * sizeof(uint64_t) == layout::kPagesBytes);

class Page {
 public:
  explicit Page(uint32_t line) : first_(line & ~(kPageLines - 1)), lines_(line_table() + first_) {
    word_ = reinterpret_cast<uint64_t*>(layout::kPages) + number();
  }
  uint32_t number() const { return first_ / kPageLines; }
  uint32_t first() const { return first_; }
  uint32_t last() const { return first_ + kPageLines - 1; }

  void lock() {
    for (int n = 0; !try_lock(); SpinLock::back_off(n)) {}
  }
  // Pairs with try_lock().
  void unlock() { __atomic_store_n(word_, *word_ & ~kLocked, __ATOMIC_RELEASE); }

  // What follows is under the lock.
  bool is_whole() const { return !(*word_ & kSplit); }
  LineWord word() const { return LineWord(*word_ & ~kOwn); }
  void set_word(LineWord word) { set((*word_ & kOwn) | word.bits()); }

  void split() {
    for (uint32_t line = first(); line <= last(); ++line) set_word(line, word());
    set(*word_ | kSplit);
  }
  // Makes the page whole if it can be, and is not fought over.
  void join() {
    LineWord like = word(first_);
    bool same = !is_fought_over();
    for (uint32_t line = first(); same && line <= last(); ++line)
      same = word(line).has_users_of(like) && !word(line).next();
    if (same) set((*word_ & kOwn & ~kSplit) | like.bits());
  }

  // While it is split.
  LineWord word(uint32_t line) const { return LineWord(__atomic_load_n(lines_ + (line - first_), __ATOMIC_RELAXED)); }
  void set_word(uint32_t line, LineWord word) {
    __atomic_store_n(lines_ + (line - first_), word.bits(), __ATOMIC_RELAXED);
  }

  // Conflicts count more than takings without one: who fights over every fourth line had better not guess.
  bool is_fought_over() const { return caution() >= kConflict * 2; }
  void note_conflict() { set_caution(caution() + kConflict < kLargest ? caution() + kConflict : kLargest); }
  void note_peace() {
    if (caution()) set_caution(caution() - 1);
  }

 private:
  static constexpr uint64_t kLocked = 1, kCaution = 0xff000000, kSplit = 1ull << 63, kOwn = kLocked | kCaution | kSplit;
  static constexpr uint32_t kConflict = 4, kLargest = 32;

  bool try_lock() {
    uint64_t bits = __atomic_load_n(word_, __ATOMIC_RELAXED) & ~kLocked;
    return __atomic_compare_exchange_n(word_, &bits, bits | kLocked, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
  }
  void set(uint64_t bits) { __atomic_store_n(word_, bits, __ATOMIC_RELAXED); }
  uint32_t caution() const { return __atomic_load_n(word_, __ATOMIC_RELAXED) >> 24 & 0xff; }
  void set_caution(uint32_t caution) { set((*word_ & ~kCaution) | uint64_t{caution} << 24); }

  uint32_t first_;
  uint64_t* lines_;
  uint64_t* word_;
};

}  // namespace ana
