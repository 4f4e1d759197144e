/* argv, and the environment read and changed by many threads under a lock. */
#include <unistd.h>

#include "support.h"

extern char **environ;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static uint64_t body(int index) {
  uint64_t hash = 0;
  char name[32], value[32];
  for (int i = 0, n = share_of(400); i < n; i++) {
    pthread_mutex_lock(&lock);
    snprintf(name, sizeof name, "VARIABLE_%d", i % 5);
    const char *old = getenv(name);
    for (const char *c = old ? old : "none"; *c; c++) hash = mix(hash, (unsigned char)*c);
    snprintf(value, sizeof value, "%d.%d", index, i);
    if (i % 7 == 0) unsetenv(name); else setenv(name, value, 1);
    pthread_mutex_unlock(&lock);
    if (i % 8 == 0) sched_yield();
  }
  return hash;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  for (int i = 1; i < argc; i++) printf("argument %d: %s\n", i, argv[i]);
  run_threads(body);
  int count = 0;
  for (char **entry = environ; *entry; entry++) {
    count++;
    if (strncmp(*entry, "VARIABLE_", 9) == 0) puts(*entry);
  }
  printf("%d variables, HOME is %s\n", count, getenv("HOME") ? getenv("HOME") : "unset");
  print_results();
  return 0;
}
