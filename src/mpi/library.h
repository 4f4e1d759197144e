// The library that `anaphora record` and `replay` preload into an MPI program: it stands between the program and MPI
// through the profiling interface. This header is what all its files share.
//
// Rules of the house: no exceptions, no RTTI, no C++ library, no static constructors but those that look up what Open
// MPI's Fortran layer calls; memory from malloc. Nothing is done before MPI_Init. A rank of an MPI that was not started by the tool runs as if this library were not there.
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
  uint64_t unchanged = 0;        // and answers of no since
  Writer writer;              // record
  Schedule* schedule = nullptr;  // replay
  const void* site = nullptr;  // of the present call
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
  bool parked = false;      // replay: a thread has come to the end of its recording
  int64_t patience_ns = 0;  // replay: how long a thread waits for its turn while nothing moves; 0: for ever
  bool permits = false;     // replay: messages that raced wait for them
  bool all_finished = true;  // replay: every rank of the recording came to its end
  int abort_code = -1;  // replay: MPI_Abort was called with it
  bool contents = false;   // record: what the rank gets is saved; replay: it is alone, and gets that (alone.h)
  bool alone = false;      // replay
  bool finalized = false;  // alone: the rank came out of MPI_Finalize
  uint32_t chaos = 0;
  LiveHeader* header = nullptr;  // record
  SiteTable* sites = nullptr;    // record
  RankPage* page = nullptr;
  int socket = -1;
  MPI_Comm world = MPI_COMM_NULL;  // ours
};

extern Library g;

extern constinit thread_local Thread* mine;
Thread* first_call();  // of this thread: makes its state
inline Thread* this_thread() { return __builtin_expect(mine != nullptr, 1) ? mine : first_call(); }

// Counts the call. Null: the program is not recorded or replayed. `a` to `c` are arguments that must be the same in a
// replay.
Thread* begin_call(Call call, const void* site, uint64_t a, uint64_t b, uint64_t c);
// The call is over: what it did is a part of the recording.
void end_recorded_call(Thread* t);
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

#define ANA_BEGIN(call, a, b, c)                                                                                 \
  (__builtin_expect(::ana::mpi::g.phase == ::ana::mpi::Phase::kOff, 0)                                           \
       ? nullptr                                                                                                 \
       : ::ana::mpi::begin_call(::ana::mpi::Call::call, __builtin_return_address(0), static_cast<uint64_t>(a),   \
                                static_cast<uint64_t>(b), static_cast<uint64_t>(c)))

// The same for functions that only tell something: they are not counted, and matter only with contents. Null: without.
Thread* begin_fact(Call call, const void* site);
#define ANA_FACT(call)                                         \
  (__builtin_expect(!::ana::mpi::g.contents, 1) ? nullptr      \
       : ::ana::mpi::begin_fact(::ana::mpi::Call::call, __builtin_return_address(0)))

// The place in the program behind a return address, which in Fortran is one in MPI's layer for it.
const void* site_in_program(const void* site);

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

extern "C" bool ana_refusing __attribute__((visibility("hidden")));  // record: calls of refused.cc

inline bool alone() { return g.alone; }
int64_t now_ns();  // of a clock that only goes forwards
inline bool recording() { return g.phase == Phase::kRecord; }

// Outcomes, in both phases. In record they are written; in replay they come from the schedule.
void put_outcome(Thread* t, uint64_t value);
void put_no(Thread* t);
// Replay: false if the next answer is no.
bool take_yes(Thread* t);
uint64_t take_outcome(Thread* t);
int64_t take_time(Thread* t);

// At MPI_Finalize, for all threads: the whole hash is written, or compared.
void end_streams();

// A chance for other orders: sleeps for a random while, with --chaos.
void disturb();

}  // namespace ana::mpi
