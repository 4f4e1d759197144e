// A random program: each thread does a seeded random mix of everything that can race, and hashes what it sees.
//
//   random_program THREADS EVENTS WORDS SEED FEATURES YIELD
//
// WORDS is the size of the shared array; the fewer, the harder (16 words are two lines that everybody fights for).
// FEATURES is a sum of: 1 atomics, 2 mutexes, 4 ranges and loops, 8 semaphores and barriers, 16 condition variables,
// 32 threads created and joined on the way, 64 malloc and free. YIELD: the thread gives up the processor in one of so
// many events. Prints a hash per thread and one of the memory; equal in a replay, different from run to run.
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>

#include <atomic>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

enum Feature : unsigned {
  kAtomics = 1,
  kMutexes = 2,
  kRanges = 4,
  kSemaphores = 8,
  kConditions = 16,
  kThreads = 32,
  kMemory = 64,
};

constexpr int kMaxThreads = 256;
constexpr unsigned kMaxWords = 65536;

struct Configuration {
  int threads = 4;
  int events = 2000;
  unsigned words = 16;
  uint64_t seed = 1;
  unsigned features = ~0u;
  unsigned yield = 16;
} configuration;

alignas(64) volatile uint64_t words[kMaxWords];
alignas(64) std::atomic<uint64_t> atomics[8];
alignas(64) volatile uint64_t flags[16];
alignas(64) uint64_t guarded[32];
alignas(64) std::atomic<void*> blocks[16];
int ticks;
int away;  // threads that have ended, or wait at the barrier
pthread_mutex_t first_lock = PTHREAD_MUTEX_INITIALIZER, second_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
pthread_barrier_t barrier;
sem_t semaphore;
uint64_t results[kMaxThreads];

uint64_t next_random(uint64_t& state) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

uint64_t fold(uint64_t hash, uint64_t value) { return (hash ^ value) * 0x100000001b3ull + 1; }

[[gnu::noinline]] uint64_t descend(int depth, unsigned at) {
  uint64_t value = words[at];
  if (depth > 0) {
    value += descend(depth - 1, (at + 7) % configuration.words);
    words[(at + 3) % configuration.words] = value;
    value ^= descend(depth - 1, (at + 13) % configuration.words) * 3;
  }
  return value;
}

[[gnu::noinline]] uint64_t add(unsigned at, uint64_t value) {
  words[at] = words[at] + value;
  return words[(at + 1) % configuration.words];
}

uint64_t plain_event(unsigned kind, unsigned at, uint64_t hash) {
  if (kind < 8) return fold(hash, words[at]);
  if (kind < 13) {
    words[at] = hash;
    return hash;
  }
  if (kind < 15) return fold(hash, add(at, hash & 255));
  if (kind == 15) {
    uint64_t seen = flags[0];
    int spins = 0;
    while (spins < 300 && flags[0] == seen) spins++;
    return fold(fold(hash, seen), static_cast<uint64_t>(spins));
  }
  if (kind == 16) {
    flags[0] = hash;
    uint64_t other = flags[8];
    flags[8] = hash >> 32;
    return fold(hash, other);
  }
  return fold(hash, descend(3, at));
}

uint64_t atomic_event(uint64_t random, uint64_t hash) {
  std::atomic<uint64_t>& one = atomics[random >> 40 & 7];
  switch (random >> 50 & 3) {
    case 0: return fold(hash, one.exchange(hash));
    case 1: return fold(hash, one.load(std::memory_order_acquire));
    case 2: return fold(fold(hash, one.fetch_add(hash & 15)), atomics[random >> 44 & 7].fetch_xor(hash));
    default: {
      uint64_t seen = atomics[0].load(), failures = 0;
      while (!atomics[0].compare_exchange_weak(seen, seen * 3 + 1)) failures++;
      return fold(fold(hash, seen), failures);
    }
  }
}

