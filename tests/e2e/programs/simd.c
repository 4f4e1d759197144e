/* SSE intrinsics on shared vectors: aligned, unaligned and streaming accesses of 16 bytes. */
#include <emmintrin.h>

#include "support.h"

enum { kVectors = 64 };
_Alignas(64) int words[kVectors * 4 + 4];
_Alignas(64) double doubles[kVectors * 2];

static uint64_t body(int index) {
  __m128i seen = _mm_set1_epi32(index);
  __m128d sum = _mm_setzero_pd();
  for (int i = 0, n = share_of(20000); i < n; i++) {
    int at = (i + index * 3) % kVectors;
    __m128i v = _mm_load_si128((const __m128i *)&words[at * 4]);
    __m128i w = _mm_loadu_si128((const __m128i *)&words[at * 4 + 3]);
    seen = _mm_xor_si128(_mm_add_epi32(seen, v), _mm_slli_epi32(w, 3));
    _mm_store_si128((__m128i *)&words[at * 4], _mm_add_epi32(v, _mm_set1_epi32(index + 1)));
    if (i % 16 == 0) _mm_storeu_si128((__m128i *)&words[at * 4 + 1], seen);
    if (i % 64 == 0) _mm_stream_si128((__m128i *)&words[at * 4], seen);
    __m128d d = _mm_load_pd(&doubles[at * 2]);
    sum = _mm_add_pd(sum, d);
    _mm_store_pd(&doubles[at * 2], _mm_add_pd(_mm_mul_pd(d, _mm_set1_pd(0.5)), _mm_set1_pd(index)));
    yield_every(i, 512);
  }
  uint64_t parts[4];
  _mm_storeu_si128((__m128i *)&parts[0], seen);
  _mm_storeu_pd((double *)&parts[2], sum);
  return mix(mix(parts[0], parts[1]), mix(parts[2], parts[3]));
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  run_threads(body);
  uint64_t hash = 0;
  for (int i = 0; i < kVectors * 4; i++) hash = mix(hash, (uint64_t)(unsigned)words[i]);
  printf("words %016" PRIx64 ", first %.17g\n", hash, doubles[0]);
  print_results();
  return 0;
}
