// Going to positions, and backwards.
#include <limits.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <tuple>

#include "debug/timeline.h"

namespace ana::debug {

namespace {

constexpr uint64_t kNearEvents = 64;
constexpr std::chrono::milliseconds kWorthACheckpoint{50};
constexpr int kMaxStepsToEvent = 100'000;   // loops may count in registers
constexpr std::chrono::seconds kPatience{20};  // with following a thread step by step, for one step back
constexpr uint64_t kStepsBetweenLooks = 256;

}  // namespace

// The thread of `slot` stands, inside the host, where its count has become at least `count`.
bool Timeline::run_to_count(uint32_t slot, uint64_t count, const Checkpoint& from) {
  take(from);
  live_->stop_at_count(slot, count);
  Stop stop = run_serial(false);
  return stop.kind == Stop::kTrap && stop.trap == DebugTrap::kCount;
}

bool Timeline::run_near(const Position& target) {
  const Checkpoint *from = &checkpoints_.front(), *fallback = from;
  for (const Checkpoint& checkpoint : checkpoints_) {
    if (!checkpoint.position.before(target)) continue;
    bool earlier = target.slot >= checkpoint.counts.size() || checkpoint.counts[target.slot] < target.count;
    if (earlier) from = &checkpoint;
    else if (checkpoint.position.switches < target.switches) fallback = &checkpoint;
  }
  uint64_t at = target.slot < from->counts.size() ? from->counts[target.slot] : 0;
  // A thread counts before it comes to the host, so its stop is behind the first places with this count.
  if (at + 1 < target.count) return run_to_count(target.slot, target.count - 1, *from);
  take(at < target.count ? *from : *fallback);
  return true;
}

// Which of the arrivals at its place it is: the one with the same registers, or else the most like it. `bound`: not
// looked for behind so many events.
bool Timeline::find_arrival(Position& position, uint64_t bound) {
  if (!run_near(position)) return false;
  if (bound != 0) live_->stop_at_count(position.slot, position.count + bound);
  int least = INT_MAX;
  int64_t arrivals = 0;
  for (bool first = true;; first = false) {
    Position now = this->position();
    if (now.same_place(position)) {
      int differences = now.differences(position);
      if (differences < least) least = differences, position.arrival = arrivals;
      if (differences == 0) return true;
      arrivals++;
    } else if (!first && position.before(now)) {
      break;
    }
    live_->set_breakpoints({position.registers.rip});
    live_->set_watches({});
    if (live_->run().kind != Stop::kBreakpoint) break;
  }
  return position.arrival >= 0;
}

bool Timeline::locate(Position& position) {
  if (position.at_end || position.arrival >= 0) return true;
  return find_arrival(position, kNearEvents) || find_arrival(position, 0);
}

bool Timeline::go_to(Position target) {
  if (target.at_end) {
    take(checkpoints_.back());
    Stop stop = run_serial(false);
    arrive(stop, stop.slot);
    return at_end_;
  }
  if (!locate(target) || !run_near(target)) return false;
  for (int64_t arrivals = 0;;) {
    Position now = position();
    if (now.same_place(target) && arrivals++ == target.arrival) break;
    if (target.before(now)) return false;
    live_->set_breakpoints({target.registers.rip});
    live_->set_watches({});
    if (live_->run().kind != Stop::kBreakpoint) return false;
  }
  live_->set_breakpoints({});
  live_->set_registers(target.slot, target.registers);
  return true;
}

Arrival Timeline::seek(uint32_t slot, uint64_t count) {
  if (count == 0) return *restart(0);
  const Checkpoint* from = &checkpoints_.front();
  for (const Checkpoint& checkpoint : checkpoints_)
    if (slot >= checkpoint.counts.size() || checkpoint.counts[slot] < count) from = &checkpoint;
  take(*from);
  show_outputs(true);
  // A stop takes the thread to code in which it would not be otherwise, so it is made at the event before.
  live_->stop_at_count(slot, count > 1 ? count - 1 : count);
  Stop stop = run_serial(false);
  if (stop.kind != Stop::kTrap || stop.trap != DebugTrap::kCount) return arrive(stop, stop.slot);
  Arrival arrival = to_program(slot);
  for (int n = 0; n < kMaxStepsToEvent && arrival.kind == Arrival::kThere && live_->count(slot) < count; n++) {
    stop = live_->step(slot);
    arrival = stop.kind == Stop::kStep ? to_program(slot) : arrive(stop, slot);
  }
  return arrival;
}

Arrival Timeline::return_to(const Position& position) {
  bool found = go_to(position);
  return {found ? Arrival::kThere : Arrival::kLost, found && !position.at_end ? position.slot : live_->holder()};
}

// What the user has seen where the steps lead, instead of what is in dead registers now, as far back as these contents go.
void Timeline::give_back_registers(const Position& seen, const Position& again) {
  using Word = unsigned long long Registers::*;
  for (Word word : {&Registers::rax, &Registers::rbx, &Registers::rcx, &Registers::rdx, &Registers::rsi, &Registers::rdi,
                    &Registers::r8, &Registers::r9, &Registers::r10, &Registers::r11, &Registers::r12, &Registers::r13,
                    &Registers::r14, &Registers::r15, &Registers::eflags}) {
    if (seen.registers.*word == again.registers.*word) continue;
    for (auto step = steps_.rbegin(); step != steps_.rend() && step->registers.*word == again.registers.*word; ++step)
      step->registers.*word = seen.registers.*word;
  }
}

bool Timeline::gives_up() {
  if (live_->wants_interrupt()) give_up_at_ = {};
  return std::chrono::steady_clock::now() >= give_up_at_;
}

// Thread by thread: what the thread did before, whoever ran in between.
std::optional<Position> Timeline::predecessor(Position of, uint32_t slot) {
  uint64_t count = live_->count(slot);
  if (!locate(of)) return std::nullopt;
  give_up_at_ = std::chrono::steady_clock::now() + kPatience;
  for (uint64_t back = 1;; back *= 4) {
    uint64_t first = count > back ? count - back : 0;
    const Checkpoint* from = &checkpoints_.front();
    for (const Checkpoint& checkpoint : checkpoints_) {
      bool earlier = slot >= checkpoint.counts.size() || checkpoint.counts[slot] < first;
      if (checkpoint.position.before(of) && earlier) from = &checkpoint;
    }
    auto start = std::chrono::steady_clock::now();
    if (first != 0 && run_to_count(slot, first, *from)) {
      to_program(slot);
      // Whoever takes one step back takes more.
      if (std::chrono::steady_clock::now() - start > kWorthACheckpoint && position().slot == slot) add_checkpoint();
    } else {
      take(*from);
    }
    bool reached = follow(of, slot);
    if (reached && !steps_.empty()) return steps_.back();
    if (!reached) steps_.clear();
    if (first == 0 || gives_up()) return std::nullopt;
  }
}

// Steps the thread up to `until`, and remembers where it was.
bool Timeline::follow(const Position& until, uint32_t slot) {
  steps_.clear();
  steps_slot_ = slot;
  std::map<std::tuple<uint64_t, uint64_t, uint64_t, uint64_t>, int64_t> arrivals;
  for (uint64_t n = 0; n % kStepsBetweenLooks != 0 || !gives_up(); n++) {
    Position now = position();
    bool mine = now.slot == slot && !live_->in_host(now.registers.rip);
    if (mine) now.arrival = arrivals[{now.switches, now.count, now.registers.rip, now.registers.rsp}]++;
    if (until.at_end ? false : now.same_place(until) && now.arrival == until.arrival)
      return give_back_registers(until, now), true;
    if (until.before(now)) return false;
    if (mine) steps_.push_back(now);
    live_->set_breakpoints({});
    live_->set_watches({});
    auto registers = live_->registers(slot);
    if (!registers) {
      // The thread does not exist yet.
      live_->stop_at_count(slot, 0);
      if (run_serial(false).kind != Stop::kTrap) return false;
      continue;
    }
    Stop stop = live_->in_host(registers->rip) ? live_->leave_host(slot) : live_->step(slot);
    registers = live_->registers(slot);
    if (stop.kind == Stop::kStep && registers && live_->in_host(registers->rip)) stop = live_->leave_host(slot);
    if (stop.kind != Stop::kStep) return until.at_end && (stop.kind == Stop::kTrap || stop.kind == Stop::kSignal);
  }
  return false;
}

bool Timeline::is_beginning(const Position& position) const {
  const Position& first = checkpoints_.front().position;
  return position.same_place(first) && position.differences(first) == 0;
}

Arrival Timeline::step_back(uint32_t slot) {
  Position here = position();
  std::optional<Position> target;
  bool known = steps_slot_ == slot && steps_.size() > 1 && steps_.back().same_place(here) && is_last_step_;
  is_last_step_ = false;
  if (known) {
    steps_.pop_back();
    target = steps_.back();
  } else {
    target = predecessor(here, slot);
  }
  // Where an instruction has failed is where it has not been executed yet; the host may have let it try again.
  auto has_failed = [&](const Position& at) {
    return at.registers.rip == here.registers.rip && at.registers.rsp == here.registers.rsp;
  };
  bool failed = here.at_end && end_stop_.kind == Stop::kSignal;
  while (target && failed && steps_.size() > 1 && has_failed(*target)) {
    steps_.pop_back();
    target = steps_.back();
  }
  if (target && go_to(*target)) {
    is_last_step_ = true;
    return {Arrival::kStep, slot};
  }
  steps_.clear();
  if (!target && is_beginning(here)) return {Arrival::kBegin, slot};
  bool lost = target || gives_up();
  go_to(lost ? here : checkpoints_.front().position);
  return {lost ? Arrival::kLost : Arrival::kBegin, live_->holder()};
}

std::optional<Timeline::Hit> Timeline::last_stop(const Checkpoint& from, const Position& until, bool& interrupted) {
  std::optional<Hit> last;
  int64_t arrivals = 0;
  take(from);
  bool near = until.at_end;  // the place itself is looked for
  if (!until.at_end) {
    uint64_t at = until.slot < from.counts.size() ? from.counts[until.slot] : 0;
    if (at + 1 < until.count) live_->stop_at_count(until.slot, until.count - 1);
    else near = true;
  }
  for (;;) {
    std::set<uint64_t> stops = breakpoints;
    if (near && !until.at_end) stops.insert(until.registers.rip);
    live_->set_breakpoints(stops);
    live_->set_watches(watches);
    Stop stop = live_->run();
    if (stop.kind == Stop::kTrap && stop.trap == DebugTrap::kCount) {
      near = true;
      continue;
    }
    if (stop.kind == Stop::kInterrupted) interrupted = true;
    if (stop.kind != Stop::kBreakpoint && stop.kind != Stop::kWatch) return last;
    Arrival arrival{Arrival::kBreakpoint, stop.slot};
    if (stop.kind == Stop::kWatch) {
      arrival = {Arrival::kWatch, stop.slot, stop.address};
      stop = out_of_host(stop);
    }
    Position now = position();
    if (!until.at_end && now.same_place(until) && stop.kind == Stop::kBreakpoint) now.arrival = arrivals++;
    bool there = (now.same_place(until) && now.arrival == until.arrival) || until.before(now);
    if (arrival.kind == Arrival::kWatch || (breakpoints.contains(stop.address) && !there)) last = Hit{now, arrival};
    if (there) return last;
  }
}

Arrival Timeline::go_back() {
  Position here = position();
  if (is_beginning(here)) return {Arrival::kBegin, here.slot};
  if (!locate(here)) return {Arrival::kLost, here.slot};
  // From the last checkpoint, then from the one before it, and so on. Always up to here: a checkpoint may be at a place
  // inside the host, which is no place to look for.
  Position begin_before = here;
  for (;;) {
    const Checkpoint& from = last_before(begin_before);
    Position begin = from.position;
    bool first = is_beginning(begin), interrupted = false;
    auto hit = last_stop(from, here, interrupted);
    if (interrupted) {
      go_to(here);
      return {Arrival::kInterrupted, here.slot};
    }
    if (hit) {
      if (!go_to(hit->position)) return {Arrival::kLost, live_->holder()};
      if (hit->arrival.kind == Arrival::kWatch) {
        auto before = predecessor(hit->position, hit->arrival.slot);
        if (!before || !go_to(*before)) return {Arrival::kLost, live_->holder()};
      }
      return hit->arrival;
    }
    if (first) {
      take(checkpoints_.front());
      return {Arrival::kBegin, live_->holder()};
    }
    begin_before = begin;
  }
}

}  // namespace ana::debug
