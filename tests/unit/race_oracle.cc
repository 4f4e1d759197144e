#include "race_oracle.h"

#include <fmt/format.h>

#include <algorithm>
#include <bitset>
#include <map>
#include <optional>

#include "anaphora/runtime_abi.h"

namespace ana::oracle {

namespace {

constexpr size_t kMaxEvents = 128;
constexpr uint32_t kThreads = 4;
constexpr uint64_t kMutex = 0x9000, kShared = 0x9100, kSemaphore = 0x9200, kBarrier = 0x9300, kAtomics = 0x2000, kPlain = 0x1000,
                   kBlock = 0x3000;
using Set = std::bitset<kMaxEvents>;

bool has(const LiveReference& e, uint32_t flag) { return (e.flags & flag) != 0; }
bool is_access(const LiveReference& e) { return e.told == Told::kAccess; }
bool is_atomic_write(const LiveReference& e) { return is_access(e) && has(e, ANA_SITE_ATOMIC) && e.write(); }
bool is_fence(const LiveReference& e, uint32_t flag) { return e.told == Told::kFence && has(e, flag); }

class Generator {
 public:
  explicit Generator(std::mt19937_64& random) : random_(random) {}

  RacingExecution run() {
    size_t wanted = 12 + pick(60);
    // All may wait at the barrier: that is the end, too.
    for (size_t tries = 0; out_.events.size() < wanted && tries < 20 * kMaxEvents; tries++) step();
    return std::move(out_);
  }

 private:
  enum class Life { kUnborn, kAlive, kEnded, kJoined };
  uint64_t pick(uint64_t n) { return random_() % n; }

  LiveReference& add(uint32_t slot, Told told, uint64_t address) {
    LiveReference e{};
    e.stamp = out_.events.size();
    e.told = told;
    e.what = LiveReference::pack(address, 1, false);
    e.count = ++counts_[slot];
    e.site = 0x100000 + out_.events.size() * 16;  // each is a place of its own
    out_.events.push_back({slot, e});
    return out_.events.back().event;
  }

  void access(uint32_t slot) {
    uint64_t address = pick(4) ? kPlain + pick(6) : kAtomics + 8 * pick(2);
    LiveReference& e = add(slot, Told::kAccess, address);
    bool write = pick(2);
    e.what = LiveReference::pack(address, address < kAtomics ? 1 + pick(3) : 8, write);
    e.flags = write ? ANA_SITE_WRITE : ANA_SITE_READ;
  }

  void atomic(uint32_t slot) {
    uint64_t address = kAtomics + 8 * pick(2);
    LiveReference& e = add(slot, Told::kAccess, address);
    constexpr uint32_t kKinds[] = {ANA_SITE_READ, ANA_SITE_WRITE, ANA_SITE_READ | ANA_SITE_WRITE};
    uint32_t kind = kKinds[pick(3)], order = 0;
    if (kind & ANA_SITE_READ) order |= pick(2) ? ANA_SITE_ACQUIRE : 0;
    if (kind & ANA_SITE_WRITE) order |= pick(2) ? ANA_SITE_RELEASE : 0;
    e.what = LiveReference::pack(address, 8, kind & ANA_SITE_WRITE);
    e.flags = kind | order | ANA_SITE_ATOMIC;
  }

  void fence(uint32_t slot) {
    constexpr uint32_t kOrders[] = {ANA_SITE_ACQUIRE, ANA_SITE_RELEASE, ANA_SITE_ACQUIRE | ANA_SITE_RELEASE};
    add(slot, Told::kFence, 0).flags = ANA_SITE_ATOMIC | kOrders[pick(3)];
  }

  void mutex(uint32_t slot) {
    if (owner_ == slot) {
      add(slot, Told::kRelease, kMutex);
      owner_.reset();
    } else if (!owner_) {
      add(slot, Told::kAcquire, kMutex);
      owner_ = slot;
    }
  }

  void shared_lock(uint32_t slot) {
    if (writer_ == slot || readers_.contains(slot)) {
      add(slot, Told::kRelease, kShared);
      if (writer_ == slot) writer_.reset();
      readers_.erase(slot);
    } else if (!writer_ && pick(2)) {
      add(slot, Told::kAcquireShared, kShared);
      readers_.insert(slot);
    } else if (!writer_ && readers_.empty()) {
      add(slot, Told::kAcquireAlone, kShared);
      writer_ = slot;
    }
  }

