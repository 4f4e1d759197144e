// Going along legs again, and backwards.
#include <algorithm>
#include <utility>

#include "debug/trail.h"

namespace ana::debug {

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds kPatience{180};    // for one command
constexpr uint64_t kStepsBetweenLooks = 4096;
constexpr uint64_t kStepsBetweenNodes = 1024, kNodesInSteps = 64;
constexpr uint64_t kStepsAtOnce = 50'000, kMaxStepsAtOnce = 800'000;  // to find out how many there are
constexpr std::chrono::microseconds kClose{10}; // the clock's least time
constexpr std::chrono::microseconds kWorthCounting{100};
constexpr int kTries = 100, kMisses = 16;
constexpr size_t kNodesOnTheWay = 6;
constexpr uint64_t kEnoughSteps = 2048;
constexpr uint64_t kShortSteps = 64;

bool is_end(const Stop& stop) { return stop.kind == Stop::kSignal || stop.kind == Stop::kTrap; }

// As one of these stops.
Arrival as_one_of(const Stops& wanted, const Stop& stop, const Stops& of) {
  int n = 0;
  for (const Watch& watch : of.watches)
    if (stop.kind == Stop::kWatch && (stop.hits >> n++ & 1) != 0 && wanted.watches.contains(watch))
      return {Arrival::kWatch, 0, watch.address};
  return {Arrival::kBreakpoint, 0};
}

}  // namespace

std::unique_ptr<RankReplica> Trail::hidden_copy(const Node& node) {
  auto copy = node.image->copy_rank();
  if (copy) copy->show_from(~uint64_t{0});
  return copy;
}

bool Trail::is_too_long() {
  if (live_->wants_interrupt()) {
    problem_ = "interrupted; this is where you were";
    return true;
  }
  if (Clock::now() < give_up_at_) return false;
  problem_ = "that takes too long; this is where you were. Places of a loop are told apart by counting how often the "
             "program comes by";
  return true;
}

Trail::Walked Trail::walk_steps(RankReplica& process, uint64_t n, const Stops& extra, size_t index, std::vector<Event>* events) {
  for (uint64_t done = 0; done < n;) {
    Stop stop;
    done += process.steps(std::min(n - done, kStepsBetweenLooks), extra, stop);
    if (is_end(stop)) {
      walked_to_ = stop;
      return done == n ? Walked::kFine : Walked::kLost;
    }
    if (stop.kind == Stop::kGone) return Walked::kLost;
    if (stop.kind == Stop::kInterrupted || is_too_long()) return Walked::kInterrupted;
    if (stop.kind != Stop::kStep && events != nullptr) events->push_back({index, done, as_one_of(extra, stop, extra), done == n});
  }
  return Walked::kFine;
}

Trail::Walked Trail::walk_run(RankReplica& process, const Move& move, const Stops& extra, size_t index,
                              std::vector<Event>* events) {
  Stops all = move.stops.with(extra);
  if (all.watches.size() > kMaxWatches) {
    problem_ = "the processor watches four words at once, and those that were watched on the way here count, too";
    return Walked::kLost;
  }
  uint64_t seen = 0, count = 0;
  while (seen < move.n) {
    Stop stop = process.run(all);
    if (stop.kind == Stop::kInterrupted || is_too_long()) return Walked::kInterrupted;
    if (is_end(stop)) {
      walked_to_ = stop;
      // What a place that was come to by time is compared with may be the end.
      return ++seen == move.n || move.kind == Move::kTimed ? Walked::kFine : Walked::kLost;
    }
    if (stop.kind != Stop::kBreakpoint && stop.kind != Stop::kWatch) return Walked::kLost;
    uint64_t pc = process.pc();
    count++;
    if (move.stops.contain(stop, all, pc)) seen++;
    if (events != nullptr && extra.contain(stop, all, pc))
      events->push_back({index, count, as_one_of(extra, stop, all), seen == move.n});
  }
  return Walked::kFine;
}

