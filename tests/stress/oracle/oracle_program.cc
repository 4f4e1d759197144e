// A random program that writes down every racing access it makes, for oracle_checker to judge.
//
//   oracle_program THREADS EVENTS WORDS SEED YIELD LOG
//
// Each line of LOG is: slot, poll count, location, kind, value read, value written. Every value written is different.
// Every access has a function of its own: its entry is a poll, so no two accesses of a thread have the same count, and
// whatever the recorder logs at that count it logs before the access. The count and the slot are read where the runtime
// keeps them (runtime_abi.h), so the log means something only in a recording.
#include <pthread.h>
#include <sched.h>

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#include "anaphora/runtime_abi.h"

namespace {

constexpr unsigned kMaxThreads = 64, kMaxWords = 4096;

enum Kind : char { kRead = 'r', kWrite = 'w', kUpdate = 'u' };

struct Access {
  uint64_t count;
  unsigned location;
  Kind kind;
  uint64_t read, written;
};

struct Journal {
  uint32_t slot = 0;
  std::vector<Access> accesses;
};

unsigned threads, events, words, yield;
uint64_t seed;
alignas(64) uint64_t memory[kMaxWords];
pthread_mutex_t locks[4] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                            PTHREAD_MUTEX_INITIALIZER};
std::unique_ptr<Journal> journals[kMaxThreads];

// Always inlined: a call would poll, also without optimisation.
[[gnu::always_inline]] inline uint64_t own_count() {
  uint64_t count;
  asm volatile("movq %%gs:%c1, %0" : "=r"(count) : "i"(ANA_GS_COUNT));
  return count;
}

uint32_t own_slot() {
  uint32_t slot;
  asm volatile("movl %%gs:%c1, %0" : "=r"(slot) : "i"(ANA_GS_SLOT));
  return slot;
}

uint64_t next_random(uint64_t& state) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

[[gnu::noinline]] Access read_word(unsigned at) {
  uint64_t count = own_count();
  uint64_t value = *const_cast<volatile uint64_t*>(&memory[at]);
  return {count, at, kRead, value, 0};
}

[[gnu::noinline]] Access write_word(unsigned at, uint64_t value) {
  uint64_t count = own_count();
  *const_cast<volatile uint64_t*>(&memory[at]) = value;
  return {count, at, kWrite, 0, value};
}

[[gnu::noinline]] Access read_atomically(unsigned at) {
  uint64_t count = own_count();
  uint64_t value = __atomic_load_n(&memory[at], __ATOMIC_ACQUIRE);
  return {count, at, kRead, value, 0};
}

[[gnu::noinline]] Access write_atomically(unsigned at, uint64_t value) {
  uint64_t count = own_count();
  __atomic_store_n(&memory[at], value, __ATOMIC_SEQ_CST);
  return {count, at, kWrite, 0, value};
}

[[gnu::noinline]] Access exchange(unsigned at, uint64_t value) {
  uint64_t count = own_count();
  uint64_t old = __atomic_exchange_n(&memory[at], value, __ATOMIC_SEQ_CST);
  return {count, at, kUpdate, old, value};
}

[[gnu::noinline]] Access compare_exchange(unsigned at, uint64_t expected, uint64_t value) {
  uint64_t count = own_count();
  bool done = __atomic_compare_exchange_n(&memory[at], &expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_ACQUIRE);
  return {count, at, done ? kUpdate : kRead, expected, done ? value : 0};
}

Access one_access(unsigned kind, unsigned at, uint64_t value, uint64_t last_seen) {
  switch (kind) {
    case 0: return read_atomically(at);
    case 1: return write_atomically(at, value);
    case 2: return exchange(at, value);
    case 3: return compare_exchange(at, last_seen, value);
    case 4:
    case 5:
    case 6: return write_word(at, value);
    default: return read_word(at);
  }
}

void* work(void* argument) {
  auto index = static_cast<unsigned>(reinterpret_cast<uintptr_t>(argument));
  auto journal = std::make_unique<Journal>();
  journal->slot = own_slot();
  journal->accesses.reserve(2 * events);
  uint64_t state = seed * 0x9e3779b97f4a7c15ull + index + 1, last_seen = 0;
  for (unsigned i = 0; i < events; i++) {
    uint64_t random = next_random(state);
    pthread_mutex_t* lock = (random >> 40 & 7) == 0 ? &locks[random >> 44 & 3] : nullptr;
    unsigned inside = lock != nullptr ? 3 : 1;
    if (lock != nullptr) pthread_mutex_lock(lock);
    for (unsigned k = 0; k < inside; k++) {
      uint64_t value = static_cast<uint64_t>(index + 1) << 32 | (i * 4 + k + 1);
      Access access = one_access((random >> 48) % 12, static_cast<unsigned>(random + k) % words, value, last_seen);
      if (access.kind != kWrite) last_seen = access.read;
      journal->accesses.push_back(access);
    }
    if (lock != nullptr) pthread_mutex_unlock(lock);
    if ((random >> 56) % yield == 0) sched_yield();
  }
  journals[index] = std::move(journal);
  return nullptr;
}

bool write_log(const char* path) {
  FILE* file = fopen(path, "w");
  if (file == nullptr) return false;
  for (unsigned i = 0; i < threads; i++)
    for (const Access& a : journals[i]->accesses)
      fprintf(file, "%u %" PRIu64 " %u %c %" PRIx64 " %" PRIx64 "\n", journals[i]->slot, a.count, a.location, a.kind,
              a.read, a.written);
  return fclose(file) == 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 7) {
    fprintf(stderr, "usage: %s THREADS EVENTS WORDS SEED YIELD LOG\n", argv[0]);
    return 2;
  }
  threads = static_cast<unsigned>(atoi(argv[1]));
  events = static_cast<unsigned>(atoi(argv[2]));
  words = static_cast<unsigned>(atoi(argv[3]));
  seed = strtoull(argv[4], nullptr, 0);
  yield = static_cast<unsigned>(atoi(argv[5]));
  if (threads < 1 || threads > kMaxThreads || words < 1 || words > kMaxWords || yield < 1) return 2;
  pthread_t handles[kMaxThreads];
  for (uintptr_t i = 0; i < threads; i++) pthread_create(&handles[i], nullptr, work, reinterpret_cast<void*>(i));
  for (unsigned i = 0; i < threads; i++) pthread_join(handles[i], nullptr);
  return write_log(argv[6]) ? 0 : 1;
}
