// A loop of receives from any source, 100,000 from each rank: what recording costs where nothing else is done.
#include "job.h"

int main(int argc, char** argv) {
  int each = start_job(argc, argv, 100000), value = rank;
  long sum = 0, all = (long)each * (ranks - 1);
  for (int i = 0; rank != 0 && i < each; i++) MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  for (long i = 0; rank == 0 && i < all; i++) {
    MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    sum += value;
  }
  return end_job(rank != 0 || sum == (long)each * ranks * (ranks - 1) / 2, (double)sum);
}