Trail::Walked Trail::walk(RankReplica& process, const std::vector<Move>& moves, const Stops& extra, std::vector<Event>* events) {
  for (size_t i = 0; i < moves.size(); i++) {
    Walked walked = moves[i].kind == Move::kSteps ? walk_steps(process, moves[i].n, extra, i, events)
                                                  : walk_run(process, moves[i], extra, i, events);
    if (walked != Walked::kFine) return walked;
    if (events != nullptr && i + 1 < moves.size())
      for (Event& event : *events) event.is_last = false;
  }
  return Walked::kFine;
}

Trail::Walked Trail::events_of(size_t leg, const Stops& wanted, std::vector<Event>& events) {
  const Leg& of = legs_[leg];
  auto process = hidden_copy(*of.from);
  if (!process) return Walked::kLost;
  Walked walked = walk(*process, of.moves, wanted, &events);
  if (walked != Walked::kFine || of.moves.front().kind != Move::kTimed) return walked;
  // So much for the way from the node on; now without the way from the end of the leg on.
  process = leg + 1 < legs_.size() ? hidden_copy(*legs_[leg + 1].from) : live_->copy_rank();
  if (!process) return Walked::kLost;
  process->show_from(~uint64_t{0});
  bool there = wanted.breakpoints.contains(process->pc());
  Move rest = of.moves.front();
  rest.n = rest.rest;
  std::vector<Event> behind;
  walked = walk(*process, {rest}, wanted, &behind);
  if (walked != Walked::kFine) return walked;
  if (behind.size() > events.size()) return Walked::kLost;
  events.resize(events.size() - behind.size());
  for (Event& event : events) event.is_last = false;
  if (there && !events.empty()) events.back().is_last = true;
  return Walked::kFine;
}

bool Trail::replay_last_leg() {
  return take(*legs_.back().from) && walk(*live_, legs_.back().moves) == Walked::kFine;
}

bool Trail::to_event(size_t leg, const Event& event, const Stops& wanted) {
  legs_.resize(leg + 1);
  auto& moves = legs_.back().moves;
  moves.resize(event.move + 1);
  Move& last = moves.back();
  if (last.kind == Move::kSteps) last.n = event.n;
  else last = {Move::kRun, event.n, last.stops.with(wanted)};
  return replay_last_leg();
}

std::optional<Arrival> Trail::refuse_back() {
  if (live_->has_threads())
    return lost("this rank has made threads, whose order is not recorded here: it goes forwards only, and `restart` begins "
                "again");
  if (legs_.empty()) return Arrival{Arrival::kBegin, 0};
  give_up_at_ = Clock::now() + kPatience;
  problem_ = "that place of the execution was not found again; does the program see what is not recorded, such as the "
             "number of its process?";
  return std::nullopt;
}

Arrival Trail::go_back() {
  if (auto refused = refuse_back()) return *refused;
  Place here = save();
  Stops wanted = stops();
  std::erase_if(wanted.breakpoints, [&](uint64_t at) { return live_->in_loader(at); });
  for (size_t i = legs_.size(); i-- > 0;) {
    std::vector<Event> events;
    Walked walked = events_of(i, wanted, events);
    if (walked != Walked::kFine) {
      std::string why = problem_;
      go_to(here);
      return lost(why);
    }
    // To have come to a breakpoint is no reason to stay there; a watch has been hit before.
    bool is_here = i + 1 == here.legs.size() && here.here != nullptr;
    if (is_here && !events.empty() && events.back().is_last && events.back().arrival.kind == Arrival::kBreakpoint)
      events.pop_back();
    if (events.empty()) continue;
    Event event = events.back();
    if (to_event(i, event, wanted)) {
      if (event.arrival.kind != Arrival::kWatch) return event.arrival;
      if (step_back(0).kind == Arrival::kStep) return event.arrival;
    }
    std::string why = problem_;
    go_to(here);
    return lost(why);
  }
  legs_.clear();
  if (!take(*first_)) return lost("the system has no room for another copy of the process");
  return {Arrival::kBegin, 0};
}