  void semaphore(uint32_t slot) {
    if (value_ > 0 && pick(2)) {
      add(slot, Told::kAcquire, kSemaphore);
      value_--;
    } else {
      add(slot, Told::kRelease, kSemaphore);
      value_++;
    }
  }

  // Two at a time pass.
  void barrier(uint32_t slot) {
    if (inside_.contains(slot)) return;
    add(slot, Told::kArrive, kBarrier).value = 2;
    out_.events.back().passage = arrived_ / 2;
    inside_[slot] = arrived_++ / 2;
  }
  void leave(uint32_t slot) {
    uint32_t passage = inside_[slot];
    if (arrived_ < 2 * (passage + 1)) return;
    add(slot, Told::kLeave, kBarrier);
    out_.events.back().passage = passage;
    inside_.erase(slot);
  }

  void thread(uint32_t slot) {
    auto other = static_cast<uint32_t>(1 + pick(kThreads - 1));
    if (life_[other] == Life::kUnborn || (life_[other] == Life::kJoined && pick(2))) {
      add(slot, Told::kCreate, other);
      add(other, Told::kStart, other);
      life_[other] = Life::kAlive;
    } else if (life_[other] == Life::kEnded) {
      add(slot, Told::kJoin, other);
      life_[other] = Life::kJoined;
    } else if (slot != 0 && !pick(4) && owner_ != slot && writer_ != slot && !readers_.contains(slot)) {
      add(slot, Told::kEnd, slot);
      life_[slot] = Life::kEnded;
    }
  }

  void block(uint32_t slot) {
    if (allocated_ && pick(3)) {
      LiveReference& e = add(slot, Told::kAccess, kBlock + pick(8));
      e.what = LiveReference::pack(e.address(), 1, true);
      e.flags = ANA_SITE_WRITE;
    } else {
      add(slot, Told::kAllocate, kBlock).value = 8;
      allocated_ = true;
    }
  }

  void step() {
    auto slot = static_cast<uint32_t>(pick(kThreads));
    if (slot != 0 && life_[slot] != Life::kAlive) slot = 0;
    if (inside_.contains(slot)) return leave(slot);
    switch (pick(16)) {
      case 0: case 1: return mutex(slot);
      case 2: return shared_lock(slot);
      case 3: return semaphore(slot);
      case 4: return barrier(slot);
      case 5: case 6: return thread(slot);
      case 7: case 8: case 9: return atomic(slot);
      case 10: return fence(slot);
      case 11: return block(slot);
      default: return access(slot);
    }
  }

  std::mt19937_64& random_;
  RacingExecution out_;
  uint64_t counts_[kThreads] = {};
  Life life_[kThreads] = {};
  std::optional<uint32_t> owner_, writer_;
  std::set<uint32_t> readers_;
  std::map<uint32_t, uint32_t> inside_;
  uint32_t arrived_ = 0;
  int value_ = 0;
  bool allocated_ = false;
};

// What an event is synchronised with, from the definitions. Events are numbered as in the execution.
class Order {
 public:
  explicit Order(const RacingExecution& execution) : events_(execution.events), before_(events_.size()) {
    for (size_t j = 0; j < events_.size(); j++) {
      for (size_t i = 0; i < j; i++) {
        if (in_thread(i, j) || synchronises(i, j)) add(i, j);
      }
      if (is_access(events_[j].event) && has(events_[j].event, ANA_SITE_ATOMIC) && has(events_[j].event, ANA_SITE_READ)) read(j);
      fences(j);
    }
  }
  bool ordered(size_t i, size_t j) const { return before_[j][i]; }

 private:
  void add(size_t i, size_t j) { before_[j] |= before_[i].test(i) ? before_[i] : Set(before_[i]).set(i); }

  const LiveReference& e(size_t i) const { return events_[i].event; }

  // A slot's later thread is another one; that it comes after the earlier is known only by way of its creation.
  size_t birth(size_t i) const {
    for (size_t k = i + 1; k-- > 0;) {
      if (events_[k].slot == events_[i].slot && e(k).told == Told::kStart) return k;
    }
    return kMaxEvents;
  }
  bool in_thread(size_t i, size_t j) const { return events_[i].slot == events_[j].slot && birth(i) == birth(j); }

  // Who has the lock of readers and writers alone when event i releases it.
  bool releases_alone(size_t i) const {
    for (size_t k = i; k-- > 0;) {
      if (e(k).address() != e(i).address() || events_[k].slot != events_[i].slot) continue;
      if (e(k).told == Told::kAcquireShared || e(k).told == Told::kAcquireAlone) return e(k).told == Told::kAcquireAlone;
    }
    return true;
  }

