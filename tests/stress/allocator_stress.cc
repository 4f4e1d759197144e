// Stress of the program's allocator (src/runtime/interpose/allocator.h): random calls of the malloc family on many
// threads, with checks of contents, alignment, sizes and zeroing; blocks travel between threads.
//
// Runs natively. Link it with the whole runtime archive, whose malloc it then uses:
//
//   clang++-19 -std=c++20 -O2 -pthread tests/stress/allocator_stress.cc
//       -Wl,--whole-archive libanaphora_rt.a -Wl,--no-whole-archive -ldl -o allocator_stress
//   ./allocator_stress [threads] [calls per thread] [seed] [forks]
//
// A recording needs 0 forks: children cannot be recorded.
//
// Prints "ok" and a hash of all addresses that the threads saw: the same in a recording and in its replays, and with
// one thread in all recordings.
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

constexpr int kSlotsOfThread = 256;
constexpr int kExchange = 64;

struct Random {
  uint64_t state;
  uint64_t next() {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
  }
  uint64_t below(uint64_t n) { return next() % n; }
};

struct Block {
  unsigned char* at;
  size_t bytes;
  unsigned char mark;
};

[[noreturn]] void fail(const char* what, const void* at, size_t bytes) {
  fprintf(stderr, "allocator_stress: %s at %p, %zu bytes\n", what, at, bytes);
  abort();
}

// A mark at both ends and at a few places between: enough to notice overlaps, and cheap for large blocks.
void mark_block(const Block& b) {
  for (size_t i = 0; i < b.bytes; i += i < 64 ? 1 : 509) b.at[i] = static_cast<unsigned char>(b.mark + i);
  if (b.bytes) b.at[b.bytes - 1] = b.mark;
}

void check_block(const Block& b, size_t bytes) {
  for (size_t i = 0; i < bytes; i += i < 64 ? 1 : 509) {
    unsigned char expected = i == b.bytes - 1 ? b.mark : static_cast<unsigned char>(b.mark + i);
    if (b.at[i] != expected) fail("contents changed", b.at, b.bytes);
  }
  if (bytes == b.bytes && bytes && b.at[bytes - 1] != b.mark) fail("last byte changed", b.at, b.bytes);
}

size_t random_size(Random& random) {
  switch (random.below(16)) {
    case 0: return random.below(300 << 10);
    case 1: return random.below(64) ? random.below(20000) : random.below(3 << 20);
    case 2: case 3: return random.below(2000);
    default: return random.below(200);
  }
}

struct Exchange {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  Block blocks[kExchange] = {};
} g_exchange;

struct Worker {
  Random random;
  long calls;
  uint64_t hash = 0;
  uint64_t first = 0;
  Block blocks[kSlotsOfThread] = {};

  void allocate(Block& b) {
    b.bytes = random_size(random);
    b.mark = static_cast<unsigned char>(random.next());
    size_t alignment = 16;
    switch (random.below(6)) {
      case 0:
        b.at = static_cast<unsigned char*>(calloc(1, b.bytes));
        for (size_t i = 0; i < b.bytes; ++i) {
          if (b.at[i]) fail("calloc gave bytes other than zero", b.at, b.bytes);
        }
        break;
      case 1:
        alignment = size_t{16} << random.below(random.below(50) ? 9 : 15);
        b.at = static_cast<unsigned char*>(aligned_alloc(alignment, b.bytes));
        break;
      default:
        b.at = static_cast<unsigned char*>(malloc(b.bytes));
    }
    if (!b.at) fail("no memory", nullptr, b.bytes);
    if (reinterpret_cast<uint64_t>(b.at) % alignment) fail("wrong alignment", b.at, b.bytes);
    size_t usable = malloc_usable_size(b.at);
    if (usable < b.bytes) fail("usable size too small", b.at, b.bytes);
    if (alignment == 16 && usable > b.bytes + b.bytes / 4 + 16 && usable > b.bytes + 4095) {
      fail("wasteful", b.at, b.bytes);
    }
    if (!first) first = reinterpret_cast<uint64_t>(b.at);
    hash = hash * 1099511628211u + (reinterpret_cast<uint64_t>(b.at) - first);
    mark_block(b);
  }

  void release(Block& b) {
    check_block(b, b.bytes);
    free(b.at);
    b = {};
  }

  void resize(Block& b) {
    size_t bytes = random_size(random) + 1;
    check_block(b, b.bytes);
    Block old = b;
    b.at = static_cast<unsigned char*>(realloc(b.at, bytes));
    if (!b.at) fail("realloc: no memory", nullptr, bytes);
    size_t kept = bytes < old.bytes ? bytes : old.bytes;
    Block view{b.at, old.bytes, old.mark};
    check_block(view, kept);
    b.bytes = bytes;
    mark_block(b);
  }

