#include "runtime/host/order/dozing.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>

#include "runtime/host/order/giving.h"
#include "runtime/host/order/ownership.h"
#include "runtime/host/order/tracing.h"

namespace ana {

bool doze(Slot& slot) {
  if (tracing()) return false;
  Idling& idling = slot.idling;
  Idling::Advice advice = idling.advice(timestamp(), slot.taken, slot.tenure.cost());
  set_checked_epoch(slot);
  if (advice != Idling::Advice::kSleep) return false;
  // Before the thread's last publication: who takes its order from that sees it.
  __atomic_store_n(&slot.dozes, 1, __ATOMIC_RELAXED);
  // It stands between two events, and goes on by itself.
  slot.shared->status.wait_site = 0;
  block_enter(slot, SlotState::kWaiting);
  timespec time{0, static_cast<long>(idling.sleep())};
  raw(SYS_futex, &slot.dozes, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, 1, &time);
  bool roused = !__atomic_exchange_n(&slot.dozes, 0, __ATOMIC_RELAXED);
  block_exit(slot);
  idling.go_on(timestamp(), roused);
  set_checked_epoch(slot);
  return true;
}

void rouse(Slot& slot) {
  if (__builtin_expect(!__atomic_load_n(&slot.dozes, __ATOMIC_RELAXED), 1)) return;
  if (__atomic_exchange_n(&slot.dozes, 0, __ATOMIC_RELAXED))
    raw(SYS_futex, &slot.dozes, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, 1);
}

}  // namespace ana
