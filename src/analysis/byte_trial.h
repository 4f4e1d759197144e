// Looks for races by bytes at once, and gives up if looking by lines would have less to do (docs/races.md). Lines pay if
// threads walk through memory: a line is told once in an epoch, its bytes one by one. Where threads come back to the same
// few variables they are told as often either way, and to look by lines first is a replay more. What one thread tells in one
// epoch must also be little for another reason: translated code looks up each access among those, by place and bytes, and
// finds it quickly only as long as they fit into the processor's nearest cache.
//
// Gives up as soon as it is known, in the first half of the replay; later only if bytes would need too much memory.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "analysis/race_detector.h"
#include "trace/told_sink.h"

namespace ana::races {

class ByteTrial final : public ToldSink {
 public:
  // `ends`: of each slot the count that it comes to; as far as they are known.
  ByteTrial(RaceDetector& detector, std::vector<uint64_t> ends);

  void take(uint32_t slot, std::span<const LiveReference> events) override;
  bool has_enough() const override { return given_up_; }

  static constexpr uint64_t kTrialAccesses = 1 << 17;  // between two judgements
  static constexpr uint32_t kMostInEpoch = 1 << 12;    // of a thread; their table has 8 bytes for each
  static constexpr uint64_t kMostLines = 1 << 18;      // that have been accessed at all; their bytes take 64 times as much

 private:
  struct Slot {
    uint64_t count = 0, end = 0;
    uint32_t epoch = 1, told = 0;  // accesses, in this epoch
  };

  void look(Slot& slot, uint32_t number, const LiveReference& event);
  void judge();
  bool is_first_half() const;

  RaceDetector& detector_;
  std::vector<Slot> slots_;
  std::unique_ptr<uint64_t[]> seen_;  // by a hash of line, thread and kind: with the epoch
  uint64_t accesses_ = 0, of_lines_ = 0, lines_ = 0;
  bool given_up_ = false;
};

}  // namespace ana::races
