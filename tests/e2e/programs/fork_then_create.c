/* Forks and creates a thread right afterwards, so that its table of threads grows while the child leaves the recording. A
 * child that has threads of its own as well, and one that executes another program. */
#define _GNU_SOURCE
#include <sys/wait.h>
#include <unistd.h>

#include "support.h"

enum { kRounds = 40 };

static int shared;

static void *body(void *argument) {
  __atomic_fetch_add(&shared, *(int *)argument, __ATOMIC_RELAXED);
  return NULL;
}

static int be_child(int round) {
  pthread_t mine;
  if (round % 4 == 0) execl("/bin/true", "true", (char *)NULL);
  if (round % 4 == 1) return 0;
  if (pthread_create(&mine, NULL, body, &round) != 0) return 1;
  pthread_join(mine, NULL);
  return round % 4;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  pthread_t created[kRounds];
  int numbers[kRounds];
  for (int round = 0; round < kRounds; round++) {
    numbers[round] = round;
    pid_t child = fork();
    if (child == 0) _exit(be_child(round));
    if (child < 0 || pthread_create(&created[round], NULL, body, &numbers[round]) != 0) return 1;
    int status = 0;
    if (waitpid(child, &status, 0) != child) return 1;
    printf("child %d: status %#x\n", round, (unsigned)status);
    int expected = round % 4 < 2 ? 0 : round % 4;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != expected) return 1;
  }
  for (int round = 0; round < kRounds; round++) pthread_join(created[round], NULL);
  printf("%d\n", shared);
  return 0;
}