  void swap(Block& b) {
    Block& other = g_exchange.blocks[random.below(kExchange)];
    pthread_mutex_lock(&g_exchange.mutex);
    Block mine = b;
    b = other;
    other = mine;
    pthread_mutex_unlock(&g_exchange.mutex);
  }

  void run() {
    for (long i = 0; i < calls; ++i) {
      Block& b = blocks[random.below(kSlotsOfThread)];
      uint64_t what = random.below(16);
      if (what == 0) {
        swap(b);
      } else if (!b.at) {
        allocate(b);
      } else if (what < 4) {
        resize(b);
      } else {
        release(b);
      }
    }
    for (Block& b : blocks) {
      if (b.at) release(b);
    }
  }
};

// A child of fork() must be able to allocate whatever the other threads of its parent were doing.
void fork_and_allocate() {
  pid_t child = fork();
  if (child == 0) {
    for (int i = 0; i < 2000; ++i) free(malloc(static_cast<size_t>(i) * 37));
    _exit(0);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child || status != 0) fail("fork and malloc", nullptr, 0);
}

long resident_bytes() {
  FILE* f = fopen("/proc/self/statm", "r");
  long total = 0, resident = 0;
  if (!f || fscanf(f, "%ld %ld", &total, &resident) != 2) fail("statm", nullptr, 0);
  fclose(f);
  return resident * 4096;
}

// One thread allocates, another frees: memory must stay bounded.
constexpr int kPipe = 1024;
void* g_pipe[kPipe];
uint64_t g_made, g_freed;

void* consume(void* count) {
  long n = *static_cast<long*>(count);
  for (long i = 0; i < n; ++i) {
    while (__atomic_load_n(&g_made, __ATOMIC_ACQUIRE) == static_cast<uint64_t>(i)) sched_yield();
    free(g_pipe[i % kPipe]);
    __atomic_store_n(&g_freed, static_cast<uint64_t>(i + 1), __ATOMIC_RELEASE);
  }
  return nullptr;
}

void produce_and_consume(long n) {
  pthread_t thread;
  long before = resident_bytes();
  if (pthread_create(&thread, nullptr, consume, &n) != 0) fail("pthread_create", nullptr, 0);
  for (long i = 0; i < n; ++i) {
    while (static_cast<uint64_t>(i) - __atomic_load_n(&g_freed, __ATOMIC_ACQUIRE) == kPipe) sched_yield();
    void* p = malloc(64 + static_cast<size_t>(i % 8) * 1000);
    memset(p, 1, 64);
    g_pipe[i % kPipe] = p;
    __atomic_store_n(&g_made, static_cast<uint64_t>(i + 1), __ATOMIC_RELEASE);
  }
  pthread_join(thread, nullptr);
  long grown = resident_bytes() - before;
  if (grown > 64 << 20) fail("producer and consumer: memory grew without bound", nullptr, static_cast<size_t>(grown));
}

void* run_worker(void* worker) {
  static_cast<Worker*>(worker)->run();
  return nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  int threads = argc > 1 ? atoi(argv[1]) : 4;
  long calls = argc > 2 ? atol(argv[2]) : 200000;
  uint64_t seed = argc > 3 ? strtoull(argv[3], nullptr, 0) : 1;
  int forks = argc > 4 ? atoi(argv[4]) : 20;
  if (threads < 1 || threads > 64) return fprintf(stderr, "allocator_stress: 1 to 64 threads\n"), 2;
  Worker* workers = new Worker[static_cast<size_t>(threads)];
  pthread_t ids[64];
  for (int t = 0; t < threads; ++t) {
    workers[t].random.state = (seed + static_cast<uint64_t>(t)) * 0x9e3779b97f4a7c15u;
    workers[t].calls = calls;
    if (t && pthread_create(&ids[t], nullptr, run_worker, &workers[t]) != 0) fail("pthread_create", nullptr, 0);
  }
  for (int i = 0; threads > 1 && i < forks; ++i) fork_and_allocate();
  workers[0].run();
  uint64_t hash = workers[0].hash;
  for (int t = 1; t < threads; ++t) {
    pthread_join(ids[t], nullptr);
    hash ^= workers[t].hash * static_cast<uint64_t>(t + 1);
  }
  delete[] workers;
  for (Block& b : g_exchange.blocks) free(b.at);
  if (threads > 1) produce_and_consume(calls * 4);
  printf("ok %016lx\n", hash);
  return 0;
}
