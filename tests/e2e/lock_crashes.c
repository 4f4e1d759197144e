// lock_crashes FUNCTION: a thread crashes in a function of the C library, on a lock that another one has taken away.
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>

static void* volatile lock;
static pthread_barrier_t barrier;

static void call(const char* name) {
  if (!strcmp(name, "mutex_lock")) pthread_mutex_lock(lock);
  if (!strcmp(name, "mutex_trylock")) pthread_mutex_trylock(lock);
  if (!strcmp(name, "mutex_unlock")) pthread_mutex_unlock(lock);
  if (!strcmp(name, "mutex_destroy")) pthread_mutex_destroy(lock);
  if (!strcmp(name, "cond_signal")) pthread_cond_signal(lock);
  if (!strcmp(name, "cond_broadcast")) pthread_cond_broadcast(lock);
  if (!strcmp(name, "cond_destroy")) pthread_cond_destroy(lock);
  if (!strcmp(name, "rwlock_rdlock")) pthread_rwlock_rdlock(lock);
  if (!strcmp(name, "rwlock_unlock")) pthread_rwlock_unlock(lock);
  if (!strcmp(name, "spin_lock")) pthread_spin_lock(lock);
  if (!strcmp(name, "spin_unlock")) pthread_spin_unlock(lock);
  if (!strcmp(name, "sem_wait")) sem_wait(lock);
  if (!strcmp(name, "sem_post")) sem_post(lock);
  if (!strcmp(name, "barrier_wait")) pthread_barrier_wait(lock);
}

static void* take_away(void* mutex) {
  pthread_mutex_lock(mutex);
  lock = NULL;
  pthread_mutex_unlock(mutex);
  pthread_barrier_wait(&barrier);
  return NULL;
}

int main(int argc, char** argv) {
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_t thread;
  if (argc < 2) return 1;
  lock = &mutex;
  pthread_barrier_init(&barrier, NULL, 2);
  pthread_create(&thread, NULL, take_away, &mutex);
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  pthread_barrier_wait(&barrier);
  printf("%s of nothing\n", argv[1]);
  fflush(stdout);
  call(argv[1]);
  puts("did not crash");
  return 0;
}
