// Data races of an execution, from what its replay tells (trace/live_reference.h): two accesses to the same byte by
// different threads, at least one of them a write, not both atomic, of which none happens before the other. FastTrack: the
// first race of each byte is found for certain, later ones as far as the accesses are still remembered.
//
// Each pair of places is reported once for each object, with the first accesses that raced there: a variable, or blocks that
// were allocated at one place. Gets the events in the order of the recording, so the first access of a race is the one that
// came first there.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "analysis/access_shadow.h"
#include "analysis/synchronisation.h"
#include "analysis/variables.h"
#include "trace/told_sink.h"

namespace ana::races {

constexpr uint64_t kLineBytes = 64;

struct Block {
  uint64_t address = 0, bytes = 0;
  uint64_t caller = 0;  // of the allocation: the address that it returned to
  uint32_t slot = 0;    // who allocated it, at which event
  uint64_t count = 0;
};

struct Race {
  Access first, second;
  uint64_t address = 0;  // of the second access
  uint64_t bytes = 0;    // that both have in common, from there on
  std::optional<Block> block;
  uint64_t object = 0;  // a number of the variable, or of where the block was allocated; 0: neither
  uint64_t times = 1;
  // What the accesses left there, of those that write; known if the same bytes were accessed next.
  std::optional<uint64_t> first_left, second_left;
};

// An edge of the recording, as its trace has it: `slot` at `count` came after `source` at `source_count`.
struct RecordedEdge {
  uint64_t count;
  uint32_t source;
  uint64_t source_count;
};

class RaceDetector final : public ToldSink {
 public:
  using Range = std::pair<uint64_t, uint64_t>;  // first and last byte

  // What an access is taken to be of. By lines, all that has a race is among racy_bytes(), and there are no races().
  enum class Unit { byte, line };

  // `edges`: of each slot, in the order of their counts; may be empty. `stack_of`: where the stacks of slots are; may be null.
  explicit RaceDetector(std::vector<std::vector<RecordedEdge>> edges = {}, Range (*stack_of)(uint32_t slot) = nullptr,
                        Unit unit = Unit::byte)
      : stack_of_(stack_of),
        unit_(unit),
        shadow_([this](const BriefAccess& access, uint64_t word) { return expand(access, word); }),
        edges_(std::move(edges)) {}
  RaceDetector(const RaceDetector&) = delete;

  // It is told as much of synchronisation as this needs, which has to stay there. To be called first.
  void follow(const KnownOrder& order) { synchronisation_.follow(order); }

  // To be called first.
  void tell_apart(Variables variables) { variables_ = std::move(variables); }

  // Plain accesses elsewhere do not count: library functions tell them of whatever memory.
  void look_only_at(const std::vector<uint64_t>& lines) { only_.insert(lines.begin(), lines.end()); }

  void take(uint32_t slot, std::span<const LiveReference> events) override;
  Status status() const override;

  std::vector<Race> races() const;
  // Bytes that raced, sorted, those that touch joined.
  std::vector<Range> racy_bytes() const;
  uint64_t events() const { return events_; }
  uint64_t accesses() const { return accesses_; }
  uint32_t threads() const { return synchronisation_.threads(); }
  // Of all times of threads, those that others have come after.
  uint64_t known_times() const { return synchronisation_.known_times(); }
  // Edges of the recording between events that synchronisation orders as well, and others.
  uint64_t ordered_edges() const { return ordered_edges_; }
  uint64_t unordered_edges() const { return unordered_edges_; }

 private:
  using Place = std::pair<uint64_t, AccessKind>;  // site
  using Key = std::tuple<Place, Place, uint64_t>;  // the smaller first; object

  void take_one(uint32_t slot, const LiveReference& event);
  void access(uint32_t slot, Thread thread, const LiveReference& event);
  void synchronise(uint32_t slot, Thread thread, const LiveReference& event);
  void touch(const Access& now, uint64_t first, uint64_t last);
  // As cells remember it (brief_access.h); false if it cannot be said so.
  bool access_briefly(Thread thread, const LiveReference& event);
  std::optional<uint32_t> brief_site(uint64_t site);
  bool is_elsewhere(uint64_t first, uint64_t last) const {
    return !only_.empty() && !only_.contains(first / kLineBytes) && !only_.contains(last / kLineBytes);
  }
  void touch_cells(const BriefAccess& now, uint64_t count, uint64_t address, uint64_t end);
  bool touch_cell(Cell& cell, const BriefAccess& now, const VectorTime& clock, uint64_t word);
  void race_briefly(const BriefAccess& before, const BriefAccess& now, const VectorTime& clock, uint64_t word);
  Access expand(const BriefAccess& access, uint64_t word) const;
  Access expand(const BriefAccess& access, uint64_t word, uint64_t count) const;
  void check(const Variable& variable, const Access& now, uint64_t word);
  void remember(Variable& variable, const Access& now);
  void report(const Access& before, const Access& now, uint64_t first, uint64_t last);
  void show_value(const Access& now);
  void allocate(uint32_t slot, const LiveReference& event);
  void free(uint32_t slot, Thread thread, const LiveReference& event);
  void forget_stack(uint32_t slot);
  void clear(uint64_t first, uint64_t last);
  // Where memory is in the shadow: lines have a word each.
  Range shadow_of(uint64_t first, uint64_t last) const {
    if (unit_ == Unit::byte) return {first, last};
    return {first / kLineBytes * kWordBytes, last / kLineBytes * kWordBytes + kWordBytes - 1};
  }
  void judge_edges(uint32_t slot, Thread thread, uint64_t count);
  void note_time(uint32_t slot, Thread thread, uint64_t count);
  uint64_t count_of(uint32_t slot, Epoch epoch) const;
  void look_at_count(uint32_t slot, Thread thread, uint64_t count);
  Epoch epoch_at(uint32_t slot, uint64_t count) const;
  std::optional<Block> block_of(uint64_t address) const;
  uint64_t object_of(uint64_t address) const;

  Range (*stack_of_)(uint32_t slot);
  Unit unit_;
  std::unordered_set<uint64_t> only_;  // lines; none: all
  Synchronisation synchronisation_;
  AccessShadow shadow_;
  std::map<uint64_t, Block> blocks_;
  Variables variables_;
  std::map<Key, Race> races_;
  std::map<uint64_t, uint64_t> racy_;                       // first byte: last byte
  std::unordered_multimap<uint64_t, Race*> waits_for_value_;  // by address: a write whose value the next access shows
  std::vector<std::vector<RecordedEdge>> edges_;
  std::vector<size_t> next_edge_;
  struct Turn {
    uint64_t count;
    Epoch epoch;
  };
  std::vector<std::vector<Turn>> turns_;  // of each slot: from this count on it had this epoch
  std::vector<uint64_t> judged_;          // of each slot: edges up to this count have been looked at
  std::vector<uint32_t> slots_;           // of threads
  uint64_t first_site_ = 0;               // brief accesses have their sites relative to it
  uint64_t events_ = 0, accesses_ = 0, ordered_edges_ = 0, unordered_edges_ = 0;
};

}  // namespace ana::races
