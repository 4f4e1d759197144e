// The library that `anaphora record` and `replay` preload into an MPI program: it stands between the program and MPI
// through the profiling interface. This header is what all its files share.
//
// Rules of the house: no exceptions, no RTTI, no C++ library, no static constructors but those that look up what
// Fortran layers call; memory from malloc. Nothing is done before MPI_Init. A rank of an MPI that was not started by
// the tool runs as if this library were not there.
//
// A wrapper is: begin() counts the call, mixes it into the hash and gives the thread's state, or null outside; then it
// goes one way when recording and another when replaying. docs/mpi.md says what is recorded of which function.
#pragma once
#include <mpi.h>
#include <stdint.h>

#include "mpi/calls.h"
#include "mpi/schedule.h"
#include "mpi/stream.h"
#include "trace/rank_link.h"

namespace ana::mpi {

enum class Phase : uint8_t { kOff, kRecord, kReplay };

struct Contents;  // see contents.h

constexpr int kClocks = 16;

// What one thread of the program needs.
struct Thread {
  uint32_t stream = 0;
  uint64_t calls = 0;
  uint64_t hash = 0;
  uint64_t last_check = 0;       // record: calls at that time
  uint64_t check_at = 0;         // record: calls at the next one, at the latest; an answer of no puts it off
  uint64_t* told_calls = nullptr;  // record: in the file, see end_recorded_call()
  Writer writer;              // record
  Schedule* schedule = nullptr;  // replay
  const void* site = nullptr;  // of the present call
  const void* noted_site = nullptr;  // record: the last one that was looked up, see sites.h
  SiteRecord* noted = nullptr;
  Call call{};
  bool dying = false;          // replay: the rank died in the present call
  uint64_t posted[3] = {};    // requests of each RequestClass so far
  int64_t next_match = 0;     // number of the receive that a kMatch event would be for
  int64_t last_tag = 0;
  int64_t last_unmatched[3] = {};  // record: by RequestClass
  int64_t last_time = 0;
  int64_t clocks[kClocks] = {};  // as last read, see clocks.cc
  // See turns.h.
  uint64_t operations = 0;
  uint64_t told_operations = 0;    // record: at the last kTurn
  uint64_t last_turn = ~uint64_t{0};  // of the last operation
  size_t permits[2] = {};  // replay: given so far, of Schedule::traced
  Contents* contents = nullptr;
};

struct Library {
  Phase phase = Phase::kOff;
  RankMode mode = RankMode::kWildcard;
  int rank = 0, ranks = 1;
  bool full_check = false;
  bool race_graph = false;  // record: what decides which messages race is written, too
  bool timestamps = false;  // modes racing and auto
  bool threads = false;     // several threads may call MPI
  bool plain = false;       // record, and a call is nothing but one of MPI: no threads, contents or chaos
  bool unseen = false;      // record: see unseen.h
  bool hosted = false;      // the program is a recorded one, see outside_entry.h
  bool parked = false;      // replay: a thread has come to the end of its recording
  int64_t patience_ns = 0;  // replay: how long a thread waits for its turn while nothing moves; 0: for ever
  bool permits = false;     // replay: messages that raced wait for them
  bool all_finished = true;  // replay: every rank of the recording came to its end
  int abort_code = -1;  // replay: MPI_Abort was called with it
  bool contents = false;   // record: what the rank gets is saved; replay: it is alone, and gets that (alone.h)
  bool alone = false;      // replay
  bool finalized = false;  // alone: the rank came out of MPI_Finalize
  uint32_t chaos = 0;
  size_t open_receives = 0;  // record: see unseen.h
  LiveHeader* header = nullptr;  // record
  SiteTable* sites = nullptr;    // record
  RankPage* page = nullptr;
  int socket = -1;
  MPI_Comm world = MPI_COMM_NULL;  // ours
};

#define ANA_HIDDEN __attribute__((visibility("hidden")))

extern Library g ANA_HIDDEN;

extern constinit thread_local Thread* mine ANA_HIDDEN;
[[gnu::noinline]] Thread* first_call();  // of this thread: makes its state
inline Thread* this_thread() { return __builtin_expect(mine != nullptr, 1) ? mine : first_call(); }

// Counts the call. Null: the program is not recorded or replayed. `a` to `c` are arguments that must be the same in a
// replay.
Thread* begin_call(Call call, const void* site, uint64_t a, uint64_t b, uint64_t c);
// The call is over: what it did is a part of the recording.
[[gnu::noinline]] void finish_recorded_call(Thread* t);
inline void end_recorded_call(Thread* t) {
  if (__builtin_expect(g.unseen || g.contents, 0)) finish_recorded_call(t);  // first: a call whose end is told is done
  __atomic_store_n(t->told_calls, t->calls << 1 | 1, __ATOMIC_RELAXED);
}
void end_other_call(Thread* t);
inline void end_call(Thread* t) { g.phase == Phase::kRecord ? end_recorded_call(t) : end_other_call(t); }

// The state of the thread, while it is in a call.
class [[nodiscard]] Entered {
 public:
  Entered(Thread* thread) : thread_(thread) {}
  ~Entered() {
    if (thread_ != nullptr) end_call(thread_);
  }
  Entered(const Entered&) = delete;
  operator Thread*() const { return thread_; }
  Thread* operator->() const { return thread_; }

