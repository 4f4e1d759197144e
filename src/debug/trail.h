// The execution of a rank that is replayed alone, as far as it is known: copies of the process (nodes) in the order of the
// execution, and how each leads to the next, or to where the debugger is now.
//
// Nothing in such a program counts how far it has come. So a place is known by what leads to it from a node: so many
// instructions, or the n-th stop of a run with given breakpoints and watches. Both are the same whenever they are done
// again, since the program runs alone and gets what it got.
//
// A node that was made because time had passed, or a place where the user has interrupted the program, is at no such
// distance from the one before it. But what comes next is the same for both: the stop with which that run ended, or the
// next call of MPI, counted by both. So what happens on the way from one to the other is what happens from the first on,
// without what happens from the second on.
//
// Used from one thread.
#pragma once
#include <chrono>
#include <memory>
#include <vector>

#include "debug/history.h"
#include "debug/rank_replica.h"

namespace ana::debug {

struct Move {
  enum Kind {
    kSteps,  // n instructions
    kRun,    // to the n-th of the stops
    kTimed,  // to where the `rest`-th stop is the n-th from the beginning
  };
  Kind kind = kSteps;
  uint64_t n = 0;
  Stops stops = {};
  uint64_t rest = 0;
};

class Trail : public History {
 public:
  // `first`: at the program's first instruction.
  explicit Trail(std::unique_ptr<RankReplica> first);

  RankReplica& live() override { return *live_; }

  Arrival go_on() override;
  Arrival step(uint32_t slot) override;
  Arrival step_in_range(uint32_t slot, uint64_t begin, uint64_t end) override;
  Arrival go_back() override;
  Arrival step_back(uint32_t slot) override;
  // The first thread's calls of MPI are its events.
  Arrival seek(uint32_t slot, uint64_t count) override;
  void mark() override { mark_ = save(); }
  Arrival return_to_mark() override;

  uint32_t keep_checkpoint() override;
  std::optional<Arrival> restart(uint32_t number) override;
  std::vector<Kept> kept() const override;
  bool forget(uint32_t number) override;

 private:
  struct Node {
    std::unique_ptr<RankReplica> image;
    uint64_t calls = 0;  // of MPI
  };
  // From the node to the next one, or to the live process.
  struct Leg {
    std::shared_ptr<Node> from;
    std::vector<Move> moves;
    uint32_t merged = 1;  // so many legs it was once
  };
  struct Place {
    std::vector<Leg> legs;
    std::shared_ptr<Node> here;  // null: at the end
    uint64_t calls = 0;
  };
  // A stop on the way along a leg.
  struct Event {
    size_t move;       // in which of its moves,
    uint64_t n;        // after so many instructions, or stops
    Arrival arrival;
    bool is_last;      // it is the end of the leg
  };
  enum class Walked { kFine, kLost, kInterrupted };

  std::shared_ptr<Node> make_node(RankReplica& of);
  std::unique_ptr<RankReplica> hidden_copy(const Node& node);  // that shows nothing
  // The live process becomes a copy of the node's.
  bool take(const Node& node);
  bool begin_leg();
  void add_steps(uint64_t n);
  void end_run(size_t first, const Stop& stop, const Stops& with);
  Place save();
  Arrival go_to(const Place& place);
  Arrival arrive(const Stop& stop);
  Arrival lost(const std::string& why);
  // One that has threads, or has not moved.
  std::optional<Arrival> refuse_back();
  Stops stops() const { return {breakpoints, watches}; }
  void note_outputs();

  // The process goes along the moves; `events` gets what of `extra` stops it there.
  Walked walk(RankReplica& process, const std::vector<Move>& moves, const Stops& extra = {},
              std::vector<Event>* events = nullptr);
  Walked walk_steps(RankReplica& process, uint64_t n, const Stops& extra, size_t index, std::vector<Event>* events);
  Walked walk_run(RankReplica& process, const Move& move, const Stops& extra, size_t index, std::vector<Event>* events);
  // What of `wanted` stops on the way along the leg, in order; the leg is known by its number.
  Walked events_of(size_t leg, const Stops& wanted, std::vector<Event>& events);
  bool to_event(size_t leg, const Event& event, const Stops& wanted);
  bool replay_last_leg();

  // The last move becomes a kSteps.
  bool resolve();
  bool resolve_timed();
  bool resolve_run();
  std::chrono::nanoseconds time_of_last();
  bool come_closer(std::chrono::nanoseconds left);
  bool count_steps(const Stops& until, uint64_t most);
  bool count_steps_from_before(const Stops& until, uint64_t most);
  bool split_steps();
  bool forget_last_step();
  bool is_followed_by(const Registers& registers);
  void thin_out();
  bool may_merge(size_t leg) const;
  void merge(size_t leg);
  bool is_too_long();

  std::unique_ptr<RankReplica> live_;
  std::vector<Leg> legs_;       // empty: the live process is at the beginning
  std::shared_ptr<Node> first_;
  uint64_t outputs_ = 0;
  Stop walked_to_;              // where the last walk came to the end
  Place mark_;
  uint32_t slot_ = 0;           // of the last arrival
  std::map<uint32_t, Place> kept_;
  uint32_t numbers_ = 0;
  std::chrono::steady_clock::time_point give_up_at_;
};

}  // namespace ana::debug
