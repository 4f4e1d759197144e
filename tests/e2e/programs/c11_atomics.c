/* C11 atomics of 1, 2, 4 and 8 bytes, in every memory order. */
#include <stdatomic.h>

#include "support.h"

_Atomic uint8_t a8;
_Atomic uint16_t a16;
_Atomic uint32_t a32;
_Atomic uint64_t a64;
_Atomic(void *) pointer;
atomic_bool flag;

static uint64_t body(int index) {
  uint64_t hash = 0;
  for (int i = 0, n = share_of(12000); i < n; i++) {
    hash = mix(hash, atomic_fetch_add_explicit(&a8, 3, memory_order_relaxed));
    hash = mix(hash, atomic_fetch_sub_explicit(&a16, 5, memory_order_acquire));
    hash = mix(hash, atomic_fetch_xor_explicit(&a32, (uint32_t)hash, memory_order_release));
    hash = mix(hash, atomic_fetch_or_explicit(&a64, UINT64_C(1) << (i & 63), memory_order_acq_rel));
    hash = mix(hash, atomic_fetch_and_explicit(&a64, ~(UINT64_C(2) << (index & 31)), memory_order_seq_cst));
    atomic_store_explicit(&pointer, &results[index], memory_order_release);
    void *seen = atomic_load_explicit(&pointer, memory_order_acquire);
    hash = mix(hash, (uint64_t)((uint64_t *)seen - results));
    hash = mix(hash, atomic_exchange_explicit(&flag, i & 1, memory_order_acq_rel));
    hash = mix(hash, atomic_load_explicit(&a32, memory_order_relaxed));
    atomic_store(&a16, (uint16_t)(hash >> 16));
    yield_every(i, 128);
  }
  return hash;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  run_threads(body);
  printf("%u %u %u %" PRIu64 "\n", (unsigned)a8, (unsigned)a16, (unsigned)a32, (uint64_t)a64);
  print_results();
  return 0;
}
