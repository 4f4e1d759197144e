#include "mpi/turns.h"

#include <sched.h>
#include <time.h>

namespace ana::mpi {

namespace {

uint64_t turns = 0;  // record: so many operations so far; replay: are over

// Whether another thread had the turn after the last one of this thread. It tells so, as it did not have the one before;
// only the very first turn nobody tells.
bool is_of_another(Thread* t, uint64_t turn) {
  for (uint32_t stream = 0; stream < kMaxStreams; stream++) {
    if (stream == t->stream || !has_stream(stream)) continue;
    Schedule* s = load_schedule(stream);
    if (s == nullptr) continue;
    if (turn == 0 && (s->turns.size == 0 || s->turns[0].operation != 0)) return true;
    for (size_t i = 0; i < s->turns.size; i++) {
      if (s->turns[i].turn == turn) return true;
    }
  }
  return false;
}

uint64_t next_turn(Thread* t) {
  Schedule& s = *t->schedule;
  uint64_t operation = t->operations++;
  bool told = s.next_turn < s.turns.size && s.turns[s.next_turn].operation == operation;
  if (told) return s.turns[s.next_turn++].turn;
  uint64_t turn = t->last_turn + 1;
  if (t->dying && is_of_another(t, turn)) {  // it died before this operation
    t->dying = false;
    park(t);
  }
  return turn;
}

}  // namespace

void take_turn(Thread* t) {
  uint64_t turn = turns++;
  if (turn != t->last_turn + 1) {
    t->writer.put({.kind = EventKind::kTurn,
                   .value = t->operations - t->told_operations,
                   .number = static_cast<int64_t>(turn - t->last_turn - 1)});
    t->told_operations = t->operations;
  }
  t->operations++;
  t->last_turn = turn;
}

void await_turn(Thread* t) {
  uint64_t turn = next_turn(t);
  t->last_turn = turn;
  if (__atomic_load_n(&turns, __ATOMIC_ACQUIRE) == turn) return;  // pairs with the release in end_turn()
  uint64_t progress = 0;
  int64_t since = now_ns();
  for (uint64_t n = 0; __atomic_load_n(&turns, __ATOMIC_ACQUIRE) != turn; n++) {
    sched_yield();
    if (n % 64 != 0) continue;
    timespec nap{0, 100'000};
    if (n > 1024) nanosleep(&nap, nullptr);
    uint64_t moved = __atomic_load_n(&g.page->progress, __ATOMIC_RELAXED) + __atomic_load_n(&turns, __ATOMIC_RELAXED);
    int64_t now = now_ns();
    if (moved != progress) {
      progress = moved;
      since = now;
    }
    if (g.patience_ns != 0 && now - since > g.patience_ns)
      diverged(t, "another thread of this rank called MPI before this call in the recording, and does not now");
  }
}

void end_turn() { __atomic_store_n(&turns, turns + 1, __ATOMIC_RELEASE); }

}  // namespace ana::mpi
