#include "runtime/host/outside.h"

#include <asm/prctl.h>
#include <linux/auxvec.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>

#include "runtime/host/order/enforcer.h"
#include "runtime/host/order/operation.h"
#include "runtime/host/order/ownership.h"
#include "runtime/host/slot.h"
#include "trace/outside.h"

// In raw_syscall.S: a thread that starts at `entry` with this stack and no gs.
extern "C" long ana_outside_clone(uint64_t flags, uint64_t stack, uint64_t entry);

namespace ana {
namespace {

constexpr uint64_t kSharedEnvironmentLimit = 1 << 20;
constexpr int kSpins = 200;        // before sleeping
constexpr int kStartTries = 600;   // of 100 ms
constexpr uint32_t kMaxAtOnce = 4;

bool g_has_outside;
char *g_path_variable, *g_link_variable;  // taken out of the environment
uint32_t g_ended_outside;

bool is_variable(const char* entry, const char* name) {
  size_t n = length(name);
  return starts_with(entry, name) && entry[n] == '=';
}

// The strings stay where the kernel has put them. What the program preloads has no business outside.
uint64_t build_outside_stack(const char* path, char** environment, const Elf64_auxv_t* aux, const ElfImage& image,
                             uint64_t loader_base) {
  long at = raw(SYS_mmap, layout::kOutsideStack, layout::kOutsideStackBytes, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE | MAP_NORESERVE, -1, 0);
  if (is_error(at)) fatal(ReportKind::kCannotStart, "no memory for the stack of MPI", -at);
  auto* const words = reinterpret_cast<uint64_t*>(layout::kOutsideStack + layout::kOutsideStackBytes -
                                                  kSharedEnvironmentLimit);
  uint64_t* to = words;
  *to++ = 1;
  *to++ = reinterpret_cast<uint64_t>(path);
  *to++ = 0;
  for (; *environment; ++environment) {
    if (!is_variable(*environment, "LD_PRELOAD")) *to++ = reinterpret_cast<uint64_t>(*environment);
  }
  if (g_link_variable) *to++ = reinterpret_cast<uint64_t>(g_link_variable);
  *to++ = 0;
  for (; aux->a_type != AT_NULL; ++aux) {
    uint64_t value = aux->a_un.a_val;
    switch (aux->a_type) {
      case AT_SYSINFO_EHDR: continue;  // the host's
      case AT_EXECFN: value = reinterpret_cast<uint64_t>(path); break;
      case AT_PHDR: value = image.headers; break;
      case AT_PHNUM: value = image.header_count; break;
      case AT_BASE: value = loader_base; break;
      case AT_ENTRY: value = image.entry; break;
    }
    *to++ = aux->a_type;
    *to++ = value;
  }
  *to++ = AT_NULL;
  *to++ = 0;
  return reinterpret_cast<uint64_t>(words);
}

void futex_wait(uint32_t* word, uint32_t value, long nanoseconds) {
  timespec limit{nanoseconds / 1'000'000'000, nanoseconds % 1'000'000'000};
  raw(SYS_futex, word, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, value, nanoseconds ? &limit : nullptr);
}

void futex_wake(uint32_t* word) { raw(SYS_futex, word, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, 1 << 30); }

void ring(OutsidePage& page) {
  __atomic_add_fetch(&page.doorbell, 1, __ATOMIC_SEQ_CST);
  futex_wake(&page.doorbell);
}

// The thread outside acts; until it says something.
OutsideState hand_over(OutsideRequest& request, OutsideState how) {
  __atomic_store_n(&request.state, static_cast<uint32_t>(how), __ATOMIC_SEQ_CST);
  if (__atomic_load_n(&request.served, __ATOMIC_SEQ_CST)) futex_wake(&request.state);
  else ring(outside_page());
  for (int n = 0;; ++n) {
    uint32_t state = __atomic_load_n(&request.state, __ATOMIC_ACQUIRE);
    if (state != static_cast<uint32_t>(how)) return static_cast<OutsideState>(state);
    if (n < kSpins) pause();
    else futex_wait(&request.state, state, 0);
  }
}

// True if the recorded thread never came back from this call.
bool begin_going(Slot& slot) {
  if (!reaches_limit(slot)) return false;
  if (recording()) {
    operation_due(slot, false);
    return false;
  }
  enforce(slot, kSiteOperation);
  return slot.replay.final_blocked && is_at_end(slot);
}

void acquire(Slot& slot, const OutsideRange* ranges, uint32_t count) {
  AnaRange some[kMaxAtOnce];
  for (uint32_t i = 0; i < count;) {
    uint32_t n = 0;
    for (; n < kMaxAtOnce && i < count; ++i) {
      if (!ranges[i].bytes) continue;
      auto* at = reinterpret_cast<void*>(ranges[i].at);
      some[n++] = ranges[i].write ? write_range(at, ranges[i].bytes) : read_range(at, ranges[i].bytes);
    }
    if (n) operation_acquire(slot, some, n);
  }
}

OutsideRequest* outside_begin() { return &outside_page().request[self().id]; }

OutsideState outside_enter(OutsideState how, const OutsideRange* before, uint32_t count) {
  Slot& slot = self();
  bool last = begin_going(slot);
  acquire(slot, before, count);
  if (recording()) {
    block_enter(slot);
  } else {
    enforce_before_leaving(slot);
    slot.shared->status.state = static_cast<uint32_t>(SlotState::kBlocked);
  }
  OutsideState state = hand_over(outside_page().request[slot.id], how);
  if (recording()) {
    block_exit(slot);
  } else if (last || state == OutsideState::kParked) {
    __atomic_add_fetch(&g_ended_outside, 1, __ATOMIC_SEQ_CST);
    enforce_end(slot);
  } else {
    slot.shared->status.state = static_cast<uint32_t>(SlotState::kRunning);
  }
  return state;
}

void outside_leave(const OutsideRange* after, uint32_t count) {
  Slot& slot = self();
  operation_phase(slot);
  acquire(slot, after, count);
  operation_end(slot);
  take_pins(slot);
}

}  // namespace

void outside_hide(char** environment) {
  char** to = environment;
  for (; *environment; ++environment) {
    if (is_variable(*environment, kOutsideVariable)) g_path_variable = *environment;
    else if (is_variable(*environment, kRankLinkVariable)) g_link_variable = *environment;
    else *to++ = *environment;
  }
  *to = nullptr;
}

void outside_start(char** environment, const Elf64_auxv_t* aux, const ElfImage& program, const char* program_path) {
  if (!g_path_variable) return;
  const char* path = g_path_variable + length(kOutsideVariable) + 1;
  long at = raw(SYS_mmap, kOutsidePage, sizeof(OutsidePage), PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  if (is_error(at)) fatal(ReportKind::kCannotStart, "no memory for MPI", -at);
  OutsidePage& page = outside_page();
  page.magic = kOutsideMagic;
  page.program_begin = program.begin;
  page.program_bytes = program.end - program.begin;
  page.program_path = program_path;
  page.begin = outside_begin;
  page.enter = outside_enter;
  page.leave = outside_leave;
  ElfImage image = map_elf_image(path, layout::kOutsideProgram);
  if (!image.interpreter[0]) fatal(ReportKind::kCannotStart, path, 0);
  ElfImage loader = map_elf_image(image.interpreter, layout::kOutsideInterpreter);
  uint64_t stack = build_outside_stack(path, environment, aux, image, loader.base);

  // Signals that come from elsewhere are for the program.
  constexpr int kCrashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS, SIGTRAP};
  uint64_t others = ~0ull, old = 0;
  for (int signal : kCrashes) others &= ~(1ull << (signal - 1));
  raw(SYS_rt_sigprocmask, SIG_SETMASK, &others, &old, 8);
  constexpr uint64_t kFlags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM;
  long thread = ana_outside_clone(kFlags, stack, loader.entry);
  raw(SYS_rt_sigprocmask, SIG_SETMASK, &old, nullptr, 8);
  if (is_error(thread)) fatal(ReportKind::kCannotStart, "no thread for MPI", -thread);
  for (int n = 0; n < kStartTries && !__atomic_load_n(&page.ready, __ATOMIC_ACQUIRE); ++n)
    futex_wait(&page.ready, 0, 100'000'000);
  if (!page.ready) fatal(ReportKind::kCannotStart, "the program that runs MPI does not answer", 0);
  g_has_outside = true;
}

void outside_before_end() {
  if (!g_has_outside) return;
  OutsidePage& page = outside_page();
  __atomic_store_n(&page.ending, 1, __ATOMIC_SEQ_CST);
  ring(page);
  while (!__atomic_load_n(&page.ended, __ATOMIC_ACQUIRE)) futex_wait(&page.ended, 0, 100'000'000);
}

bool is_outside() {
  if (!g_has_outside) return false;
  uint64_t base = 0;
  raw(SYS_arch_prctl, ARCH_GET_GS, &base);
  return base == 0;
}

bool ended_outside() { return __atomic_load_n(&g_ended_outside, __ATOMIC_SEQ_CST) != 0; }

}  // namespace ana
