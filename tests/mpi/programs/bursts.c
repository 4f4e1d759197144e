// Many receives of any source that never race: rank 0 asks one rank at a time for a burst of messages.
#include "observe.h"

int main(int argc, char** argv) {
  start(&argc, &argv);
  int bursts = argc > 1 ? atoi(argv[1]) : 12, each = argc > 2 ? atoi(argv[2]) : 8000, value = 0;
  for (int i = 0; i < bursts; i++) {
    int turn = 1 + i % (ranks - 1);
    if (rank == 0) {
      MPI_Send(&i, 1, MPI_INT, turn, 1, MPI_COMM_WORLD);
      for (int j = 0; j < each; j++) {
        MPI_Status status;
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &status);
        observe(value);
        observe_status(&status);
      }
    } else if (rank == turn) {
      MPI_Recv(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      for (int j = 0; j < each; j++) {
        value = i * each + j;
        MPI_Send(&value, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
      }
    }
  }
  return finish();
}
