#include "runtime/host/order/references.h"

#include "runtime/host/stream.h"
#include "trace/live_reference.h"

namespace ana {
namespace {

alignas(64) uint64_t g_stamp;

}  // namespace

void tell_references(Slot& slot, const AnaRange* ranges, uint32_t count, uint64_t site) {
  for (uint32_t i = 0; i < count; ++i) {
    bool write = ranges[i].first & ANA_RANGE_WRITE;
    uint64_t at = ranges[i].first & ~ANA_RANGE_WRITE, last = ranges[i].last;
    while (at <= last) {
      uint64_t bytes = last - at < kMaxLiveBytes ? last - at + 1 : kMaxLiveBytes;
      // Sequentially consistent: after what was waited for, before the access.
      uint64_t stamp = __atomic_fetch_add(&g_stamp, 1, __ATOMIC_SEQ_CST);
      put_reference(slot, {stamp, LiveReference::pack(at, bytes, write), site, slot.shared->count});
      at += bytes;
    }
  }
}

void tell_object(Slot& slot, uint64_t object) {
  if (recording() || !tells_references()) return;
  AnaRange range{object | ANA_RANGE_WRITE, object};
  tell_references(slot, &range, 1, kSiteOperation);
}

}  // namespace ana
