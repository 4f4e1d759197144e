#include "analysis/byte_trial.h"

namespace ana::races {

namespace {

constexpr uint64_t kEntries = 1 << 20, kSpread = 0x9e3779b97f4a7c15ull;
constexpr uint32_t kEntryShift = 44;  // what is left of 64 bits for as many

}  // namespace

ByteTrial::ByteTrial(RaceDetector& detector, std::vector<uint64_t> ends, bool knows_order, bool by_lines)
    : detector_(detector),
      knows_order_(knows_order),
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
    accesses_++;
    slot.told += 1 + event.bytes() / kBytesAsOne;
    if (slot.told > kMostInEpoch && !by_lines_ && is_first_half()) given_up_ = true;
  }
  if (event.told == Told::kCreate && alone_until_ == 0) alone_until_ = done();
  counted_ += event.counted;
  if ((event.told == Told::kAccess || event.counted) && ++told_ % kTrialEvents == 0) judge();
  if (!is_release(event)) return;
  releases_++;
  if (event.stamp != kNotedStamp && !event.ends_epoch) return;
  slot.epoch++;
  slot.told = 0;
}

void ByteTrial::judge() {
  // To learn the order is a replay that is told of synchronisation alone. By lines there would most often be two more.
  uint64_t again = of_lines_ - lines_, all = of_lines_ + counted_;
  bool pays = by_lines_ ? (again + counted_) * 2 > all : again * 2 > of_lines_ && accesses_ >= releases_ * kWorthWhile;
  bool is_told_again = pays && detector_.known_times() * 4 < releases_;
  if (!knows_order_ && is_told_again && is_first_half(alone_until_)) given_up_ = wants_order_ = true;
  if (by_lines_) return;
  bool lines_pay = of_lines_ * 2 < accesses_ && is_first_half();
  given_up_ |= lines_pay || lines_ > kMostLines;
}

uint64_t ByteTrial::done() const {
  uint64_t out = 0;
  for (const Slot& slot : slots_) out += slot.count;
  return out;
}

bool ByteTrial::is_first_half(uint64_t from) const {
  uint64_t all = 0;
  for (const Slot& slot : slots_) all += slot.end;
  return all == 0 || (all > from && done() - from < (all - from) / 2);
}

}  // namespace ana::races
