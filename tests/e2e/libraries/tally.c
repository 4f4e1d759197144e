// A library of own_libraries.py: one variable that races, others that do not.
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

int tally;
static int guarded, handed;
static atomic_int ready, relaxed;
static _Thread_local int own;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void tally_guarded(void) {
  pthread_mutex_lock(&lock);
  guarded++;
  own++;
  pthread_mutex_unlock(&lock);
}

void tally_hand_over(void) {
  handed = 7;
  atomic_store_explicit(&ready, 1, memory_order_release);
}

int tally_take(void) {
  while (!atomic_load_explicit(&ready, memory_order_acquire)) continue;
  return handed;
}

void tally_count(void) { atomic_fetch_add_explicit(&relaxed, 1, memory_order_relaxed); }

void tally_race(void) {
  tally++;  // races
}

// By way of the caller's own code, and back.
void tally_visit(void (*visit)(void*), void* what) {
  for (int i = 0; i < 3; i++) visit(what);
}
