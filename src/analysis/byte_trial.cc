#include "analysis/byte_trial.h"

#include "trace/known_releases.h"

namespace ana::races {

namespace {

constexpr uint64_t kEntries = 1 << 20, kSpread = 0x9e3779b97f4a7c15ull;
constexpr uint32_t kEntryShift = 44;  // what is left of 64 bits for as many

}  // namespace

ByteTrial::ByteTrial(RaceDetector& detector, std::vector<uint64_t> ends, const Releases* releases, bool by_lines)
    : detector_(detector),
      known_releases_(releases),
      by_lines_(by_lines),
      slots_(ends.size()),
      seen_(new uint64_t[kEntries]()) {
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
    if (++slot.told == kMostInEpoch + 1 && !by_lines_ && is_first_half()) given_up_ = true;
  }
  if (!is_release(event)) return;
  releases_++;
  if (event.stamp != kNotedStamp && !ends_epoch(number, slot.releases++, event.count)) return;
  slot.epoch++;
  slot.told = 0;
}

bool ByteTrial::ends_epoch(uint32_t slot, uint64_t number, uint64_t count) const {
  if (!known_releases_ || slot >= known_releases_->size()) return true;
  const auto& entries = (*known_releases_)[slot];
  return number >= entries.size() || entries[number] != release_entry(count, false);
}

void ByteTrial::judge() {
  bool is_told_again = (of_lines_ - lines_) * 2 > of_lines_ && accesses_ >= releases_ * kWorthWhile &&
                       detector_.known_times() * 4 < releases_;
  if (!known_releases_ && is_told_again && is_first_half()) given_up_ = wants_releases_ = true;
  if (by_lines_) return;
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