 private:
  Thread* thread_;
};

#define ANA_BEGIN_AT(site, call, a, b, c)                                                           \
  (__builtin_expect(::ana::mpi::g.phase == ::ana::mpi::Phase::kOff, 0)                              \
       ? nullptr                                                                                    \
       : ::ana::mpi::begin_call(::ana::mpi::Call::call, site, static_cast<uint64_t>(a),             \
                                static_cast<uint64_t>(b), static_cast<uint64_t>(c)))
#define ANA_BEGIN(call, a, b, c) ANA_BEGIN_AT(__builtin_return_address(0), call, a, b, c)

// The same for functions that only tell something: they are not counted, and matter only with contents. Null: without.
Thread* begin_fact(Call call, const void* site);
#define ANA_FACT(call)                                         \
  (__builtin_expect(!::ana::mpi::g.contents, 1) ? nullptr      \
       : ::ana::mpi::begin_fact(::ana::mpi::Call::call, __builtin_return_address(0)))


// The rank is not where the recording was: says so through the tool and ends all ranks.
[[noreturn]] void diverged(Thread* t, const char* format, ...) __attribute__((format(printf, 2, 3)));
// The recording ends here: waits until all ranks have come to their ends, then ends them. A call in which the rank died is
// made as far as others depend on it: a receive of another rank may have got what it sent, another thread the message
// after the one that it took. That it may also send what never left is no matter: then no receive of the recording
// waits for it.
[[noreturn]] void park(Thread* t);
// Replay: until all ranks have come here.
void wait_for_all();
// For mistakes at the start.
[[noreturn]] void give_up(const char* text);
// One question to the tool, and its answer, of exactly so many bytes; false: it does not answer.
bool ask_tool(const void* question, size_t bytes, void* answer, size_t answer_bytes);
// Record: the function cannot be replayed alone, so it is refused with --contents. Ends all ranks.
[[noreturn]] void refuse(Thread* t, const char* function);
// Before the job is aborted: until the launcher has read what was printed.
void wait_for_launcher();
// Aborts the job.
[[noreturn]] void end_job(int status);

constexpr int kExitTool = 125;  // of a job that the tool has ended

extern "C" bool ana_refusing ANA_HIDDEN;  // record: calls of refused.cc
// The code of MPI's Fortran layer, once it is loaded (fortran.cc).
extern "C" uintptr_t ana_fortran_begin ANA_HIDDEN, ana_fortran_bytes ANA_HIDDEN;

inline bool alone() { return g.alone; }
// Alone, in a debugger: where it stops the rank (rank_link.h).
extern "C" void ana_call_begins();
extern "C" void ana_rank_starts();
// The same: what it needs to know is in the page from now on.
void tell_debugger(uint64_t threads_made);
int64_t now_ns();  // of a clock that only goes forwards
inline bool recording() { return g.phase == Phase::kRecord; }

// Outcomes, in both phases. In record they are written; in replay they come from the schedule.
void put_outcome(Thread* t, uint64_t value);
void put_no(Thread* t);
// Replay: false if the next answer is no.
bool take_yes(Thread* t);
uint64_t take_outcome(Thread* t);
int64_t take_time(Thread* t);

constexpr uint64_t kCheckCalls = 1024;  // at least one check in so many calls, without those that said no
constexpr uint32_t kCheckEvents = 64;   // and in so many events

// At MPI_Finalize, for all threads: the whole hash is written, or compared.
void end_streams();

// A chance for other orders: sleeps for a random while, with --chaos.
void sleep_randomly();
inline void disturb() {
  if (__builtin_expect(g.chaos != 0, 0)) sleep_randomly();
}

// The place in the program behind a return address, which in Fortran is one in MPI's layer for it.
[[gnu::noinline]] const void* site_behind(const void* site);
inline const void* site_in_program(const void* site) {
  bool other = reinterpret_cast<uintptr_t>(site) - ana_fortran_begin < ana_fortran_bytes || g.hosted;
  return __builtin_expect(other, 0) ? site_behind(site) : site;
}

inline uint64_t mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15ull;
  return hash ^ hash >> 32;
}

// begin_call(), inline: for what programs call most. These have two ways, so that the shorter one is short indeed: one
// for Library::plain, between begin_often() and end_recorded_call(), and a function of its own for all the rest.
[[gnu::noinline]] void record_check(Thread* t);
[[gnu::noinline]] void replay_check(Thread* t);
[[gnu::always_inline]] inline Thread* begin_often(Call call, const void* site, uint64_t a, uint64_t b, uint64_t c) {
  Thread* t = this_thread();
  t->call = call;
  t->site = site_in_program(site);
  uint64_t calls = ++t->calls;
  t->hash = mix(mix(t->hash, static_cast<uint64_t>(call) ^ a << 8 ^ b << 36), c);
  if (__builtin_expect(!recording(), 0)) {
    replay_check(t);
    return t;
  }
  __atomic_store_n(t->told_calls, calls << 1, __ATOMIC_RELAXED);
  if (__builtin_expect(calls >= t->check_at || t->writer.unchecked() >= kCheckEvents, 0)) record_check(t);
  return t;
}
#define ANA_BEGIN_OFTEN(call, a, b, c)                                                                     \
  ::ana::mpi::begin_often(::ana::mpi::Call::call, __builtin_return_address(0), static_cast<uint64_t>(a),   \
                          static_cast<uint64_t>(b), static_cast<uint64_t>(c))

}  // namespace ana::mpi
