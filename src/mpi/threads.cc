#include "mpi/threads.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <threads.h>

#include "mpi/lock.h"

namespace ana::mpi {

namespace {

constexpr uint64_t kLineageMask = (uint64_t{1} << 48) - 1;  // what a kThread event can tell

Thread* threads[kMaxStreams];
uint32_t thread_count = 0;
uint64_t made = 0, made_before_mpi = 0;  // by pthread_create

thread_local uint64_t lineage = 1;
thread_local uint64_t children = 0;

uint64_t lineage_of_next_child() {
  uint64_t x = (lineage + 0x9e3779b97f4a7c15ull) ^ ++children * 0xbf58476d1ce4e5b9ull;
  x = (x ^ x >> 31) * 0x94d049bb133111ebull;
  return (x ^ x >> 29) & kLineageMask;
}

uint32_t stream_of_lineage() {
  if (thread_count == 0) return 0;
  if (recording()) return thread_count;
  uint32_t stream = find_stream(lineage);
  return stream < kMaxStreams && threads[stream] == nullptr ? stream : kMaxStreams;
}

Thread* new_thread() {
  Guard guard;
  auto* t = static_cast<Thread*>(calloc(1, sizeof(Thread)));
  if (t == nullptr) give_up("there is no memory left for a thread");
  t->last_turn = ~uint64_t{0};
  t->stream = stream_of_lineage();
  if (t->stream >= kMaxStreams) {
    give_up(recording() ? "more threads call MPI than can be recorded (256)"
                        : "a thread calls MPI that did not do so in the recording, so all ranks end");
  }
  threads[t->stream] = t;
  if (thread_count++ == 0) made_before_mpi = __atomic_load_n(&made, __ATOMIC_RELAXED);
  t->writer.open(t->stream);
  if (recording()) t->told_calls = &g.header->calls[t->stream];
  t->check_at = g.full_check ? 0 : kCheckCalls;
  if (recording() && t->stream != 0) t->writer.put({.kind = EventKind::kThread, .value = lineage});
  if (recording()) return t;
  t->schedule = load_schedule(t->stream);
  if (t->schedule == nullptr) give_up("the trace is damaged; `anaphora verify` says where");
  return t;
}

struct Start {
  void* (*routine)(void*);
  int (*c_routine)(void*);
  void* argument;
  uint64_t lineage;
};

Start* make_start(void* argument) {
  auto* start = static_cast<Start*>(calloc(1, sizeof(Start)));
  if (start == nullptr) return nullptr;
  start->argument = argument;
  start->lineage = lineage_of_next_child();
  __atomic_add_fetch(&made, 1, __ATOMIC_RELAXED);
  // Until the end of MPI_Init there is no page: its threads are MPI's.
  if (g.page != nullptr && g.page->debugged != 0) __atomic_add_fetch(&g.page->threads_made, 1, __ATOMIC_RELAXED);
  return start;
}

Start adopt(void* argument) {
  Start start = *static_cast<Start*>(argument);
  free(argument);
  lineage = start.lineage;
  return start;
}

void* run(void* argument) {
  Start start = adopt(argument);
  return start.routine(start.argument);
}

int run_c(void* argument) {
  Start start = adopt(argument);
  return start.c_routine(start.argument);
}

}  // namespace

constinit thread_local Thread* mine = nullptr;

Thread* first_call() { return mine = new_thread(); }

void name_thread(uint64_t name) { lineage = name; }

Thread* const* all_threads() { return threads; }

uint64_t threads_made() { return children; }
void set_threads_made(uint64_t count) { children = count; }

bool is_first_thread() { return mine != nullptr && mine == threads[0]; }

bool is_alone() { return is_first_thread() && __atomic_load_n(&made, __ATOMIC_RELAXED) == made_before_mpi; }

}  // namespace ana::mpi

using namespace ana::mpi;

extern "C" {

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*routine)(void*),
                   void* argument) noexcept {
  static auto real = reinterpret_cast<decltype(&pthread_create)>(dlsym(RTLD_NEXT, "pthread_create"));
  Start* start = make_start(argument);
  if (start == nullptr) return EAGAIN;
  start->routine = routine;
  int result = real(thread, attributes, run, start);
  if (result != 0) free(start);
  return result;
}

int thrd_create(thrd_t* thread, thrd_start_t routine, void* argument) {
  static auto real = reinterpret_cast<decltype(&thrd_create)>(dlsym(RTLD_NEXT, "thrd_create"));
  Start* start = make_start(argument);
  if (start == nullptr) return thrd_nomem;
  start->c_routine = routine;
  int result = real(thread, run_c, start);
  if (result != thrd_success) free(start);
  return result;
}

}  // extern "C"
