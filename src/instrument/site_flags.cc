#include "instrument/site_flags.h"

#include "anaphora/runtime_abi.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace ana {

static uint32_t order_flags(AtomicOrdering order) {
  return (isAcquireOrStronger(order) ? ANA_SITE_ACQUIRE : 0) | (isReleaseOrStronger(order) ? ANA_SITE_RELEASE : 0);
}

uint32_t site_flags(const Instruction& inst) {
  constexpr uint32_t kUpdate = ANA_SITE_READ | ANA_SITE_WRITE | ANA_SITE_ATOMIC;
  if (auto* load = dyn_cast<LoadInst>(&inst)) {
    if (!load->isAtomic()) return ANA_SITE_READ;
    return ANA_SITE_READ | ANA_SITE_ATOMIC | (order_flags(load->getOrdering()) & ANA_SITE_ACQUIRE);
  }
  if (auto* store = dyn_cast<StoreInst>(&inst)) {
    if (!store->isAtomic()) return ANA_SITE_WRITE;
    return ANA_SITE_WRITE | ANA_SITE_ATOMIC | (order_flags(store->getOrdering()) & ANA_SITE_RELEASE);
  }
  if (auto* update = dyn_cast<AtomicRMWInst>(&inst)) return kUpdate | order_flags(update->getOrdering());
  if (auto* exchange = dyn_cast<AtomicCmpXchgInst>(&inst)) return kUpdate | order_flags(exchange->getSuccessOrdering());
  if (auto* fence = dyn_cast<FenceInst>(&inst)) {
    // One among signal handlers orders nothing between threads.
    return fence->getSyncScopeID() == SyncScope::SingleThread ? 0 : ANA_SITE_ATOMIC | order_flags(fence->getOrdering());
  }
  auto* call = dyn_cast<CallBase>(&inst);
  if (call && call->isInlineAsm()) return kUpdate | ANA_SITE_ACQUIRE | ANA_SITE_RELEASE;
  return 0;
}

uint32_t atomic_site_flags(const Instruction& inst) {
  uint32_t flags = site_flags(inst);
  return flags & ANA_SITE_ATOMIC ? flags : 0;
}

}  // namespace ana
