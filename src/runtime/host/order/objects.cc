#include "runtime/host/order/objects.h"

#include <linux/futex.h>
#include <sys/syscall.h>

#include "runtime/host/order/chaos.h"
#include "runtime/host/order/operation.h"
#include "runtime/host/order/ownership.h"
#include "runtime/host/order/references.h"
#include "runtime/host/order/tracing.h"
#include "runtime/host/stream.h"

namespace ana {
namespace {

struct Order {
  SpinLock lock;
  uint32_t releaser;   // slot + 1
  LongEpoch epoch;     // in which it released
  bool was_shared;     // it has changed hands
  uint32_t streak;     // releases in a row by the same thread since it last did
};

// An object that has just changed hands will do so again: its releaser ends the epoch at once, so that nobody has to ask
// for it. After this many releases by one thread it is taken for that thread's own.
constexpr uint32_t kStreakOfAnOwner = 16;

// Objects whose addresses collide share an entry: too much order, never too little.
struct alignas(64) Entry {
  Order order;
  uint32_t word;       // sections: 0 free, 1 taken, 2 taken and somebody waits
  uint32_t owner;      // sections: slot + 1
  uint32_t depth;
};

constexpr uint32_t kEntries = 4096;
Entry g_objects[kEntries], g_sections[kEntries], g_known[static_cast<uint32_t>(WellKnown::kCount)];

uint32_t hash(const void* object) { return (reinterpret_cast<uint64_t>(object) * 0x9e3779b97f4a7c15ull) >> 52; }
static_assert(kEntries == 1 << 12);

Entry& known(WellKnown object) { return g_known[static_cast<uint32_t>(object)]; }

// The beginning of a pthread_barrier_t, as glibc has had it since 2.25.
struct Barrier {
  uint32_t in, round, count;
};

// Entries are as far apart as their addresses say.
uint64_t number_of(const Order& order) {
  return object_number(ObjectKind::kOrder, reinterpret_cast<uint64_t>(&order) / sizeof(Entry) % (1 << 20));
}

void acquire(Slot& slot, Order& order) {
  if (replaying()) return tell_object(slot, number_of(order));
  if (tracing()) return trace_object(slot, number_of(order));
  order.lock.lock();
  uint32_t releaser = order.releaser;
  LongEpoch epoch = order.epoch;
  if (releaser && releaser != slot.id + 1) {
    order.was_shared = true;
    order.streak = 0;
  }
  order.lock.unlock();
  if (!releaser || releaser == slot.id + 1 || slot.clock[releaser - 1] >= epoch) return;
  Slot& source = g_slots[releaser - 1];
  wait_for_epoch(slot, source, epoch);
  ++slot.shared->status.dependences;
  take_order_from(slot, source, kSiteOperation);
}

// Releases form a chain: who releases comes after the last release. For a mutex that is so anyway; readers, posts, barriers
// and objects that share the entry need it, so it is made sure of under the entry's lock.
void release(Slot& slot, Order& order, bool hand_over) {
  if (replaying()) return tell_object(slot, number_of(order));
  if (tracing()) return trace_object(slot, number_of(order));
  for (;;) {
    order.lock.lock();
    uint32_t last = order.releaser;
    if (!last || last == slot.id + 1 || slot.clock[last - 1] >= order.epoch) break;
    order.lock.unlock();
    acquire(slot, order);
  }
  order.releaser = slot.id + 1;
  order.epoch = long_epoch(slot.generation, slot.epoch);
  bool shared = order.streak < kStreakOfAnOwner && order.was_shared;
  if (order.streak < kStreakOfAnOwner) ++order.streak;
  order.lock.unlock();
  if (shared || hand_over) end_epoch(slot);
}

void lock_section(Slot& slot, Entry& entry) {
  uint32_t free = 0;
  if (__atomic_compare_exchange_n(&entry.word, &free, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) return;
  block_enter(slot);
  while (__atomic_exchange_n(&entry.word, 2, __ATOMIC_ACQUIRE))  // pairs with unlock_section()
    raw(SYS_futex, &entry.word, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, 2, nullptr);
  block_exit(slot);
}

void unlock_section(Entry& entry) {
  if (__atomic_exchange_n(&entry.word, 0, __ATOMIC_RELEASE) == 2)
    raw(SYS_futex, &entry.word, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, 1);
}

// `lock`: the program's object, if it may rely on it; else null.
void enter(Entry& entry, const void* lock) {
  Slot& slot = self();
  operation_begin(slot);
  ++slot.sections;
  if (__atomic_load_n(&entry.owner, __ATOMIC_RELAXED) == slot.id + 1) {
    ++entry.depth;
    return;
  }
  if (recording()) lock_section(slot, entry);
  acquire(slot, entry.order);
  if (lock) tell(slot, Told::kAcquire, reinterpret_cast<uint64_t>(lock));
  __atomic_store_n(&entry.owner, slot.id + 1, __ATOMIC_RELAXED);
}

// The release happens at the count of the end, after everything done inside.
void leave(Entry& entry, const void* lock) {
  Slot& slot = self();
  --slot.sections;
  if (entry.depth) {
    --entry.depth;
    operation_end(slot);
    return take_pins(slot);
  }
  __atomic_store_n(&entry.owner, 0, __ATOMIC_RELAXED);
  operation_end(slot);
  release(slot, entry.order, false);
  if (lock) tell(slot, Told::kRelease, reinterpret_cast<uint64_t>(lock));
  if (recording()) unlock_section(entry);
  take_pins(slot);
}

}  // namespace

void object_acquire(const void* object, Told as) {
  chaos_operation(self());
  acquire(self(), g_objects[hash(object)].order);
  tell(self(), as, reinterpret_cast<uint64_t>(object));
}
void object_release(const void* object, bool hand_over, Told as) {
  chaos_operation(self());
  release(self(), g_objects[hash(object)].order, hand_over);
  tell(self(), as, reinterpret_cast<uint64_t>(object), as == Told::kArrive ? static_cast<const Barrier*>(object)->count : 0);
}

void section_enter(const void* object, bool as_lock) { enter(g_sections[hash(object)], as_lock ? object : nullptr); }
void section_leave(const void* object, bool as_lock) { leave(g_sections[hash(object)], as_lock ? object : nullptr); }
void known_enter(WellKnown object) { enter(known(object), nullptr); }
void known_leave(WellKnown object) { leave(known(object), nullptr); }

}  // namespace ana
