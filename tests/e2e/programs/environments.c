/* The environment and what libc does with it: getenv, setenv, putenv, clearenv, in threads. */
#define _GNU_SOURCE
#include <pthread.h>

#include "inputs.h"

extern char **environ;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static uint64_t body(int index) {
  uint64_t hash = (uint64_t)index;
  char name[32], value[64];
  for (int i = 0; i < 20; i++) {
    snprintf(name, sizeof name, "ANA_%d", (index + i) % 5);
    snprintf(value, sizeof value, "%" PRIu64, now());
    pthread_mutex_lock(&lock);
    hash = mix_result(hash, setenv(name, value, i % 2));
    const char *seen = getenv(name);
    hash = mix_text(hash, seen ? seen : "none");
    if (i % 5 == 4) hash = mix_result(hash, unsetenv(name));
    int n = 0;
    for (char **e = environ; e && *e; e++) n++;
    hash = mix(hash, (uint64_t)n);
    pthread_mutex_unlock(&lock);
  }
  const char *path = getenv("PATH"), *secret = secure_getenv("HOME");
  return mix_text(mix_text(hash, path ? path : ""), secret ? secret : "");
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  static char mine[] = "ANA_PUT=1";
  putenv(mine);
  run_threads(body);
  mine[8] = '2';
  printf("%s\n", getenv("ANA_PUT"));
  print_results();
  clearenv();
  printf("%s\n", getenv("PATH") ? "still there" : "gone");
  return 0;
}
