// What a replay that was told of all synchronisation has found out of it (release_watch.h), for replays of the same recording
// that are told of less: of each slot the events that are told again, what their threads learn by them and at what time they
// leave them. Detectors take clocks from it (Synchronisation::follow()) instead of working them out.
//
// Times that no other thread knows are not told apart: a thread has the next time that others know, from when it has passed
// the one before. For others that is the same: they know it or not.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "analysis/vector_time.h"

namespace ana::races {

struct KnownOrder {
  struct Step {
    uint32_t count;    // of the slot, the lower half: to find out if a replay has other events
    uint32_t time;     // of its thread, after it
    uint32_t learned;  // how many of `learned` are its
    bool operator==(const Step&) const = default;
  };
  struct Start {
    Thread thread;
    uint32_t time;
  };
  struct Slot {
    std::vector<Step> steps;
    std::vector<Epoch> learned;
    std::vector<Start> starts;      // threads that came into being there
    std::vector<uint32_t> entries;  // of the counted events: TranslationWishes::order
  };
  static constexpr uint32_t kNever = UINT32_MAX;

  std::vector<Slot> slots;
  std::vector<std::vector<uint32_t>> known;  // of each thread, the times that others know, in their order

  uint32_t next_known(Thread thread, uint32_t time) const {
    const auto& times = known[thread];
    auto at = std::lower_bound(times.begin(), times.end(), time);
    return at == times.end() ? kNever : *at;
  }
  std::vector<std::vector<uint32_t>> entries() const {
    std::vector<std::vector<uint32_t>> out;
    for (const Slot& slot : slots) out.push_back(slot.entries);
    return out;
  }
};

}  // namespace ana::races
