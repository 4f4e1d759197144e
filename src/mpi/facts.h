// What a rank is told about its communicators. A rank that is replayed alone has only communicators of one process, each
// of which stands for one of the recording: what that was is attached to it.
#pragma once
#include <mpi.h>

#include "mpi/library.h"

namespace ana::mpi {

struct Facts {
  int rank, size;
  int inter;        // it is one between groups
  int remote_size;  // of the other group; the size itself within one
};
Facts facts_of(MPI_Comm comm);

// The neighbours that collectives of a communicator with a topology receive from; MPI_PROC_NULL among them.
class Neighbours {
 public:
  explicit Neighbours(MPI_Comm comm);
  ~Neighbours();
  Neighbours(const Neighbours&) = delete;
  int count() const { return count_; }
  const int* ranks() const { return ranks_; }

 private:
  int count_ = 0;
  int* ranks_ = nullptr;
};

// Alone, once: MPI_COMM_WORLD is that of the recording.
void start_facts();

// A communicator has been made of `old`, or is made now, alone; `copies`: it is a duplicate. Gives the result.
int pass_communicator(Thread* t, int result, MPI_Comm old, MPI_Comm* made, bool copies);
// Alone: a duplicate with the facts of `old`.
int copy_alone(MPI_Comm old, MPI_Comm* made);

}  // namespace ana::mpi
