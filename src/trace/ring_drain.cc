#include "trace/ring_drain.h"

#include <fmt/format.h>
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

namespace ana {

namespace {
// The thread may go on while the rest is compressed.
constexpr uint64_t kStepBytes = kRingBytes / 4;
}  // namespace

Status RingDrain::pass() {
  last_bell_ = this_bell_;
  this_bell_ = __atomic_load_n(&session_.header().doorbell, __ATOMIC_SEQ_CST);
  uint32_t used = session_.slots_used();
  for (uint32_t i = 0; i < used; i++) {
    if (Status s = drain_slot(i); !s) return s;
  }
  return {};
}

Status RingDrain::drain_slot(uint32_t index) {
  SlotShared& slot = session_.slot(index);
  uint64_t head = __atomic_load_n(&slot.head, __ATOMIC_ACQUIRE);  // pairs with the release of the slot's thread
  uint64_t tail = slot.tail;
  if (head == tail) return {};
  if (head - tail > kRingBytes) {
    return Error{fmt::format("the program has overwritten the memory of its recording (slot {})", index)};
  }
  const uint8_t* ring = session_.ring(index);
  for (uint64_t at = tail; at < head;) {
    uint64_t place = at % kRingBytes;
    uint64_t step = std::min({head - at, kRingBytes - place, kStepBytes});
    if (Status s = writer_.append(index, ring + place, step); !s) return s;
    at += step;
    release(slot, at);
  }
  return {};
}

void RingDrain::release(SlotShared& slot, uint64_t tail) {
  // Sequentially consistent with the doorbell below and the thread's increment of it: see the header.
  __atomic_store_n(&slot.tail, tail, __ATOMIC_SEQ_CST);
  if (__atomic_load_n(&session_.header().doorbell, __ATOMIC_SEQ_CST) != last_bell_) {
    ::syscall(SYS_futex, &slot.tail, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
  }
}

}  // namespace ana
