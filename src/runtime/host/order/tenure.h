// How long a thread that is asked keeps what it has. To yield costs it all lines that it does not have by lease, and it
// takes them back one slow check after the other. So it keeps them until it has used them for some times as long as
// taking them took, which bounds what is lost; but at least for a moment, against ping-pong on a single line, and never
// for long. It need not keep what it does not use: a thread that spins, waiting for a word to change, yields after that
// moment, and one that has taken nothing for a while does so earlier than others.
//
// Polls look at this; who waits, lets others run or ends an operation yields at once. Nothing here is part of the
// protocol, which allows a thread to yield sooner or later. Times are timestamps and their differences; `checks` is the
// number of slow checks that the thread has made.
#pragma once
#include "trace/cold_call.h"

namespace ana {

struct TenureLengths {
  uint64_t shortest, longest;
  uint64_t of_check;   // what a slow check takes
  uint64_t to_sleep;   // and to be woken
};
extern TenureLengths g_tenure;
// `shortest` in nanoseconds; 0: nobody keeps anything.
void set_tenure(uint64_t shortest, uint64_t cycles_in_millisecond);

class Tenure {
 public:
  // What the thread had is lost.
  void begin(uint64_t now, uint64_t checks);
  void note_taken(uint64_t now) { store(last_taken_, now); }
  // It has waited for what it gets now: that was no time of using it. Who has lost everything meanwhile has begun anew.
  void prolong(uint64_t waiting_since, uint64_t now);

  // At a poll, where somebody asks; `poll` is null if it is not the program's. False if it is time to yield.
  bool goes_on(const ColdCall* poll, uint64_t count, uint64_t checks, uint64_t now);

  // By any thread. How long it goes on if nothing more is taken, and what it takes to get all of it again.
  uint64_t left(uint64_t checks, uint64_t now) const;
  uint64_t cost(uint64_t checks) const { return (checks - load(checks_before_)) * g_tenure.of_check; }

 private:
  // Registers at a poll, to see whether the thread comes back there without having done anything.
  struct SeenPoll {
    const uint8_t* behind;
    uint64_t registers[16];
    uint64_t count, checks;
    uint32_t times, others;
  };

  static uint64_t load(const uint64_t& word) { return __atomic_load_n(&word, __ATOMIC_RELAXED); }
  static void store(uint64_t& word, uint64_t value) { __atomic_store_n(&word, value, __ATOMIC_RELAXED); }
  bool is_spinning(const ColdCall& poll, uint64_t count, uint64_t checks);

  uint64_t since_ = 0, last_taken_ = 0, checks_before_ = 0;
  SeenPoll seen_{};
};

// Whether a thread that waits for another to yield had better sleep, and lose what it has, than go on spinning. `cost`: of
// what it has; `left`: of the other's tenure.
bool should_sleep(uint64_t cost, uint64_t left, uint64_t waited);

}  // namespace ana
