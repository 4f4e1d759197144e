// The order among the threads of a rank: which of two receives was posted first, whose probe saw a message, whose send
// went ahead in their channel. All such operations have numbers, counted over the rank; a thread's stream tells its
// numbers where they are not one after the other (kTurn), so a rank whose messages one thread handles tells none.
// Netzer and Miller's mailboxes (section 4.1): with this order, each receive is the next one of a single owner.
//
// Recording, an operation and its number are one under the lock of lock.h; so no operation may block: what blocks is
// made of one that does not, and a wait. In a replay each waits for its turn. That cannot lock up: whatever an
// operation needs to happen had happened when it was recorded, under smaller numbers.
//
// Nothing happens here unless the program asked for a level of threads that lets several of them call MPI.
#pragma once
#include "mpi/library.h"
#include "mpi/lock.h"

namespace ana::mpi {

// Record, with the lock held: the thread has done an operation.
void take_turn(Thread* t);
// Replay: waits until all operations with smaller numbers are done; the next may begin.
void await_turn(Thread* t);
void end_turn();

// An operation that is certain to happen.
class [[nodiscard]] Turn {
 public:
  explicit Turn(Thread* t) {
    if (!g.threads) return;
    if (recording()) {
      take_turn(t);
    } else {
      await_turn(t);
    }
  }
  ~Turn() {
    if (g.threads && !recording()) end_turn();
  }
  Turn(const Turn&) = delete;

 private:
  RecordGuard guard_;
};

// In place of one that is left out.
inline void pass_turn(Thread* t) { Turn turn(t); }

template <class F, class... Arguments>
int in_turn(Thread* t, F operation, Arguments... arguments) {
  Turn turn(t);
  return operation(arguments...);
}

}  // namespace ana::mpi
