/* Atomics and locks written in inline assembly, as older programs have them. */
#include "support.h"

static volatile int turns, held;
static volatile long best;
static struct {
  volatile int next, serving;
} ticket;
static uint64_t chain;
static long plain;

static int add(volatile int *to, int value) {
  __asm__ volatile("lock; xaddl %0, %1" : "+r"(value), "+m"(*to) : : "memory", "cc");
  return value;
}

static int exchange(volatile int *at, int value) {
  __asm__ volatile("xchgl %0, (%1)" : "+r"(value) : "r"(at) : "memory");
  return value;
}

static int replace(volatile long *at, long old, long value) {
  unsigned char done;
  __asm__ volatile("lock; cmpxchgq %3, %1\n\tsete %0" : "=q"(done), "+m"(*at), "+a"(old) : "r"(value) : "memory", "cc");
  return done;
}

static void relax(void) { __asm__ volatile("pause" : : : "memory"); }

static uint64_t body(int index) {
  uint64_t hash = 0;
  for (int i = 0, n = share_of(12000); i < n; i++) {
    hash = mix(hash, (uint64_t)add(&turns, 1));
    plain++;
    if (i % 4 == 0) {
      for (int spins = 0; exchange(&held, 1); spins++) {
        relax();
        yield_every(spins, 64);
      }
      chain = mix(chain, (uint64_t)index);
      __asm__ volatile("movl $0, %0" : "=m"(held) : : "memory");
    } else if (i % 4 == 1) {
      int mine = add(&ticket.next, 1);
      for (int spins = 0; ticket.serving != mine; spins++) {
        relax();
        yield_every(spins, 16);
      }
      chain = mix(chain, (uint64_t)mine);
      __asm__ volatile("incl %0" : "+m"(ticket.serving) : : "memory", "cc");
    } else {
      long seen = best;
      hash = mix(hash, (uint64_t)replace(&best, seen, seen + index + 1));
    }
  }
  return hash;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  run_threads(body);
  printf("turns %d best %ld plain %ld chain %016" PRIx64 "\n", turns, best, plain, chain);
  print_results();
  return 0;
}
