#include "analysis/byte_trial.h"

#include <algorithm>

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
  if (event.told == Told::kCreate && alone_until_ == 0) {
    alone_until_ = std::max<uint64_t>(done(), 1);
    alone_ = {accesses_, of_lines_, lines_};
  }
  counted_ += event.counted;
  if ((event.told == Told::kAccess || event.counted) && ++told_ % kOrderEvents == 0) judge_order();
  if (event.told == Told::kAccess && accesses_ % kTrialEvents == 0) judge();
  if (!is_release(event)) return;
  releases_++;
  if (event.stamp != kNotedStamp && !event.ends_epoch) return;
  slot.epoch++;
  slot.told = 0;
}

void ByteTrial::judge_order() {
  if (knows_order_ || alone_until_ == 0) return;
  // To learn the order is a replay that is told of synchronisation alone. By lines there would most often be two more.
  uint64_t of_lines = of_lines_ - alone_.of_lines, again = of_lines - (lines_ - alone_.lines);
  bool pays = by_lines_ ? (again + counted_) * 2 > of_lines + counted_
                        : again * 2 > of_lines && accesses_ - alone_.accesses >= releases_ * kWorthWhile;
  if (pays && detector_.known_times() * 4 < releases_ && is_first_half(alone_until_)) given_up_ = wants_order_ = true;
}

void ByteTrial::judge() {
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
