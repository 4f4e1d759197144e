// Vector clocks and epochs of happens-before (Flanagan and Freund 2009): a thread's time grows when it releases something,
// so that accesses between two releases have the same.
#pragma once
#include <cstdint>
#include <vector>

namespace ana::races {

using Thread = uint32_t;

// A thread at one of its times. None: time 0.
struct Epoch {
  Thread thread = 0;
  uint32_t time = 0;

  explicit operator bool() const { return time != 0; }
  bool operator==(const Epoch&) const = default;
};

class VectorTime {
 public:
  uint32_t of(Thread thread) const { return thread < at_.size() ? at_[thread] : 0; }
  bool covers(Epoch epoch) const { return epoch.time <= of(epoch.thread); }
  void set(Thread thread, uint32_t time) {
    if (thread >= at_.size()) at_.resize(thread + 1);
    at_[thread] = time;
  }
  // Calls risen() with what is new in it.
  template <class Risen>
  void join(const VectorTime& other, Risen risen) {
    if (other.at_.size() > at_.size()) at_.resize(other.at_.size());
    for (size_t i = 0; i < other.at_.size(); i++) {
      if (other.at_[i] <= at_[i]) continue;
      at_[i] = other.at_[i];
      risen(Epoch{static_cast<Thread>(i), at_[i]});
    }
  }
  void join(const VectorTime& other) {
    join(other, [](Epoch) {});
  }
  void clear() { at_.clear(); }
  bool empty() const { return at_.empty(); }

 private:
  std::vector<uint32_t> at_;
};

}  // namespace ana::races
