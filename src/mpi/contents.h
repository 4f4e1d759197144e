// What this rank gets from MPI, saved when recording with --contents and taken again when the rank is replayed alone
// (trace/rank_contents.h). Each thread has a stream of its own: records in the order of its calls, so a record needs no
// name: the next one is that of the present call, and says of which function it is.
//
// All functions are for the thread itself. Nothing here is called unless g.contents is set.
#pragma once
#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

#include "mpi/library.h"
#include "trace/rank_contents.h"

namespace ana::mpi {

// The file is made by the tool. False: errno says why.
bool open_contents(const char* path);
// The rank has come out of MPI_Finalize.
void contents_finalized();
// Alone: the memory that the tool puts pieces into; `whole`: that has all of them.
bool map_contents(int window, bool whole);

// Record: begins a record of `bytes`, which put_bytes() appends, in as many parts as it likes.
void put_record(Thread* t, ContentKind kind, const int64_t* numbers, size_t n, uint64_t bytes = 0);
void put_bytes(Thread* t, const void* from, size_t n);

struct Taken {
  const int64_t* numbers;  // until the thread takes the next record
  size_t count;
  uint64_t bytes;  // for take_bytes()
  int result() const { return static_cast<int>(numbers[0]); }
  int at(size_t i) const { return static_cast<int>(numbers[i]); }
};
// Alone: the next record, which must be of this kind, of the present call, with at least so many numbers; else the rank
// has left the recorded path, or has come to the end of its recording.
Taken take_record(Thread* t, ContentKind kind, size_t least = 1);
void take_bytes(Thread* t, void* to, size_t n);
// Alone: whether the next record is of this kind; false at the end.
bool comes_next(Thread* t, ContentKind kind);
bool has_more(Thread* t);

// A result, and numbers that a function told: saved, or taken. Gives the result.
int pass_numbers(Thread* t, int result, int* numbers, size_t n);
// The same for several arrays. `size` is what was written; alone, it comes from the recording.
struct Told {
  int* items;
  int size;
};
int pass_arrays(Thread* t, int result, const Told* arrays, size_t n);
int pass_text(Thread* t, int result, char* text, size_t room);

}  // namespace ana::mpi