Arrival Trail::step_back(uint32_t) {
  if (auto refused = refuse_back()) return *refused;
  Place here = save();
  auto registers = live_->registers(0).value_or(Registers{});
  // Where an instruction has failed is where it has not been executed yet.
  bool failed = at_end_ && end_stop_.kind == Stop::kSignal;
  bool found = (!failed || forget_last_step()) && forget_last_step() && (here.here == nullptr || is_followed_by(registers));
  if (found) return {Arrival::kStep, 0};
  if (failed && legs_.empty()) return {Arrival::kBegin, 0};
  std::string why = problem_;
  go_to(here);
  return lost(why);
}

// The live process stands one instruction before.
bool Trail::forget_last_step() {
  if (legs_.empty() || !resolve()) return false;
  auto& moves = legs_.back().moves;
  if (--moves.back().n == 0) moves.pop_back();
  if (moves.empty()) {
    auto node = legs_.back().from;
    legs_.pop_back();
    return take(*node);
  }
  return split_steps() && replay_last_leg();
}

bool Trail::is_followed_by(const Registers& registers) {
  auto next = live_->copy_rank();
  if (!next) return false;
  next->show_from(~uint64_t{0});
  Stop stop;
  next->steps(1, {}, stop);
  auto now = next->registers(0);
  // Others may have what MPI has read from the processor's clock.
  return now && now->rip == registers.rip && now->rsp == registers.rsp && now->rbp == registers.rbp &&
         now->rbx == registers.rbx && now->r12 == registers.r12 && now->r13 == registers.r13 &&
         now->r14 == registers.r14 && now->r15 == registers.r15;
}

bool Trail::resolve() {
  for (;;) {
    switch (legs_.back().moves.back().kind) {
      case Move::kSteps: return true;
      case Move::kTimed:
        if (!resolve_timed()) return false;
        break;
      case Move::kRun:
        if (!resolve_run()) return false;
        break;
    }
  }
}

// To the place where the live process is, by the number of arrivals there.
bool Trail::resolve_timed() {
  Stops arrivals{{live_->pc()}, {}};
  std::vector<Event> events;
  if (events_of(legs_.size() - 1, arrivals, events) != Walked::kFine || events.empty()) return false;
  legs_.back().moves = {{Move::kRun, events.size(), arrivals}};
  return true;
}

bool Trail::resolve_run() {
  Move last = legs_.back().moves.back();
  auto before = legs_.back().moves;
  if (--before.back().n == 0) before.pop_back();
  if (!before.empty()) {
    auto process = hidden_copy(*legs_.back().from);
    if (!process || walk(*process, before) != Walked::kFine) return false;
    auto node = make_node(*process);
    if (!node) return false;
    legs_.back().moves = before;
    legs_.push_back({std::move(node), {{Move::kRun, 1, last.stops}}});
  }
  // Where time is too coarse to come closer, more steps are worth it.
  for (uint64_t most = kStepsAtOnce; !is_too_long(); most = std::min(2 * most, kMaxStepsAtOnce)) {
    auto left = time_of_last();
    bool counts = most > kStepsAtOnce || left < kWorthCounting;
    if (counts && count_steps_from_before(last.stops, most)) return true;
    if (left.count() == 0 || !come_closer(left)) return false;
  }
  return false;
}

// Whoever goes one step back goes more of them, so not from the closest node.
bool Trail::count_steps_from_before(const Stops& until, uint64_t most) {
  auto uncounted = legs_;
  if (!count_steps(until, most)) return false;
  for (;;) {
    uint64_t steps = 0;
    for (size_t i = uncounted.size() - 1; i < legs_.size(); i++) steps += legs_[i].moves.back().n;
    if (steps >= kEnoughSteps || uncounted.size() < 2 || is_too_long()) return true;
    const Move before = uncounted[uncounted.size() - 2].moves.back();
    if (before.kind != Move::kTimed || before.stops != until || before.n != 1) return true;
    uncounted.pop_back();
    uncounted.back().moves = {{Move::kRun, 1, until}};
    auto counted = std::exchange(legs_, uncounted);
    if (count_steps(until, most)) continue;
    legs_ = std::move(counted);
    return true;
  }
}

