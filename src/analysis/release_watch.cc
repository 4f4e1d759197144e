#include "analysis/release_watch.h"

#include <algorithm>

#include "anaphora/runtime_abi.h"
#include "trace/known_releases.h"

namespace ana::races {

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

void ReleaseWatch::take(uint32_t slot, std::span<const LiveReference> events) {
  if (slot >= releases_.size()) releases_.resize(slot + 1);
  for (const LiveReference& event : events) take_one(slot, event);
}

// Clocks must be those of the detector: who knows more too early would not be seen to learn what he learns there.
void ReleaseWatch::take_one(uint32_t slot, const LiveReference& event) {
  Thread thread = synchronisation_.in_slot(slot);
  if (is_release(event) && event.stamp != kNotedStamp) releases_[slot].push_back({event.count, synchronisation_.now(thread)});
  switch (event.told) {
    case Told::kAccess:
      if (!(event.flags & ANA_SITE_ATOMIC)) break;
      synchronisation_.atomic_before(thread, event.address(), event.flags);
      synchronisation_.atomic_after(thread, event.address(), event.flags);
      break;
    case Told::kAllocate:
      synchronisation_.forget(event.address(), event.address() + std::max<uint64_t>(event.value, 1) - 1);
      break;
    case Told::kStart:
      if (stack_of_) synchronisation_.forget(stack_of_(slot).first, stack_of_(slot).second);
      break;
    default: synchronisation_.take(thread, event);
  }
}

std::vector<std::vector<uint32_t>> ReleaseWatch::releases() const {
  std::vector<std::vector<uint32_t>> out;
  for (const auto& of_slot : releases_) {
    auto& entries = out.emplace_back();
    for (const Release& r : of_slot) entries.push_back(release_entry(r.count, synchronisation_.is_known(r.ended)));
  }
  return out;
}

}  // namespace ana::races
