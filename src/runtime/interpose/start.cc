// How a program finds out whether it is recorded, replayed or just run.
#include <asm/prctl.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/interpose/runtime.h"

namespace ana {

const HostApi* g_host;
bool g_started;

namespace {

uint32_t g_passive_slots;

// Not through syscall(3): that is one of the wrappers.
long plain_syscall(long number, long a, long b) {
  long result;
  asm volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b) : "rcx", "r11", "memory");
  return result;
}

[[noreturn]] void give_up(const char* why) {
  (void)!write(2, why, strlen(why));
  _exit(127);
}

void ignore_call(uint32_t, const AnaSite*) {}

}  // namespace

// Checks pass on zero pages with epoch 0, polls never reach their limit.
void give_passive_block() {
  size_t bytes = ANA_GS_PERMISSIONS + 8ull * (uint64_t{ANA_LINE_MASK} + 1);
  void* at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED)
    give_up("anaphora runtime: no address space for this thread's tables; raise 'ulimit -v', or run with less threads\n");
  madvise(at, bytes, MADV_DONTDUMP);
  auto* block = static_cast<SlotShared*>(at);
  block->self = reinterpret_cast<uint64_t>(at);
  block->slot = __atomic_fetch_add(&g_passive_slots, 1, __ATOMIC_RELAXED) % kMaxSlots;
  block->limit = ~0ull;
  plain_syscall(SYS_arch_prctl, ARCH_SET_GS, reinterpret_cast<long>(at));
}

void* find_real(const char* name, const char* version) {
  void* found = version ? dlvsym(RTLD_NEXT, name, version) : dlsym(RTLD_NEXT, name);
  if (!found) {
    fprintf(stderr, "anaphora runtime: the C library has no %s\n", name);
    _exit(127);
  }
  return found;
}

}  // namespace ana

extern "C" {
struct AnaHooks {
  void (*check)(uint32_t, const AnaSite*);
  void (*poll)(uint32_t, const AnaSite*);
};
AnaHooks ana_hooks = {ana::ignore_call, ana::ignore_call};
}

void ana::ensure_started() {
  if (g_started) return;
  auto* host = reinterpret_cast<const HostApi*>(getauxval(kAuxHostApi));
  if (host && host->magic == kHostApiMagic) {
    if (host->version != kHostApiVersion)
      give_up("anaphora runtime: the program was built with another version of Anaphora; build it again\n");
    ana_hooks = {host->check, host->poll};
    g_host = host;
  } else {
    give_passive_block();
  }
  g_started = true;
}

namespace {
void start_early(int, char**, char**) { ana::ensure_started(); }
}  // namespace
// Before the constructors of every library: their instrumented code needs gs.
__attribute__((section(".preinit_array"), used)) static void (*const g_preinit)(int, char**, char**) = start_early;
