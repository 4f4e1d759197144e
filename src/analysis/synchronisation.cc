#include "analysis/synchronisation.h"

#include <algorithm>

#include "anaphora/runtime_abi.h"
#include "trace/told_sink.h"

namespace ana::races {

namespace {
constexpr uint32_t kOrders = ANA_SITE_ACQUIRE | ANA_SITE_RELEASE;
}

bool is_synchronisation(const LiveReference& event) {
  switch (event.told) {
    case Told::kAccess: return (event.flags & ANA_SITE_ATOMIC) && (event.stamp != kNotedStamp || (event.flags & kOrders));
    case Told::kStart:
    case Told::kEnd:
    case Told::kAllocate:
    case Told::kFree:
    case Told::kRun: return false;
    default: return true;
  }
}

bool is_release(const LiveReference& event) {
  switch (event.told) {
    case Told::kRelease:
    case Told::kArrive:
    case Told::kCreate: return true;
    case Told::kAccess:
    case Told::kFence: return (event.flags & ANA_SITE_RELEASE) != 0;
    default: return false;
  }
}

Thread Synchronisation::add_thread() {
  auto thread = static_cast<Thread>(threads_.size());
  threads_.emplace_back();
  threads_.back().clock.set(thread, 1);
  return thread;
}

Thread Synchronisation::create(Thread creator, uint32_t slot) {
  bool used = slot < slots_.size() && slot != 0 && slots_[slot] != 0;
  if (slot >= slots_.size()) slots_.resize(slot + 1);
  Thread last = slots_[slot];
  Thread thread = used && threads_[creator].clock.covers(now(last)) ? last : add_thread();
  slots_[slot] = thread;
  State& state = threads_[thread];
  uint32_t time = state.clock.of(thread);
  state = {};
  state.clock = threads_[creator].clock;
  note_known(now(creator));  // the rest of it the creator has learned
  state.clock.set(thread, time + (thread == last));
  advance(creator);
  return thread;
}

void Synchronisation::acquire_object(Thread thread, uint64_t address, Told how) {
  Object& object = objects_.at(address);
  if (how == Told::kLeave) return leave(thread, object);
  learn(thread, object.released);
  if (how != Told::kAcquireShared) learn(thread, object.released_shared);
  object.is_shared_lock = how != Told::kAcquire;
  object.alone = how == Told::kAcquireAlone;
}

void Synchronisation::release_object(Thread thread, uint64_t address, Told how, uint64_t value) {
  Object& object = objects_.at(address);
  if (how == Told::kArrive) {
    arrive(thread, object, value);
  } else {
    bool reader = object.is_shared_lock && !object.alone;  // readers and writers leave by the same call
    (reader ? object.released_shared : object.released).join(threads_[thread].clock);
    object.alone = false;
  }
  advance(thread);
}

// Who arrives after the last that a passage takes, or after somebody has left it, is of the next.
void Synchronisation::arrive(Thread thread, Object& barrier, uint64_t size) {
  auto is_full = [&](const Passage& p) { return p.departures != 0 || (size != 0 && p.arrivals >= size); };
  if (barrier.passages.empty() || is_full(*barrier.passages.back())) barrier.passages.push_back(std::make_unique<Passage>());
  Passage& passage = *barrier.passages.back();
  passage.arrived.join(threads_[thread].clock);
  passage.arrivals++;
  barrier.waits[thread] = &passage;
}

void Synchronisation::leave(Thread thread, Object& barrier) {
  auto at = barrier.waits.find(thread);
  if (at == barrier.waits.end()) return;
  Passage& passage = *at->second;
  barrier.waits.erase(at);
  learn(thread, passage.arrived);
  if (++passage.departures < passage.arrivals) return;
  std::erase_if(barrier.passages, [&](const auto& p) { return p.get() == &passage; });
}

void Synchronisation::atomic_before(Thread thread, uint64_t address, uint32_t flags) {
  if (!(flags & ANA_SITE_READ)) return;
  const Object* object = objects_.find(address);
  if (!object) return;
  if (flags & ANA_SITE_ACQUIRE) learn(thread, object->released);
  else threads_[thread].for_acquire_fence.join(object->released);
}

void Synchronisation::atomic_after(Thread thread, uint64_t address, uint32_t flags) {
  if (!(flags & ANA_SITE_WRITE)) return;
  State& state = threads_[thread];
  const VectorTime& left = flags & ANA_SITE_RELEASE ? state.clock : state.at_release_fence;
  if (left.empty() && !objects_.find(address)) return;
  Object& object = objects_.at(address);
  if (!(flags & ANA_SITE_READ)) object.released.clear();
  object.released.join(left);
  if (flags & ANA_SITE_RELEASE) advance(thread);
}

void Synchronisation::fence(Thread thread, uint32_t flags) {
  State& state = threads_[thread];
  if (flags & ANA_SITE_ACQUIRE) learn(thread, state.for_acquire_fence);
  if (!(flags & ANA_SITE_RELEASE)) return;
  state.at_release_fence = state.clock;
  advance(thread);
}

void Synchronisation::take(Thread thread, const LiveReference& event) {
  switch (event.told) {
    case Told::kAcquire:
    case Told::kAcquireShared:
    case Told::kAcquireAlone:
    case Told::kLeave: return acquire_object(thread, event.address(), event.told);
    case Told::kRelease:
    case Told::kArrive: return release_object(thread, event.address(), event.told, event.value);
    case Told::kCreate: create(thread, static_cast<uint32_t>(event.address())); return;
    case Told::kJoin: return join(thread, static_cast<uint32_t>(event.address()));
    case Told::kFence: return fence(thread, event.flags);
    default: return;
  }
}

void Synchronisation::follow(const KnownOrder& order) {
  order_ = &order;
  threads_.resize(std::max<size_t>(order.known.size(), 1));
  threads_[0].clock.set(0, order.known.empty() ? KnownOrder::kNever : order.next_known(0, 1));
  followed_.resize(order.slots.size());
}

void Synchronisation::learn(uint32_t slot, const LiveReference& event) {
  astray_ |= slot >= followed_.size() || followed_[slot].step >= order_->slots[slot].steps.size() ||
             order_->slots[slot].steps[followed_[slot].step].count != static_cast<uint32_t>(event.count);
  if (astray_) return;
  const KnownOrder::Slot& known = order_->slots[slot];
  Followed& followed = followed_[slot];
  VectorTime& clock = threads_[in_slot(slot)].clock;
  for (uint32_t n = known.steps[followed.step].learned; n > 0; n--) {
    Epoch epoch = known.learned[followed.learned++];
    clock.set(epoch.thread, epoch.time);
  }
}

void Synchronisation::pass(uint32_t slot, const LiveReference& event) {
  if (astray_) return;
  Thread thread = in_slot(slot);
  if (event.told == Told::kCreate) start_known(thread, static_cast<uint32_t>(event.address()));
  const KnownOrder::Step& step = order_->slots[slot].steps[followed_[slot].step++];
  threads_[thread].clock.set(thread, order_->next_known(thread, step.time));
}

void Synchronisation::start_known(Thread creator, uint32_t slot) {
  astray_ |= slot >= followed_.size() || followed_[slot].start >= order_->slots[slot].starts.size();
  if (astray_) return;
  auto [thread, time] = order_->slots[slot].starts[followed_[slot].start++];
  if (slot >= slots_.size()) slots_.resize(slot + 1);
  slots_[slot] = thread;
  threads_[thread].clock = threads_[creator].clock;
  threads_[thread].clock.set(thread, order_->next_known(thread, time));
}

std::vector<uint32_t> Synchronisation::known_times_of(Thread thread) const {
  std::vector<uint32_t> out;
  if (thread >= known_.size()) return out;
  for (size_t time = 0; time < known_[thread].size(); time++)
    if (known_[thread][time]) out.push_back(static_cast<uint32_t>(time));
  return out;
}

void Synchronisation::note_known(Epoch epoch) {
  if (epoch.thread >= known_.size()) known_.resize(epoch.thread + 1);
  auto& times = known_[epoch.thread];
  if (epoch.time >= times.size()) times.resize(epoch.time + 1);
  known_times_ += !times[epoch.time];
  times[epoch.time] = true;
}

void Synchronisation::forget(uint64_t first, uint64_t last) {
  objects_.forget(first, last);
}

}  // namespace ana::races
