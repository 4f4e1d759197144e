// Looks for races by bytes at once, and gives up if looking by lines would have less to do (docs/races.md). Lines pay if
// threads walk through memory: a line is told once in an epoch, its bytes one by one. Where threads come back to the same
// few variables they are told as often either way, and to look by lines first is a replay more. What one thread tells in one
// epoch must also be little for another reason: translated code looks up each access among those, by place and bytes, and
// finds it quickly only as long as they fit into the processor's nearest cache.
//
// It also gives up if most is told again because the thread has released something that no other thread has come after. Then
// it pays to find out which releases those are (release_watch.h), and to begin anew.
//
// Gives up as soon as it is known, in the first half of the replay; later only if bytes would need too much memory.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "analysis/race_detector.h"
#include "analysis/release_watch.h"
#include "trace/told_sink.h"

namespace ana::races {

class ByteTrial final : public ToldSink {
 public:
  // `ends`: of each slot the count that it comes to; as far as they are known.
  // `releases`: TranslationWishes::releases of the replay, if they are known.
  using Releases = std::vector<std::vector<uint32_t>>;
  // `by_lines`: it is lines that are told already.
  ByteTrial(RaceDetector& detector, std::vector<uint64_t> ends, const Releases* releases = nullptr, bool by_lines = false);

  void take(uint32_t slot, std::span<const LiveReference> events) override;
  bool has_enough() const override { return given_up_; }
  bool wants_releases() const { return wants_releases_; }

  static constexpr uint64_t kTrialAccesses = 1 << 17;  // between two judgements
  static constexpr uint64_t kWorthWhile = 8;           // accesses for a release: it takes time to be told of those, too
  static constexpr uint32_t kMostInEpoch = 1 << 12;    // of a thread; their table has 8 bytes for each
  static constexpr uint64_t kMostLines = 1 << 18;      // that have been accessed at all; their bytes take 64 times as much

 private:
  struct Slot {
    uint64_t count = 0, end = 0;
    uint32_t epoch = 1, told = 0;  // accesses, in this epoch
    uint64_t releases = 0;         // that the thread tells by itself
  };

  void look(Slot& slot, uint32_t number, const LiveReference& event);
  bool ends_epoch(uint32_t slot, uint64_t number, uint64_t count) const;
  void judge();
  bool is_first_half() const;

  RaceDetector& detector_;
  const Releases* known_releases_;
  bool by_lines_;
  std::vector<Slot> slots_;
  std::unique_ptr<uint64_t[]> seen_;  // by a hash of line, thread and kind: with the epoch
  uint64_t accesses_ = 0, of_lines_ = 0, lines_ = 0, releases_ = 0;
  bool given_up_ = false, wants_releases_ = false;
};

}  // namespace ana::races
