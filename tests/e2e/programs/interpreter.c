/* A small interpreter with computed jumps, run by all threads over one memory. */
#include "support.h"

static int32_t memory[64];
static const uint8_t program[] = {0, 5, 1, 3, 2, 4, 7, 5, 9, 3, 1, 6, 2, 8, 4, 1, 7, 3, 6, 9, 0, 2, 5, 8};

static uint64_t body(int index) {
  static const void *const kJump[] = {&&load, &&add, &&store, &&multiply, &&shift, &&swap, &&less, &&rotate, &&negate, &&mixed};
  uint64_t hash = 0;
  int32_t a = index, b = 1;
  uint32_t place = (uint32_t)index;
  int step = 0, steps = share_of(8000);
#define NEXT                                                   \
  do {                                                         \
    hash = mix(hash, (uint64_t)(uint32_t)a);                   \
    if (++step >= steps) return hash;                          \
    yield_every(step, 200);                                    \
    goto *kJump[program[(uint32_t)(step + index) % sizeof program]]; \
  } while (0)
load: a = memory[place % 64]; NEXT;
add: a = (int32_t)((uint32_t)a + (uint32_t)b); NEXT;
store: memory[place % 64] = a; place += 7; NEXT;
multiply: a = (int32_t)((uint32_t)a * 31u + (uint32_t)memory[(place + 3) % 64]); NEXT;
shift: b = (int32_t)((uint32_t)a >> 3); NEXT;
swap: { int32_t t = a; a = b; b = t; } NEXT;
less: if (a < b) place++; NEXT;
rotate: a = (int32_t)(((uint32_t)a << 5) | ((uint32_t)a >> 27)); NEXT;
negate: a = ~a; place ^= 5; NEXT;
mixed: memory[(place + 9) % 64] += b; NEXT;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  run_threads(body);
  print_results();
  return 0;
}
