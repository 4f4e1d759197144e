// How a program finds out whether it is recorded, replayed or just run.
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "runtime/interpose/cancellation.h"
#include "runtime/interpose/recorded_child.h"
#include "runtime/interpose/runtime.h"

extern "C" {
int __register_atfork(void (*prepare)(), void (*parent)(), void (*child)(), void* dso);
// By the linker: all of ANA_REAL.
extern ana::RealFunction __start_ana_real_functions[] __attribute__((weak, visibility("hidden")));
extern ana::RealFunction __stop_ana_real_functions[] __attribute__((weak, visibility("hidden")));
}

// In hooks.S:
static_assert(ANA_GS_EPOCH == 8 && ANA_GS_PERMISSIONS == 0x200000 && ANA_LINE_SHIFT == 6 && ANA_LINE_MASK == 0x7fffffff);
static_assert(sizeof(ana::ColdCall) == 17 * 8 && offsetof(ana::ColdCall, behind) == 16 * 8);

namespace ana {

const HostApi* g_host;
bool g_started;
void become_passive();

namespace {

[[noreturn]] void give_up(const char* why) {
  (void)!write(2, why, strlen(why));
  _exit(127);
}

void ignore_call(const ColdCall&) {}
void ignore_access(uint32_t, const AnaSite*) {}

// Around fork(), inside everything that the program has registered itself: the child finds heap and C library whole.
void before_fork() {
  if (!g_host) return;
  g_host->known_enter(WellKnown::kLibc);
  g_host->known_enter(WellKnown::kHeapPool);
}

void after_fork() {
  if (!g_host) return;
  g_host->known_leave(WellKnown::kHeapPool);
  g_host->known_leave(WellKnown::kLibc);
}

// The host has left the child, or records it, too.
void in_child() {
  if (g_host && g_host->mode == Mode::kNone) become_passive();
  else after_fork();
}

void* look_for(RealFunction& function) {
  void* found =
      function.version ? dlvsym(RTLD_NEXT, function.name, function.version) : dlsym(RTLD_NEXT, function.name);
  __atomic_store_n(&function.found, found, __ATOMIC_RELAXED);
  return found;
}

// Some are not in every C library; find_real() complains of those that are called.
void look_for_real_functions() {
  for (RealFunction* function = __start_ana_real_functions; function < __stop_ana_real_functions; ++function)
    look_for(*function);
  dlerror();
}

}  // namespace

void* find_real(RealFunction& function) {
  if (!look_for(function)) {
    fprintf(stderr, "anaphora runtime: the C library has no %s\n", function.name);
    _exit(127);
  }
  return function.found;
}

}  // namespace ana

extern "C" {
struct AnaHooks {
  void (*check)(const ana::ColdCall&);
  void (*poll)(const ana::ColdCall&);
  void (*begin)(uint32_t, const AnaSite*);
  void (*end)(uint32_t, const AnaSite*);
};
AnaHooks ana_hooks = {ana::ignore_call, ana::ignore_call, ana::ignore_access, ana::ignore_access};
}

// A child that the host has left: its control block is its own, and every check passes.
void ana::become_passive() {
  g_host = nullptr;
  ana_hooks = {ignore_call, ignore_call, ignore_access, ignore_access};
}

void ana::ensure_started() {
  if (g_started) return;
  auto* host = reinterpret_cast<const HostApi*>(getauxval(kAuxHostApi));
  if (host && host->magic == kHostApiMagic) {
    if (host->version != kHostApiVersion)
      give_up("anaphora runtime: the program was built with another version of Anaphora; build it again\n");
    ana_hooks = {host->check, host->poll, host->begin, host->end};
    g_host = host;
    cancellation_start();
    __register_atfork(before_fork, after_fork, in_child, nullptr);
  } else {
    passive_start();
  }
  g_started = true;
}

namespace {
void start_early(int count, char** arguments, char** environment) {
  ana::ensure_started();
  if (ana::passive())
    ana::record_if_child(count, arguments, environment);
  else {
    ana::look_for_real_functions();
    ana::threads_start();
  }
}
}  // namespace
// Before the constructors of every library: their instrumented code needs gs.
__attribute__((section(".preinit_array"), used)) static void (*const g_preinit)(int, char**, char**) = start_early;