// Of a run along the last leg; 0: it was not made.
std::chrono::nanoseconds Trail::time_of_last() {
  auto process = hidden_copy(*legs_.back().from);
  if (!process) return {};
  auto start = process->processor_time();
  if (walk_run(*process, legs_.back().moves.back(), {}, 0, nullptr) != Walked::kFine) return {};
  return process->processor_time() - start + std::chrono::nanoseconds(1);
}

// The last leg, a run to a first stop, becomes steps, with a node close before its end. False: there are too many.
bool Trail::count_steps(const Stops& until, uint64_t most) {
  uint64_t between = std::max(kStepsBetweenNodes, most / kNodesInSteps);
  auto process = hidden_copy(*legs_.back().from);
  std::shared_ptr<Node> last, before_last;
  for (uint64_t done = 0; process && done < most && !is_too_long(); done += between) {
    Stop stop;
    uint64_t steps = process->steps(between, until, stop);
    if (stop.kind == Stop::kGone) return false;
    if (stop.kind == Stop::kStep) {
      before_last = std::exchange(last, make_node(*process));
      if (!last) return false;
      continue;
    }
    if (before_last) last = before_last;
    if (last) steps += between;
    if (before_last) {
      legs_.back().moves = {{Move::kSteps, done - between}};
      legs_.push_back({last, {}});
    }
    legs_.back().moves = {{Move::kSteps, steps}};
    return true;
  }
  return false;
}

// Nodes on the way of the last leg, which is a run to a first stop, until little of it is left.
bool Trail::come_closer(std::chrono::nanoseconds left) {
  Move run = legs_.back().moves.back();
  size_t first = legs_.size();
  auto part = left * 3 / 4;
  // The clock is not exact, so the last bits are tried several times.
  for (int tries = 0, misses = 0; tries < kTries && misses < kMisses; tries++) {
    if (is_too_long()) return false;
    auto process = hidden_copy(*legs_.back().from);
    if (!process) return false;
    if (!process->run_for(run.stops, std::max<std::chrono::nanoseconds>(part, kClose))) {
      if (part <= kClose) misses++;
      left = part;
      part = part / 2;
      continue;
    }
    legs_.back().moves = {{Move::kTimed, 1, run.stops, 1}};
    legs_.push_back({std::make_shared<Node>(Node{nullptr, process->calls()}), {run}});
    legs_.back().from->image = std::move(process);
    left = left > part ? left - part : std::chrono::nanoseconds(0);
    part = left * 3 / 4;
  }
  while (legs_.size() > first + kNodesOnTheWay) merge(first);
  return true;
}

// Whoever goes one step back goes more of them: nodes close before the end of the last leg.
bool Trail::split_steps() {
  Leg leg = legs_.back();
  Move last = leg.moves.back();
  if (last.kind != Move::kSteps || (last.n <= kShortSteps && leg.moves.size() == 1)) return true;
  auto process = hidden_copy(*leg.from);
  if (!process) return false;
  leg.moves.pop_back();
  if (walk(*process, leg.moves) != Walked::kFine) return false;
  auto add = [&] {
    auto node = make_node(*process);
    if (!node) return false;
    legs_.push_back({std::move(node), {last}});
    return true;
  };
  if (!leg.moves.empty()) {
    legs_.back().moves = leg.moves;
    if (!add()) return false;
  }
  for (uint64_t left : {uint64_t{16384}, uint64_t{512}, uint64_t{32}}) {
    if (last.n <= 2 * left) continue;
    uint64_t first = last.n - left;
    if (walk_steps(*process, first, {}, 0, nullptr) != Walked::kFine) return false;
    legs_.back().moves = {{Move::kSteps, first}};
    last.n = left;
    if (!add()) return false;
  }
  return true;
}

}  // namespace ana::debug
