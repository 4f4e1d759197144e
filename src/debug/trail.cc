#include "debug/trail.h"

#include <algorithm>

namespace ana::debug {

namespace {

constexpr int kSliceMilliseconds = 500;
constexpr const char* kNoRoom = "the system has no room for another copy of the process";
constexpr size_t kMaxLegs = 40;        // each has a copy of the process
constexpr size_t kUntouchedLegs = 8;   // the last ones
constexpr uint64_t kMaxSteps = 20'000; // in a leg that goes on

}  // namespace

Trail::Trail(std::unique_ptr<RankReplica> first) : live_(std::move(first)), first_(make_node(*live_)) {}

std::shared_ptr<Trail::Node> Trail::make_node(RankReplica& of) {
  auto image = of.copy_rank();
  if (!image) return nullptr;
  return std::make_shared<Node>(Node{std::move(image), of.calls()});
}

bool Trail::take(const Node& node) {
  auto copy = node.image->copy_rank();
  if (!copy) return false;
  live_ = std::move(copy);
  live_->show_from(outputs_);
  at_end_ = false;
  slot_ = 0;
  return true;
}

void Trail::note_outputs() { outputs_ = std::max(outputs_, live_->outputs()); }

Arrival Trail::lost(const std::string& why) {
  problem_ = why;
  return {Arrival::kLost, slot_};
}

Arrival Trail::arrive(const Stop& stop) {
  note_outputs();
  Arrival arrival = arrival_of(stop, 0);
  slot_ = arrival.slot;
  return arrival;
}

bool Trail::begin_leg() {
  auto from = legs_.empty() ? first_ : make_node(*live_);
  if (!from) return false;
  legs_.push_back({std::move(from), {}});
  return true;
}

// What is known when the run that began with leg `first` has stopped.
void Trail::end_run(size_t first, const Stop& stop, const Stops& with) {
  uint64_t call = live_->calls() + 1;
  for (size_t i = first; i < legs_.size(); i++) {
    auto& moves = legs_[i].moves;
    bool last = i + 1 == legs_.size();
    if (stop.kind == Stop::kInterrupted) {
      uint64_t there = last ? live_->calls() : legs_[i + 1].from->calls;
      moves = {{Move::kTimed, call - legs_[i].from->calls, {{live_->call_place()}, {}}, call - there}};
    } else if (last) {
      moves.push_back({Move::kRun, 1, with});
    } else {
      moves = {{Move::kTimed, 1, with, 1}};
    }
  }
  thin_out();
}

Arrival Trail::go_on() {
  if (at_end_) return {Arrival::kEnd, end_stop_.slot};
  Stop stop;
  size_t first = legs_.size();
  for (bool begins = true; begins;) {
    // What MPI_Init does is not the same each time, and gdb stops there for every library. So no nodes are made in it, but
    // one where it ends.
    bool started = live_->has_started(), followed = !live_->has_threads();
    bool goes_on = !started && !legs_.empty() && legs_.back().moves.back().kind != Move::kTimed;
    if (followed && !goes_on && !begin_leg()) return lost(kNoRoom);
    first = legs_.size() - followed;
    Stops all = started ? stops() : stops().with({{live_->start_place()}, {}});
    for (int slices = 1;; slices++) {
      // Rarely, if it takes long.
      stop = live_->run(all, started ? kSliceMilliseconds * (1 + slices / 8) : 0);
      if (stop.kind != Stop::kTime) break;
      if (live_->has_threads()) continue;
      if (auto node = make_node(*live_)) legs_.push_back({std::move(node), {}});
    }
    begins = !started && stop.kind == Stop::kBreakpoint && stop.address == live_->start_place() &&
             !breakpoints.contains(stop.address);
    if (followed && !live_->has_threads()) end_run(first, stop, all);
    else std::erase_if(legs_, [](const Leg& leg) { return leg.moves.empty(); });  // nothing leads here again
  }
  return arrive(stop);
}

void Trail::add_steps(uint64_t n) {
  auto& moves = legs_.back().moves;
  if (moves.empty() || moves.back().kind != Move::kSteps) moves.push_back({});
  moves.back().n += n;
}

Arrival Trail::step(uint32_t slot) { return step_in_range(slot, 0, 0); }

Arrival Trail::step_in_range(uint32_t slot, uint64_t begin, uint64_t end) {
  if (at_end_) return {Arrival::kEnd, end_stop_.slot};
  bool followed = slot == 0 && !live_->has_threads();
  bool fresh = legs_.empty() || legs_.back().moves.back().kind == Move::kTimed ||
               (legs_.back().moves.back().kind == Move::kSteps && legs_.back().moves.back().n > kMaxSteps);
  if (followed && fresh && !begin_leg()) return lost(kNoRoom);
  for (;;) {
    Stop stop;
    uint64_t steps = 1;
    if (followed) {
      steps = live_->steps(1, stops(), stop);
    } else {
      live_->set_watches(watches);
      live_->set_breakpoints({});
      stop = live_->Replica::step(slot);
      stop.slot = slot;
    }
    // The last step of one that makes a thread is made, and not followed.
    if (followed) add_steps(steps);
    if (stop.kind != Stop::kStep) {
      bool there = stop.kind == Stop::kBreakpoint && begin == end;
      if (there) stop.kind = Stop::kStep;
      return arrive(stop);
    }
    auto registers = live_->registers(slot);
    if (!registers || registers->rip < begin || registers->rip >= end) return arrive(stop);
    if (live_->wants_interrupt()) {
      stop.kind = Stop::kInterrupted;
      return arrive(stop);
    }
  }
}

// The legs that were merged least go first, the oldest of them.
void Trail::thin_out() {
  while (legs_.size() > kMaxLegs) {
    size_t best = 0;
    uint32_t least = ~0u;
    for (size_t i = 1; i + kUntouchedLegs < legs_.size(); i++) {
      uint32_t both = legs_[i - 1].merged + legs_[i].merged;
      if (both < least && may_merge(i)) least = both, best = i;
    }
    if (best == 0) return;
    merge(best);
  }
}

// Whether something leads from the leg before it to where it ends.
bool Trail::may_merge(size_t leg) const {
  const Move &before = legs_[leg - 1].moves.back(), &next = legs_[leg].moves.front();
  if (before.kind != Move::kTimed) return next.kind != Move::kTimed;
  return next.kind != Move::kSteps && next.stops == before.stops;
}

// The leg and the one before it become one.
void Trail::merge(size_t leg) {
  Leg &a = legs_[leg - 1], &b = legs_[leg];
  if (a.moves.back().kind != Move::kTimed) {
    auto rest = b.moves.begin();
    if (a.moves.back().kind == Move::kSteps && rest->kind == Move::kSteps) a.moves.back().n += (rest++)->n;
    a.moves.insert(a.moves.end(), rest, b.moves.end());
  } else {
    // So many of the stops are between the nodes.
    uint64_t between = a.moves.back().n - a.moves.back().rest;
    a.moves = b.moves;
    a.moves.front().n += between;
  }
  a.merged += b.merged;
  legs_.erase(legs_.begin() + static_cast<std::ptrdiff_t>(leg));
}

Trail::Place Trail::save() {
  Place place{legs_, at_end_ ? nullptr : legs_.empty() ? first_ : make_node(*live_), live_->calls()};
  return place;
}

Arrival Trail::go_to(const Place& place) {
  legs_ = place.legs;
  if (place.here) {
    if (!take(*place.here)) return lost(kNoRoom);
    return {Arrival::kThere, 0};
  }
  if (legs_.empty() || !replay_last_leg()) return lost("the end of this rank was not found again");
  at_end_ = true;
  end_stop_ = walked_to_;
  return {Arrival::kThere, 0};
}

Arrival Trail::return_to_mark() {
  return mark_.here || !mark_.legs.empty() ? go_to(mark_) : lost("no place was marked");
}

uint32_t Trail::keep_checkpoint() {
  if (at_end_ || live_->has_threads()) return 0;
  Place place = save();
  if (!place.here) return 0;
  kept_[++numbers_] = std::move(place);
  return numbers_;
}

std::optional<Arrival> Trail::restart(uint32_t number) {
  if (number == 0) return go_to({{}, first_, 0});
  auto at = kept_.find(number);
  if (at == kept_.end()) return std::nullopt;
  return go_to(at->second);
}

std::vector<History::Kept> Trail::kept() const {
  std::vector<Kept> all;
  for (auto& [number, place] : kept_) all.push_back({number, 0, place.calls});
  return all;
}

bool Trail::forget(uint32_t number) { return kept_.erase(number) != 0; }

Arrival Trail::seek(uint32_t slot, uint64_t count) {
  if (slot != 0) return lost("only the first thread of a rank can be sought, as in `seek 0:12`");
  if (count == 0) return *restart(0);
  if (live_->has_threads()) return *refuse_back();
  if (live_->calls() >= count) {
    size_t last = legs_.size();
    while (last > 0 && legs_[last - 1].from->calls >= count) last--;
    if (last == 0) return lost("that call was not found again");
    legs_.resize(last);
    if (!take(*legs_.back().from)) return lost(kNoRoom);
    legs_.back().moves.clear();
  } else if (at_end_) {
    return {Arrival::kEnd, end_stop_.slot};
  } else if (!begin_leg()) {
    return lost(kNoRoom);
  }
  Move way{Move::kRun, 0, {{live_->call_place()}, {}}};
  Stop stop;
  do {
    stop = live_->run(way.stops);
    way.n++;
  } while (stop.kind == Stop::kBreakpoint && live_->calls() < count);
  legs_.back().moves = {way};
  if (stop.kind == Stop::kInterrupted) end_run(legs_.size() - 1, stop, way.stops);
  Arrival arrival = arrive(stop);
  if (arrival.kind == Arrival::kBreakpoint) arrival.kind = Arrival::kThere;
  return arrival;
}

}  // namespace ana::debug
