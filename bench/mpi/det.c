// The determinant of a random matrix: rows dealt out to the ranks, each pivot row passed to all others by its owner,
// the product collected from whoever is done first.
#include "job.h"

static void eliminate(double* rows, const int* mine, int count, const double* pivot, int k, int n) {
  for (int i = 0; i < count; i++) {
    if (mine[i] <= k) continue;
    double* row = rows + (size_t)i * n;
    double factor = row[k] / pivot[k];
    for (int j = k; j < n; j++) row[j] -= factor * pivot[j];
  }
}

int main(int argc, char** argv) {
  int n = start_job(argc, argv, 100), count = 0, signs = 0;
  double* rows = malloc(sizeof(double) * (size_t)n * (n / ranks + 1));
  int* mine = malloc(sizeof(int) * (n / ranks + 1));
  double* pivot = malloc(sizeof(double) * n);
  unsigned long long state = 42;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) pivot[j] = random_number(&state) + (i == j ? n : 0);  // no pivoting needed
    if (i % ranks != rank) continue;
    memcpy(rows + (size_t)count * n, pivot, sizeof(double) * n);
    mine[count++] = i;
  }
  double logarithm = 0;
  for (int k = 0; k < n; k++) {
    int owner = k % ranks;
    if (owner == rank) {
      double* row = rows + (size_t)(k / ranks) * n;
      for (int to = 0; to < ranks; to++)
        if (to != rank) MPI_Send(row, n, MPI_DOUBLE, to, k, MPI_COMM_WORLD);
      memcpy(pivot, row, sizeof(double) * n);
      logarithm += log(fabs(row[k]));
      signs += row[k] < 0;
    } else {
      MPI_Recv(pivot, n, MPI_DOUBLE, MPI_ANY_SOURCE, k, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    eliminate(rows, mine, count, pivot, k, n);
  }
  double part[2] = {logarithm, signs}, sum[2] = {logarithm, signs};
  if (rank != 0) MPI_Send(part, 2, MPI_DOUBLE, 0, n, MPI_COMM_WORLD);
  for (int i = 1; rank == 0 && i < ranks; i++) {
    MPI_Recv(part, 2, MPI_DOUBLE, MPI_ANY_SOURCE, n, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    sum[0] += part[0];
    sum[1] += part[1];
  }
  // Diagonally dominant: near the product of the diagonal.
  return end_job(rank != 0 || fabs(sum[0] / (n * log(n + 0.5)) - 1) < 0.05, sum[0]);
}
