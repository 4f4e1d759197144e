// Monte-Carlo integration by a master and workers: who is done gets the next batch; results are added in the order in
// which they come, so that the last digits differ from run to run.
#include "job.h"

int main(int argc, char** argv) {
  int batches = start_job(argc, argv, 400);
  double sum = 0, part = 0;
  int batch = 0, stopped = 0;
  if (rank == 0) {
    while (stopped < ranks - 1) {
      MPI_Status status;
      MPI_Recv(&part, 1, MPI_DOUBLE, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
      sum += part;
      int next = batch < batches ? batch++ : -1;
      stopped += next < 0;
      MPI_Send(&next, 1, MPI_INT, status.MPI_SOURCE, 0, MPI_COMM_WORLD);
    }
    sum /= batches;
  } else {
    for (;;) {
      MPI_Send(&part, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
      MPI_Recv(&batch, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      if (batch < 0) break;
      unsigned long long state = (unsigned long long)batch * 977 + 5;
      int inside = 0;
      for (int i = 0; i < 2000; i++) {
        double x = random_number(&state), y = random_number(&state);
        inside += x * x + y * y < 1;
      }
      part = 4.0 * inside / 2000;
    }
  }
  return end_job(rank != 0 || fabs(sum - M_PI) < 0.05, sum);
}
