// Which arguments of a function of MPI are buffers, and how much of them it uses (inside_buffers.cc). Arguments are
// counted from 0; -1: has none.
#pragma once
#include "mpi/inside.h"

namespace ana::mpi {

enum class Extent : uint8_t {
  kNone,
  kOne,    // count elements
  kEach,   // count elements for each rank of the communicator
  kHull,   // counts and displacements are arrays: from the first to the last element
};

struct BufferArguments {
  Extent extent = Extent::kNone;
  int8_t buffer = -1, count = -1, displacements = -1, type = -1;
};

struct CallShape {
  BufferArguments read, written;
  int8_t communicator = -1;
  int8_t request = -1;       // it is written until this is complete
  bool persistent = false;   // whenever the request is
};

// Functions that complete requests: where these are, and how many (-1: one).
struct CompletionShape {
  int8_t requests = -1, count = -1;
};

CallShape shape_of(uint64_t number);
CompletionShape completion_of(uint64_t number);

}  // namespace ana::mpi
