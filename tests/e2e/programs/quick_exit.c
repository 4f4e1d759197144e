/* quick_exit in one thread while the others go on: the functions registered for it run, in reverse order, those of exit do
 * not. */
#include <stdlib.h>
#include <unistd.h>

#include "support.h"

static volatile uint32_t racing;
static int chosen;

static void say(const char *what) {
  char text[64];
  int n = snprintf(text, sizeof text, "%s %08x\n", what, racing);
  if (write(1, text, (size_t)n) != n) _exit(2);
}

static void first(void) { say("registered first"); }
static void second(void) { say("registered second"); }
static void never(void) { say("never"); }

static uint64_t body(int index) {
  for (uint32_t i = 0;; i++) {
    racing = racing * 5 + (uint32_t)index + i;
    if (i > 500 && racing % 64 == 3 && !__atomic_exchange_n(&chosen, 1, __ATOMIC_SEQ_CST)) {
      printf("thread %d ends it\n", index);
      fflush(stdout);
      quick_exit(17);
    }
  }
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  at_quick_exit(first);
  at_quick_exit(second);
  atexit(never);
  run_threads(body);
  return 0;
}
