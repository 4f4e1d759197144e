// Which releases of an execution other threads have come after, for replays that need not begin an epoch at the others
// (docs/races.md). Is told of synchronisation alone, in a replay of its own.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "analysis/race_detector.h"
#include "analysis/synchronisation.h"
#include "trace/told_sink.h"

namespace ana::races {

// As synchronisation.h has it: the thread's time grows.
bool is_release(const LiveReference& event);

class ReleaseWatch final : public ToldSink {
 public:
  // As for RaceDetector.
  explicit ReleaseWatch(RaceDetector::Range (*stack_of)(uint32_t slot) = nullptr) : stack_of_(stack_of) {}

  void take(uint32_t slot, std::span<const LiveReference> events) override;
  // When all has been told: TranslationWishes::releases.
  std::vector<std::vector<uint32_t>> releases() const;

 private:
  struct Release {
    uint64_t count;
    Epoch ended;
  };
  void take_one(uint32_t slot, const LiveReference& event);

  RaceDetector::Range (*stack_of_)(uint32_t slot);
  Synchronisation synchronisation_;
  std::vector<std::vector<Release>> releases_;  // by slots
};

}  // namespace ana::races
