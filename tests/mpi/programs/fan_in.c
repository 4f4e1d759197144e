// Rank 0 receives from whoever comes first, blocking; the tag tells how far the sender is.
#include "observe.h"

int main(int argc, char** argv) {
  start(&argc, &argv);
  int each = argc > 1 ? atoi(argv[1]) : 50;
  if (rank == 0) {
    for (int i = 0; i < each * (ranks - 1); i++) {
      int value;
      MPI_Status status;
      if (i % 3 == 0) {
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      } else {
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        observe_status(&status);
      }
      observe(value);
    }
  } else {
    for (int i = 0; i < each; i++) {
      int value = rank * 100000 + i;
      dawdle();
      MPI_Send(&value, 1, MPI_INT, 0, i, MPI_COMM_WORLD);
    }
  }
  return finish();
}
