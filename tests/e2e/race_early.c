// A race at the beginning, and after it more events than the tool leaves untaken (trace/session.h: a ring; reference_merge.cc:
// a pass), so that a replay which ends at the race ends long before the program does.
#include <pthread.h>

enum { kEvents = 200000 };  // two for each turn: more than 4,096 and 131,072 together

static int raced;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *body(void *unused) {
  raced++;
  return unused;
}

int main(void) {
  pthread_t other;
  pthread_create(&other, 0, body, 0);
  raced++;
  pthread_join(other, 0);
  for (int i = 0; i < kEvents; i++) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
  }
  return 0;
}
