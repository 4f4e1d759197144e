#include "analysis/race_detector.h"

#include <algorithm>
#include <bit>

#include "anaphora/runtime_abi.h"

namespace ana::races {

namespace {

// Of a block that is given back, as many bytes count as written.
constexpr uint64_t kFreedBytes = 1024;
// Of a site in brief (BriefAccess): kCalledFrom.
constexpr uint32_t kBriefCall = 1u << 31;

AccessKind kind_of(const LiveReference& event) {
  bool write = event.write();
  if (event.flags & ANA_SITE_ATOMIC) return write ? AccessKind::atomic_write : AccessKind::atomic_read;
  return write ? AccessKind::write : AccessKind::read;
}

}  // namespace

void RaceDetector::take(uint32_t slot, std::span<const LiveReference> events) {
  for (const LiveReference& event : events) {
    bool is_plain = event.told == Told::kAccess && !(event.flags & ANA_SITE_ATOMIC) && !event.has_value;
    if (is_plain && access_briefly(synchronisation_.in_slot(slot), event)) {
      events_++;
      look_at_count(slot, synchronisation_.in_slot(slot), event.count);
    } else {
      take_one(slot, event);
    }
  }
}

// The thread's time and its edges, once for each of its counts.
void RaceDetector::look_at_count(uint32_t slot, Thread thread, uint64_t count) {
  if (slot >= judged_.size()) judged_.resize(slot + 1, ~0ull);
  if (judged_[slot] == count) return;
  judged_[slot] = count;
  note_time(slot, thread, count);
  judge_edges(slot, thread, count);
}

void RaceDetector::take_one(uint32_t slot, const LiveReference& event) {
  events_++;
  Thread thread = synchronisation_.in_slot(slot);
  switch (event.told) {
    case Told::kAccess: access(slot, thread, event); break;
    case Told::kCreate: {
      auto child = static_cast<uint32_t>(event.address());
      synchronise(slot, thread, event);
      Thread made = synchronisation_.in_slot(child);
      note_time(child, made, 0);
      if (made >= slots_.size()) slots_.resize(made + 1);
      slots_[made] = child;
      break;
    }
    case Told::kAllocate: allocate(slot, event); break;
    case Told::kFree: free(slot, thread, event); break;
    case Told::kStart: forget_stack(slot); break;
    case Told::kEnd:
    case Told::kRun: break;  // the merge has taken it apart
    default: synchronise(slot, thread, event);
  }
  note_time(slot, thread, event.count);
  judge_edges(slot, thread, event.count);
}

void RaceDetector::synchronise(uint32_t slot, Thread thread, const LiveReference& event) {
  if (!synchronisation_.follows()) return synchronisation_.take(thread, event);
  synchronisation_.learn(slot, event);
  synchronisation_.pass(slot, event);
}

Status RaceDetector::status() const {
  if (!synchronisation_.is_astray()) return {};
  return Error{"the program synchronised otherwise than in the replay before; please report this"};
}

// In 32 bits: the first tells calls from other places, the rest is relative to the first site that there was. Nothing if it
// is too far from that.
std::optional<uint32_t> RaceDetector::brief_site(uint64_t site) {
  constexpr uint64_t kNumbered = 4096;  // smaller ones are no addresses
  uint64_t at = site & ~kCalledFrom;
  if (first_site_ == 0 && at == site && at >= kNumbered) first_site_ = at - std::min<uint64_t>(at - 1, kBriefCall / 2);
  if (at - first_site_ >= kBriefCall) return std::nullopt;
  return static_cast<uint32_t>(at - first_site_) | (site & kCalledFrom ? kBriefCall : 0);
}

bool RaceDetector::access_briefly(Thread thread, const LiveReference& event) {
  std::optional<uint32_t> site = brief_site(event.site);
  if (thread >= BriefAccess::kMostThreads || !site) return false;
  accesses_++;
  if (!waits_for_value_.empty()) waits_for_value_.erase(event.address());  // it does not say what is there
  auto [address, last] = shadow_of(event.address(), event.address() + event.bytes() - 1);
  uint64_t bytes = last - address + 1;
  bool is_long = event.bytes() > kLineBytes;
  if (!is_long && is_elsewhere(address, last)) return true;
  while (bytes != 0) {
    if (is_long && is_elsewhere(address, address)) {
      uint64_t skipped = std::min(kLineBytes - address % kLineBytes, bytes);
      address += skipped;
      bytes -= skipped;
      continue;
    }
    uint64_t piece = std::bit_floor(std::min<uint64_t>(bytes, BriefAccess::kMostBytes));
    touch_cells({synchronisation_.now(thread), event.write(), address, static_cast<uint32_t>(piece),
                 *site, static_cast<uint32_t>(event.count)},
                event.count, address, address + piece);
    address += piece;
    bytes -= piece;
  }
  return true;
}

void RaceDetector::touch_cells(const BriefAccess& now, uint64_t event_count, uint64_t address, uint64_t end) {
  const VectorTime& clock = synchronisation_.clock(now.thread());
  uint64_t part = 0;
  for (uint64_t word = address & ~(kWordBytes - 1); word < end; word += kWordBytes, part++) {
    if (unit_ == Unit::line) {  // which is a word
      Cell* cell = shadow_.whole(word);
      BriefAccess here = now.part(part, 0, kWordBytes - 1);
      if (cell && (cell->takes_own(here) || touch_cell(*cell, here, clock, word))) continue;
    }
    uint64_t first = std::max(word, address) - word, last = std::min(word + kWordBytes, end) - 1 - word;
    AccessShadow::Part parts[2];
    int count = shadow_.parts(word, first, last, parts), done = 0;
    for (; done < count; done++) {
      BriefAccess here = now.part(part, parts[done].first, parts[done].last);
      if (!parts[done].cell->takes_own(here) && !touch_cell(*parts[done].cell, here, clock, word)) break;
    }
    if (done == count && count != 0) continue;
    // What no cell takes, and what comes after it.
    if (done != 0) first = parts[done].first;
    touch(expand(now.part(part, first, last), word, event_count), word + first, word + last);
  }
}

// False if the cell cannot remember it.
bool RaceDetector::touch_cell(Cell& cell, const BriefAccess& now, const VectorTime& clock, uint64_t word) {
  if (!cell.write.is_none() && !cell.write.same_bytes(now)) return false;
  BriefAccess* room = nullptr;
  for (BriefAccess& read : cell.reads) {
    if (!read.is_none() && !read.same_bytes(now)) return false;
    // Who races with a read that comes before this one races with this one as well.
    bool replaced = read.is_none() || read.thread() == now.thread() || clock.covers(read.epoch());
    if (replaced && (!room || read.thread() == now.thread())) room = &read;
  }
  if (!now.write() && !room) return false;
  race_briefly(cell.write, now, clock, word);
  if (!now.write()) {
    for (BriefAccess& read : cell.reads)
      if (!read.is_none() && read.thread() == now.thread()) read = {};
    *room = now;
    return true;
  }
  for (BriefAccess& read : cell.reads) {
    race_briefly(read, now, clock, word);
    read = {};
  }
  cell.write = now;
  return true;
}

void RaceDetector::race_briefly(const BriefAccess& before, const BriefAccess& now, const VectorTime& clock,
                                uint64_t word) {
  if (before.is_none() || before.thread() == now.thread() || clock.covers(before.epoch())) return;
  report(expand(before, word), expand(now, word), word + now.first(), word + now.last());
}

Access RaceDetector::expand(const BriefAccess& brief, uint64_t word) const {
  uint32_t slot = brief.thread() < slots_.size() ? slots_[brief.thread()] : 0;
  // The count when the thread's time began, with the lower half of a later one.
  uint64_t base = count_of(slot, brief.epoch());
  return expand(brief, word, base + static_cast<uint32_t>(brief.count() - static_cast<uint32_t>(base)));
}

Access RaceDetector::expand(const BriefAccess& brief, uint64_t word, uint64_t count) const {
  Access out;
  out.epoch = brief.epoch();
  out.site = (first_site_ + brief.site() % kBriefCall) | (brief.site() & kBriefCall ? kCalledFrom : 0);
  out.address = brief.address(word);
  out.slot = brief.thread() < slots_.size() ? slots_[brief.thread()] : 0;
  out.kind = brief.write() ? AccessKind::write : AccessKind::read;
  out.bytes = static_cast<uint16_t>(brief.bytes());
  out.count = count;
  return out;
}

void RaceDetector::access(uint32_t slot, Thread thread, const LiveReference& event) {
  accesses_++;
  bool atomic = event.flags & ANA_SITE_ATOMIC, follows = synchronisation_.follows();
  bool is_step = follows && is_synchronisation(event);
  if (is_step) synchronisation_.learn(slot, event);
  else if (atomic && !follows) synchronisation_.atomic_before(thread, event.address(), event.flags);
  Access now{synchronisation_.now(thread), event.site, event.count, event.address(), event.value, slot, kind_of(event),
             event.has_value, static_cast<uint16_t>(event.bytes())};
  show_value(now);
  auto [first, last] = shadow_of(now.address, now.address + event.bytes() - 1);
  touch(now, first, last);
  if (is_step) synchronisation_.pass(slot, event);
  else if (atomic && !follows) synchronisation_.atomic_after(thread, event.address(), event.flags);
}

void RaceDetector::touch(const Access& now, uint64_t first, uint64_t last) {
  shadow_.each(first, last, [&](Variable& variable, uint64_t word) {
    check(variable, now, word);
    remember(variable, now);
  });
}

// Reads conflict with writes, writes with all; atomic accesses only with plain ones.
void RaceDetector::check(const Variable& variable, const Access& now, uint64_t word) {
  const VectorTime& clock = synchronisation_.clock(now.epoch.thread);
  auto compare = [&](const Access& before) {
    if (!before.epoch || before.epoch.thread == now.epoch.thread || clock.covers(before.epoch)) return;
    report(before, now, word + variable.first, word + variable.last);
  };
  compare(variable.write);
  if (is_write(now.kind)) variable.reads.each(compare);
  if (is_atomic(now.kind) || !variable.atomics) return;
  variable.atomics->writes.each(compare);
  if (is_write(now.kind)) variable.atomics->reads.each(compare);
}

void RaceDetector::remember(Variable& variable, const Access& now) {
  const VectorTime& clock = synchronisation_.clock(now.epoch.thread);
  if (is_atomic(now.kind)) {
    if (!variable.atomics) variable.atomics = std::make_unique<Variable::Atomics>();
    (is_write(now.kind) ? variable.atomics->writes : variable.atomics->reads).add(now, clock);
  } else if (is_write(now.kind)) {
    // What came before is ordered before it, or has raced.
    variable.write = now;
    variable.reads.clear();
    variable.atomics.reset();
  } else {
    variable.reads.add(now, clock);
  }
}

void RaceDetector::report(const Access& before, const Access& now, uint64_t first, uint64_t last) {
  auto [byte, is_new] = racy_.try_emplace(first, last);
  if (!is_new) byte->second = std::max(byte->second, last);
  if (unit_ == Unit::line) return;
  Place one{before.site, before.kind}, other{now.site, now.kind};
  uint64_t object = object_of(first);
  auto [at, added] = races_.try_emplace({std::min(one, other), std::max(one, other), object});
  Race& race = at->second;
  if (!added) {
    // The parts of one access are one race.
    if (race.second.epoch != now.epoch || race.second.count != now.count) race.times++;
    return;
  }
  race.first = before;
  race.second = now;
  race.address = first;
  race.bytes = last - first + 1;
  race.object = object;
  race.block = block_of(first);
  if (is_write(before.kind) && before.same_place(now) && now.has_value) race.first_left = now.value;
  if (is_write(now.kind) && now.has_value) waits_for_value_.emplace(now.address, &race);
}

// The next access to what a reported race wrote shows what it wrote.
void RaceDetector::show_value(const Access& now) {
  if (waits_for_value_.empty()) return;
  auto [from, to] = waits_for_value_.equal_range(now.address);
  for (auto at = from; at != to; ++at) {
    Race& race = *at->second;
    if (now.has_value && race.second.same_place(now)) race.second_left = now.value;
  }
  waits_for_value_.erase(from, to);
}

void RaceDetector::allocate(uint32_t slot, const LiveReference& event) {
  uint64_t first = event.address(), bytes = std::max<uint64_t>(event.value, 1), last = first + bytes - 1;
  clear(first, last);
  auto at = blocks_.upper_bound(first);
  if (at != blocks_.begin() && std::prev(at)->second.address + std::prev(at)->second.bytes > first) --at;
  while (at != blocks_.end() && at->first <= last) at = blocks_.erase(at);
  blocks_[first] = {first, bytes, event.site, slot, event.count};
}

void RaceDetector::free(uint32_t slot, Thread thread, const LiveReference& event) {
  auto at = blocks_.find(event.address());
  if (at == blocks_.end()) return;
  uint64_t bytes = std::min(at->second.bytes, kFreedBytes);
  Access now{synchronisation_.now(thread), event.site, event.count, event.address(), 0, slot, AccessKind::free, false,
             static_cast<uint16_t>(bytes)};
  auto [first, last] = shadow_of(now.address, now.address + bytes - 1);
  touch(now, first, last);
}

// A thread's stack is its own from its start on, whoever had it before.
void RaceDetector::forget_stack(uint32_t slot) {
  if (!stack_of_) return;
  auto [first, last] = stack_of_(slot);
  clear(first, last);
}

// Of a line that has a past elsewhere nothing is forgotten.
void RaceDetector::clear(uint64_t first, uint64_t last) {
  synchronisation_.forget(first, last);
  if (unit_ == Unit::line) {
    uint64_t end = (last + 1) / kLineBytes * kLineBytes;
    first = (first + kLineBytes - 1) / kLineBytes * kLineBytes;
    if (first >= end) return;
    last = end - 1;
  }
  auto [from, to] = shadow_of(first, last);
  shadow_.clear(from, to);
}

void RaceDetector::note_time(uint32_t slot, Thread thread, uint64_t count) {
  if (slot >= turns_.size()) turns_.resize(slot + 1);
  auto& turns = turns_[slot];
  Epoch now = synchronisation_.now(thread);
  if (turns.empty() || turns.back().epoch != now) turns.push_back({count, now});
}

// The first count that the slot had at this time of a thread's, as far as it is known.
uint64_t RaceDetector::count_of(uint32_t slot, Epoch epoch) const {
  if (slot >= turns_.size()) return 0;
  const auto& turns = turns_[slot];
  // Threads that have a slot one after the other have numbers that grow.
  auto before = [](const Turn& turn, Epoch e) {
    return turn.epoch.thread < e.thread || (turn.epoch.thread == e.thread && turn.epoch.time < e.time);
  };
  auto at = std::lower_bound(turns.begin(), turns.end(), epoch, before);
  return at != turns.end() && at->epoch == epoch ? at->count : 0;
}

Epoch RaceDetector::epoch_at(uint32_t slot, uint64_t count) const {
  if (slot >= turns_.size()) return {};
  const auto& turns = turns_[slot];
  auto after = std::upper_bound(turns.begin(), turns.end(), count, [](uint64_t c, const Turn& t) { return c < t.count; });
  return after == turns.begin() ? Epoch{} : std::prev(after)->epoch;
}

void RaceDetector::judge_edges(uint32_t slot, Thread thread, uint64_t count) {
  if (slot >= edges_.size()) return;
  if (slot >= next_edge_.size()) next_edge_.resize(slot + 1);
  const auto& edges = edges_[slot];
  for (size_t& next = next_edge_[slot]; next < edges.size() && edges[next].count <= count; next++) {
    bool ordered = synchronisation_.clock(thread).covers(epoch_at(edges[next].source, edges[next].source_count));
    (ordered ? ordered_edges_ : unordered_edges_)++;
  }
}

std::optional<Block> RaceDetector::block_of(uint64_t address) const {
  auto at = blocks_.upper_bound(address);
  if (at == blocks_.begin()) return std::nullopt;
  const Block& block = std::prev(at)->second;
  if (address - block.address >= block.bytes) return std::nullopt;
  return block;
}

uint64_t RaceDetector::object_of(uint64_t address) const {
  if (uint64_t variable = variables_.of(address)) return variable;
  auto block = block_of(address);
  return block ? block->caller : 0;
}

std::vector<Race> RaceDetector::races() const {
  std::vector<Race> out;
  for (const auto& [key, race] : races_) out.push_back(race);
  return out;
}

std::vector<RaceDetector::Range> RaceDetector::racy_bytes() const {
  std::vector<Range> out;
  for (const auto& [from, to] : racy_) {
    uint64_t first = from, last = to;
    if (unit_ == Unit::line) {
      first = first / kWordBytes * kLineBytes;
      last = (last / kWordBytes + 1) * kLineBytes - 1;
    }
    if (!out.empty() && first <= out.back().second + 1) out.back().second = std::max(out.back().second, last);
    else out.emplace_back(first, last);
  }
  return out;
}

}  // namespace ana::races
