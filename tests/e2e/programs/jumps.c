/* setjmp and longjmp out of several frames, decided by a racing variable. */
#include <setjmp.h>

#include "support.h"

volatile int temperature;

struct Frame {
  jmp_buf exit;
  int depth;
};

static void work(struct Frame *frame, int level) {
  temperature = temperature + 1;
  frame->depth = level;
  if ((temperature & 15) == 3) longjmp(frame->exit, level + 1);
  if (level < 40) work(frame, level + 1);
}

static uint64_t body(int index) {
  volatile uint64_t hash = (uint64_t)index;
  struct Frame frame;
  for (volatile int i = 0; i < share_of(4000); i++) {
    int from = setjmp(frame.exit);
    if (from == 0) {
      work(&frame, 0);
      hash = mix(hash, 1000);
    } else {
      hash = mix(hash, (uint64_t)(from * 64 + frame.depth));
    }
    yield_every(i, 32);
  }
  return hash;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  run_threads(body);
  printf("temperature %d\n", temperature);
  print_results();
  return 0;
}
