/* A signal that nobody handles ends the program while its threads race: SIGALRM, from a timer. */
#include <sys/time.h>
#include <unistd.h>

#include "support.h"

static volatile uint32_t racing;

static uint64_t body(int index) {
  for (uint32_t i = 0;; i++) {
    racing = racing * 5 + (uint32_t)index;
    if (i % 4096 == 0) sched_yield();
  }
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  printf("it will not come far\n");
  fflush(stdout);
  struct itimerval once = {{0, 0}, {0, 50000}};
  setitimer(ITIMER_REAL, &once, NULL);
  run_threads(body);
  return 0;
}
