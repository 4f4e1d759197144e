/* What the instructions say that ask the processor about itself: cpuid in its forms, rdpid, xgetbv. A part of it is where
   the thread happens to run. */
#define _GNU_SOURCE
#include <cpuid.h>
#include <sched.h>
#include <x86intrin.h>

#include "support.h"

static uint64_t plain_cpuid(uint32_t leaf) {
  uint32_t a = leaf, b, c = 0, d;
  __asm__ volatile("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
  return mix(mix(mix(a, b), c), d);
}

static uint64_t control(void) {
  uint32_t low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low | (uint64_t)high << 32;
}

static uint64_t body(int index) {
  uint64_t hash = (uint64_t)index, moves = 0;
  uint32_t a, b, c, d, before = 0;
  int has_rdpid = __get_cpuid_count(7, 0, &a, &b, &c, &d) && (c & 1u << 22);
  int has_xgetbv = __get_cpuid(1, &a, &b, &c, &d) && (c & bit_OSXSAVE);
  for (int i = 0, n = share_of(64); i < n; i++) {
    __cpuid(1, a, b, c, d);
    moves += b >> 24 != before;
    before = b >> 24;
    hash = mix(hash, mix(mix(a, b), mix(c, d)));
    __cpuid_count(0xb, 1, a, b, c, d);
    hash = mix(mix(hash, plain_cpuid(0xb)), d);
    if (has_rdpid) {
      uint64_t processor;
      __asm__ volatile("rdpid %0" : "=r"(processor));
      hash = mix(hash, processor);
    }
    if (has_xgetbv) hash = mix(hash, control());
    yield_every(i, 2);
  }
  return mix(hash, moves);
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  run_threads(body);
  print_results();
  return 0;
}
