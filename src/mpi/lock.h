// One lock for the tables that threads of a rank share, and for their order (turns.h); taken only if several threads
// may call MPI. Never held in a call of MPI that may block.
#pragma once
#include <pthread.h>

#include "mpi/library.h"

namespace ana::mpi {

extern pthread_mutex_t mutex;

class Guard {
 public:
  Guard() : Guard(true) {}
  explicit Guard(bool wanted) : locked_(wanted && g.threads) {
    if (locked_) pthread_mutex_lock(&mutex);
  }
  ~Guard() {
    if (locked_) pthread_mutex_unlock(&mutex);
  }
  Guard(const Guard&) = delete;

 private:
  bool locked_;
};

// Only when recording.
class RecordGuard : public Guard {
 public:
  RecordGuard() : Guard(recording()) {}
};

// Of the header.
template <bool kPlain = false>  // Library::plain, where that is known
void count_one(uint64_t& counter) {
  if (!kPlain && g.threads) {
    __atomic_add_fetch(&counter, 1, __ATOMIC_RELAXED);
  } else {
    counter++;
  }
}

}  // namespace ana::mpi
