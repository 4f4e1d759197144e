// How long a replay would take if every event took one unit of time, there were a processor for each thread, and
// threads waited only where the trace says so: the estimate of the parallelism that a trace leaves.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

namespace ana::sim {

// From edges. A thread's events follow each other without a pause except after a wait; so the time of event s is s plus
// an offset that grows at waits, and those are kept: the newest kKept of each thread exactly. Beyond that, older ones
// are thinned out so that times can only become later: the path is never too short, the parallelism never too great.
class CriticalPath {
 public:
  explicit CriticalPath(size_t threads) : threads_(threads) {}

  void edge(uint32_t sink, uint64_t serial, uint32_t source, uint64_t source_serial) {
    uint64_t end = time_of(source, source_serial) + 1;
    Thread& t = threads_[sink];
    if (end <= serial + t.offset) return;
    t.offset = end - serial;
    if (!t.waits.empty() && t.waits.back().serial == serial) {
      t.waits.back().offset = t.offset;
      return;
    }
    if (t.waits.size() == kKept) thin(t.waits);
    t.waits.push_back({serial, t.offset});
  }

  // `serials`: how many events each thread had.
  uint64_t length(const std::vector<uint64_t>& serials) const {
    uint64_t longest = 0;
    for (size_t i = 0; i < threads_.size(); ++i) {
      if (serials[i]) longest = std::max(longest, serials[i] + threads_[i].offset);
    }
    return longest;
  }

  static constexpr size_t kKept = 1 << 20;

 private:
  struct Wait {
    uint64_t serial, offset;
  };
  struct Thread {
    uint64_t offset = 0;
    std::vector<Wait> waits;
  };

  uint64_t time_of(uint32_t thread, uint64_t serial) const {
    const Thread& t = threads_[thread];
    if (t.waits.empty() || serial >= t.waits.back().serial) return serial + t.offset;
    auto after = std::upper_bound(t.waits.begin(), t.waits.end(), serial,
                                  [](uint64_t s, const Wait& w) { return s < w.serial; });
    return serial + (after == t.waits.begin() ? 0 : std::prev(after)->offset);
  }

  // Of two waits the first remains, with the offset of the second.
  static void thin(std::vector<Wait>& waits) {
    size_t half = waits.size() / 2, kept = 0;
    for (size_t i = 0; i + 1 < half; i += 2) waits[kept++] = {waits[i].serial, waits[i + 1].offset};
    waits.erase(waits.begin() + static_cast<ptrdiff_t>(kept),
                waits.begin() + static_cast<ptrdiff_t>(half & ~size_t{1}));
  }

  std::vector<Thread> threads_;
};

// From all dependences at once, for traces that do not have them as edges: every granule knows when its last write and
// its last read were.
class DependencePath {
 public:
  struct Granule {
    uint64_t written, read;
  };
  explicit DependencePath(size_t threads) : times_(threads, 0) {}

  void begin(uint32_t thread) { start_ = times_[thread]; }
  void check(const Granule& granule, bool writes) {
    start_ = std::max(start_, granule.written);
    if (writes) start_ = std::max(start_, granule.read);
  }
  void finish(uint32_t thread) { times_[thread] = start_ + 1; }
  void update(uint32_t thread, Granule& granule, bool writes) {
    (writes ? granule.written : granule.read) = std::max(writes ? granule.written : granule.read, times_[thread]);
  }
  uint64_t length() const { return times_.empty() ? 0 : *std::max_element(times_.begin(), times_.end()); }

 private:
  std::vector<uint64_t> times_;
  uint64_t start_ = 0;
};

}  // namespace ana::sim
