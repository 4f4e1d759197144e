#include "debug/timeline.h"

#include <string.h>

#include <algorithm>
#include <chrono>

#include "runtime/layout.h"

namespace ana::debug {

namespace {

constexpr size_t kMaxCheckpoints = 16;
constexpr int kCheckpointMilliseconds = 500;
constexpr unsigned long long kTracersFlags = 0x10100;  // trap and resume

}  // namespace

bool Position::same_place(const Position& other) const {
  if (at_end || other.at_end) return at_end == other.at_end;
  return switches == other.switches && slot == other.slot && count == other.count &&
         registers.rip == other.registers.rip && registers.rsp == other.registers.rsp;
}

int Position::differences(const Position& other) const {
  const Registers &a = registers, &b = other.registers;
  int n = 0;
  for (auto [x, y] : {std::pair{a.rax, b.rax}, {a.rbx, b.rbx}, {a.rcx, b.rcx}, {a.rdx, b.rdx}, {a.rsi, b.rsi},
                      {a.rdi, b.rdi}, {a.rbp, b.rbp}, {a.r8, b.r8}, {a.r9, b.r9}, {a.r10, b.r10}, {a.r11, b.r11},
                      {a.r12, b.r12}, {a.r13, b.r13}, {a.r14, b.r14}, {a.r15, b.r15},
                      {a.eflags & ~kTracersFlags, b.eflags & ~kTracersFlags}})
    n += x != y;
  return n;
}

bool Position::before(const Position& other) const {
  if (at_end || other.at_end) return !at_end && other.at_end;
  if (switches != other.switches) return switches < other.switches;
  return count < other.count;
}

Timeline::Timeline(std::unique_ptr<Replica> first) : live_(std::move(first)) { add_checkpoint(); }

Position Timeline::position() {
  Position now;
  DebugControl control = live_->control();
  now.switches = control.switches;
  now.slot = control.holder;
  now.count = live_->count(now.slot);
  now.at_end = at_end_;
  if (auto registers = live_->registers(now.slot)) now.registers = *registers;
  return now;
}

void Timeline::show_outputs(bool shown) {
  DebugControl control = live_->control();
  control.outputs_shown = shown ? outputs_ : ~uint64_t{0};
  live_->set_control(control);
}

void Timeline::note_outputs() { outputs_ = std::max(outputs_, live_->control().outputs); }

bool Timeline::add_checkpoint(uint32_t number) {
  live_->set_breakpoints({});
  auto copy = live_->copy();
  if (!copy) return false;
  Checkpoint checkpoint{position(), {}, std::move(copy), number};
  uint32_t used = std::min(live_->header().slots_used, kMaxSlots);
  for (uint32_t i = 0; i < used; i++) checkpoint.counts.push_back(live_->count(i));
  auto at = checkpoints_.begin();
  while (at != checkpoints_.end() && !checkpoint.position.before(at->position)) ++at;
  checkpoints_.insert(at, std::move(checkpoint));
  thin_out();
  return true;
}

// The distance is that in changes of the turn and counts; what is far away need not be dense.
void Timeline::thin_out() {
  auto place = [](const Checkpoint& c) {
    uint64_t sum = c.position.switches;
    for (uint64_t count : c.counts) sum += count;
    return static_cast<double>(sum);
  };
  for (;;) {
    auto own = std::count_if(checkpoints_.begin(), checkpoints_.end(), [](auto& c) { return c.number == 0; });
    if (static_cast<size_t>(own) <= kMaxCheckpoints) return;
    size_t worst = 0;
    double least = 0, last = place(checkpoints_.back()) + 1;
    for (size_t i = 1; i + 1 < checkpoints_.size(); i++) {
      if (checkpoints_[i].number != 0) continue;
      double gap = place(checkpoints_[i + 1]) - place(checkpoints_[i - 1]);
      double weight = (gap + 1) / (last - place(checkpoints_[i]) + 1);
      if (worst == 0 || weight < least) worst = i, least = weight;
    }
    if (worst == 0) return;
    checkpoints_.erase(checkpoints_.begin() + static_cast<std::ptrdiff_t>(worst));
  }
}

void Timeline::take(const Checkpoint& checkpoint) {
  auto copy = checkpoint.replica->copy();
  if (!copy) return;
  live_ = std::move(copy);
  at_end_ = false;
  show_outputs(false);
}

const Timeline::Checkpoint& Timeline::last_before(const Position& position) const {
  const Checkpoint* best = &checkpoints_.front();
  for (const Checkpoint& checkpoint : checkpoints_)
    if (checkpoint.position.before(position)) best = &checkpoint;
  return *best;
}

Arrival Timeline::arrive(const Stop& stop, uint32_t slot) {
  Arrival arrival = arrival_of(stop, slot);
  note_outputs();
  return arrival;
}

// A watch may be hit by what the host does for the program: the place is where the program goes on.
Stop Timeline::out_of_host(Stop stop) {
  if (stop.kind != Stop::kWatch && stop.kind != Stop::kInterrupted) return stop;
  auto registers = live_->registers(stop.slot);
  if (!registers || !live_->in_host(registers->rip)) return stop;
  live_->set_watches({});
  live_->set_breakpoints({});
  Stop left = live_->leave_host(stop.slot);
  return left.kind == Stop::kStep ? stop : left;
}

bool Timeline::is_anothers(const Stop& stop) const {
  if (stop.kind != Stop::kBreakpoint) return false;
  auto at = host_breakpoints.find(stop.address);
  return at != host_breakpoints.end() && at->second != stop.slot;
}

Stop Timeline::run_serial(bool with_stops) {
  for (;;) {
    std::set<uint64_t> stops;
    if (with_stops) {
      stops = breakpoints;
      for (auto& [at, slot] : host_breakpoints) stops.insert(at);
    }
    live_->set_breakpoints(stops);
    live_->set_watches(with_stops ? watches : std::set<Watch>());
    Stop stop = live_->run(kCheckpointMilliseconds);
    if (is_anothers(stop)) {
      stop = live_->step(stop.slot);
      if (stop.kind == Stop::kStep) continue;
    }
    if (stop.kind != Stop::kTime) return stop;
    if (checkpoints_.back().position.before(position())) add_checkpoint();
  }
}

// Breakpoints in the dynamic loader are the debugger's own, by which it learns of libraries.
bool Timeline::may_run_free() const {
  auto is_loaders = [](uint64_t at) {
    return at >= layout::kInterpreter && at < layout::kInterpreter + layout::kInterpreterBytes;
  };
  return watches.empty() && host_breakpoints.empty() && std::all_of(breakpoints.begin(), breakpoints.end(), is_loaders);
}

// Nothing: something has stopped it that has its place in the order, which this is not; the timeline is where it was.
std::optional<Arrival> Timeline::run_free() {
  auto here = live_->copy();
  if (!here) return std::nullopt;
  std::swap(here, live_);
  here->set_free();
  DebugControl control = here->control();
  control.outputs_shown = outputs_;
  here->set_control(control);
  here->set_breakpoints(breakpoints);
  Stop stop = here->run();
  outputs_ = std::max(outputs_, here->control().outputs);
  if (stop.kind == Stop::kSignal || (stop.kind == Stop::kTrap && stop.trap == DebugTrap::kEnd)) {
    std::swap(here, live_);
    live_->set_breakpoints({});
    return arrive(stop, stop.slot);
  }
  if (stop.kind == Stop::kInterrupted) {
    uint32_t slot = stop.slot;
    uint64_t count = here->count(slot);
    here.reset();
    return seek(slot, count);
  }
  return std::nullopt;
}

Arrival Timeline::go_on() {
  is_last_step_ = false;
  if (at_end_) return {Arrival::kEnd, end_stop_.slot};
  if (may_run_free() && live_->slots().size() > 1) {
    if (auto arrival = run_free()) return *arrival;
  }
  show_outputs(true);
  Stop stop = out_of_host(run_serial(true));
  return arrive(stop, live_->holder());
}

Arrival Timeline::step(uint32_t slot) {
  is_last_step_ = false;
  if (at_end_) return {Arrival::kEnd, end_stop_.slot};
  show_outputs(true);
  live_->set_breakpoints(breakpoints);
  live_->set_watches(watches);
  auto registers = live_->registers(slot);
  if (!registers) return {Arrival::kLost, slot};
  Stop stop;
  if (!live_->in_host(registers->rip)) stop = live_->step(slot);
  else stop.kind = Stop::kStep;
  bool watched = stop.kind == Stop::kWatch;
  Stop watch = stop;
  if (stop.kind == Stop::kStep || watched) {
    registers = live_->registers(slot);
    if (registers && live_->in_host(registers->rip)) stop = live_->leave_host(slot);
    if (stop.kind == Stop::kWatch) stop = out_of_host(stop);
    if (watched && stop.kind == Stop::kStep) stop = watch;
  }
  if (stop.kind == Stop::kStep) stop.slot = slot;
  return arrive(stop, slot);
}

Arrival Timeline::step_in_range(uint32_t slot, uint64_t begin, uint64_t end) {
  for (;;) {
    Arrival arrival = step(slot);
    if (arrival.kind != Arrival::kStep) return arrival;
    auto registers = live_->registers(slot);
    if (!registers || registers->rip < begin || registers->rip >= end) return arrival;
    if (breakpoints.contains(registers->rip)) {
      arrival.kind = Arrival::kBreakpoint;
      return arrival;
    }
  }
}

// From inside the host to where the thread goes on, with nothing to stop it.
Arrival Timeline::to_program(uint32_t slot) {
  live_->set_breakpoints({});
  live_->set_watches({});
  Stop stop = live_->leave_host(slot);
  if (stop.kind == Stop::kStep) stop.slot = slot;
  Arrival arrival = arrive(stop, slot);
  if (arrival.kind == Arrival::kStep) arrival.kind = Arrival::kThere;
  return arrival;
}

uint32_t Timeline::keep_checkpoint() {
  if (at_end_ || !add_checkpoint(numbers_ + 1)) return 0;
  return ++numbers_;
}

std::optional<Arrival> Timeline::restart(uint32_t number) {
  for (const Checkpoint& checkpoint : checkpoints_) {
    if (number == 0 || checkpoint.number == number) {
      take(checkpoint);
      return Arrival{Arrival::kThere, live_->holder()};
    }
  }
  return std::nullopt;
}

std::vector<Timeline::Kept> Timeline::kept() const {
  std::vector<Kept> all;
  for (const Checkpoint& c : checkpoints_)
    if (c.number != 0) all.push_back({c.number, c.position.slot, c.position.count});
  return all;
}

bool Timeline::forget(uint32_t number) {
  return std::erase_if(checkpoints_, [&](auto& c) { return number != 0 && c.number == number; }) != 0;
}

}  // namespace ana::debug
