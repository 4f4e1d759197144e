// A ring of slabs that exchange their borders with receives that name their source, and work on whichever border
// MPI_Waitany says has come.
#include "job.h"

int main(int argc, char** argv) {
  int steps = start_job(argc, argv, 400), n = 2000, orders = 0;
  double* now = calloc((size_t)n + 2, sizeof(double));
  double* next = calloc((size_t)n + 2, sizeof(double));
  now[n / 2] = rank == 0 ? 1000 : 0;
  int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
  for (int step = 0; step < steps; step++) {
    MPI_Request requests[4];
    MPI_Irecv(&now[0], 1, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&now[n + 1], 1, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(&now[n], 1, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(&now[1], 1, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &requests[3]);
    for (int i = 2; i < n; i++) next[i] = now[i] + 0.25 * (now[i - 1] - 2 * now[i] + now[i + 1]);
    for (int k = 0; k < 4; k++) {
      int index;
      MPI_Waitany(4, requests, &index, MPI_STATUS_IGNORE);
      orders = orders * 4 + index;
      if (index > 1) continue;
      int i = index == 0 ? 1 : n;
      next[i] = now[i] + 0.25 * (now[i - 1] - 2 * now[i] + now[i + 1]);
    }
    double* swap = now;
    now = next;
    next = swap;
  }
  double mine = 0, sum;
  for (int i = 1; i <= n; i++) mine += now[i];
  MPI_Reduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (getenv("HALO_ORDERS")) printf("rank %d saw the order %08x\n", rank, (unsigned)orders);
  return end_job(rank != 0 || fabs(sum - 1000) < 1e-6, rank == 0 ? sum : 0);
}
