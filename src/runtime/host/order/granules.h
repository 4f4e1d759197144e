// What the algorithms of src/algorithms need from the recorder: memory, an access history for every granule of the
// program's memory, and locks for them.
#pragma once
#include "runtime/host/slot.h"

namespace ana {

// Memory of the algorithms: blocks by size, never given back to the kernel.
struct TracingHost {
  static constexpr bool kShared = true;
  void* allocate(size_t bytes);
  void release(void* block, size_t bytes);
  void pause(int& turns) { SpinLock::back_off(turns); }
};

// Granules of 2^shift bytes, found by address; all zero until they are first used.
class GranuleTable {
 public:
  void init(uint32_t shift, size_t granule_bytes);
  void* find(uint64_t granule);
  uint32_t shift() const { return shift_; }

 private:
  static constexpr uint32_t kLeafShift = 26;  // bytes of the program's memory per leaf
  static constexpr uint64_t kLeaves = 1ull << (48 - kLeafShift);
  char* make_leaf(uint64_t index);

  uint32_t shift_;
  uint32_t granule_bytes_;
  char** leaves_;
};

// Granules that lie close together share a lock. All that an event needs are taken in ascending order, so that no two
// events wait for each other.
class LockSet {
 public:
  void clear();
  void add(uint64_t granule, uint32_t shift);
  // `share`: with others that share.
  void lock(bool share);
  void unlock();

 private:
  static constexpr uint32_t kLocks = 4096, kWords = kLocks / 64;
  uint64_t needed_[kWords];
  uint32_t first_, last_;  // words that are in use; none if first_ > last_
  bool shared_;
  template <class Use>
  void for_each(Use use);
};

constexpr uint32_t kMaxRangesOfEvent = ANA_MAX_RANGES + kMaxPins;

// What one event accesses.
struct Accesses {
  uint32_t count;
  AnaRange range[kMaxRangesOfEvent];

  void set(const AnaRange* ranges, uint32_t n);
  bool only_reads() const;
  // use(granule, is written): each granule once.
  template <class Use>
  void each_once(uint32_t shift, Use use) const {
    for (uint32_t i = 0; i < count; ++i) {
      uint64_t first = (range[i].first & ~ANA_RANGE_WRITE) >> shift, last = range[i].last >> shift;
      for (uint64_t granule = first; granule <= last; ++granule) {
        bool write = false, seen = false;
        for (uint32_t k = 0; k < count && !seen; ++k) {
          if ((range[k].first & ~ANA_RANGE_WRITE) >> shift > granule || range[k].last >> shift < granule) continue;
          seen = k < i;
          write |= range[k].first >> 63;
        }
        if (!seen) use(granule, write);
      }
    }
  }
  // use(granule, is written, its first byte that is accessed, the last)
  template <class Use>
  void each(uint32_t shift, Use use) const {
    for (uint32_t i = 0; i < count; ++i) {
      uint64_t first = range[i].first & ~ANA_RANGE_WRITE, last = range[i].last;
      bool write = range[i].first & ANA_RANGE_WRITE;
      for (uint64_t granule = first >> shift; granule <= last >> shift; ++granule) {
        uint64_t begin = granule << shift, end = begin + (1ull << shift) - 1;
        use(granule, write, begin < first ? first : begin, end < last ? end : last);
      }
    }
  }
};

}  // namespace ana
