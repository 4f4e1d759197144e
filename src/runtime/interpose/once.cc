// pthread_once, and the guards of C++ static locals.
#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>

#include "runtime/interpose/libc_access.h"
#include "runtime/interpose/outcome.h"

// In guarded_call.c: an exception that leaves `function` makes the word free again.
extern "C" void ana_call_guarded(void (*function)(), void (*on_unwind)(void*), void* argument);

namespace {

using namespace ana;

// Both kinds of word as one: is it done, is somebody at it.
struct OnceWord {
  uint8_t* byte;        // the one that says "done"; the next says "busy"
  uint8_t done;

  bool is_done() const { return __atomic_load_n(byte, __ATOMIC_ACQUIRE) == done; }
  bool is_busy() const { return byte[1]; }
  void set_busy(bool busy) const { byte[1] = busy; }
};

enum class Turn : int { kDone = 0, kMine = 1, kWait = 2 };

// What the word is set to releases what was done.
constexpr AnaSite kFinishSite{0, 0, 0, ANA_SITE_WRITE | ANA_SITE_ATOMIC | ANA_SITE_RELEASE};

uint32_t g_lock;         // guards the words, for a few instructions
uint32_t g_finished;     // counts; those who wait for another thread's initialisation sleep on it

Turn look(const OnceWord& word, uint32_t& seen) {
  while (__atomic_exchange_n(&g_lock, 1, __ATOMIC_ACQUIRE)) __builtin_ia32_pause();
  seen = g_finished;
  Turn turn = word.is_done() ? Turn::kDone : word.is_busy() ? Turn::kWait : Turn::kMine;
  if (turn == Turn::kMine) word.set_busy(true);
  __atomic_store_n(&g_lock, 0, __ATOMIC_RELEASE);
  return turn;
}

Turn next_turn(const OnceWord& word) {
  Operation operation;
  if (replaying()) {
    auto turn = static_cast<Turn>(g_host->get(kOpOutcome, nullptr, 0));
    if (turn == Turn::kMine) word.set_busy(true);
    if (turn != Turn::kWait) g_host->object_acquire(word.byte, Told::kAcquire);
    return turn;
  }
  uint32_t seen = 0;
  Turn turn = look(word, seen);
  if (turn == Turn::kWait) {
    Blocking blocking;
    futex_in_wait(&g_finished, seen);
  } else {
    g_host->object_acquire(word.byte, Told::kAcquire);
  }
  g_host->put(kOpOutcome, static_cast<int>(turn), nullptr, 0);
  return turn;
}

// True if the caller is to do it, and then to call finish().
bool begin(const OnceWord& word) {
  Turn turn;
  do turn = next_turn(word);
  while (turn == Turn::kWait);
  return turn == Turn::kMine;
}

void finish(const OnceWord& word, bool done) {
  {
    Operation operation;
    g_host->object_release(word.byte, true, Told::kRelease);
  }
  AnaRange both = access::range_of(word.byte, 2, true);
  if (!passive()) access::acquire(&both, 1, &kFinishSite);  // inlined code looks at it
  while (__atomic_exchange_n(&g_lock, 1, __ATOMIC_ACQUIRE)) __builtin_ia32_pause();
  word.set_busy(false);
  if (done) __atomic_store_n(word.byte, word.done, __ATOMIC_RELEASE);
  __atomic_add_fetch(&g_finished, 1, __ATOMIC_SEQ_CST);
  __atomic_store_n(&g_lock, 0, __ATOMIC_RELEASE);
  if (recording())
    g_host->raw_call(SYS_futex, reinterpret_cast<long>(&g_finished), FUTEX_WAKE | FUTEX_PRIVATE_FLAG, 1 << 30, 0, 0, 0);
}

// The operation of an initialisation closes streams first, each at a count of its own.
Turn replayed_turn(const OnceWord& word, int64_t place, uint32_t dead_streams) {
  if (g_host->will_get(kOpInitialise, place, dead_streams)) return Turn::kMine;
  return word.is_done() ? Turn::kDone : Turn::kWait;
}

// Of a guard only the initialisation is an event. Code of libraries that nobody instruments looks at the guard before it
// calls, in no order, so whether it calls when all is done may differ in a replay.
bool begin_guard(const OnceWord& word) {
  auto place = static_cast<int64_t>(reinterpret_cast<uint64_t>(word.byte));
  for (;;) {
    uint32_t seen = 0;
    Turn turn = replaying() ? replayed_turn(word, place, count_dead_streams(__builtin_frame_address(0))) : look(word, seen);
    if (turn == Turn::kDone) {
      if (telling()) g_host->tell(Told::kAcquire, word.byte, 0, nullptr);
      return false;
    }
    if (turn == Turn::kMine) {
      Operation operation;
      if (replaying()) {
        g_host->get(kOpInitialise, nullptr, 0);
        word.set_busy(true);
      }
      g_host->object_acquire(word.byte, Told::kAcquire);
      if (!replaying()) g_host->put(kOpInitialise, place, nullptr, 0);
      return true;
    }
    if (replaying()) {
      g_host->wait_unrecorded();
    } else {
      Blocking blocking;
      g_host->raw_call(SYS_futex, reinterpret_cast<long>(&g_finished), FUTEX_WAIT | FUTEX_PRIVATE_FLAG, seen, 0, 0, 0);
    }
  }
}

OnceWord guard_word(uint64_t* guard) { return {reinterpret_cast<uint8_t*>(guard), 1}; }
OnceWord once_word(pthread_once_t* once) { return {reinterpret_cast<uint8_t*>(once), 2}; }

void give_up_once(void* once) { finish(once_word(static_cast<pthread_once_t*>(once)), false); }

}  // namespace

ANA_EXPORT int pthread_once(pthread_once_t* once, void (*function)()) {
  if (passive()) return ANA_REAL(pthread_once)(once, function);
  if (!begin(once_word(once))) return 0;
  ana_call_guarded(function, give_up_once, once);
  finish(once_word(once), true);
  return 0;
}

ANA_EXPORT int __cxa_guard_acquire(uint64_t* guard) {
  if (passive()) return ANA_REAL_AS(int(uint64_t*), "__cxa_guard_acquire", nullptr)(guard);
  return begin_guard(guard_word(guard));
}

ANA_EXPORT void __cxa_guard_release(uint64_t* guard) {
  if (passive()) return ANA_REAL_AS(void(uint64_t*), "__cxa_guard_release", nullptr)(guard);
  finish(guard_word(guard), true);
}

ANA_EXPORT void __cxa_guard_abort(uint64_t* guard) {
  if (passive()) return ANA_REAL_AS(void(uint64_t*), "__cxa_guard_abort", nullptr)(guard);
  finish(guard_word(guard), false);
}
