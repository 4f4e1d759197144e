#include "runtime/host/order/references.h"

#include <ucontext.h>

#include "runtime/host/look.h"
#include "runtime/host/order/callers.h"
#include "runtime/host/order/translated.h"
#include "runtime/host/stream.h"

extern "C" const char ana_look_copy[], ana_look_failed[];

namespace ana {
namespace {

alignas(64) uint64_t g_stamp;

// Sequentially consistent: after what was waited for, before the access.
uint64_t next_stamp() { return __atomic_fetch_add(&g_stamp, 1, __ATOMIC_SEQ_CST); }

void put_access(Slot& slot, const AnaRange& range, bool write, uint64_t site, uint32_t flags,
                const Turn& turn = {.comes_again = false}) {
  site = told_site(slot, site);
  if (looking()) return look_at_access(slot, range, site);
  settle_noted(slot);
  uint64_t at = range.first & ~ANA_RANGE_WRITE, last = range.last;
  while (at <= last) {
    uint64_t bytes = last - at < kMaxLiveBytes ? last - at + 1 : kMaxLiveBytes;
    LiveReference reference{};
    if (tells_synchronisation() && bytes <= sizeof(reference.value))
      reference.has_value = ana_look(reinterpret_cast<const void*>(at), &reference.value, bytes);
    reference.stamp = next_stamp();
    reference.what = LiveReference::pack(at, bytes, write);
    reference.site = site;
    reference.count = slot.shared->count;
    reference.flags = flags;
    reference.announced = turn.comes_again;
    reference.counted = turn.counted;
    reference.ends_epoch = (flags & ANA_SITE_RELEASE) && turn.ends_epoch;
    put_reference(slot, reference);
    if (reference.ends_epoch) end_told_epoch(slot);
    at += bytes;
  }
}

// What a site says of the i-th of its ranges. Of a copy the first is what is read (Emitter::bracket()); what is not known
// better is what the range says.
bool writes(const AnaRange& range, uint32_t i, uint32_t flags) {
  if ((flags & (ANA_SITE_READ | ANA_SITE_WRITE | ANA_SITE_ATOMIC)) == (ANA_SITE_READ | ANA_SITE_WRITE)) return i > 0;
  if (flags & (ANA_SITE_READ | ANA_SITE_WRITE)) return flags & ANA_SITE_WRITE;
  return range.first & ANA_RANGE_WRITE;
}

// An atomic access does all that its site says. Otherwise who reads and writes is a copy, each range of which does one.
uint32_t flags_of_range(uint32_t flags, bool write) {
  return flags & ANA_SITE_ATOMIC ? flags : flags & ~(write ? ANA_SITE_READ : ANA_SITE_WRITE);
}

}  // namespace

void tell_access(Slot& slot, const AnaRange& range, uint64_t site, uint32_t flags) {
  put_access(slot, range, range.first & ANA_RANGE_WRITE, site, flags);
}

void tell_references(Slot& slot, const AnaRange* ranges, uint32_t count, uint64_t site) {
  uint32_t said = flags_of(site), flags = tells_synchronisation() ? said : 0;
  if (flags & ANA_SITE_CLAIM) return;
  if (is_fence(flags)) return tell(slot, Told::kFence, 0, 0, site, flags);
  if (!tells_synchronisation()) said &= ANA_SITE_READ | ANA_SITE_WRITE | ANA_SITE_ATOMIC;
  for (uint32_t i = 0; i < count; ++i) {
    bool write = writes(ranges[i], i, flags);
    put_access(slot, ranges[i], write, site, flags_of_range(said, write));
  }
}

void tell_atomic(Slot& slot, const AnaRange& range, uint64_t site) {
  uint32_t flags = flags_of(site);
  Turn turn = turn_of_check(slot);
  if (!turn.told || (flags & ANA_SITE_CLAIM)) return;
  if (is_fence(flags)) return tell(slot, Told::kFence, 0, 0, site, flags);
  turn.comes_again &= translating();
  put_access(slot, range, writes(range, 0, flags), site, flags, turn);
}

// As analysis/synchronisation.h has it: the thread's time grows.
static bool releases(Told what, uint32_t flags) {
  return what == Told::kRelease || what == Told::kArrive || what == Told::kCreate ||
         (what == Told::kFence && (flags & ANA_SITE_RELEASE));
}

// What is told now, and is no access.
static LiveReference told_now(const Slot& slot, Told what, uint64_t address, uint64_t site, uint64_t value) {
  LiveReference reference{};
  reference.stamp = next_stamp();
  reference.what = LiveReference::pack(address, 1, false);
  reference.site = site;
  reference.count = slot.shared->count;
  reference.value = value;
  reference.told = what;
  return reference;
}

void put_look(Slot& slot, Told what, uint64_t address, uint64_t site, uint64_t value, bool has_value) {
  LiveReference reference = told_now(slot, what, address, site, value);
  reference.has_value = has_value;
  put_reference(slot, reference);
}

void put_run(Slot& slot, const CompactReference* run, uint64_t count) {
  put_reference(slot, told_now(slot, Told::kRun, 0, 0, count), run, count);
}

void tell_object(Slot& slot, uint64_t object, Told operation, uint64_t address) {
  if (recording() || telling() != Telling::kReferences) return;
  settle_noted(slot);
  LiveReference reference = told_now(slot, Told::kAccess, object, told_site(slot, kSiteOperation), address);
  reference.what = LiveReference::pack(object, 1, true);
  reference.operation = operation;
  put_reference(slot, reference);
}

static bool is_counted(Told what) { return what >= Told::kAcquire && what <= Told::kLeave; }

void put_told(Slot& slot, Told what, uint64_t address, uint64_t value, uint64_t site, uint32_t flags) {
  Turn turn = is_counted(what) ? next_turn(slot) : Turn{};
  if (!turn.told) return;
  settle_noted(slot);
  LiveReference reference = told_now(slot, what, address, site, value);
  reference.flags = flags;
  reference.counted = turn.counted;
  reference.ends_epoch = releases(what, flags) && turn.ends_epoch;
  put_reference(slot, reference);
  if (what == Told::kAllocate) note_cleared(slot, address, value);
  else if (what == Told::kStart) note_cleared(slot);
  else if (reference.ends_epoch) end_told_epoch(slot);
}

void tell_from_program(Told what, const void* at, uint64_t bytes, const void* site) {
  Slot& slot = self();
  auto address = reinterpret_cast<uint64_t>(at), place = reinterpret_cast<uint64_t>(site);
  if (what != Told::kAccess) return tell(slot, what, address, bytes, place);
  if (!tells_synchronisation() || !bytes) return;
  put_access(slot, {address, address + bytes - 1}, flags_of(place) & ANA_SITE_WRITE, place, flags_of(place));
}

bool is_failed_look(void* context) {
  auto& pc = reinterpret_cast<uint64_t&>(static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
  if (pc != reinterpret_cast<uint64_t>(ana_look_copy)) return false;
  pc = reinterpret_cast<uint64_t>(ana_look_failed);
  return true;
}

}  // namespace ana
