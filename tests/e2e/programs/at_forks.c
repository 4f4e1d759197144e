/* Handlers of pthread_atfork around forks of several threads; locks that they keep whole. */
#include <sys/wait.h>
#include <unistd.h>

#include "support.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int prepared, in_parent;
static volatile int racing;

static void prepare(void) {
  pthread_mutex_lock(&lock);
  prepared++;
}
static void parent(void) {
  in_parent++;
  pthread_mutex_unlock(&lock);
}
static void child(void) { pthread_mutex_unlock(&lock); }

static uint64_t body(int index) {
  uint64_t hash = 0;
  for (int i = 0, n = share_of(10); i < n; i++) {
    racing = racing * 3 + index;
    pid_t pid = fork();
    if (pid == 0) {
      pthread_mutex_lock(&lock); /* whole in the child */
      _exit(racing & 63);
    }
    int status;
    waitpid(pid, &status, 0);
    pthread_mutex_lock(&lock);
    hash = mix(hash, (uint64_t)WEXITSTATUS(status) + (uint64_t)prepared);
    pthread_mutex_unlock(&lock);
  }
  return hash;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  pthread_atfork(prepare, parent, child);
  run_threads(body);
  print_results();
  printf("%d %d\n", prepared, in_parent);
  return 0;
}
