// What other processes print: part of SessionHeader.
//
// The processes that a recorded program starts are not recorded, but what they write to the stdout and stderr that they
// inherit is, so that a replay can show it. They get a *channel* in their place: a pipe, or a pseudo terminal where the
// real one is a terminal. The *relay*, a process of the tool's (trace/output_relay.h), copies from there to the real
// one, and into the trace. The program itself keeps the real ones.
//
// Where in the program's own output that belongs is known by `lock`: the relay holds it from the moment at which it
// takes bytes out of a channel until they are written and counted in `bytes`; the program holds it while it writes to a
// descriptor that is shown, with the channels empty. So the numbers that it finds there say how much came before.
// Nobody waits for the lock, or for a channel to become empty, for longer than a second or so: docs/memory-model.md.
//
// Freestanding: used inside the recorded program.
#pragma once
#include <stdint.h>

namespace ana {

constexpr uint32_t kChannels = 2;  // of stdout and of stderr; if both are the same open file, the first is for both
constexpr uint32_t kNoDescriptor = ~0u;

enum class RelayState : uint32_t {
  kNone = 0,     // nothing can be copied: children get the real descriptors
  kReady = 1,    // there are channels
  kAsked = 2,    // the program is about to start its first process
  kRuns = 3,
  kRefused = 4,
};

struct RelayChannel {
  uint32_t descriptor;   // record, of the program: what children get; replay: a file with all of it; or kNoDescriptor
  uint32_t master;       // of a pseudo terminal: by which it is seen to be empty; else kNoDescriptor
  uint32_t gone;         // 1: nobody takes anything out of it any more
  uint32_t reserved;
  uint64_t bytes;        // copied; replay: shown
};

struct RelayControl {
  uint32_t state;        // RelayState; futex
  uint32_t lock;         // futex; 0: free, 1: held, 2: held and waited for
  uint32_t copies;       // futex; how often something was copied
  uint32_t is_one;       // the first channel is also that of stderr
  uint32_t error;        // errno: what is printed cannot be saved
  uint32_t reserved;
  uint64_t stored;       // bytes of the file
  RelayChannel channel[kChannels];
};
static_assert(sizeof(RelayControl) == 80);

// RelayControl.lock. `wait(word, value)` sleeps while the word has this value, and is false when it shall not be waited
// any longer; `wake(word)` wakes who sleeps there.
template <class Wait>
bool take_relay_lock(uint32_t& lock, Wait wait) {
  uint32_t free = 0;
  if (__atomic_compare_exchange_n(&lock, &free, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) return true;
  while (__atomic_exchange_n(&lock, 2, __ATOMIC_ACQUIRE))  // pairs with leave_relay_lock(), as the first one does
    if (!wait(lock, 2u)) return false;
  return true;
}

template <class Wake>
void leave_relay_lock(uint32_t& lock, Wake wake) {
  if (__atomic_exchange_n(&lock, 0, __ATOMIC_RELEASE) == 2) wake(lock);
}

// Which of the channels stands for descriptor 1 or 2.
inline uint32_t channel_of(const RelayControl& relay, int standard) { return relay.is_one ? 0 : standard - 1; }

}  // namespace ana
