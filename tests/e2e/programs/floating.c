/* Rounding modes and exceptions of each thread, vectors of doubles that race, library functions of mathematics. */
#include <complex.h>
#include <fenv.h>
#include <math.h>
#include <tgmath.h>

#include "support.h"

#pragma STDC FENV_ACCESS ON
static double field[64];
static float _Complex waves[16];

static uint64_t bits(double value) {
  uint64_t b;
  memcpy(&b, &value, sizeof b);
  return b;
}

static uint64_t body(int index) {
  static const int kModes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
  uint64_t hash = 0;
  fesetround(kModes[index % 4]);
  for (int i = 0, n = share_of(1500); i < n; i++) {
    int k = (i * 7 + index) % 64;
    field[k] = sin(field[(k + 1) % 64] + index) / 3 + fma(field[k], 0.5, 0.125);
    waves[k % 16] = waves[(k + 5) % 16] * (float _Complex)(0.5f + 0.5f * I) + index;
    hash = mix(hash, bits(field[(k + 9) % 64]) + bits((double)crealf(waves[3])));
    hash = mix(hash, (uint64_t)lrint(field[k] * 100) + (uint64_t)ilogb(field[k] + 2));
    feclearexcept(FE_ALL_EXCEPT);
    volatile double zero = field[k] * 0;
    hash = mix(hash, (uint64_t)(isinf(1 / zero) != 0) + (uint64_t)fetestexcept(FE_DIVBYZERO));
    yield_every(i, 60);
  }
  return mix(hash, (uint64_t)fegetround());
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  run_threads(body);
  print_results();
  printf("%a %a %d\n", field[5], cabs(waves[2]), fegetround());
  return 0;
}
