#include "trace/reference_merge.h"

#include <fmt/format.h>
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

namespace ana {

namespace {
constexpr uint64_t kReferencesPerPass = 1 << 17;
constexpr uint64_t kReleaseBytes = kRingBytes / 4;
constexpr size_t kExpandedAtOnce = 256;
constexpr uint32_t kUpdates = ANA_SITE_READ | ANA_SITE_WRITE;
}  // namespace

void ReferenceFileSink::take(uint32_t slot, std::span<const LiveReference> events) {
  for (const LiveReference& live : events) {
    writer_.add(slot, {live.address(), live.bytes(), live.write() ? ReferenceKind::write : ReferenceKind::read, live.site,
                       live.count});
  }
}

Result<uint64_t> ReferenceMerge::pass() {
  last_bell_ = this_bell_;
  this_bell_ = __atomic_load_n(&session_.header().doorbell, __ATOMIC_SEQ_CST);
  rings_.resize(session_.slots_used());
  for (uint32_t i = 0; i < rings_.size(); i++) {
    if (Status s = look(i); !s) return s.error();
  }
  uint64_t before = taken_;
  while (!first_.empty() && first_.top().first == next_ && taken_ - before < kReferencesPerPass) {
    uint32_t slot = first_.top().second;
    first_.pop();
    rings_[slot].waits = false;
    if (Status s = take_next(slot); !s) return s.error();
    if (Status s = look(slot); !s) return s.error();
  }
  if (!first_.empty() && first_.top().first < next_)
    return Error{fmt::format("the program has overwritten the memory of its replay (slot {})", first_.top().second)};
  for (uint32_t i = 0; i < rings_.size(); i++) release(i);
  if (Status s = sink_.status(); !s) return s.error();
  return taken_ - before;
}

// What the ring has now.
Status ReferenceMerge::look(uint32_t slot) {
  Ring& ring = rings_[slot];
  ring.head = __atomic_load_n(&session_.slot(slot).head, __ATOMIC_ACQUIRE);  // pairs with the release of the slot's thread
  if (ring.head - ring.at > kRingBytes || ring.head % sizeof(LiveReference) != 0)
    return Error{fmt::format("the program has overwritten the memory of its replay (slot {})", slot)};
  if (ring.waits || ring.at == ring.head) return {};
  ring.waits = true;
  first_.emplace(first(slot).stamp, slot);
  return {};
}

const LiveReference& ReferenceMerge::first(uint32_t slot) const {
  return *reinterpret_cast<const LiveReference*>(session_.ring(slot) + rings_[slot].at % kRingBytes);
}

// The first reference of the ring, whose turn it is, and those that follow it directly.
Status ReferenceMerge::take_next(uint32_t slot) {
  Ring& ring = rings_[slot];
  do {
    if (first(slot).told == Told::kRun) {
      if (Status s = take_run(slot); !s) return s;
    } else {
      take_events(slot);
    }
    if (ring.at - session_.slot(slot).tail >= kReleaseBytes) release(slot);
  } while (ring.at != ring.head && first(slot).stamp == next_);
  return {};
}

void ReferenceMerge::take_events(uint32_t slot) {
  Ring& ring = rings_[slot];
  // What lies in one piece, and leaves room for the thread in time.
  uint64_t end = std::min({ring.head, ring.at + kReleaseBytes, ring.at - ring.at % kRingBytes + kRingBytes});
  const LiveReference* from = &first(slot);
  uint64_t most = (end - ring.at) / sizeof(LiveReference), n = 1;
  while (n < most && from[n].told != Told::kRun && from[n].stamp == next_ + n) n++;
  ring.announced = from[n - 1].announced ? from[n - 1].address() : 0;
  ring.atomic_only = (from[n - 1].flags & kUpdates) == kUpdates;
  sink_.take(slot, {from, n});
  ring.at += n * sizeof(LiveReference);
  next_ += n;
  taken_ += n;
}

// What translated code has noted, as if each had been told by itself.
Status ReferenceMerge::take_run(uint32_t slot) {
  Ring& ring = rings_[slot];
  const LiveReference& head = first(slot);
  uint64_t left = head.value, count = head.count;
  uint64_t bytes = (left * sizeof(CompactReference) + sizeof head - 1) / sizeof head * sizeof head;
  if (ring.head - ring.at < sizeof head + bytes)
    return Error{fmt::format("the program has overwritten the memory of its replay (slot {})", slot)};
  uint64_t end = ring.at + sizeof head + bytes;
  ring.at += sizeof head;
  expanded_.resize(kExpandedAtOnce);
  size_t n = 0;
  for (; left; left--, ring.at += sizeof(CompactReference)) {
    auto* from = reinterpret_cast<const CompactReference*>(session_.ring(slot) + ring.at % kRingBytes);
    if (from->operand >= operands_.size())
      return Error{fmt::format("the program has overwritten the memory of its replay (slot {})", slot)};
    if (!expand(slot, *from, count, expanded_[n])) continue;
    if (++n < kExpandedAtOnce) continue;
    sink_.take(slot, {expanded_.data(), n});
    n = 0;
  }
  if (n) sink_.take(slot, {expanded_.data(), n});
  taken_ += head.value + 1;
  ring.at = end;
  next_++;
  return {};
}

// False if its check has told it.
bool ReferenceMerge::expand(uint32_t slot, const CompactReference& from, uint64_t count, LiveReference& to) {
  const KnownOperand& operand = operands_[from.operand];
  to.what = LiveReference::pack(from.address, operand.bytes, operand.write);
  Ring& ring = rings_[slot];
  if (ring.announced && ring.announced == to.address() && (!ring.atomic_only || operand.flags & ANA_SITE_ATOMIC)) {
    ring.announced = 0;
    return false;
  }
  to.site = operand.site;
  to.count = count - static_cast<uint32_t>(static_cast<uint32_t>(count) - from.count);
  to.flags = operand.flags;
  to.stamp = kNotedStamp;
  return true;
}

void ReferenceMerge::release(uint32_t slot) {
  SlotShared& shared = session_.slot(slot);
  if (shared.tail == rings_[slot].at) return;
  // Sequentially consistent with the doorbell below and the thread's increment of it: see ring_drain.h.
  __atomic_store_n(&shared.tail, rings_[slot].at, __ATOMIC_SEQ_CST);
  if (__atomic_load_n(&session_.header().doorbell, __ATOMIC_SEQ_CST) != last_bell_)
    ::syscall(SYS_futex, &shared.tail, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

Status ReferenceMerge::check_complete() const {
  if (first_.empty()) return {};
  return Error{fmt::format("the program ended before it had told of its reference {}", next_ + 1)};
}

}  // namespace ana
