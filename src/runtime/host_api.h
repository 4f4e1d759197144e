// What the host offers to the part of the runtime that is linked into the program (src/runtime/interpose).
//
// The host is the static program that loads the user's program into its own process (src/runtime/host). It tells
// the address of this table in the auxiliary vector (kAuxHostApi). The linked part holds the wrappers of library functions, because
// only code inside the program can reach the real ones. Outside a recording there is no host; the linked part then
// makes up gs blocks of its own and every wrapper is a plain call (`passive`).
//
// An *operation* is what a thread does inside the runtime on its own behalf (a lock, a library call, a system call). It
// counts when it begins and when it ends; whatever is ordered in it happens at one of these two counts:
//
//   op_begin()                              op_begin()
//   record: the real thing, may block        replay: nothing (order was waited for in op_begin), or the
//                                                    unordered remainder of the real thing
//   object_acquire()/release()              object_acquire()/release()
//   put(kOpOutcome, result)                 result = get(kOpOutcome)
//   op_end()                                op_end()
//
// In record everything that may block stands between block_enter() and block_exit(). Operations do not nest, except
// that a section may hold further operations.
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "anaphora/runtime_abi.h"
#include "trace/cold_call.h"
#include "trace/live_reference.h"
#include "trace/session.h"
#include "trace/stream_format.h"

namespace ana {

// The entry of the auxiliary vector in which the linked part finds HostApi.
constexpr uint64_t kAuxHostApi = 0x616e61;
constexpr uint32_t kHostApiVersion = 12;  // to be raised with every change of HostApi: programs carry the linked part
constexpr uint64_t kHostApiMagic = 0x74736f68616e61ull;  // "anahost"

// Objects that are not at an address of the program's.
enum class WellKnown : uint32_t { kLibc = 0, kHeapPool, kOutput, kThreads, kRandom, kSignals, kCount };

struct HostApi {
  uint64_t magic;
  Mode mode;
  uint32_t version;
  Telling telling;  // replay
  uint32_t is_plain_replay;  // in which nobody wants to know who takes an object

  // Called by the hooks of runtime_abi.h.
  void (*check)(const ColdCall& call);
  void (*poll)(const ColdCall& call);
  void (*begin)(uint32_t ranges, const AnaSite* site);
  void (*end)(uint32_t ranges, const AnaSite* site);
  // A poll of the runtime's own, where nothing is held.
  void (*library_poll)(const AnaSite* site);
  // All of `ranges` (at most ANA_MAX_RANGES) are valid on return, until the thread's next operation, check or poll.
  void (*acquire)(const AnaRange* ranges, uint32_t count, const AnaSite* site);

  void (*op_begin)();
  void (*op_end)();
  // The same for callers that have counted already and found the limit reached.
  void (*op_due)(bool at_end);
  // Inside an operation: take over the order of `object` from whoever released it last; leave it to the next.
  // `hand_over`: somebody is likely to wait for it, so end the epoch at once. In replay, where order is enforced by the
  // operation itself, the same calls tell which objects it concerns, and `as` what was done to them.
  void (*object_acquire)(const void* object, Told as);
  void (*object_release)(const void* object, bool hand_over, Told as);
  void (*block_enter)();
  void (*block_exit)();
  // Between the two, record only: sleeps for about as long.
  void (*doze)(uint64_t nanoseconds);

  // A mutual exclusion with recorded order; recursive. Sections nest only in this order: FILE objects (by address),
  // kLibc, kOutput, kHeapPool. Replay does not lock: the order is enforced.
  // `as_lock`: the program may rely on it, as on the lock of a FILE.
  void (*section_enter)(const void* object, bool as_lock);
  void (*section_leave)(const void* object, bool as_lock);
  void (*known_enter)(WellKnown object);
  void (*known_leave)(WellKnown object);
  // Inside a section: library code uses `range` until unpin(), also after operations of its own. A stack of
  // at most kMaxPins.
  void (*pin)(const AnaRange& range);
  void (*unpin)();
  // If `telling`: what the host cannot know by itself. `site`: a site, or an address in code for blocks.
  void (*tell)(Told what, const void* at, uint64_t bytes, const void* site);

  // Record: log a value. Replay: get the next one; `op` must be what was recorded. Inside an operation.
  void (*put)(uint32_t op, int64_t result, const void* data, uint32_t length);
  int64_t (*get)(uint32_t op, void* data, uint32_t capacity);
  // Replay: was a value with this op logged at the present count? For outcomes that are logged only if unusual.
  bool (*next_is)(uint32_t op);
  // Replay: did the thread crash at the present count? Then a function that is not run in replay is, to crash again.
  bool (*crashed_here)();
  // Replay, outside operations: whether the thread's next operation, after so many counts, logs this. And, if what the thread waits for is no
  // event: lets others go on, for a moment; the thread parks if the recording ends here.
  bool (*will_get)(uint32_t op, int64_t result, uint32_t counts_before);
  void (*wait_unrecorded)();

  // Record: choose a slot for a thread to be created by the calling thread. Replay: the recorded one. The next clone()
  // of the calling thread becomes that slot. -1: none free.
  int (*thread_prepare)();
  // The thread's own first act, on its own stack; the last one before the C library looks whether others are left; and
  // the order after the end of the thread in a slot (join).
  void (*thread_start)();
  void (*thread_leaving)();
  void (*thread_joined)(uint32_t slot);
  void (*thread_detached)(uint32_t slot);
  // The slot whose thread has this pthread_t, or -1.
  int (*thread_find)(uint64_t pthread);

  // Fresh zero pages of the heap region at `at` (a multiple of 64 KiB inside layout::kHeap or kHeapInfo), or back to zero.
  bool (*heap_map)(uint64_t at, uint64_t bytes);
  void (*heap_unmap)(uint64_t at, uint64_t bytes);
  // A system call of the program's own, recorded: what syscall(2) and patched call sites use.
  long (*system_call)(long number, long a, long b, long c, long d, long e, long f);
  // A system call of the runtime's own, not recorded.
  long (*raw_call)(long number, long a, long b, long c, long d, long e, long f);
  // Between them the calling thread's system calls are not recorded.
  void (*outside_begin)(bool starts_process);
  void (*outside_end)();
  // Record, in between: a new process needs dup2(from, to) of these, so that what it prints can be shown in replay. At
  // most `most` pairs; how many.
  uint32_t (*outside_copies)(int (*pairs)[2], uint32_t most);
  // Inside an operation: a child has ended.
  void (*child_ended)();

  // End of the program for a reason that the tool explains. Does not return.
  void (*fatal)(ReportKind kind, const char* text, uint64_t a, uint64_t b);
  // true if `pc` lies in the dynamic loader: what it allocates is not ordered.
  bool (*is_loader)(const void* pc);
};

}  // namespace ana
