// The execution as one line from its beginning to its end, and going to any place of it: forwards by running, backwards
// by taking the nearest checkpoint before and running from there.
//
// A *position* is the number of changes of the turn, the thread that has it, the thread's count, its instruction and stack
// pointer, and which arrival there it is since the count was reached. The last is found out when somebody wants to go there
// (locate()), by the other registers: those of one arrival are the same whenever it happens, but for registers that are
// dead there and that a stop at a count, which makes the thread call the host, leaves with other contents. These get the
// contents back that the user has seen.
//
// Checkpoints are taken along the way when some time has passed. There is a limited number of them; the ones that are
// thinned out are those whose neighbours are closest to each other compared with how far away they are.
#pragma once
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "debug/history.h"

namespace ana::debug {

struct Position {
  uint64_t switches = 0;
  uint32_t slot = 0;
  uint64_t count = 0;
  bool at_end = false;
  Registers registers{};
  int64_t arrival = -1;   // -1: not known yet

  // But for the arrival.
  bool same_place(const Position& other) const;
  // General registers and flags that differ.
  int differences(const Position& other) const;
  // Certainly earlier: by changes of the turn, or by the count of the thread that has it.
  bool before(const Position& other) const;
};

class Timeline : public History {
 public:
  // `first`: at the program's first instruction.
  explicit Timeline(std::unique_ptr<Replica> first);

  Replica& live() override { return *live_; }
  Position position();

  Arrival go_on() override;
  // In whatever order threads have; inside the host it is what the host does.
  Arrival step(uint32_t slot) override;
  Arrival step_in_range(uint32_t slot, uint64_t begin, uint64_t end) override;
  Arrival go_back() override;
  Arrival step_back(uint32_t slot) override;
  Arrival seek(uint32_t slot, uint64_t count) override;
  void mark() override { mark_ = position(); }
  Arrival return_to_mark() override { return return_to(mark_); }

  uint32_t keep_checkpoint() override;
  std::optional<Arrival> restart(uint32_t number) override;
  std::vector<Kept> kept() const override;
  bool forget(uint32_t number) override;

 private:
  struct Checkpoint {
    Position position;
    std::vector<uint64_t> counts;  // of all slots
    std::unique_ptr<Replica> replica;
    uint32_t number = 0;           // kept by the user; 0: our own
  };
  struct Hit {
    Position position;
    Arrival arrival;
  };

  // To where position() was this.
  Arrival return_to(const Position& position);
  bool add_checkpoint(uint32_t number = 0);
  void thin_out();
  void take(const Checkpoint& checkpoint);
  const Checkpoint& last_before(const Position& position) const;
  Arrival arrive(const Stop& stop, uint32_t slot);
  Stop run_serial(bool with_stops);
  bool is_anothers(const Stop& stop) const;  // at a breakpoint in the host that is not for its thread
  bool may_run_free() const;
  std::optional<Arrival> run_free();
  Stop out_of_host(Stop stop);
  Arrival to_program(uint32_t slot);
  // Stands before the first place with the position's count.
  bool run_near(const Position& target);
  bool locate(Position& position);
  bool find_arrival(Position& position, uint64_t bound);
  bool go_to(Position target);
  bool run_to_count(uint32_t slot, uint64_t count, const Checkpoint& from);
  std::optional<Position> predecessor(Position of, uint32_t slot);
  bool follow(const Position& until, uint32_t slot);
  bool gives_up();  // it takes too long, or the user has interrupted it
  bool is_beginning(const Position& position) const;
  void give_back_registers(const Position& seen, const Position& again);
  // The last place before `until` at which something stops, from the checkpoint on.
  std::optional<Hit> last_stop(const Checkpoint& from, const Position& until, bool& interrupted);
  // What the program writes is shown the first time that the user comes there, and not while a place is looked for.
  void show_outputs(bool shown);
  void note_outputs();

  std::unique_ptr<Replica> live_;
  std::vector<Checkpoint> checkpoints_;  // in order; the first is the beginning
  Position mark_;                        // where return_to_mark() leads
  uint64_t outputs_ = 0;
  uint32_t numbers_ = 0;
  std::vector<Position> steps_;          // known to follow each other in one thread; the last is where step_back was
  uint32_t steps_slot_ = kNoSlot;
  std::chrono::steady_clock::time_point give_up_at_;
  bool is_last_step_ = false;            // the process has not been moved since step_back came to the last of steps_
};

}  // namespace ana::debug
