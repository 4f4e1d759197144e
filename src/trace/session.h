// The shared memory between the recording (or replaying) tool and the program: one memfd, mapped by both.
//
//   offset 0                         SessionHeader
//   kSlotsOffset + i*kSlotBytes      SlotShared i: control block, status, ring header; its ring at + kRingOffset
//
// A *slot* is a logical thread: a thread that ends leaves its slot, with its count, its epoch and its stream, to a
// thread created later. Who writes what:
//   ring.head     the slot's thread, release, after the bytes: so a dead program leaves only whole records
//   ring.tail     the tool, release, after it has copied the bytes
//   limit         the slot's thread, and whoever wants something from it, the tool included (they store 0)
//   everything else in SlotShared: the slot's thread; the tool reads it when the program has ended
//   doorbell      threads add 1 and wake the tool when a ring is half full or they wait for room
//
// Freestanding: used inside the recorded program.
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "anaphora/runtime_abi.h"
#include "trace/debug_control.h"
#include "trace/relay_control.h"
#include "trace/translation.h"

namespace ana {

constexpr uint64_t kSessionMagic = 0x6e6f6973736573ull;  // "session"
constexpr uint32_t kStreamVersion = 8;

constexpr uint32_t kMaxSlots = 1024;
constexpr uint64_t kSlotsOffset = 0x4000;
constexpr uint64_t kRingOffset = 0x10000;
constexpr uint64_t kRingBytes = 0x40000;
constexpr uint64_t kSlotBytes = kRingOffset + kRingBytes;
constexpr uint64_t kSessionBytes = kSlotsOffset + kMaxSlots * kSlotBytes;

constexpr uint32_t kMaxPath = 1024;  // of a program or library, with the 0
constexpr uint32_t kMaxKept = 64;

enum class Mode : uint32_t { kNone = 0, kRecord = 1, kReplay = 2 };

enum class SlotState : uint32_t {
  kUnused = 0,
  kRunning = 1,
  kBlocked = 2,   // inside an operation, not running program code
  kWaiting = 3,   // in a slow check, or wants an object of another thread (status.wait_site)
  kEnded = 4,     // its last thread ended by itself
  kParked = 5,    // replay: at the end of its stream
  kCrashed = 6,   // a signal that it caused itself ended the program
};

// Traces of Lamport algorithms: at which counts a thread waits until all others have come to its Lamport time.
enum class Slices : uint32_t { kNever = 0, kEveryEvent = 1, kTracedEvents = 2 };

// Why the program was stopped by the runtime. The tool turns it into a sentence.
enum class ReportKind : uint32_t {
  kNone = 0,
  kUnsupportedSyscall,   // a: number, b: program counter
  kUnsupportedFeature,   // text says which
  kDivergedValue,        // a: op the program asked for, b: op in the trace
  kDivergedCount,        // a: count in the trace; the op matched
  kDivergedOrder,        // a: count of the pending edge, b: its site
  kDivergedOutput,       // a: system call; what is written differs from the recording
  kLeftover,             // a: edges left, b: values left when the thread ended
  kFileChanged,          // text: path
  kCannotStart,          // text: what failed, a: errno
  kDivergedAccess,       // a: accesses compared so far; with full_check
  kStuck,                // replay: no thread has moved for long; a: slot waited for, b: publication waited for
  kKeptChanged,          // a: number of a kept file, b: offset; what is there is not what was read
  kSizeReached,          // by the recorder, not the runtime; a: bytes that the trace was allowed to have
  kTimeReached,          // by the recorder; a: seconds that the program was allowed to take
  kNotFollowed,          // replay: what the code at the site accesses is not known; a: 1 if by a translation
};

struct Report {
  uint32_t kind;         // ReportKind, set last
  uint32_t slot;
  uint64_t count;
  uint64_t site;
  uint64_t a, b;
  char text[464];
};
static_assert(sizeof(Report) == 512 - 8);

// A large file that the program reads, to which its streams refer instead of holding what was read (kept_files.h).
// The program enters it and asks; the tool answers by `state`, and wakes who sleeps on it.
enum class KeptState : uint32_t { kFree = 0, kAsked = 1, kGranted = 2, kRefused = 3 };

struct KeptFile {
  uint32_t state;        // KeptState; futex
  uint32_t descriptor;   // of the program; replay: of the host, opened by the tool
  uint64_t device, inode;
  uint64_t bytes;        // all it has; by the tool, before it grants
  uint64_t first, end;   // record: bytes of it that streams may refer to
};

// A fork that is to be recorded (record --children). The program makes the child's session, and asks; the tool answers by
// `state` when somebody is there who empties its rings.
enum class ForkState : uint32_t { kNone = 0, kAsked = 1, kGranted = 2, kRefused = 3 };
constexpr uint32_t kMaxReaped = 64;

struct ForkRequest {
  uint32_t state;        // ForkState; futex
  uint32_t descriptor;   // of the program: the memory of the child's session
};

// How a child of the program ended, as the program was told. Written by the program, status first.
struct ReapedChild {
  uint32_t process, status;  // as wait4 gives it
};

struct SessionHeader {
  uint64_t magic;
  uint32_t version;      // kStreamVersion
  uint32_t mode;         // Mode
  uint32_t slots_used;   // slots [0, slots_used) have been used
  uint32_t doorbell;     // futex
  // Options, set by the tool before the start.
  uint32_t tenure_ns;    // an owner that is asked keeps a line that goes to and fro for at most this long (order/tenure.h)
  uint32_t first_epoch;  // epoch of a new slot; tests start close to the wrap
  uint32_t yield_at_checks;  // record: give everything up at every n-th slow path and poll (0: never)
  uint32_t full_check;   // record and replay: every check goes slow, accesses are hashed and compared
  uint32_t algorithm;    // algorithms::Name + 1; 0: ownership
  uint32_t granularity_shift;  // of algorithms
  uint32_t max_threads;  // at once, of algorithms
  uint32_t slices;       // replay: Slices
  uint32_t no_patch;     // system calls are dispatched only
  uint32_t references;   // replay: Telling; every event goes into its slot's ring, as a LiveReference
  uint64_t wrappers;     // replay that tells: where the program has its wrappers of library functions (order/callers.h)
  uint64_t wrappers_bytes;
  // Ends.
  uint32_t end_signal;   // replay: die of this when every thread is parked (0: exit with end_status)
  uint32_t end_status;
  uint32_t exited;       // set by the program at exit_group, with exit_status
  uint32_t exit_status;
  uint64_t chaos;        // record: seed of delays (order/chaos); 0: none
  uint64_t threads_created;
  uint64_t processes_created;  // by the program; they are not recorded
  uint64_t executed;     // 1: the program has made another one of itself (execve)
  uint32_t shared_mappings;  // record, 1: memory was mapped that processes which the program starts share with it ...
  uint32_t named_mappings;   // ... 1: that others may have, too: of a file in /dev/shm
  // Processes.
  uint32_t records_forks;  // record: children that go on with the program's code get sessions of their own
  uint32_t forks_before;   // replay of such a child: forks that make it, not come to yet. Until then nothing is shown
  uint32_t forked_slot;    // record, of such a child: the slot whose thread forked
  uint64_t process;        // record, of such a child: its id, by itself or by its parent, or ~0: it never came to be
  ForkRequest fork;
  uint32_t recorder;       // record, of such a child: the process that empties its rings, which it does not die with
  uint32_t reaped_next;    // where the next one goes, modulo kMaxReaped
  ReapedChild reaped[kMaxReaped];
  RelayControl relay;
  Report report;
  KeptFile kept[kMaxKept];
  uint32_t kept_used;    // files [0, kept_used) have been entered
  char text[2048];       // scratch for the tool
  char program_file[kMaxPath];      // replay of a packed trace: where the program ...
  char interpreter_file[kMaxPath];  // ... and its loader are; empty: where they were
  DebugControl debug;    // replay under a debugger
};
static_assert(sizeof(SessionHeader) <= kSlotsOffset);

struct SlotStatus {
  uint32_t state;        // SlotState
  uint32_t tid;          // kernel thread id of the present thread, as recorded
  uint64_t ordinal;      // which thread of the program it is, in order of creation
  uint64_t wait_site;
  uint64_t checked_count, checked_site;  // of its last slow check that was done
  // Counters for `anaphora stats`.
  uint64_t slow_checks;  // checks and ranges that left the fast path
  uint64_t acquired;     // lines granted; of algorithms: references
  uint64_t dependences;  // conflicts with another thread's access, before reduction
  uint64_t edges;        // of these, logged
  uint64_t yields;       // epochs ended because somebody asked
  uint64_t epochs;       // epochs ended in all
  uint64_t waits;        // times this thread had to wait for an owner
  uint64_t values;       // values logged
  uint64_t transitions[5];  // of the algorithm octet, by algorithms::Transition
};

// Record, of the child of a fork: where the slot was then.
struct ForkPoint {
  uint64_t logged;       // bytes of its stream
  uint64_t last_count;   // of the last record among them
  uint64_t count;
  uint64_t wait_site;
  uint32_t state;        // SlotState
  uint32_t alive;        // it had a thread, which the child does not have unless that forked
};

struct SlotShared {
  // Line 0: the thread's own. Layout fixed by runtime_abi.h.
  uint64_t self;
  uint32_t epoch;
  uint32_t slot;
  uint64_t count;
  uint64_t retry;        // the access that has just ended must be repeated
  uint64_t step_return;  // replay, followed by instructions: where the host will return to, or 0
  uint64_t signals;      // record: those that have come and wait for the thread to take them (host/signals)
  uint64_t call_stack;   // where the host's stack begins when patched code calls it, or 0: not recorded (syscalls/patches)
  uint64_t follows;      // replay, followed by instructions: goes on to be
  // Line 1: written by those who ask.
  uint64_t limit;
  // Replay, followed by a translation: its code's own (translation.h).
  uint64_t next_reference;
  uint64_t scratch[3];
  uint64_t target;
  uint64_t check_due;
  uint64_t present;
  AnaRange ranges[ANA_MAX_RANGES];
  SlotStatus status;
  DebugWait wait;        // replay under a debugger
  DebugLocks locks;
  ForkPoint forked;
  uint64_t outcome_at;   // replay: the count of the next value or, behind the last one, of the crash; until then outcomes are 0
  uint64_t reserved2[(2048 - 128 - sizeof(AnaRange) * ANA_MAX_RANGES - sizeof(SlotStatus) - sizeof(DebugWait) -
                      sizeof(DebugLocks) - sizeof(ForkPoint) - 8) / 8];
  // 2048: the ring
  uint64_t head;
  // Replay, followed by a translation: the same.
  int64_t skips;
  uint64_t quiet;
  uint64_t present_atomic;
  uint64_t reserved3[4];
  uint64_t tail;
  uint64_t reserved4[7];
};
static_assert(offsetof(SlotShared, epoch) == ANA_GS_EPOCH && offsetof(SlotShared, slot) == ANA_GS_SLOT);
static_assert(offsetof(SlotShared, count) == ANA_GS_COUNT && offsetof(SlotShared, limit) == ANA_GS_LIMIT &&
              offsetof(SlotShared, retry) == ANA_GS_RETRY && offsetof(SlotShared, step_return) == 32 &&
              offsetof(SlotShared, signals) == 40 && offsetof(SlotShared, call_stack) == 48 &&
              offsetof(SlotShared, follows) == 56);
static_assert(offsetof(SlotShared, next_reference) == kGsNext && offsetof(SlotShared, scratch) == kGsScratch &&
              offsetof(SlotShared, target) == kGsTarget && offsetof(SlotShared, check_due) == kGsDue &&
              offsetof(SlotShared, present) == kGsPresent && offsetof(SlotShared, skips) == kGsSkips &&
              offsetof(SlotShared, quiet) == kGsQuiet && offsetof(SlotShared, present_atomic) == kGsPresentAtomic);
static_assert(kGsReferences >= kSlotBytes && kGsReferences + kReferencesBytes <= ANA_GS_PERMISSIONS);
static_assert(offsetof(SlotShared, ranges) == ANA_GS_RANGES && offsetof(SlotShared, head) == 2048);
static_assert(sizeof(SlotShared) <= kRingOffset);

}  // namespace ana
