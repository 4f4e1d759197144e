/* Readers and writers by a mutex and conditions, a monitor of many conditions, wake-ups that are stolen. */
#include "support.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t can_read = PTHREAD_COND_INITIALIZER, can_write = PTHREAD_COND_INITIALIZER;
static int reading, writing, waiting;
static uint64_t board[8];

static uint64_t body(int index) {
  uint64_t hash = 0;
  for (int i = 0, n = share_of(500); i < n; i++) {
    pthread_mutex_lock(&lock);
    if ((i + index) % 4 == 0) {
      waiting++;
      while (reading || writing) pthread_cond_wait(&can_write, &lock);
      waiting--;
      writing = 1;
      pthread_mutex_unlock(&lock);
      for (int k = 0; k < 8; k++) board[k] = mix(board[k], (uint64_t)(index + k));
      pthread_mutex_lock(&lock);
      writing = 0;
    } else {
      while (writing || waiting) {
        hash = mix(hash, 1);
        pthread_cond_wait(&can_read, &lock);
      }
      reading++;
      pthread_mutex_unlock(&lock);
      for (int k = 0; k < 8; k++) hash = mix(hash, board[k]);
      pthread_mutex_lock(&lock);
      reading--;
    }
    if (!reading) pthread_cond_signal(&can_write);
    if (!writing && !waiting) pthread_cond_broadcast(&can_read);
    pthread_mutex_unlock(&lock);
    yield_every(i, 25);
  }
  return hash;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  run_threads(body);
  print_results();
  return 0;
}
