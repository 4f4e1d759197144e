// Looks for races by bytes at once, and gives up if looking by lines would have less to do (docs/races.md). Lines pay if
// threads walk through memory: a line is told once in an epoch, its bytes one by one. Where threads come back to the same
// few variables they are told as often either way, and to look by lines first is a replay more. What one thread tells in one
// epoch must also be little for another reason: translated code looks up each access among those, by place and bytes, and
// finds it quickly only as long as they fit into the processor's nearest cache.
//
// It also gives up if most of what is told is synchronisation that no other thread comes after, or accesses that are told
// again because of it. Then it pays to find out which that is (release_watch.h), and to begin anew.
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
  // `ends`: of each slot the count that it comes to; as far as they are known. `knows_order`: the replay is told of no more
  // synchronisation than has to be. `by_lines`: it is lines that are told already.
  ByteTrial(RaceDetector& detector, std::vector<uint64_t> ends, bool knows_order = false, bool by_lines = false);

  void take(uint32_t slot, std::span<const LiveReference> events) override;
  Status status() const override { return detector_.status(); }
  bool has_enough() const override { return given_up_; }
  bool wants_order() const { return wants_order_; }

  static constexpr uint64_t kTrialEvents = 1 << 17;    // accesses between two judgements
  static constexpr uint64_t kOrderEvents = 1 << 15;    // the same of the order, and of accesses and counted events
  static constexpr uint64_t kWorthWhile = 8;           // accesses for a release: it takes time to be told of those, too
  static constexpr uint32_t kMostInEpoch = 1 << 12;    // of a thread; their table has 8 bytes for each
  static constexpr uint64_t kBytesAsOne = 512;         // of those of library functions: they take memory, too
  static constexpr uint64_t kMostLines = 1 << 18;      // that have been accessed at all; their bytes take 64 times as much

 private:
  struct Slot {
    uint64_t count = 0, end = 0;
    uint32_t epoch = 1;
    uint64_t told = 0;  // accesses, in this epoch
  };

  void look(Slot& slot, uint32_t number, const LiveReference& event);
  void judge();
  void judge_order();
  uint64_t done() const;  // counts of all slots
  bool is_first_half(uint64_t from = 0) const;

  RaceDetector& detector_;
  bool knows_order_;
  bool by_lines_;
  std::vector<Slot> slots_;
  std::unique_ptr<uint64_t[]> seen_;  // by a hash of line, thread and kind: with the epoch
  uint64_t alone_until_ = 0;          // done(), when there was a second thread: synchronisation begins there
  struct {
    uint64_t accesses = 0, of_lines = 0, lines = 0;
  } alone_;                           // the numbers below, at that time
  uint64_t told_ = 0, accesses_ = 0, of_lines_ = 0, lines_ = 0, releases_ = 0, counted_ = 0;
  bool given_up_ = false, wants_order_ = false;
};

}  // namespace ana::races
