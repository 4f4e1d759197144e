// The memory that a collective writes in this rank: saved after it when recording with --contents, filled when the rank
// is replayed alone. Which memory that is depends on the part that the rank has in the communicator (facts.h).
#pragma once
#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

#include "mpi/library.h"

namespace ana::mpi {

class Area {
 public:
  struct Piece {
    void* buffer;
    int64_t count;
    MPI_Datatype type;
  };

  Area() = default;
  Area(const Area&) = delete;
  ~Area();

  void add(void* buffer, int64_t count, MPI_Datatype type);
  // What stands behind functions of these kinds. `root` may be MPI_ROOT or MPI_PROC_NULL between groups.
  void others(int root, MPI_Comm comm, void* buffer, int64_t count, MPI_Datatype type);  // all but the root
  void root(int root, MPI_Comm comm, void* buffer, int64_t count, MPI_Datatype type);
  void from_each(MPI_Comm comm, void* buffer, int64_t count, MPI_Datatype type);
  void gathered(int root, MPI_Comm comm, void* buffer, int64_t count, MPI_Datatype type);
  void gathered(int root, MPI_Comm comm, void* buffer, const int counts[], const int at[], MPI_Datatype type);
  void scattered(int root, MPI_Comm comm, void* buffer, int64_t count, MPI_Datatype type);
  void from_each(MPI_Comm comm, void* buffer, const int counts[], const int at[], MPI_Datatype type);
  void from_each(MPI_Comm comm, void* buffer, const int counts[], const int at[], const MPI_Datatype types[]);
  void share(MPI_Comm comm, void* buffer, const int counts[], MPI_Datatype type);
  void below(MPI_Comm comm, void* buffer, int64_t count, MPI_Datatype type);
  void from_neighbours(MPI_Comm comm, void* buffer, int64_t count, MPI_Datatype type);
  void from_neighbours(MPI_Comm comm, void* buffer, const int counts[], const int at[], MPI_Datatype type);
  void from_neighbours(MPI_Comm comm, void* buffer, const int counts[], const MPI_Aint at[],
                       const MPI_Datatype types[]);

  // The collective is over: saves what it wrote, or writes it. Gives the result.
  int pass(Thread* t, int result, MPI_Comm comm);
  // It has been started.
  int post(Thread* t, int result, MPI_Comm comm, MPI_Request* request);

 private:
  void put(Thread* t, int result);
  int take(Thread* t, MPI_Comm comm);
  uint64_t bytes() const;

  Piece first_{};  // most have one
  Piece* pieces_ = nullptr;
  size_t count_ = 0, room_ = 0;
  bool held_ = false;  // the datatypes are ours
  Piece& at(size_t i) { return pieces_ == nullptr ? first_ : pieces_[i]; }
  const Piece& at(size_t i) const { return pieces_ == nullptr ? first_ : pieces_[i]; }
  // To outlive the call.
  Area* hold();
  friend void drop_area(Area* area);
};

// Of a request that has completed.
void drop_area(Area* area);

}  // namespace ana::mpi
