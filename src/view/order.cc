#include "view/order.h"

#include <algorithm>
#include <numeric>
#include <queue>

namespace ana::view {

namespace {

// Gives each event its time: the longest chain of counts that ends there. A lane that comes to an event whose source
// has no time yet sleeps until that has one.
class Timer {
 public:
  Timer(Picture& picture, const Progress& progress)
      : lanes_(picture.lanes),
        progress_(progress),
        total_(picture.events()),
        done_(lanes_.size()),
        sleepers_(lanes_.size()) {}

  Status run() {
    std::vector<uint32_t> awake(lanes_.size());
    std::iota(awake.rbegin(), awake.rend(), 0);
    while (!awake.empty()) {
      uint32_t lane = awake.back();
      awake.pop_back();
      advance(lane);
      auto& sleepers = sleepers_[lane];
      while (!sleepers.empty() && sleepers.top().first < done_[lane]) {
        awake.push_back(sleepers.top().second);
        sleepers.pop();
      }
    }
    if (timed_ == total_) return {};
    return Error{"the order in the trace is impossible: events wait for each other; was it changed since?"};
  }

 private:
  void advance(uint32_t lane) {
    std::vector<Event>& events = lanes_[lane].events;
    size_t& next = done_[lane];
    for (; next < events.size(); next++) {
      Event& event = events[next];
      event.at = 0;
      if (next > 0) {
        const Event& before = events[next - 1];
        uint64_t counts = event.count > before.count ? event.count - before.count : 0;
        event.at = before.at + static_cast<uint64_t>(static_cast<double>(counts) * lanes_[lane].stretch);
      }
      if (event.from_lane != kNoLane && event.from_index != kSomewhere) {
        if (event.from_index >= done_[event.from_lane]) {
          sleepers_[event.from_lane].push({event.from_index, lane});
          return;
        }
        event.at = std::max(event.at, lanes_[event.from_lane].events[event.from_index].at + 1);
      }
      if (++timed_ % 65536 == 0 && progress_) progress_(timed_, total_);
    }
  }

  using Sleeper = std::pair<size_t, uint32_t>;  // until that lane has so many events; which lane
  std::vector<Lane>& lanes_;
  const Progress& progress_;
  uint64_t total_, timed_ = 0;
  std::vector<size_t> done_;
  std::vector<std::priority_queue<Sleeper, std::vector<Sleeper>, std::greater<>>> sleepers_;
};

}  // namespace

Status put_in_order(Picture& picture, const Progress& progress) {
  if (Status s = Timer(picture, progress).run(); !s) return s;
  // Times do not fall within a lane, and grow along "came after": merging the lanes by them gives the order.
  using Head = std::pair<uint64_t, uint32_t>;
  std::priority_queue<Head, std::vector<Head>, std::greater<>> heads;
  std::vector<size_t> next(picture.lanes.size(), 0);
  for (uint32_t i = 0; i < picture.lanes.size(); i++) {
    if (!picture.lanes[i].events.empty()) heads.push({picture.lanes[i].events[0].at, i});
  }
  for (uint64_t place = 0; !heads.empty(); place++) {
    uint32_t lane = heads.top().second;
    heads.pop();
    std::vector<Event>& events = picture.lanes[lane].events;
    events[next[lane]++].at = place;
    if (next[lane] < events.size()) heads.push({events[next[lane]].at, lane});
  }
  return {};
}

}  // namespace ana::view