  bool synchronises(size_t i, size_t j) const {
    const LiveReference &a = e(i), &b = e(j);
    if (a.told == Told::kCreate && b.told == Told::kStart) return a.address() == events_[j].slot && i + 1 == j;
    if (a.told == Told::kEnd && b.told == Told::kJoin) {
      if (events_[i].slot != b.address()) return false;
      for (size_t k = i + 1; k < j; k++) {
        if (e(k).told == Told::kCreate && e(k).address() == b.address()) return false;  // another thread's end
      }
      return true;
    }
    if (a.address() != b.address()) return false;
    if (a.told == Told::kArrive && b.told == Told::kLeave) return events_[i].passage == events_[j].passage;
    if (a.told != Told::kRelease) return false;
    if (b.told == Told::kAcquireShared) return releases_alone(i);
    return b.told == Told::kAcquire || b.told == Told::kAcquireAlone;
  }

  // The heads of the release sequences that end in the write which atomic event j reads.
  std::vector<size_t> heads(size_t j) const {
    std::vector<size_t> out;
    for (size_t k = j; k-- > 0;) {
      if (!is_atomic_write(e(k)) || e(k).address() != e(j).address()) continue;
      if (has(e(k), ANA_SITE_RELEASE)) out.push_back(k);
      for (size_t f = k; f-- > 0;) {
        if (is_fence(e(f), ANA_SITE_RELEASE) && in_thread(f, k)) {
          out.push_back(f);
          break;
        }
      }
      if (!has(e(k), ANA_SITE_READ)) break;
    }
    return out;
  }
  void read(size_t j) {
    if (!has(e(j), ANA_SITE_ACQUIRE)) return;
    for (size_t i : heads(j)) add(i, j);
  }
  // An acquire fence is synchronised with what the loads before it read.
  void fences(size_t j) {
    if (!is_fence(e(j), ANA_SITE_ACQUIRE)) return;
    for (size_t k = 0; k < j; k++) {
      bool loads = is_access(e(k)) && has(e(k), ANA_SITE_ATOMIC) && has(e(k), ANA_SITE_READ);
      if (!loads || !in_thread(k, j)) continue;
      for (size_t i : heads(k)) add(i, j);
    }
  }

  const std::vector<Happening>& events_;
  std::vector<Set> before_;
};

}  // namespace

std::string RacingExecution::text() const {
  std::string out;
  for (size_t i = 0; i < events.size(); i++) {
    const LiveReference& e = events[i].event;
    out += fmt::format("{}: slot {} told {} address {:#x}+{} {} flags {:#x}\n", i, events[i].slot, static_cast<int>(e.told),
                       e.address(), e.bytes(), e.write() ? "w" : "r", e.flags);
  }
  return out;
}

RacingExecution random_racing_execution(std::mt19937_64& random) { return Generator(random).run(); }

std::set<std::pair<size_t, size_t>> races_of(const RacingExecution& execution) {
  Order order(execution);
  std::set<std::pair<size_t, size_t>> out;
  const auto& events = execution.events;
  for (size_t j = 0; j < events.size(); j++) {
    for (size_t i = 0; i < j; i++) {
      const LiveReference &a = events[i].event, &b = events[j].event;
      if (!is_access(a) || !is_access(b) || !(a.write() || b.write())) continue;
      if (has(a, ANA_SITE_ATOMIC) && has(b, ANA_SITE_ATOMIC)) continue;
      if (a.address() >= b.address() + b.bytes() || b.address() >= a.address() + a.bytes() || order.ordered(i, j)) continue;
      bool other_block = false;  // memory that was given out anew in between
      for (size_t k = i; k < j; k++) {
        const LiveReference& e = events[k].event;
        other_block |= e.told == Told::kAllocate && a.address() >= e.address() && a.address() < e.address() + e.value;
      }
      if (!other_block) out.emplace(i, j);
    }
  }
  return out;
}

std::set<uint64_t> racy_bytes_of(const RacingExecution& execution, const std::set<std::pair<size_t, size_t>>& races) {
  std::set<uint64_t> out;
  for (auto [i, j] : races) {
    const LiveReference &a = execution.events[i].event, &b = execution.events[j].event;
    uint64_t first = std::max(a.address(), b.address());
    uint64_t end = std::min(a.address() + a.bytes(), b.address() + b.bytes());
    for (; first < end; first++) out.insert(first);
  }
  return out;
}

}  // namespace ana::oracle
