// Races that are easily taken for one, or shown by a wrong name: of several variables in one line, of one place with several
// variables, of the elements of an array, of variables with short names, and of what library functions access.
#include <pthread.h>
#include <stdio.h>

enum { kElements = 64 };

static int counter, total, one, other, table[kElements];
int i, x, d;  // for a demangler, types
static char text[32];
static pthread_t created, seen;

static __attribute__((noinline)) void bump(int *what) { ++*what; }

static void *body(void *argument) {
  counter++; total += 2;
  bump(&one);
  bump(&other);
  for (int n = 0; n < kElements; n++) table[n] += n;
  i++;
  x++;
  d++;
  snprintf(text, sizeof text, "%p", argument);
  if (argument) seen = created;
  return argument;
}

int main(void) {
  pthread_create(&created, 0, body, &seen);
  body(0);
  pthread_join(created, 0);
  printf("%d %d\n", counter, seen == created);
  return 0;
}