uint64_t mutex_event(uint64_t random, unsigned at, uint64_t hash) {
  switch (random >> 50 & 3) {
    case 0:
    case 1:
      pthread_mutex_lock(&first_lock);
      for (unsigned i = 0; i < 4; i++) {
        words[(at + i) % configuration.words] = hash + i;
        guarded[i] += hash;
      }
      hash = fold(hash, guarded[0]);
      pthread_mutex_unlock(&first_lock);
      return hash;
    case 2:
      pthread_mutex_lock(&first_lock);
      hash = fold(hash, guarded[1]);
      pthread_mutex_unlock(&first_lock);
      pthread_mutex_lock(&second_lock);
      hash = fold(hash, ++guarded[9]);
      pthread_mutex_unlock(&second_lock);
      return fold(hash, words[at]);
    default: {
      int status = pthread_mutex_trylock(&second_lock);
      hash = fold(hash, static_cast<uint64_t>(status));
      if (status != 0) return hash;
      hash = fold(hash, guarded[8] += hash);
      pthread_mutex_unlock(&second_lock);
      return hash;
    }
  }
}

uint64_t range_event(uint64_t random, unsigned at, uint64_t hash) {
  unsigned half = configuration.words / 2, first = at & ~15u;
  if (first + 16 > configuration.words) first = 0;
  switch (random >> 50 & 3) {
    case 0:
      for (unsigned i = 0; i < 16; i++) hash = fold(hash, words[first + i] * (i + 1));
      return hash;
    case 1: {
      unsigned from = static_cast<unsigned>(random >> 20) % half, size = static_cast<unsigned>(random >> 44) % 24;
      if (size > half) size = half;
      memmove(const_cast<uint64_t*>(&words[half]), const_cast<uint64_t*>(&words[from]), 8 * size);
      return hash;
    }
    case 2:
      for (unsigned i = 0; i < 16; i++) words[first + i] = hash + i;
      return hash;
    default: {
      uint64_t sum = 0;
      unsigned stride = 1 + static_cast<unsigned>(random >> 52) % 9;
      for (unsigned i = at % 8; i < configuration.words && i < 4096; i += stride) sum += words[i];
      return fold(hash, sum);
    }
  }
}

uint64_t semaphore_event(unsigned at, uint64_t hash) {
  sem_post(&semaphore);
  hash = fold(hash, words[at]);
  sem_wait(&semaphore);
  return fold(hash, guarded[16]++);
}

// Waits for somebody else's tick; only thread 0 does, and not once all others are away, so it always comes back.
uint64_t condition_event(int index, uint64_t hash) {
  pthread_mutex_lock(&first_lock);
  int before = ticks++;
  pthread_cond_broadcast(&changed);
  if (index == 0) {
    while (ticks == before + 1 && away < configuration.threads - 1) pthread_cond_wait(&changed, &first_lock);
  }
  hash = fold(hash, static_cast<uint64_t>(ticks));
  pthread_mutex_unlock(&first_lock);
  return hash;
}

void set_away(int change) {
  pthread_mutex_lock(&first_lock);
  away += change;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&first_lock);
}

uint64_t barrier_event(uint64_t hash) {
  set_away(1);
  int status = pthread_barrier_wait(&barrier);
  set_away(-1);
  return fold(hash, status == 0);
}

void* child(void* argument) {
  auto at = static_cast<unsigned>(reinterpret_cast<uintptr_t>(argument));
  uint64_t value = add(at, 17);
  return reinterpret_cast<void*>(value);
}

uint64_t thread_event(unsigned at, uint64_t hash) {
  pthread_t handle;
  if (pthread_create(&handle, nullptr, child, reinterpret_cast<void*>(static_cast<uintptr_t>(at))) != 0) return hash;
  hash = fold(hash, words[at]);
  void* value = nullptr;
  pthread_join(handle, &value);
  return fold(hash, reinterpret_cast<uintptr_t>(value));
}

