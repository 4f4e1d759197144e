// Rank 0 adds up what the others send, in the order in which it comes; rank 1 then uses a pointer that it has not got.
#include <mpi.h>
#include <stdio.h>

int total;

static int add_value(int sum, int value) {
  int result = sum + value;
  return result;
}

static void use(const int* answer) {
  total = *answer;
}

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int round = 0; round < 3; round++) {
    int value = 10 * rank + round;
    if (rank != 0) MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    for (int i = 1; rank == 0 && i < size; i++) {
      MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      total = add_value(total, value);
    }
  }
  int answer = total;
  MPI_Bcast(&answer, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (rank == 1) use(answer == 96 ? NULL : &answer);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
