// A slot: everything the host knows of one logical thread. The part that instrumented code and the tool see is
// SlotShared (trace/session.h), at the thread's gs base; this is the rest.
//
// Unless said otherwise a field belongs to the slot's own thread. Fields read by others are marked with who writes them
// and what makes that safe; docs/memory-model.md has the whole table.
#pragma once
#include <stdint.h>

#include "runtime/host/freestanding.h"
#include "runtime/host/order/tenure.h"
#include "runtime/layout.h"
#include "trace/schedule.h"
#include "trace/session.h"
#include "trace/stream_format.h"

namespace ana {

// How long a line may be used: until the thread's epoch passes these. In the thread's table, indexed by line.
struct alignas(8) Permission {
  uint32_t until[2];  // [0] reading, [1] writing
};
static_assert(sizeof(Permission) == 8);

// The lines of a page that the thread missed in an epoch, or was given besides; see walk_on().
struct RecentPage {
  uint32_t page, epoch;
  uint64_t lines;
};
constexpr uint32_t kRecentPageBits = 12;

// Epochs are kMoments apart: the numbers in between name what a thread publishes during its epoch, of which the last is
// called like the epoch and ends it.
constexpr uint32_t kMoments = 4096;

// An epoch, or a moment in it, that never repeats: the generation counts the wraps of the 32-bit epochs of the permission tables.
using LongEpoch = uint64_t;
inline LongEpoch long_epoch(uint32_t generation, uint32_t epoch) { return (uint64_t{generation} << 32) | epoch; }

// What a thread lets others know of what it has done. Written by the owner, read by anybody, under a sequence lock.
struct Published {
  uint32_t sequence;
  LongEpoch moment;      // the name of this publication
  uint64_t count;        // the owner's count and number of edges then
  uint64_t edges;
  LongEpoch clock[kMaxSlots];
};

constexpr uint32_t kMaxRequests = 128;
constexpr uint32_t kMaxPins = 32;  // of streams inside each other, and of the strings of a format
constexpr uint64_t kNoLimit = ~0ull;

enum class ThreadLife : uint32_t { kFree, kAlive, kEnded };

// Writing the stream; see ring.cc.
struct StreamState {
  uint64_t head;         // bytes written, committed or not
  uint64_t seen_tail;    // the tool's tail when it was last looked at: there is at least as much room as it says
  uint64_t last_count;   // for deltas
  uint64_t last_site;
  uint64_t source_count[kMaxSlots];
  uint64_t source_edges[kMaxSlots];
};

// Reading the schedule; see enforcer.cc.
struct ReplayState {
  const ScheduledEdge* edges;
  const Publication* publications;
  const char* values;
  const char* values_end;
  uint64_t edge_count, next_edge;
  uint32_t spins;             // how often to look before sleeping; see wait_for()
  uint64_t publication_count, next_publication;
  const uint32_t* consumers;  // of traces without write-after-read edges
  const uint8_t* versions;    // of trace-all
  const uint8_t* versions_end;
  const LamportJump* times;
  uint64_t time_count;
  const uint64_t* signals;    // counts at which handlers are entered
  uint64_t signal_count, next_signal;
  const ForkCut* cuts;        // of a forked child's trace; while there is one, edge_count and final_* are those of the next
  uint64_t cut_count, next_cut;
  uint64_t final_count, final_site, crash_count;
  bool final_blocked;
};

// Registers with which a new thread goes on after clone(); layout known to raw_syscall.S.
struct ChildStart {
  uint64_t registers[17];  // greg_t order: r8..r15, rdi, rsi, rbp, rbx, rdx, rax, rcx, rsp, rip
  uint32_t slot;
};

struct alignas(64) Slot {
  SlotShared* shared;
  Permission* permissions;
  Permission* pages;                // by the page: at least those of its lines
  RecentPage* recent;               // by a hash of the page
  uint32_t id;

