// Outside a recording: a gs block for every thread, on which checks pass (zero pages, epoch 0) and no poll is ever due.
//
// A block takes 16 GiB of addresses, so that of a thread that is gone is used again. Destructors run to the very end of
// a thread, hence only the kernel can say that it is gone.
#include <asm/prctl.h>
#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/interpose/runtime.h"

extern "C" int __register_atfork(void (*prepare)(), void (*parent)(), void (*child)(), void* dso);

namespace ana {
namespace {

constexpr size_t kBlockBytes = ANA_GS_PERMISSIONS + 8ull * (uint64_t{ANA_LINE_MASK} + 1);
constexpr uint32_t kMaxBlocks = (1ull << 47) / kBlockBytes + 1;
constexpr uint32_t kLooks = 4;  // at a time: at most a third more blocks than threads

struct PassiveBlock {
  SlotShared* at;
  long tid;  // of the thread that has it
} g_blocks[kMaxBlocks];

// All under the lock.
uint32_t g_lock, g_used, g_next_look;

// Not through syscall(3): that is one of the wrappers.
long plain_syscall(long number, long a = 0, long b = 0, long c = 0) {
  long result;
  asm volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
  return result;
}

void lock() {
  while (__atomic_exchange_n(&g_lock, 1, __ATOMIC_ACQUIRE)) plain_syscall(SYS_sched_yield);
}

void unlock() { __atomic_store_n(&g_lock, 0, __ATOMIC_RELEASE); }  // pairs with the exchange

PassiveBlock* find_left_block(uint32_t looks) {
  long process = plain_syscall(SYS_getpid);
  for (uint32_t i = 0; i < looks && i < g_used; ++i) {
    g_next_look = (g_next_look + 1) % g_used;
    PassiveBlock& block = g_blocks[g_next_look];
    if (plain_syscall(SYS_tgkill, process, block.tid) == -ESRCH) return &block;
  }
  return nullptr;
}

PassiveBlock* map_block() {
  if (g_used == kMaxBlocks) return nullptr;
  void* at = mmap(nullptr, kBlockBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) return nullptr;
  madvise(at, kBlockBytes, MADV_DONTDUMP);
  PassiveBlock& block = g_blocks[g_used];
  block.at = static_cast<SlotShared*>(at);
  block.at->self = reinterpret_cast<uint64_t>(at);
  block.at->slot = g_used % kMaxSlots;
  block.at->limit = ~0ull;
  ++g_used;
  return &block;
}

// The one thread of the child has another id now.
void identify_in_child() {
  SlotShared* mine;
  asm("movq %%gs:%c1, %0" : "=r"(mine) : "i"(ANA_GS_SELF));
  for (uint32_t i = 0; i < g_used; ++i)
    if (g_blocks[i].at == mine) g_blocks[i].tid = plain_syscall(SYS_gettid);
  unlock();
}

}  // namespace

void give_passive_block() {
  lock();
  PassiveBlock* block = find_left_block(kLooks);
  if (!block) block = map_block();
  if (!block) block = find_left_block(g_used);
  if (block) block->tid = plain_syscall(SYS_gettid);
  unlock();
  if (!block) {
    static const char kWhy[] =
        "anaphora runtime: no address space for this thread's tables; raise 'ulimit -v', or run with less threads\n";
    (void)!write(2, kWhy, sizeof(kWhy) - 1);
    _exit(127);
  }
  plain_syscall(SYS_arch_prctl, ARCH_SET_GS, reinterpret_cast<long>(block->at));
}

void passive_start() {
  give_passive_block();
  __register_atfork(lock, unlock, identify_in_child, nullptr);
}

}  // namespace ana
