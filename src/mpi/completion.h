// Waits and tests, in both phases, for the C and Fortran symbols.
#pragma once
#include <mpi.h>
#include <stdlib.h>

#include "mpi/library.h"

namespace ana::mpi {

// Room for as many items as a call has requests; few calls have many.
template <class T, size_t kInline = 32>
class Room {
 public:
  explicit Room(size_t n) : items_(n <= kInline ? inline_ : static_cast<T*>(malloc(n * sizeof(T)))) {
    if (items_ == nullptr) give_up("there is no memory left for the arguments of a call");
  }
  ~Room() {
    if (items_ != inline_) free(items_);
  }
  Room(const Room&) = delete;
  T& operator[](size_t i) { return items_[i]; }
  T* data() { return items_; }

 private:
  T inline_[kInline];
  T* items_;
};

// Replay: waits for what stands behind the request.
int replay_wait(Thread* t, MPI_Request* request, MPI_Status* status);

// Record: receives that the program has freed before they were complete, looked after here.
void adopt_freed(MPI_Request request);
void poll_freed();
// At the end of each call, with contents.
void look_after_freed(Thread* t);

}  // namespace ana::mpi
