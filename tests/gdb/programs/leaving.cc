// The first thread ends before the others; these end one after the other, at a known count.
#include <pthread.h>
#include <cstdio>

int rounds[3];
pthread_t threads[3];

void* work(void* argument) {
  long id = reinterpret_cast<long>(argument);
  for (int i = 0; i < 5; i++) rounds[id]++;
  if (id > 0) pthread_join(threads[id - 1], nullptr);
  if (id == 2) std::printf("rounds %d\n", rounds[0] + rounds[1] + rounds[2]);
  return nullptr;
}

int main() {
  for (long id = 0; id < 3; id++) pthread_create(&threads[id], nullptr, work, reinterpret_cast<void*>(id));
  pthread_exit(nullptr);
}
