// What a thread gives that is asked for a line, and when. None of this is part of the protocol, which allows any answer.
//
// Mostly it answers at once. It may give just the line, with its page, and keep the rest: then each further line costs a
// request. Or it ends its epoch and gives all that it does not have by lease: then it takes back what it needs, one slow check
// after the other. Which is better shows only later, so it gives lines until that has cost as much as losing all would:
// what it pays is at most twice what the better way would have cost. Only what it came back to before counts as a loss; a
// thread that works on what others leave behind gives all. And only what it has not given in this epoch yet counts as a
// cost of giving lines: what goes to and fro would be asked for anyway.
//
// In a storm, where threads ask so soon after each other that they would get to nothing else, they take turns: who is asked goes on
// for a slice of time and then gives all. It is a storm while giving, and regaining what it has lost, takes the thread more than
// a third of its time, of late.
//
// A line that goes to and fro is kept for a moment by those who want it back at once, and only by those. How long is learnt:
// it grows while the thread comes back soon after it has lost the line.
//
// Polls and ends of operations look at this. Who waits, lets others run or spins until a word changes keeps nothing. Times
// are timestamps and their differences.
#pragma once
#include "trace/cold_call.h"

namespace ana {

struct TenureLengths {
  uint64_t longest_of_line, slice;
  uint64_t soon;       // who comes back for a line that early was using it
  uint64_t of_check;   // what a slow check takes
  uint64_t of_gift;    // what a request costs both
  uint64_t to_sleep;   // and to be woken
  uint64_t idle;       // who does that little between two calls does nothing
};
extern TenureLengths g_tenure;
// `longest_of_line` in nanoseconds; 0: nobody keeps anything.
void set_tenure(uint64_t longest_of_line, uint64_t cycles_in_millisecond);

class Tenure {
 public:
  // What the thread had is lost.
  void begin(uint64_t now);
  // `comes_back`: to what it had in one of its last epochs, and nobody else wanted meanwhile.
  void note_check(bool comes_back);
  // It has waited for what it gets now: that was no time of using it. Who has lost everything meanwhile has begun anew.
  void prolong(uint64_t waiting_since, uint64_t now);

  enum class Answer { kLine, kAll, kLater };
  // `is_new`: of what is asked for, something has not been given in this epoch before.
  Answer answer(bool is_waiting, bool is_new, uint64_t now);

  // Of a line that is asked for.
  bool is_kept(uint32_t line, uint64_t now) const;
  bool was_given(uint32_t line) const;  // in this epoch
  void note_given(uint32_t line, uint64_t now);
  void note_won(uint32_t line, uint64_t asked, uint64_t now);

  // At a poll of the program's: whether it only waits for something. `checks`: slow checks that it has made.
  bool is_spinning(const ColdCall& poll, uint64_t count, uint64_t checks);

  // By any thread: how much is left of its slice, and what it takes to get all of it again.
  uint64_t left(uint64_t now) const;
  uint64_t cost() const { return load(checks_) * g_tenure.of_check; }

 private:
  // Registers at a poll, to see whether the thread comes back there without having done anything.
  struct SeenPoll {
    const uint8_t* behind;
    uint64_t registers[16];
    uint64_t count, checks;
    uint32_t times, others;
  };
  struct Contest {
    uint32_t line;
    uint64_t keeps;  // for how long
    uint64_t won, given;
  };
  static constexpr uint32_t kContests = 64;
  static constexpr uint64_t kWhole = 1 << 20;

  static uint64_t load(const uint64_t& word) { return __atomic_load_n(&word, __ATOMIC_RELAXED); }
  static void store(uint64_t& word, uint64_t value) { __atomic_store_n(&word, value, __ATOMIC_RELAXED); }
  bool is_stormy() const { return 3 * load(lost_) > kWhole; }
  Contest& contest(uint32_t line);

  void note_asked(uint64_t now);

  uint64_t begun_ = 0;
  uint64_t since_ = 0, checks_ = 0;   // since when it has been using what it has
  uint64_t returns_ = 0, gifts_ = 0;  // since then
  uint64_t gift_at_ = 0;
  bool is_asked_ = false;             // since then, or since the last gift
  uint64_t lost_ = 0;                 // of kWhole: what part of the time went into regaining what others took, and giving
  SeenPoll seen_{};
  Contest contests_[kContests]{};
};

// A thread that lets others run, again and again, does next to nothing meanwhile and gets no more than a line or two. It may
// yet be working on what it has. So it is watched first, between two calls: all its checks are slow ones.
class Idling {
 public:
  enum class Advice { kGoOn, kBeWatched, kSleep };
  // Each time it lets them run. `taken`: how often it has taken lines; `cost`: of what it has, and loses by sleeping.
  Advice advice(uint64_t now, uint64_t taken, uint64_t cost);
  // For how many nanoseconds.
  uint64_t sleep() const { return sleep_; }
  // It goes on. `roused`: by another thread, so it is worth looking often again.
  void go_on(uint64_t now, bool roused = false);

  bool is_watched() const { return is_watched_; }
  // At a check, while it is. Who writes works, and so does who reads much.
  void see(bool writes);

 private:
  uint64_t since_ = 0, last_ = 0, taken_ = 0, not_before_ = 0, sleep_ = 0;
  uint32_t seen_ = 0;  // checks since it let others run
  bool is_watched_ = false, works_ = false;
};

// Whether a thread that waits for another to yield had better sleep, and lose what it has, than go on spinning. `cost`: of
// what it has; `left`: of the other's tenure.
bool should_sleep(uint64_t cost, uint64_t left, uint64_t waited);

}  // namespace ana
