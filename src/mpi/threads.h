// The threads of the program that call MPI. Each has a stream of its own in the trace. A replay finds the stream of a
// thread by the lineage of the thread: whose child it is, and which. The thread that started MPI has stream 0.
#pragma once
#include "mpi/library.h"

namespace ana::mpi {

// By stream, kMaxStreams of them; null: has not called MPI so far.
Thread* const* all_threads();

// The calling thread is known by this from now on, and not by whose child it is.
void name_thread(uint64_t lineage);

bool is_first_thread();
// Whether it is the first, and the program has made no other since.
bool is_alone();

// How many threads this one has made. Those that MPI makes in MPI_Init, which are not the same without a launcher, can be
// left out of the lineages of those to come.
uint64_t threads_made();
void set_threads_made(uint64_t count);

}  // namespace ana::mpi
