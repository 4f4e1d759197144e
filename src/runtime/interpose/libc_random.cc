// Pseudo-random numbers: one hidden state for all threads, ordered by an object of its own. And std::random_device,
// which asks the processor behind everybody's back: here it asks the kernel, which is recorded.
#include "runtime/interpose/libc_wrappers.h"

#include <stdlib.h>
#include <sys/random.h>
#include <sys/syscall.h>

#define ANA_IN_RANDOM(result, name, parameters, arguments, ...) \
  ANA_ORDERED(kRandom, result, name, parameters, arguments, ##__VA_ARGS__)

using ana::access::write_all;

ANA_IN_RANDOM(int, rand, () noexcept, ())
ANA_IN_RANDOM(void, srand, (unsigned seed) noexcept, (seed))
ANA_IN_RANDOM(long, random, () noexcept, ())
ANA_IN_RANDOM(void, srandom, (unsigned seed) noexcept, (seed))
ANA_IN_RANDOM(char*, initstate, (unsigned seed, char* state, size_t n) noexcept, (seed, state, n), write_all(state, n))
ANA_IN_RANDOM(char*, setstate, (char* state) noexcept, (state))
ANA_IN_RANDOM(double, drand48, () noexcept, ())
ANA_IN_RANDOM(long, lrand48, () noexcept, ())
ANA_IN_RANDOM(long, mrand48, () noexcept, ())
ANA_IN_RANDOM(double, erand48, (unsigned short state[3]) noexcept, (state), write_all(state, 6))
ANA_IN_RANDOM(long, nrand48, (unsigned short state[3]) noexcept, (state), write_all(state, 6))
ANA_IN_RANDOM(long, jrand48, (unsigned short state[3]) noexcept, (state), write_all(state, 6))
ANA_IN_RANDOM(void, srand48, (long seed) noexcept, (seed))
ANA_IN_RANDOM(unsigned short*, seed48, (unsigned short seed[3]) noexcept, (seed), write_all(seed, 6))
ANA_IN_RANDOM(void, lcong48, (unsigned short parameters[7]) noexcept, (parameters), write_all(parameters, 14))

namespace ana {
namespace {

unsigned random_word() {
  unsigned word = 0;
  if (passive()) {
    while (getrandom(&word, sizeof word, 0) != sizeof word) {
    }
    return word;
  }
  while (g_host->system_call(SYS_getrandom, reinterpret_cast<long>(&word), sizeof word, 0, 0, 0, 0) != sizeof word) {
  }
  return word;
}

}  // namespace
}  // namespace ana

// std::random_device::_M_getval() and its form of the old library; they ignore the source that was chosen. Weak, so
// that a program with the C++ library inside it can be linked; there the library's own are used.
ANA_EXPORT __attribute__((weak)) unsigned _ZNSt13random_device9_M_getvalEv(void*) { return ana::random_word(); }
ANA_EXPORT __attribute__((weak)) unsigned _ZNSt13random_device16_M_getval_pretr1Ev(void*) { return ana::random_word(); }
