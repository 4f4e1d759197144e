// What the benchmark programs share: the command line, threads that start one body together, random numbers, the locks,
// barriers and work pools between threads, and the line that each program ends with.
//
//   program THREADS [SCALE | n=SIZE] [SEED]
//
// SCALE multiplies the work (1: a second or two on one processor), n=SIZE sets the program's own measure of its input
// instead. The programs of the papers synchronise by plain words of shared memory, as those on the Sequent did, so that
// a trace of their references has the synchronisation in it too; the newer ones use pthread's.
//
// The line of the papers' programs is "checksum X order Y". X is the same in every run unless the program says
// otherwise; Y is made of what the threads saw of the schedule and differs from run to run. A wrong result ends the
// program with status 1.
#pragma once
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <atomic>
#include <memory>
#include <vector>

namespace bench {

inline int threads = 2;
inline double scale = 1.0;
inline int given_size = 0;
inline uint64_t seed = 0;
inline pthread_barrier_t phase_barrier;

// What this thread has seen of the schedule. Private, so that watching adds no sharing.
inline constinit thread_local uint64_t seen = 0x2545f4914f6cdd1d;
inline void saw(uint64_t value) { seen = (seen ^ value) * 0x9e3779b97f4a7c15 + (seen >> 29); }

inline void parse(int argc, char** argv) {
  threads = argc > 1 ? atoi(argv[1]) : 2;
  if (argc > 2) (strncmp(argv[2], "n=", 2) == 0 ? given_size = atoi(argv[2] + 2) : scale = atof(argv[2]));
  if (argc > 3) seed = strtoull(argv[3], nullptr, 10);
  bool wrong_size = argc > 2 && (strncmp(argv[2], "n=", 2) == 0 ? given_size < 1 : !(scale > 0));
  if (argc > 4 || threads < 1 || threads > 1024 || wrong_size) {
    fprintf(stderr, "usage: %s THREADS [SCALE | n=SIZE] [SEED]\n", argv[0]);
    exit(2);
  }
}

inline int scaled(int size) { return static_cast<int>(size * scale) > 0 ? static_cast<int>(size * scale) : 1; }

// The measure of the input: what was given, or `full` scaled so that work which grows with its power grows with SCALE.
inline int size(int full, double power = 1, int least = 1) {
  int chosen = given_size > 0 ? given_size : static_cast<int>(lround(full * pow(scale, 1 / power)));
  return chosen < least ? least : chosen;
}

// The part [first, last) of n items that thread `index` works on.
struct Part {
  int first, last;
};
inline Part part(int index, int n) {
  return {static_cast<int>(static_cast<int64_t>(n) * index / threads),
          static_cast<int>(static_cast<int64_t>(n) * (index + 1) / threads)};
}

inline void barrier() { saw(pthread_barrier_wait(&phase_barrier) == PTHREAD_BARRIER_SERIAL_THREAD); }

inline uint64_t order;  // of all threads, once run() has returned

inline void (*body_of_all)(int index);
inline std::vector<uint64_t> seen_by;
inline std::atomic<int> finished;  // so that programs without any other sign of the schedule have one

inline void* perform(void* argument) {
  auto index = reinterpret_cast<intptr_t>(argument);
  barrier();
  body_of_all(static_cast<int>(index));
  saw(static_cast<uint64_t>(finished.fetch_add(1, std::memory_order_relaxed)));
  seen_by[static_cast<size_t>(index)] = seen;
  return nullptr;
}

inline void run(void (*body)(int index)) {
  body_of_all = body;
  seen_by.assign(static_cast<size_t>(threads), 0);
  pthread_barrier_init(&phase_barrier, nullptr, static_cast<unsigned>(threads));
  std::vector<pthread_t> handles(static_cast<size_t>(threads));
  for (intptr_t i = 1; i < threads; i++) {
    int error = pthread_create(&handles[static_cast<size_t>(i)], nullptr, perform, reinterpret_cast<void*>(i));
    if (error != 0) {
      fprintf(stderr, "cannot start thread %d: %s\n", static_cast<int>(i), strerror(error));
      exit(2);
    }
  }
  perform(nullptr);
  for (int i = 1; i < threads; i++) pthread_join(handles[static_cast<size_t>(i)], nullptr);
  for (uint64_t one : seen_by) order = order * 31 + one;
}

inline uint64_t next_random(uint64_t& state) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

// A generator's state: `own` of the program unless a seed was given.
inline uint64_t random_state(uint64_t own) {
  if (seed == 0) return own;
  uint64_t state = (seed + own) * 0x9e3779b97f4a7c15 | 1;
  for (int i = 0; i < 8; i++) next_random(state);
  return state;
}
inline int random_below(uint64_t& state, int bound) {
  return static_cast<int>((next_random(state) >> 11) % static_cast<uint64_t>(bound));
}
inline double random_unit(uint64_t& state) { return static_cast<double>(next_random(state) >> 11) * 0x1p-53; }

// Called between pieces of work. Inputs of a given size are small, and a thread would be through with all of it before
// the others had started; where there are fewer processors than threads, this lets them go side by side.
inline void give_way() {
  if (given_size > 0) sched_yield();
}

// Waits without sleeping; there may be fewer processors than threads.
template <class Condition>
void spin_until(Condition reached) {
  uint64_t tries = 0;
  while (!reached())
    if (++tries % 16 == 0) sched_yield();
  saw(tries);
}

// A lock that is one word of memory.
class SpinLock {
 public:
  void lock() {
    spin_until([this] {
      return held_.load(std::memory_order_relaxed) == 0 && held_.exchange(1, std::memory_order_acquire) == 0;
    });
  }
  void unlock() { held_.store(0, std::memory_order_release); }

