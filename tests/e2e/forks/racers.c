/* Two threads race before a fork, and two in each of the two processes after it: for the tools that look at traces. */
#include <sys/wait.h>
#include <unistd.h>

#include "../programs/support.h"

static volatile uint64_t shared;

static uint64_t body(int index) {
  for (int i = 0; i < 200; i++) {
    shared += (uint64_t)index;
    yield_every(i, 10);
  }
  return shared;
}

int main(void) {
  run_threads(body);
  pid_t child = fork();
  run_threads(body);
  if (!child) {
    printf("child %" PRIu64 "\n", shared);
    return 5;
  }
  int status = 0;
  waitpid(child, &status, 0);
  printf("parent %" PRIu64 ", %d\n", shared, WEXITSTATUS(status));
  return 0;
}
