/* A thread forks while others race. The children find memory as it was at the fork, race with threads of their own in the
 * slots of those that they do not have, and fork again. */
#include <sys/wait.h>
#include <unistd.h>

#include "../programs/support.h"

static volatile uint32_t table[64];
static volatile int stop;

static void *spin(void *argument) {
  uint32_t me = (uint32_t)(uintptr_t)argument, x = me + 1;
  while (!stop) {
    x = x * 1664525u + 1013904223u;
    table[x >> 26] = table[(x >> 20) & 63] * 31 + me;
  }
  return NULL;
}

static void *work(void *argument) {
  for (uint32_t i = 0; i < 20000; i++) table[i & 63] += ((uint32_t)(uintptr_t)argument * i) ^ table[(i * 7) & 63];
  return NULL;
}

static uint64_t sum(void) {
  uint64_t hash = 0;
  for (int i = 0; i < 64; i++) hash = mix(hash, table[i]);
  return hash;
}

static void race(const char *who) {
  uint64_t first = sum(), again = sum();
  pthread_t own[3];
  for (uintptr_t i = 0; i < 3; i++) pthread_create(&own[i], NULL, work, (void *)(i + 1));
  for (int i = 0; i < 3; i++) pthread_join(own[i], NULL);
  printf("%s %d: %016" PRIx64 " %s %016" PRIx64 "\n", who, getpid(), first, first == again ? "then" : "moving", sum());
  fflush(stdout);
}

static int wait_for(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WEXITSTATUS(status);
}

static void *fork_some(void *nothing) {
  for (int i = 0; i < 3; i++) {
    usleep(1000);
    pid_t child = fork();
    if (child == 0) {
      race("child");
      pid_t inner = i == 1 ? fork() : -1;
      if (inner == 0) {
        race("inner");
        _exit(30);
      }
      _exit(inner > 0 ? wait_for(inner) : 20 + i);
    }
    printf("child ended with %d\n", wait_for(child));
  }
  return nothing;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  pthread_t spinning[kMaxThreads], forking;
  for (uintptr_t i = 0; i < (uintptr_t)threads; i++) pthread_create(&spinning[i], NULL, spin, (void *)i);
  pthread_create(&forking, NULL, fork_some, NULL);
  pthread_join(forking, NULL);
  stop = 1;
  for (int i = 0; i < threads; i++) pthread_join(spinning[i], NULL);
  printf("parent: %016" PRIx64 "\n", sum());
  return 0;
}
