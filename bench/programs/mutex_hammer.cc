// Nothing but one mutex: lock, add, unlock.
#include "bench.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long guarded;

static void body(int index) {
  bench::Part mine = bench::part(index, bench::scaled(32000000));
  for (int i = mine.first; i < mine.last; i++) {
    pthread_mutex_lock(&lock);
    guarded += i & 3;
    pthread_mutex_unlock(&lock);
  }
}

int main(int argc, char** argv) {
  bench::parse(argc, argv);
  bench::run(body);
  printf("checksum %ld\n", guarded);
}
