// The last accesses to each byte of memory, as far as FastTrack needs them to find a race: the last plain write, the plain
// reads since, and atomic accesses. Where the reads are ordered among each other only the last is kept, else the last of
// each thread; the same for atomic accesses, which need not be ordered.
//
// Bytes that have always been accessed together are one Variable. An access to a part of one divides it, so the result is
// that of a history for each byte.
#pragma once
#include <cstdint>
#include <deque>
#include <memory>
#include <unordered_map>
#include <vector>

#include "analysis/vector_time.h"

namespace ana::races {

enum class AccessKind : uint8_t { read, write, atomic_read, atomic_write, free };
inline bool is_atomic(AccessKind kind) { return kind == AccessKind::atomic_read || kind == AccessKind::atomic_write; }
inline bool is_write(AccessKind kind) { return kind != AccessKind::read && kind != AccessKind::atomic_read; }

struct Access {
  Epoch epoch;
  uint64_t site = 0;
  uint64_t count = 0;  // the event of its thread
  uint64_t address = 0;
  uint64_t value = 0;  // what was there before
  uint32_t slot = 0;
  AccessKind kind = AccessKind::read;
  bool has_value = false;
  uint16_t bytes = 0;

  bool same_place(const Access& other) const { return address == other.address && bytes == other.bytes; }
};

// One access, or the last of each thread.
class AccessSet {
 public:
  AccessSet() = default;
  AccessSet(const AccessSet& other);
  AccessSet& operator=(const AccessSet& other);
  AccessSet(AccessSet&&) noexcept = default;
  AccessSet& operator=(AccessSet&&) noexcept = default;

  void add(const Access& access, const VectorTime& clock);
  void clear();
  template <class Use>
  void each(Use use) const {
    if (many_) {
      for (const Access& access : *many_) use(access);
    } else if (one_.epoch) {
      use(one_);
    }
  }

 private:
  Access one_;
  std::unique_ptr<std::vector<Access>> many_;
};

struct Variable {
  uint8_t first = 0, last = 0;  // bytes of the word that it lies in
  Access write;
  AccessSet reads;
  struct Atomics {
    AccessSet reads, writes;
  };
  std::unique_ptr<Atomics> atomics;

  Variable copy() const;
};

class AccessShadow {
 public:
  // Calls use(variable, address of its word) for variables that cover exactly [first, last].
  template <class Use>
  void each(uint64_t first, uint64_t last, Use use) {
    for (uint64_t at = first;;) {
      uint64_t end = at | (kWordBytes - 1);
      if (end > last) end = last;
      each_in_word(word_of(at), at & ~(kWordBytes - 1), at % kWordBytes, end % kWordBytes, use);
      if (end == last) return;
      at = end + 1;
    }
  }
  // Nothing has been accessed there.
  void clear(uint64_t first, uint64_t last);

 private:
  static constexpr uint64_t kWordBytes = 8, kPageWords = 512, kPageBytes = kWordBytes * kPageWords;
  using Word = std::vector<Variable>;
  struct Page {
    Word words[kPageWords];
  };

  Word& word_of(uint64_t address) {
    uint64_t number = address / kPageBytes;
    if (number != last_number_) {
      auto& page = pages_[number];
      if (!page) page = std::make_unique<Page>();
      last_number_ = number;
      last_page_ = page.get();
    }
    return last_page_->words[address / kWordBytes % kPageWords];
  }
  // Makes variables begin at `first` and end at `last`, and covers what lies between.
  void divide(Word& word, uint64_t first, uint64_t last);

  template <class Use>
  void each_in_word(Word& word, uint64_t address, uint64_t first, uint64_t last, Use use) {
    if (word.size() != 1 || word[0].first != first || word[0].last != last) divide(word, first, last);
    for (Variable& variable : word) {
      if (variable.first >= first && variable.last <= last) use(variable, address);
    }
  }

  std::unordered_map<uint64_t, std::unique_ptr<Page>> pages_;
  uint64_t last_number_ = ~0ull;
  Page* last_page_ = nullptr;
};

}  // namespace ana::races
