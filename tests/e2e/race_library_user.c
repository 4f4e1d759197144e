// Races on a variable of the program, beside calls of an instrumented library under a lock. With an argument it first walks
// through memory, so that races are looked for by lines.
#include <pthread.h>

void count_call(void);

static int unprotected;
static volatile int cells[100000];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void* run(void* unused) {
  pthread_mutex_lock(&lock);
  count_call();
  pthread_mutex_unlock(&lock);
  unprotected++;
  return unused;
}

int main(int argc, char** argv) {
  (void)argv;
  pthread_t threads[2];
  for (int i = 0; argc > 1 && i < 100000; i++) cells[i] = i;
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, run, 0);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
  return 0;
}
