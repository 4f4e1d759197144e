// Instructions whose result is an input: executed in record, taken from the log in replay.
#include <x86intrin.h>

#include "runtime/interpose/runtime.h"

namespace {

using namespace ana;

// The words of cpuid, in the order of their registers' names.
struct Identification {
  uint32_t words[4];
};

Identification read_cpuid(uint32_t leaf, uint32_t part) {
  Identification found;
  asm volatile("cpuid" : "=a"(found.words[0]), "=b"(found.words[1]), "=c"(found.words[2]), "=d"(found.words[3])
               : "0"(leaf), "2"(part));
  return found;
}

template <class Read>
uint64_t logged(Read read, uint32_t* extra) {
  if (passive()) return read(extra);
  Operation operation;
  if (replaying()) {
    uint32_t bytes = 0;
    auto result = static_cast<uint64_t>(g_host->get(kOpInstruction, &bytes, sizeof(bytes)));
    if (extra) *extra = bytes;
    return result;
  }
  uint32_t bytes = 0;
  uint64_t result = read(&bytes);
  if (extra) *extra = bytes;
  g_host->put(kOpInstruction, static_cast<int64_t>(result), &bytes, sizeof(bytes));
  return result;
}

__attribute__((target("rdrnd"))) uint64_t read_rdrand(uint32_t bits, uint32_t* ok) {
  unsigned long long value = 0;
  *ok = static_cast<uint32_t>(_rdrand64_step(&value));
  return bits == 64 ? value : value & ((1ull << bits) - 1);
}

__attribute__((target("rdseed"))) uint64_t read_rdseed(uint32_t bits, uint32_t* ok) {
  unsigned long long value = 0;
  *ok = static_cast<uint32_t>(_rdseed64_step(&value));
  return bits == 64 ? value : value & ((1ull << bits) - 1);
}

}  // namespace

ANA_EXPORT uint64_t __ana_rdtsc() {
  return logged([](uint32_t*) { return __rdtsc(); }, nullptr);
}
ANA_EXPORT uint64_t __ana_rdtscp(uint32_t* aux) {
  return logged([](uint32_t* a) -> uint64_t { return __rdtscp(a); }, aux);
}
ANA_EXPORT uint64_t __ana_rdrand(uint32_t bits, uint32_t* ok) {
  return logged([bits](uint32_t* o) { return read_rdrand(bits, o); }, ok);
}
ANA_EXPORT uint64_t __ana_rdseed(uint32_t bits, uint32_t* ok) {
  return logged([bits](uint32_t* o) { return read_rdseed(bits, o); }, ok);
}
ANA_EXPORT uint64_t __ana_rdpid() {
  auto read = [](uint32_t*) {
    uint64_t processor;
    asm volatile("rdpid %0" : "=r"(processor));
    return processor;
  };
  return logged(read, nullptr);
}
ANA_EXPORT uint64_t __ana_xgetbv(uint32_t number) {
  auto read = [number](uint32_t*) {
    uint32_t low, high;
    asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(number));
    return uint64_t{high} << 32 | low;
  };
  return logged(read, nullptr);
}
ANA_EXPORT uint64_t __ana_cpuid(uint32_t leaf, uint32_t part, uint32_t* words) {
  Identification found;
  if (passive()) {
    found = read_cpuid(leaf, part);
  } else {
    Operation operation;
    if (replaying()) {
      g_host->get(kOpInstruction, &found, sizeof found);
    } else {
      found = read_cpuid(leaf, part);
      g_host->put(kOpInstruction, 0, &found, sizeof found);
    }
  }
  for (int i = 0; i < 4; ++i) words[i] = found.words[i];
  return 0;
}
