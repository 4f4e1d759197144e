// A loop of receives from any source, 100,000 from each rank: what recording costs where nothing else is done. Tells on
// stderr how long the loop takes, from when all are there, since the start of a job takes longer.
#include <time.h>

#include "job.h"

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char** argv) {
  int each = start_job(argc, argv, 100000), value = rank;
  long sum = 0, all = (long)each * (ranks - 1);
  MPI_Barrier(MPI_COMM_WORLD);
  double begin = now();
  for (int i = 0; rank != 0 && i < each; i++) MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  for (long i = 0; rank == 0 && i < all; i++) {
    MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    sum += value;
  }
  if (rank == 0) fprintf(stderr, "loop: %.6f s\n", now() - begin);
  return end_job(rank != 0 || sum == (long)each * ranks * (ranks - 1) / 2, (double)sum);
}
