// Finds out what the synchronisation of an execution means to its threads, for replays that need not be told of the rest
// (known_order.h, docs/races.md). Is told of synchronisation alone, in a replay of its own.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "analysis/known_order.h"
#include "analysis/race_detector.h"
#include "analysis/synchronisation.h"
#include "trace/told_sink.h"

namespace ana::races {

class ReleaseWatch final : public ToldSink {
 public:
  // As for RaceDetector.
  explicit ReleaseWatch(RaceDetector::Range (*stack_of)(uint32_t slot) = nullptr) : stack_of_(stack_of) {
    synchronisation_.note_learned(&learned_);
  }
  ReleaseWatch(const ReleaseWatch&) = delete;

  void take(uint32_t slot, std::span<const LiveReference> events) override;
  // When all has been told. Counted events are told again if a thread learns something by them, or releases what others
  // learn of; all others always.
  KnownOrder order() const;

 private:
  // There is one for each release, so it is small.
  struct Candidate {
    uint32_t skipped;  // counted events since the last candidate that cannot be told again
    uint32_t count, time;
    uint32_t learned : 30, counted : 1, releases : 1;
  };
  struct Slot {
    std::vector<Candidate> candidates;
    std::vector<Epoch> learned;
    std::vector<KnownOrder::Start> starts;
    std::vector<size_t> firsts;  // of each start: the candidates that there were before it
    uint32_t skipped = 0;
  };

  void take_one(uint32_t slot, const LiveReference& event);
  void apply(Thread thread, const LiveReference& event);
  Slot& of_slot(uint32_t slot);
  KnownOrder::Slot order_of(const Slot& slot, const KnownOrder& order) const;

  RaceDetector::Range (*stack_of_)(uint32_t slot);
  Synchronisation synchronisation_;
  std::vector<Epoch> learned_;  // by the present event
  std::vector<Slot> slots_;
};

}  // namespace ana::races
