#include "runtime/host/order/objects.h"

#include <linux/futex.h>
#include <sys/syscall.h>

#include "runtime/host/order/chaos.h"
#include "runtime/host/order/operation.h"
#include "runtime/host/order/ownership.h"
#include "runtime/host/order/references.h"
#include "runtime/host/order/serial.h"
#include "runtime/host/order/tracing.h"
#include "runtime/host/stream.h"

namespace ana {
namespace {

// Who released it last and in which epoch are one word, so that taking an object that is the thread's own, and giving it
// back in the same epoch, is a look at it. The rest only guides: it may be wrong.
struct Order {
  uint64_t last;       // release: slot + 1, and the moment
  uint32_t streak;     // releases in a row by the same thread
  uint32_t hurry;      // how often of late it went to another thread after one release or two

  static constexpr uint32_t kEpochBits = 53;
  static uint64_t release_of(const Slot& slot) {
    return uint64_t{slot.id + 1} << kEpochBits | long_epoch(slot.generation, slot.moment);
  }
};
static_assert(kMaxSlots < 1 << (64 - Order::kEpochBits));

uint32_t releaser_of(uint64_t release) { return static_cast<uint32_t>(release >> Order::kEpochBits); }
LongEpoch moment_of(uint64_t release) { return release & ((uint64_t{1} << Order::kEpochBits) - 1); }

// An object that goes from hand to hand will do so again: its releaser ends the epoch at once, so that nobody has to ask
// for it. Not one that a thread uses several times before the next gets it, which would cost it all that it holds each time.
constexpr uint32_t kShortStreak = 2, kLargestHurry = 4;

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

// It comes from another thread.
void note_change(Order& order) {
  uint32_t hurry = __atomic_load_n(&order.hurry, __ATOMIC_RELAXED);
  bool is_short = __atomic_load_n(&order.streak, __ATOMIC_RELAXED) <= kShortStreak;
  hurry = !is_short ? hurry / 2 : hurry < kLargestHurry ? hurry + 1 : hurry;
  __atomic_store_n(&order.hurry, hurry, __ATOMIC_RELAXED);
  __atomic_store_n(&order.streak, 0, __ATOMIC_RELAXED);
}

bool is_after(const Slot& slot, uint64_t release) {
  uint32_t releaser = releaser_of(release);
  return !releaser || releaser == slot.id + 1 || slot.clock[releaser - 1] >= moment_of(release);
}

void acquire(Slot& slot, Order& order) {
  if (tracing()) return trace_object(slot, number_of(order));
  uint64_t last = __atomic_load_n(&order.last, __ATOMIC_ACQUIRE);
  uint32_t releaser = releaser_of(last);
  if (!releaser || releaser == slot.id + 1) return;
  note_change(order);
  if (is_after(slot, last)) return;
  Slot& source = g_slots[releaser - 1];
  wait_for_moment(slot, source, moment_of(last));
  ++slot.shared->status.dependences;
  take_order_from(slot, source, kSiteOperation);
}

// Releases form a chain: who releases comes after the last release. For a mutex that is so anyway; readers, posts, barriers
// and objects that share the entry need it. A release that is there already, of this thread in this epoch, needs no
// store: nobody can have come after it and released, since that waits for the epoch to end.
void release(Slot& slot, Order& order, bool hand_over) {
  if (tracing()) return trace_object(slot, number_of(order));
  for (;;) {
    uint64_t last = __atomic_load_n(&order.last, __ATOMIC_ACQUIRE);
    if (!is_after(slot, last)) {
      acquire(slot, order);
      continue;
    }
    uint64_t mine = Order::release_of(slot);
    if (last == mine) break;
    if (__atomic_compare_exchange_n(&order.last, &last, mine, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) break;
  }
  uint32_t streak = __atomic_load_n(&order.streak, __ATOMIC_RELAXED);
  if (streak <= kShortStreak) __atomic_store_n(&order.streak, streak + 1, __ATOMIC_RELAXED);
  bool is_hurried = streak < kShortStreak && __atomic_load_n(&order.hurry, __ATOMIC_RELAXED) > 1;
  if (is_hurried || hand_over) let_others_follow(slot);
}

// In a replay the order is there: it is told what happens. `object`: null if it means nothing to the program.
void acquire(Slot& slot, Order& order, const void* object, Told as) {
  if (!replaying()) return acquire(slot, order);
  tell_object(slot, number_of(order), object ? as : Told::kAccess, reinterpret_cast<uint64_t>(object));
}
void release(Slot& slot, Order& order, bool hand_over, const void* object, Told as) {
  if (!replaying()) return release(slot, order, hand_over);
  tell_object(slot, number_of(order), object ? as : Told::kAccess, reinterpret_cast<uint64_t>(object));
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
  acquire(slot, entry.order, lock, Told::kAcquire);
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
  release(slot, entry.order, false, lock, Told::kRelease);
  if (lock) tell(slot, Told::kRelease, reinterpret_cast<uint64_t>(lock));
  if (recording()) unlock_section(entry);
  take_pins(slot);
}

// For a debugger's `waits`.
void note_taken(Slot& slot, const void* object) {
  DebugLocks& locks = slot.shared->locks;
  locks.taken[locks.next++ % kMaxTaken] = reinterpret_cast<uint64_t>(object);
}

// The last time counts: locks may be taken several times.
void note_left(Slot& slot, const void* object) {
  DebugLocks& locks = slot.shared->locks;
  for (uint32_t i = 1; i <= kMaxTaken; ++i) {
    uint64_t& taken = locks.taken[(locks.next + kMaxTaken * kMaxTaken - i) % kMaxTaken];
    if (taken != reinterpret_cast<uint64_t>(object)) continue;
    taken = 0;
    return;
  }
}

bool is_taking(Told as) { return as == Told::kAcquire || as == Told::kAcquireShared || as == Told::kAcquireAlone; }

}  // namespace

void object_acquire(const void* object, Told as) {
  chaos_operation(self());
  acquire(self(), g_objects[hash(object)].order, object, as);
  if (debugged() && is_taking(as)) note_taken(self(), object);
  tell(self(), as, reinterpret_cast<uint64_t>(object));
}
void object_release(const void* object, bool hand_over, Told as) {
  chaos_operation(self());
  if (debugged() && as == Told::kRelease) note_left(self(), object);
  release(self(), g_objects[hash(object)].order, hand_over, object, as);
  tell(self(), as, reinterpret_cast<uint64_t>(object), as == Told::kArrive ? static_cast<const Barrier*>(object)->count : 0);
}

void section_enter(const void* object, bool as_lock) { enter(g_sections[hash(object)], as_lock ? object : nullptr); }
void section_leave(const void* object, bool as_lock) { leave(g_sections[hash(object)], as_lock ? object : nullptr); }
void sections_forked(const Slot& slot) {
  auto free = [&](Entry& entry) {
    if (entry.owner == slot.id + 1) return;
    entry.word = entry.owner = entry.depth = 0;
  };
  for (Entry& entry : g_sections) free(entry);
  for (Entry& entry : g_known) free(entry);
}

void known_enter(WellKnown object) { enter(known(object), nullptr); }
void known_leave(WellKnown object) { leave(known(object), nullptr); }

}  // namespace ana