uint64_t memory_event(uint64_t random, uint64_t hash) {
  size_t size = 1 + (random >> 20) % 900;
  auto* mine = static_cast<unsigned char*>(malloc(size));
  memset(mine, static_cast<int>(random), size);
  hash = fold(hash, reinterpret_cast<uintptr_t>(mine));
  auto* other = static_cast<unsigned char*>(blocks[random >> 40 & 15].exchange(mine));
  if (other != nullptr) hash = fold(hash, other[0]);
  free(other);
  return hash;
}

uint64_t one_event(int index, int step, uint64_t random, uint64_t hash) {
  unsigned kind = random >> 32 & 31, at = static_cast<unsigned>(random) % configuration.words;
  unsigned features = configuration.features;
  if (kind < 18) return plain_event(kind, at, hash);
  if (kind < 22) return features & kAtomics ? atomic_event(random, hash) : hash;
  if (kind < 25) return features & kMutexes ? mutex_event(random, at, hash) : hash;
  if (kind < 28) return features & kRanges ? range_event(random, at, hash) : hash;
  if (kind == 28) return features & kSemaphores ? semaphore_event(at, hash) : hash;
  if (kind == 29) return features & kConditions && step % 4 == 0 ? condition_event(index, hash) : hash;
  if (kind == 30) return features & kThreads && step % 16 == 0 ? thread_event(at, hash) : hash;
  return features & kMemory ? memory_event(random, hash) : hash;
}

void* work(void* argument) {
  int index = static_cast<int>(reinterpret_cast<intptr_t>(argument));
  uint64_t state = configuration.seed * 0x9e3779b97f4a7c15ull + static_cast<uint64_t>(index) + 1;
  uint64_t hash = static_cast<uint64_t>(index);
  for (int i = 0; i < configuration.events; i++) {
    uint64_t random = next_random(state);
    if ((random >> 56) % configuration.yield == 0) sched_yield();
    hash = one_event(index, i, random, hash);
    bool at_barrier =
        configuration.features & kSemaphores && i % (configuration.events / 4 + 1) == configuration.events / 8;
    if (at_barrier) hash = barrier_event(hash);
  }
  set_away(1);
  results[index] = hash;
  return nullptr;
}

bool parse(int argc, char** argv) {
  auto number = [&](int i, uint64_t otherwise) { return argc > i ? strtoull(argv[i], nullptr, 0) : otherwise; };
  configuration = {static_cast<int>(number(1, 4)),        static_cast<int>(number(2, 2000)),
                   static_cast<unsigned>(number(3, 16)),  number(4, 1),
                   static_cast<unsigned>(number(5, 127)), static_cast<unsigned>(number(6, 16))};
  return configuration.threads >= 1 && configuration.threads <= kMaxThreads && configuration.words >= 16 &&
         configuration.words <= kMaxWords && configuration.yield >= 1 && configuration.events >= 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (!parse(argc, argv)) {
    fprintf(stderr, "usage: %s THREADS EVENTS WORDS SEED FEATURES YIELD\n", argv[0]);
    return 2;
  }
  pthread_barrier_init(&barrier, nullptr, static_cast<unsigned>(configuration.threads));
  sem_init(&semaphore, 0, 0);
  pthread_t handles[kMaxThreads];
  for (int i = 0; i < configuration.threads; i++)
    pthread_create(&handles[i], nullptr, work, reinterpret_cast<void*>(static_cast<intptr_t>(i)));
  for (int i = 0; i < configuration.threads; i++) pthread_join(handles[i], nullptr);
  for (int i = 0; i < configuration.threads; i++) printf("%d %016" PRIx64 "\n", i, results[i]);
  uint64_t hash = 0;
  for (unsigned i = 0; i < configuration.words; i++) hash = fold(hash, words[i]);
  for (auto& one : atomics) hash = fold(hash, one.load());
  printf("memory %016" PRIx64 "\n", hash);
}