  // Ownership, written by the owner. `epoch` is what others compare with; shared->epoch is what checks compare with.
  alignas(64) uint32_t epoch;       // release store by the owner, acquire load by requesters
  uint32_t generation;              // stored before the table is cleared
  uint32_t served;                  // raised after each publication, and after what it lets others have; futex
  uint32_t sleepers;                // who sleep until that
  uint32_t dozes;                   // until somebody comes after what it has published; futex (order/dozing.h)
  bool waits;                       // for another thread; a hint to others, in a line that they read anyway
  // Requests to the owner, under `lock`. A blocked owner lets requesters act for it.
  alignas(64) SpinLock lock;
  uint32_t blocked;
  uint32_t writing;                 // in a system call that others can see the effect of, not yet logged
  uint32_t requests;
  uint32_t request[kMaxRequests];   // lines
  uint32_t awaited;                 // somebody waits for a publication; set by anybody
  // The owner's alone.
  alignas(64) uint32_t longest_lease;  // largest permission ever granted in this generation
  uint32_t moment;                  // the next publication's name: in (epoch - kMoments, epoch]
  uint32_t recent_requests;
  bool at_poll;                     // the present count has been raised by a poll whose slow path this is
  bool keeps;                       // holds the token: must not yield until its set is complete
  bool clock_changed;
  bool comes_back;                  // to a line that nobody else wanted meanwhile; of the present slow check
  Tenure tenure;                    // others look at it
  Idling idling;
  uint64_t taken;                   // how often it has taken lines
  uint64_t quiet_limit;             // shared->limit if nobody asks; others look at it
  uint64_t chaos;                   // state of the random numbers of order/chaos; 0: none
  uint32_t chaos_laziness, chaos_burst, chaos_operations;
  bool chaos_at_polls;
  uint64_t edges;                   // logged so far
  uint64_t checks_seen;             // for yield_at_checks
  uint64_t accesses_hashed;         // see compare_access()
  uint32_t access_hash;
  uint32_t steps_outside;           // stepping: instructions in a row outside the program's own code
  uint64_t cleared_seen;            // translated: of what lost its past, as much has been forgotten
  uint64_t caller;                  // telling: who called the wrapper that the thread is in, as a site (order/callers.h); or 0
  uint64_t creating;                // the same of the thread that it is creating
  uint64_t atomic_at;               // stepping: an atomic access there, which comes next, has been told of; or 0
  uint32_t sections;                // entered and not left; a thread that has not started yet counts as one
  bool in_wait;                     // in a library function that may wait for long
  uint64_t kept_told;               // files that the slot's stream has named (syscalls/kept_files.h), a bit for each
  uint32_t pins;                    // ranges that library code uses (operation.h)
  AnaRange pin[kMaxPins];
  LongEpoch clock[kMaxSlots];

  Published published;
  StreamState stream;
  ReplayState replay;

  // Threads: written by the creator before the thread exists, by the thread, by the joiner.
  ThreadLife life;
  bool detached, joined;
  int* clear_tid;                   // the kernel's word: 0 when the thread is gone
  uint64_t pthread;                 // its pthread_t
  uint32_t creator;                 // slot of the thread that created the present one
  uint64_t start_count;             // count of the slot before the present thread's first event
  int pending_slot;                 // slot prepared for this thread's next clone, or -1
  ChildStart start;
  uint64_t next_mapping;            // where the next mmap goes
  struct { uint64_t at, bytes; } free_mapping[32];
  alignas(64) char signal_stack[64 * 1024];
};

extern Slot g_slots[kMaxSlots];
extern SessionHeader* g_session;
extern Mode g_mode;
extern int g_session_fd;
extern uint32_t g_processors;  // that this process may use

inline bool recording() { return g_mode == Mode::kRecord; }
inline bool replaying() { return g_mode == Mode::kReplay; }

inline Slot& self() {
  uint32_t id;
  asm volatile("movl %%gs:%c1, %0" : "=r"(id) : "i"(ANA_GS_SLOT));
  return g_slots[id];
}

inline uint32_t slots_used() { return __atomic_load_n(&g_session->slots_used, __ATOMIC_ACQUIRE); }

// Maps the slot's shared block and table. False if there is no memory for it.
bool slot_map(uint32_t id);

// Sets the session's report, ends the process. `slot` and `count` are those of the calling thread.
[[noreturn]] void fatal(ReportKind kind, const char* text, uint64_t a = 0, uint64_t b = 0, uint64_t site = 0);

// Never runs again (the process ends without it).
[[noreturn]] void park_forever();

}  // namespace ana
