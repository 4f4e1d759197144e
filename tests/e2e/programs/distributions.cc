// Engines and distributions, one engine of all threads, valarrays, bitsets and complex numbers.
#include <bitset>
#include <complex>
#include <random>
#include <valarray>

#include "support.h"

static std::mt19937_64 engine(7);  // races
static std::valarray<double> field(0.5, 64);
static std::bitset<256> flags;
static std::complex<double> wave(1, 0);

static uint64_t body(int index) {
  uint64_t hash = 0;
  std::minstd_rand own(static_cast<unsigned>(index) + 1);
  std::normal_distribution<double> normal(0, 10);
  std::discrete_distribution<int> weights{1, 2, 3};
  for (int i = 0, n = share_of(400); i < n; i++) {
    hash = mix(hash, engine());
    hash = mix(hash, static_cast<uint64_t>(static_cast<int64_t>(normal(own) * 100)) + static_cast<uint64_t>(weights(own)));
    field[std::slice(static_cast<size_t>(i % 8), 8, 8)] += std::valarray<double>(0.25 * index, 8);
    flags.flip(engine() % 256);
    wave *= std::polar(1.0, 0.1 * (index + 1));
    hash = mix(hash, flags.count() + static_cast<uint64_t>(field.sum() * 4));
    hash = mix(hash, static_cast<uint64_t>(static_cast<int64_t>(wave.real() * 1e6)));
    yield_every(i, 25);
  }
  return hash;
}

int main(int argc, char** argv) {
  parse_threads(argc, argv);
  run_threads(body);
  print_results();
  std::printf("%s\n", flags.to_string().substr(0, 40).c_str());
}
