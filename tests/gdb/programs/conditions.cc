// Threads that wait for ever, each for another kind of object. The alarm ends it.
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

#include <initializer_list>

pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER, mine = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t news = PTHREAD_COND_INITIALIZER;
pthread_rwlock_t shelf = PTHREAD_RWLOCK_INITIALIZER;
pthread_barrier_t gate;
sem_t tokens;

void* wait_for_news(void*) {
  pthread_mutex_lock(&mine);
  pthread_cond_wait(&news, &mine);
  return nullptr;
}

void* wait_for_lock(void*) {
  pthread_mutex_lock(&held);
  return nullptr;
}

void* wait_for_shelf(void*) {
  pthread_rwlock_rdlock(&shelf);
  return nullptr;
}

void* wait_at_gate(void*) {
  pthread_barrier_wait(&gate);
  return nullptr;
}

void* wait_for_token(void*) {
  sem_wait(&tokens);
  return nullptr;
}

int main() {
  pthread_barrier_init(&gate, nullptr, 2);
  sem_init(&tokens, 0, 0);
  pthread_mutex_lock(&held);
  pthread_rwlock_wrlock(&shelf);
  alarm(1);
  pthread_t threads[5];
  int n = 0;
  for (auto body : {wait_for_news, wait_for_lock, wait_for_shelf, wait_at_gate, wait_for_token})
    pthread_create(&threads[n++], nullptr, body, nullptr);
  pthread_join(threads[0], nullptr);
}
