// Receives of any source that never race: rank 0 asks one rank at a time, and then all between barriers, one a round. A
// recording of races has (almost) nothing to save.
#include "observe.h"

int main(int argc, char** argv) {
  start(&argc, &argv);
  int value, rounds = 100;
  MPI_Status status;
  for (int i = 0; i < rounds; i++) {
    int turn = 1 + i % (ranks - 1);
    if (rank == 0) {
      MPI_Send(&i, 1, MPI_INT, turn, 1, MPI_COMM_WORLD);
      MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &status);
      observe(value);
      observe_status(&status);
    } else if (rank == turn) {
      MPI_Recv(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      value += rank * 1000;
      MPI_Send(&value, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
    }
  }
  for (int i = 0; i < rounds; i++) {
    int turn = 1 + i % (ranks - 1);
    if (rank == turn) MPI_Send(&i, 1, MPI_INT, 0, 3, MPI_COMM_WORLD);
    if (rank == 0) {
      MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &status);
      observe_status(&status);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  return finish();
}
