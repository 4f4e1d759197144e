// The library that stands for MPI inside a recorded program: it has MPI's name and all its symbols, and hands calls over
// to the real one outside (trace/outside.h). Built for each MPI, from the list of its symbols and its mpi.h.
//
// Runs in the program's threads. It knows of few functions what they do: which memory they read and write, so that this
// is ordered with what other threads do there (inside_buffers.cc); and which of their arguments are functions of the
// program's, which MPI then calls by way of the thread that waits (inside_callbacks.cc).
#pragma once
#include <mpi.h>
#include <stdint.h>

#include "trace/outside.h"

namespace ana::mpi {

// Numbers of the symbols.
enum Symbol : uint32_t {
#define ANA_FUNCTION(name, number) k_##name = number,
#define ANA_VARIABLE(name, number) k_##name = number,
#include ANA_SYMBOLS
#undef ANA_FUNCTION
#undef ANA_VARIABLE
};

// A call of the program's; layout known to inside_thunks.S.
struct Frame {
  uint64_t number;
  uint64_t site;
  uint64_t registers[6];
  uint64_t* stack;
  uint64_t result;
  uint64_t floating;

  uint64_t& word(uint32_t i) { return i < 6 ? registers[i] : stack[i - 6]; }
};
static_assert(sizeof(Frame) <= 96);

// Makes a call outside; `before` and `after` are what MPI reads and writes. In two halves, since what it has written may
// depend on its results.
void go(Frame& frame, const OutsideRange* before, uint32_t count);
void come_back(const OutsideRange* after, uint32_t count);

// A call of our own, which is none of the program's.
template <class... Words>
uint64_t ask(Symbol function, Words... words) {
  Frame frame{function, 0, {}, nullptr, 0, 0};
  static_assert(sizeof...(words) <= 6);
  uint32_t n = 0;
  ((frame.registers[n++] = (uint64_t)(words)), ...);
  uint64_t none[1] = {};
  frame.stack = none;
  go(frame, nullptr, 0);
  come_back(nullptr, 0);
  return frame.result;
}

// inside_buffers.cc: the memory that a call uses. In order: before(), the call, after().
constexpr uint32_t kMaxRanges = 64;
struct Ranges {
  OutsideRange range[kMaxRanges];
  uint32_t count = 0;

  // What does not fit is not ordered with other threads.
  void add(uint64_t at, uint64_t bytes, bool write) {
    if (at < 4096 || bytes == 0 || count == kMaxRanges) return;  // MPI_BOTTOM, MPI_IN_PLACE, a null pointer
    range[count++] = {at, bytes, write};
  }
};

class Buffers {
 public:
  explicit Buffers(Frame& frame) : frame_(frame) {}
  void before(Ranges& ranges);
  void after(Ranges& ranges);

 private:
  Frame& frame_;
  Ranges written_;      // by the call itself
  uint64_t held_[kMaxRanges];  // requests that the call may complete
  uint32_t held_count_ = 0;
};

// inside_callbacks.cc: puts functions outside in the place of the program's among the arguments, if it has any.
void replace_callbacks(Frame& frame, uint64_t* words);

}  // namespace ana::mpi
