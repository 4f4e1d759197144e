#include "analysis/release_watch.h"

#include <algorithm>

#include "anaphora/runtime_abi.h"
#include "trace/order_entries.h"

namespace ana::races {

namespace {
constexpr uint32_t kSkippedAtOnce = kMostSkipped / 2;  // two of them fit
}

ReleaseWatch::Slot& ReleaseWatch::of_slot(uint32_t slot) {
  if (slot >= slots_.size()) slots_.resize(slot + 1);
  return slots_[slot];
}

void ReleaseWatch::take(uint32_t slot, std::span<const LiveReference> events) {
  for (const LiveReference& event : events) take_one(slot, event);
}

void ReleaseWatch::take_one(uint32_t slot, const LiveReference& event) {
  Thread thread = synchronisation_.in_slot(slot);
  if (event.told == Told::kAllocate) {
    synchronisation_.forget(event.address(), event.address() + std::max<uint64_t>(event.value, 1) - 1);
  } else if (event.told == Told::kStart) {
    if (stack_of_) synchronisation_.forget(stack_of_(slot).first, stack_of_(slot).second);
  }
  if (!is_synchronisation(event)) return;
  uint32_t time_before = synchronisation_.now(thread).time;
  learned_.clear();
  apply(thread, event);
  uint32_t time = synchronisation_.now(thread).time;
  Slot& here = of_slot(slot);
  if (event.counted && learned_.empty() && time == time_before && here.skipped < kSkippedAtOnce) {
    here.skipped++;
    return;
  }
  auto learned = static_cast<uint32_t>(learned_.size());
  here.learned.insert(here.learned.end(), learned_.begin(), learned_.end());
  here.candidates.push_back(
      {here.skipped, static_cast<uint32_t>(event.count), time, learned, event.counted, time != time_before});
  here.skipped = 0;
}

// As the detector does it.
void ReleaseWatch::apply(Thread thread, const LiveReference& event) {
  if (event.told == Told::kAccess) {
    synchronisation_.atomic_before(thread, event.address(), event.flags);
    synchronisation_.atomic_after(thread, event.address(), event.flags);
    return;
  }
  synchronisation_.take(thread, event);
  if (event.told != Told::kCreate) return;
  auto child = static_cast<uint32_t>(event.address());
  Slot& created = of_slot(child);
  created.firsts.push_back(created.candidates.size());
  Epoch begins = synchronisation_.now(synchronisation_.in_slot(child));
  created.starts.push_back({begins.thread, begins.time});
}

KnownOrder ReleaseWatch::order() const {
  KnownOrder out;
  out.known.resize(synchronisation_.threads());
  for (Thread thread = 0; thread < out.known.size(); thread++) out.known[thread] = synchronisation_.known_times_of(thread);
  for (const Slot& slot : slots_) out.slots.push_back(order_of(slot, out));
  if (out.slots.empty()) out.slots.emplace_back();
  return out;
}

KnownOrder::Slot ReleaseWatch::order_of(const Slot& slot, const KnownOrder& order) const {
  KnownOrder::Slot out;
  out.starts = slot.starts;
  out.learned = slot.learned;
  Thread thread = 0;
  size_t start = 0;
  uint64_t skipped = 0;
  for (size_t i = 0; i < slot.candidates.size(); i++) {
    while (start < slot.firsts.size() && slot.firsts[start] <= i) thread = slot.starts[start++].thread;
    const Candidate& c = slot.candidates[i];
    skipped += c.skipped;
    bool is_known = c.releases && order.next_known(thread, c.time - 1) == c.time - 1;
    bool may_skip = c.counted && c.learned == 0 && !is_known && skipped < kSkippedAtOnce;
    if (may_skip) {
      skipped++;
      continue;
    }
    if (c.counted) {
      out.entries.push_back(order_entry(static_cast<uint32_t>(skipped), is_known));
      skipped = 0;
    }
    out.steps.push_back({c.count, c.time, c.learned});
  }
  return out;
}

}  // namespace ana::races
