// The product of two matrices: rank 0 deals out rows in turn and collects them in turn.
#include "job.h"

int main(int argc, char** argv) {
  int n = start_job(argc, argv, 100);
  double* a = malloc(sizeof(double) * (size_t)n * n);
  double* b = malloc(sizeof(double) * (size_t)n * n);
  double* row = malloc(sizeof(double) * n);
  unsigned long long state = 3;
  for (int i = 0; i < n * n; i++) a[i] = random_number(&state);
  for (int i = 0; i < n * n; i++) b[i] = random_number(&state);
  double sum = 0, expected = 0;
  for (int i = 0; i < n; i++) {
    int worker = 1 + i % (ranks - 1);
    if (rank == 0) MPI_Send(a + (size_t)i * n, n, MPI_DOUBLE, worker, i, MPI_COMM_WORLD);
    if (rank != worker) continue;
    double* in = malloc(sizeof(double) * n);
    MPI_Recv(in, n, MPI_DOUBLE, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int j = 0; j < n; j++) {
      row[j] = 0;
      for (int k = 0; k < n; k++) row[j] += in[k] * b[(size_t)k * n + j];
    }
    MPI_Send(row, n, MPI_DOUBLE, 0, i, MPI_COMM_WORLD);
    free(in);
  }
  for (int i = 0; rank == 0 && i < n; i++) {
    MPI_Recv(row, n, MPI_DOUBLE, 1 + i % (ranks - 1), i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int j = 0; j < n; j++) sum += row[j];
    for (int k = 0; k < n; k++) {
      double line = 0;
      for (int j = 0; j < n; j++) line += b[(size_t)k * n + j];
      expected += a[(size_t)i * n + k] * line;
    }
  }
  return end_job(rank != 0 || fabs(sum - expected) < 1e-6 * expected, sum);
}
