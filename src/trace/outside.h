// MPI beside a recorded program. A rank whose threads are recorded has two worlds in one address space: the program, hosted
// as always, and *outside* it a second program with a loader, a C library, MPI and src/mpi of its own, which nobody
// records. The program is linked with MPI by name only: a library of ours (src/mpi/inside*) has those names, and hands
// each call over to a thread outside, which makes it and hands the results back. One thread outside for each slot.
//
// Used by the host, by the library inside and by the program outside, all at the page at kOutsidePage. Who writes what:
//   request[slot]   the slot's thread until `state` is kCalled or kResumed; the thread outside until it is another
//   symbols, ready  the program outside, before the program runs
//   the rest        the host, before anything else runs
// Freestanding: used inside the recorded program.
#pragma once
#include <stddef.h>
#include <stdint.h>

namespace ana {

constexpr uint64_t kOutsidePage = 0x6a4000000000;
constexpr uint64_t kOutsideMagic = 0x656469737475ull;
constexpr uint32_t kMaxOutsideSymbols = 4096;
constexpr uint32_t kMaxOutsideCallbacks = 256;
constexpr uint32_t kMaxOutsideThreads = 1024;  // as slots
constexpr uint32_t kOutsideWords = 24;         // arguments of a call at most: six in registers, the others on the stack

// In the environment of the host: the path of the program outside; and how that finds the tool (rank_link.h).
constexpr const char* kOutsideVariable = "ANAPHORA_OUTSIDE";
constexpr const char* kRankLinkVariable = "ANAPHORA_MPI";

enum class OutsideState : uint32_t {
  kIdle,
  kCalled,     // by the program
  kCallback,   // MPI calls a function of the program's, before it returns
  kResumed,    // and that has returned
  kReturned,
  kParked,     // replay: the recording ends inside this call; the thread outside does not come back
};

struct alignas(64) OutsideRequest {
  uint32_t state;            // OutsideState, a futex; release when written, acquire when read
  uint32_t served;           // there is a thread outside for this slot
  uint64_t function;         // to be called, an address outside
  uint64_t site;             // where the program calls it
  uint64_t words[kOutsideWords];
  uint64_t result;           // rax and xmm0
  uint64_t number;
  uint64_t callback;         // of the program's, with its arguments and its result
  uint64_t callback_words[6];
  uint64_t callback_result;
};

// Memory that MPI reads or writes for the program.
struct OutsideRange {
  uint64_t at, bytes;
  bool write;
};

struct OutsidePage {
  uint64_t magic;
  uint32_t ready;            // futex: the symbols are there
  uint32_t doorbell;         // futex: a slot without a thread outside calls, or the end is near
  uint32_t ending;           // replay: all threads of this rank have come to their ends
  uint32_t ended;            // futex: and those of all ranks
  uint64_t program_begin, program_bytes;  // the program's image
  const char* program_path;
  // The host's, for the library inside. enter() returns when the call has returned, or with kCallback; then leave().
  OutsideRequest* (*begin)();
  OutsideState (*enter)(OutsideState how, const OutsideRange* before, uint32_t count);
  void (*leave)(const OutsideRange* after, uint32_t count);
  uint64_t stubs;                         // functions outside that call functions of the program's: one each 16 bytes
  uint64_t callbacks[kMaxOutsideCallbacks];  // which; 0: none yet. Set once, by threads of the program
  alignas(4096) uint64_t symbols[kMaxOutsideSymbols];  // addresses of MPI's functions and variables, by number (CMakeLists.txt)
  OutsideRequest request[kMaxOutsideThreads];
};

static_assert(offsetof(OutsidePage, symbols) == 4096);  // inside_thunks.S

inline OutsidePage& outside_page() { return *reinterpret_cast<OutsidePage*>(kOutsidePage); }

}  // namespace ana
