/* Struct copies that tear: several words copied as a whole while others write them. */
#include "support.h"

struct Point {
  long x, y, z;
  int writer;
  char tag[20];
};

struct Point shared_point, slots[4];

static uint64_t body(int index) {
  uint64_t hash = 0;
  long torn = 0;
  for (int i = 0, n = share_of(30000); i < n; i++) {
    struct Point mine = {i, i + 1, i + 2, index, "point"};
    mine.tag[6] = (char)('a' + index % 26);
    shared_point = mine;
    struct Point got = slots[i & 3];
    slots[(i + index) & 3] = shared_point;
    torn += got.y - got.x != 1 || got.z - got.y != 1;
    hash = mix(hash, (uint64_t)(got.x * 3 + got.writer + got.tag[6]));
    yield_every(i, 256);
  }
  return mix(hash, (uint64_t)torn);
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  run_threads(body);
  for (int i = 0; i < 4; i++)
    printf("slot %d: %ld %ld %ld by %d\n", i, slots[i].x, slots[i].y, slots[i].z, slots[i].writer);
  print_results();
  return 0;
}