 private:
  std::atomic<int> held_{0};
};

template <class Lock>
class Locked {
 public:
  explicit Locked(Lock& lock) : lock_(lock) { lock_.lock(); }
  ~Locked() { lock_.unlock(); }
  Locked(const Locked&) = delete;

 private:
  Lock& lock_;
};

// pthread's mutex with the names of SpinLock.
class Mutex {
 public:
  void lock() { pthread_mutex_lock(&mutex_); }
  void unlock() { pthread_mutex_unlock(&mutex_); }

 private:
  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
};

// All threads meet; the last one lets the others go by starting another round.
inline void spin_barrier() {
  static SpinLock lock;
  static int arrived;
  static std::atomic<int> round;
  int mine = round.load(std::memory_order_relaxed);
  lock.lock();
  bool last = ++arrived == threads;
  if (last) arrived = 0;
  lock.unlock();
  if (last)
    round.store(mine + 1, std::memory_order_release);
  else
    spin_until([mine] { return round.load(std::memory_order_acquire) != mine; });
}

// Items dealt out one stretch after the other to whoever asks first.
class Dealer {
 public:
  explicit Dealer(int items = 0) : items_(items) {}
  void restart(int items) {
    items_ = items;
    next_ = 0;
  }
  // The next `count` items, fewer at the end, none (first == last) after it.
  Part take(int count = 1) {
    give_way();
    Locked<SpinLock> locked(lock_);
    int first = next_;
    next_ = items_ - first < count ? items_ : first + count;
    saw(static_cast<uint64_t>(first));
    return {first, next_};
  }

 private:
  SpinLock lock_;
  int items_, next_ = 0;
};

// Tasks that make tasks: a stack shared by all. Work is over when nothing is left and nobody could add more.
template <class Task>
class WorkPool {
 public:
  void put(Task task) {
    Locked<SpinLock> locked(lock_);
    tasks_.push_back(task);
    unfinished_++;
  }
  // Takes a task, waiting for one if need be; false when all is done. Each taken task is finished() once.
  bool take(Task& task) {
    bool taken = false;
    give_way();
    spin_until([&] {
      Locked<SpinLock> locked(lock_);
      if (tasks_.empty()) return unfinished_ == 0;
      task = tasks_.back();
      tasks_.pop_back();
      return taken = true;
    });
    return taken;
  }
  void finished() {
    Locked<SpinLock> locked(lock_);
    unfinished_--;
  }

 private:
  SpinLock lock_;
  std::vector<Task> tasks_;
  int unfinished_ = 0;
};

// Checks of the result: the first that fails is said on stderr.
inline bool wrong = false;
[[gnu::format(printf, 2, 3)]] inline void check(bool right, const char* format, ...) {
  if (right || wrong) return;
  wrong = true;
  va_list arguments;
  va_start(arguments, format);
  fputs("wrong result: ", stderr);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  va_end(arguments);
}

inline uint64_t mix(uint64_t sum, uint64_t value) { return sum * 31 + value; }

// Of sorted numbers, whose squares added up to `squares` before; gives their checksum.
template <class Number>
uint64_t check_sorted(const std::vector<Number>& numbers, uint64_t squares) {
  uint64_t sum = 0;
  for (size_t i = 0; i < numbers.size(); i++) {
    check(i == 0 || numbers[i - 1] <= numbers[i], "number %zu is smaller than the one before", i);
    auto number = static_cast<uint64_t>(numbers[i]);
    squares -= number * number;
    sum = mix(sum, number);
  }
  check(squares == 0, "the numbers are not those that were to be sorted");
  return sum;
}

// The last line; what main() returns.
[[nodiscard]] inline int finish(uint64_t checksum) {
  printf("checksum %llu order %016llx\n", static_cast<unsigned long long>(checksum),
         static_cast<unsigned long long>(order));
  return wrong ? 1 : 0;
}
[[nodiscard]] inline int finish(double checksum) {
  printf("checksum %.10g order %016llx\n", checksum, static_cast<unsigned long long>(order));
  return wrong ? 1 : 0;
}

}  // namespace bench
