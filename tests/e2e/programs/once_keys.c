/* pthread_once, and thread-specific data whose destructors run at thread end in the order of the ends. */
#include "support.h"

pthread_once_t once = PTHREAD_ONCE_INIT;
pthread_key_t first_key, second_key;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int destroyed, winner = -1;
_Thread_local int me;

static void destroy(void *value) {
  pthread_mutex_lock(&lock);
  printf("destructor %d: value %d\n", destroyed++, (int)(intptr_t)value);
  pthread_mutex_unlock(&lock);
}

static void initialise(void) {
  winner = me;
  pthread_key_create(&first_key, destroy);
  pthread_key_create(&second_key, destroy);
}

static uint64_t body(int index) {
  me = index;
  uint64_t hash = 0;
  for (int i = 0; i < 50; i++) {
    pthread_once(&once, initialise);
    pthread_setspecific(first_key, (void *)(intptr_t)(index * 1000 + i));
    hash = mix(hash, (uint64_t)(intptr_t)pthread_getspecific(first_key) + (uint64_t)winner);
  }
  pthread_setspecific(second_key, (void *)(intptr_t)(index + 1));
  return hash;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  run_threads(body);
  printf("initialised by %d, %d destructors\n", winner, destroyed);
  print_results();
  return 0;
}
