// Races that are easily taken for one, or shown by a wrong name: of several variables in one line, of one place with several
// variables, of the elements of an array, of variables with short names, and of what library functions access.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { kElements = 64 };

static int counter, total, one, other, table[kElements];
int i, x, d;  // for a demangler, types
static char text[32];
static pthread_t created, seen;
static int *blocks[2];

static __attribute__((noinline)) void bump(int *what) { ++*what; }

static inline __attribute__((always_inline)) int *fresh(void) { return calloc(1, sizeof(int)); }

static void *body(void *argument) {
  counter++; total += 2;
  bump(&one);
  bump(&other);
  bump(blocks[0]);
  bump(blocks[1]);
  for (int n = 0; n < kElements; n++) table[n] += n;
  i++;
  x++;
  d++;
  snprintf(text, sizeof text, "%p", argument);
  if (argument) seen = created;
  return argument;
}

int main(void) {
  blocks[0] = fresh();
  blocks[1] = fresh();
  pthread_create(&created, 0, body, &seen);
  body(0);
  pthread_join(created, 0);
  printf("%d %d\n", counter, seen == created);
  return 0;
}
