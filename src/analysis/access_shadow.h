// The last accesses to each byte of memory, as far as FastTrack needs them to find a race: the last plain write, the plain
// reads since, and atomic accesses. Where the reads are ordered among each other only the last is kept, else the last of
// each thread; the same for atomic accesses, which need not be ordered.
//
// Bytes that have always been accessed together are one Variable. An access to a part of one divides it, so the result is
// that of a history for each byte.
//
// Variables are large. As long as a word, or each half of it, has been accessed in one way only, cells do for it.
#pragma once
#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "analysis/brief_access.h"
#include "analysis/vector_time.h"
#include "analysis/zeroed_pool.h"

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
  // Of another thread than those that are there, and not ordered with them.
  void add_unordered(const Access& access);
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
  // Makes an Access of a brief one in a word.
  using Expand = std::function<Access(const BriefAccess&, uint64_t word)>;
  explicit AccessShadow(Expand expand = {}) : expand_(std::move(expand)) {}

  static constexpr uint64_t kHalfBytes = kWordBytes / 2;
  struct Part {
    Cell* cell;
    uint64_t first, last;
  };
  // The cells for bytes [first, last] of the word at `address`, one or one for each half; none if its Variables have to do.
  int parts(uint64_t address, uint64_t first, uint64_t last, Part (&out)[2]) {
    Page& page = page_of(address);
    uint64_t number = address / kWordBytes % kPageWords;
    Cell& low = page.cells[number];
    if (low.write.is_elsewhere()) return 0;
    bool crosses = first < kHalfBytes && last >= kHalfBytes;
    bool low_crosses = !low.is_empty() && low.any().last() >= kHalfBytes;
    bool has_upper = page.upper_halves && !page.upper_halves[number].is_empty();
    if ((crosses && !has_upper && (low_crosses || low.is_empty())) || (last < kHalfBytes && !low_crosses)) {
      out[0] = {&low, first, last};
      return 1;
    }
    if (!page.upper_halves) page.upper_halves = new_cells();
    Cell& upper = page.upper_halves[number];
    if (low_crosses) {
      upper = low.narrowed(kHalfBytes, low.any().last());
      low = low.narrowed(low.any().first(), kHalfBytes - 1);
    }
    int n = 0;
    if (first < kHalfBytes) out[n++] = {&low, first, std::min(last, kHalfBytes - 1)};
    if (last >= kHalfBytes) out[n++] = {&upper, std::max(first, kHalfBytes), last};
    return n;
  }
  // The cell of the word at `address`, all of whose accesses are to the whole of it; null if its Variables have to do.
  Cell* whole(uint64_t address) {
    Cell& cell = page_of(address).cells[address / kWordBytes % kPageWords];
    return cell.write.is_elsewhere() ? nullptr : &cell;
  }
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
  static constexpr uint64_t kPageWords = 512, kPageBytes = kWordBytes * kPageWords;
  static constexpr uint64_t kRecentPages = 64;
  using Word = std::vector<Variable>;
  struct Page {
    Cell* cells = nullptr;
    Cell* upper_halves = nullptr;   // if those are accessed by themselves
    std::unique_ptr<Word[]> words;  // of those that no cells do for
  };

  Cell* new_cells() { return static_cast<Cell*>(pool_.take(kPageWords * sizeof(Cell))); }  // zero is an empty one

  Page& page_of(uint64_t address) {
    uint64_t number = address / kPageBytes;
    Recent& recent = recent_[number % kRecentPages];
    if (recent.number != number) {
      auto& page = pages_[number];
      if (!page) {
        page = std::make_unique<Page>();
        page->cells = new_cells();
      }
      recent = {number, page.get()};
    }
    return *recent.page;
  }
  // From now on no cells do for it.
  Word& word_of(uint64_t address) {
    Page& page = page_of(address);
    if (!page.words) page.words = std::make_unique<Word[]>(kPageWords);
    Word& word = page.words[address / kWordBytes % kPageWords];
    if (!page.cells[address / kWordBytes % kPageWords].write.is_elsewhere()) leave_cells(page, word, address & ~(kWordBytes - 1));
    return word;
  }
  void leave_cells(Page& page, Word& word, uint64_t address);
  // Makes variables begin at `first` and end at `last`, and covers what lies between.
  void divide(Word& word, uint64_t first, uint64_t last);

  template <class Use>
  void each_in_word(Word& word, uint64_t address, uint64_t first, uint64_t last, Use use) {
    if (word.size() != 1 || word[0].first != first || word[0].last != last) divide(word, first, last);
    for (Variable& variable : word) {
      if (variable.first >= first && variable.last <= last) use(variable, address);
    }
  }

  ZeroedPool pool_;
  std::unordered_map<uint64_t, std::unique_ptr<Page>> pages_;
  struct Recent {
    uint64_t number = ~0ull;
    Page* page = nullptr;
  };
  Recent recent_[kRecentPages];
  Expand expand_;
};

}  // namespace ana::races
