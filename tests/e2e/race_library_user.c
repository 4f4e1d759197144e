// Races on a variable of the program, beside calls of an instrumented library under a lock.
#include <pthread.h>

void count_call(void);

static int unprotected;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void* run(void* unused) {
  pthread_mutex_lock(&lock);
  count_call();
  pthread_mutex_unlock(&lock);
  unprotected++;
  return unused;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, run, 0);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
  return 0;
}
