// One lock for the tables that threads of a rank share; taken only under MPI_THREAD_MULTIPLE. Never held in a call of
// MPI that may block.
#pragma once
#include <pthread.h>

#include "mpi/library.h"

namespace ana::mpi {

extern pthread_mutex_t mutex;

class Guard {
 public:
  Guard() : locked_(g.threads) {
    if (locked_) pthread_mutex_lock(&mutex);
  }
  ~Guard() {
    if (locked_) pthread_mutex_unlock(&mutex);
  }
  Guard(const Guard&) = delete;

 private:
  bool locked_;
};

}  // namespace ana::mpi
