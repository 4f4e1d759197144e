#include "analysis/byte_trial.h"

#include "anaphora/runtime_abi.h"

namespace ana::races {

namespace {

constexpr uint64_t kEntries = 1 << 20, kSpread = 0x9e3779b97f4a7c15ull;
constexpr uint32_t kEntryShift = 44;  // what is left of 64 bits for as many

// As synchronisation.h has it: the thread's time grows.
bool releases(const LiveReference& event) {
  switch (event.told) {
    case Told::kRelease:
    case Told::kArrive:
    case Told::kCreate: return true;
    case Told::kAccess:
    case Told::kFence: return (event.flags & ANA_SITE_RELEASE) != 0;
    default: return false;
  }
}

}  // namespace

ByteTrial::ByteTrial(RaceDetector& detector, std::vector<uint64_t> ends)
    : detector_(detector), slots_(ends.size()), seen_(new uint64_t[kEntries]()) {
  for (size_t i = 0; i < ends.size(); i++) slots_[i].end = ends[i];
}

void ByteTrial::take(uint32_t slot, std::span<const LiveReference> events) {
  if (given_up_) return;
  detector_.take(slot, events);
  if (slot >= slots_.size()) slots_.resize(slot + 1);
  for (const LiveReference& event : events) look(slots_[slot], slot, event);
}

void ByteTrial::look(Slot& slot, uint32_t number, const LiveReference& event) {
  slot.count = event.count;
  if (event.told == Told::kAccess) {
    uint64_t line = event.address() / kLineBytes;
    uint64_t key = (line << 11 | uint64_t{number} << 1 | event.write()) * kSpread;
    uint64_t now = (key & ~uint64_t{UINT32_MAX}) | slot.epoch;  // 32 bits of the hash tell most lines apart
    uint64_t& seen = seen_[key >> kEntryShift];
    lines_ += seen == 0;
    of_lines_ += seen != now;
    seen = now;
    if (++accesses_ % kTrialAccesses == 0) judge();
    if (++slot.told == kMostInEpoch + 1 && is_first_half()) given_up_ = true;
  }
  if (!releases(event)) return;
  slot.epoch++;
  slot.told = 0;
}

void ByteTrial::judge() {
  bool lines_pay = of_lines_ * 2 < accesses_ && is_first_half();
  given_up_ |= lines_pay || lines_ > kMostLines;
}

bool ByteTrial::is_first_half() const {
  uint64_t done = 0, all = 0;
  for (const Slot& slot : slots_) {
    done += slot.count;
    all += slot.end;
  }
  return done < all / 2 || all == 0;
}

}  // namespace ana::races
