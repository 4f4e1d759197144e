// The program outside a recorded one (trace/outside.h): has MPI and the library of this directory in it, and makes the
// calls of MPI that threads of the recorded program ask for. The host starts it as a thread of its own process.
//
// Its first thread serves slot 0; a second one makes threads for the others when they first call, and looks after the end.
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "mpi/outside_entry.h"
#include "trace/outside.h"

extern "C" {
// outside_call.S
void ana_outside_make(ana::OutsideRequest* request);
extern const char ana_outside_stubs[];
uint64_t ana_outside_callback(uint32_t number, const uint64_t* words) __attribute__((used));
}

namespace {

using namespace ana;

constexpr const char* kNames[] = {
#define ANA_FUNCTION(name, number) #name,
#define ANA_VARIABLE(name, number) #name,
#include ANA_SYMBOLS
};
constexpr uint32_t kNameCount = sizeof kNames / sizeof kNames[0];
static_assert(kNameCount <= kMaxOutsideSymbols);

thread_local OutsideRequest* mine = nullptr;

void futex_wait(uint32_t* word, uint32_t value) {
  ::syscall(SYS_futex, word, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, value, nullptr, nullptr, 0);
}
void futex_wake(uint32_t* word) { ::syscall(SYS_futex, word, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, INT_MAX, nullptr, nullptr, 0); }

void say(OutsideRequest& request, OutsideState state) {
  __atomic_store_n(&request.state, static_cast<uint32_t>(state), __ATOMIC_RELEASE);
  futex_wake(&request.state);
}

// Until the program wants something.
OutsideState listen(OutsideRequest& request) {
  for (int n = 0;; n++) {
    uint32_t now = __atomic_load_n(&request.state, __ATOMIC_ACQUIRE);
    auto state = static_cast<OutsideState>(now);
    if (state == OutsideState::kCalled || state == OutsideState::kResumed) return state;
    if (n < 200) __builtin_ia32_pause();
    else futex_wait(&request.state, now);
  }
}

void make_call(OutsideRequest& request) {
  ana_outside_site(request.site);
  ana_outside_make(&request);
  say(request, OutsideState::kReturned);
}

[[noreturn]] void park() {
  say(*mine, OutsideState::kParked);
  for (;;) ::pause();
}

[[noreturn]] void serve(uint32_t slot) {
  mine = &outside_page().request[slot];
  ana_outside_thread(slot);
  for (;;) {
    listen(*mine);
    make_call(*mine);
  }
}

void* serve_slot(void* slot) { serve(static_cast<uint32_t>(reinterpret_cast<uintptr_t>(slot))); }

void give_threads() {
  OutsidePage& page = outside_page();
  for (uint32_t i = 0; i < kMaxOutsideThreads; i++) {
    OutsideRequest& request = page.request[i];
    if (request.served != 0 || __atomic_load_n(&request.state, __ATOMIC_SEQ_CST) == 0) continue;
    __atomic_store_n(&request.served, 1, __ATOMIC_SEQ_CST);
    pthread_t thread;
    int error = pthread_create(&thread, nullptr, serve_slot, reinterpret_cast<void*>(uintptr_t{i}));
    if (error == 0) continue;
    fprintf(stderr, "anaphora: no thread to call MPI in: %s\n", strerror(error));
    ::_exit(125);
  }
}

void* attend(void*) {
  OutsidePage& page = outside_page();
  for (;;) {
    uint32_t seen = __atomic_load_n(&page.doorbell, __ATOMIC_SEQ_CST);
    give_threads();
    if (__atomic_load_n(&page.ending, __ATOMIC_SEQ_CST) != 0 && page.ended == 0) {
      ana_outside_end();
      __atomic_store_n(&page.ended, 1, __ATOMIC_RELEASE);
      futex_wake(&page.ended);
    }
    futex_wait(&page.doorbell, seen);
  }
}

}  // namespace

// A stub was called by MPI.
uint64_t ana_outside_callback(uint32_t number, const uint64_t* words) {
  if (mine == nullptr) {
    fprintf(stderr, "anaphora: MPI calls a function of the program's in a thread of its own; this cannot be recorded\n");
    ::_exit(125);
  }
  OutsideRequest& request = *mine;
  request.callback = outside_page().callbacks[number];
  memcpy(request.callback_words, words, sizeof request.callback_words);
  say(request, OutsideState::kCallback);
  while (listen(request) == OutsideState::kCalled) make_call(request);  // the function calls MPI in turn
  return request.callback_result;
}

// Handlers of crashes are the host's: MPI's own would only print.
extern "C" int sigaction(int signal, const struct sigaction* action, struct sigaction* old) noexcept {
  using Real = int(int, const struct sigaction*, struct sigaction*);
  static Real* real = reinterpret_cast<Real*>(dlsym(RTLD_NEXT, "sigaction"));
  switch (signal) {
    case SIGSEGV:
    case SIGBUS:
    case SIGFPE:
    case SIGILL:
    case SIGABRT:
    case SIGSYS:
      if (old != nullptr) *old = {};
      return 0;
  }
  return real(signal, action, old);
}

int main() {
  OutsidePage& page = outside_page();
  for (uint32_t i = 0; i < kNameCount; i++)
    page.symbols[i] = reinterpret_cast<uint64_t>(dlsym(RTLD_DEFAULT, kNames[i]));
  page.stubs = reinterpret_cast<uint64_t>(ana_outside_stubs);
  page.request[0].served = 1;
  ana_outside_start(park);
  pthread_t attendant;
  if (int error = pthread_create(&attendant, nullptr, attend, nullptr); error != 0) {
    fprintf(stderr, "anaphora: cannot make a thread: %s\n", strerror(error));
    return 125;
  }
  __atomic_store_n(&page.ready, 1, __ATOMIC_RELEASE);
  futex_wake(&page.ready);
  serve(0);
}
