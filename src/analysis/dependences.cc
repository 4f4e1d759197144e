#include "analysis/dependences.h"

#include <algorithm>

#include "anaphora/runtime_abi.h"

namespace ana::dependences {

namespace {

bool is_object(uint64_t address) { return address >> 47 & 1; }

}  // namespace

void Dependences::take(uint32_t slot, std::span<const LiveReference> events) {
  for (const LiveReference& event : events) {
    if (event.told == Told::kAccess) take_one(slot, event);
  }
}

void Dependences::take_one(uint32_t slot, const LiveReference& event) {
  if (slot >= threads_.size()) threads_.resize(slot + 1);
  references_++;
  Reference now{slot, ++threads_[slot].references, event.count, event.site, event.operation, 0};
  uint64_t first = event.address(), last = first + event.bytes() - 1;
  bool write = event.write(), read = !write || (event.flags & ANA_SITE_READ), object = is_object(first);
  if (object) now.object = event.value;
  found_.clear();
  histories_.each(first, last, [&](History& history, uint64_t from, uint64_t to) {
    if (history.write.number && read) add(Kind::raw, history.write, now, from, to, object);
    if (history.write.number && write) add(Kind::waw, history.write, now, from, to, object);
    if (!write) {
      auto same = [&](const Reference& r) { return r.slot == slot; };
      auto at = std::find_if(history.reads.begin(), history.reads.end(), same);
      if (at != history.reads.end()) *at = now;
      else history.reads.push_back(now);
      return;
    }
    for (const Reference& read : history.reads) add(Kind::war, read, now, from, to, object);
    history.write = now;
    history.reads.clear();
  });
  if (reduced_) reduce(slot);
  for (const Dependence& d : found_) use_(d);
}

// Parts of one pair of references are one dependence.
void Dependences::add(Kind kind, const Reference& from, const Reference& to, uint64_t first, uint64_t last, bool object) {
  if (from.slot == to.slot) return;
  for (Dependence& d : found_) {
    if (d.kind != kind || d.from.slot != from.slot || d.from.number != from.number) continue;
    if (d.address + d.bytes == first) d.bytes += last - first + 1;
    return;
  }
  found_.push_back({kind, from, to, first, last - first + 1, object});
}

// What came before a reference, itself included.
const Dependences::Clock& Dependences::clock_at(const Reference& reference) const {
  static const Clock kNothing;
  const auto& pasts = threads_[reference.slot].pasts;
  auto after = std::upper_bound(pasts.begin(), pasts.end(), reference.number,
                                [](uint64_t number, const Past& past) { return number < past.number; });
  return after == pasts.begin() ? kNothing : std::prev(after)->clock;
}

// Leaves those that neither the thread's past nor another of them implies. The same source may be there twice, as last
// writer and as reader: one is enough.
void Dependences::reduce(uint32_t slot) {
  if (found_.empty()) return;
  auto& pasts = threads_[slot].pasts;
  Clock clock = pasts.empty() ? Clock() : pasts.back().clock;
  std::vector<Dependence> kept;
  for (size_t i = 0; i < found_.size(); i++) {
    const Reference& from = found_[i].from;
    bool implied = covers(clock, from);
    for (size_t j = 0; j < found_.size() && !implied; j++) {
      const Reference& other = found_[j].from;
      if (other.slot == from.slot) implied = other.number > from.number || (other.number == from.number && j < i);
      else implied = covers(clock_at(other), from);
    }
    if (!implied) kept.push_back(found_[i]);
  }
  found_ = std::move(kept);
  if (found_.empty()) return;
  auto raise = [&](uint32_t of, uint64_t number) {
    if (of >= clock.size()) clock.resize(of + 1);
    clock[of] = std::max(clock[of], number);
  };
  for (const Dependence& d : found_) {
    const Clock& other = clock_at(d.from);
    for (uint32_t i = 0; i < other.size(); i++) raise(i, other[i]);
    raise(d.from.slot, d.from.number);
  }
  pasts.push_back({threads_[slot].references, std::move(clock)});
}

}  // namespace ana::dependences
