// Finite differences on a grid. Rank 0 holds the grid and deals out blocks of rows, sweep by sweep, to whichever worker
// asks first.
#include "job.h"

enum { kRows = 10, kAsk = 1, kWork = 2, kResult = 3 };

static void relax(const double* in, double* out, int n) {
  for (int i = 0; i < kRows; i++) {
    for (int j = 0; j < n; j++) {
      const double* row = in + (size_t)(i + 1) * n;
      out[i * n + j] = j == 0 || j == n - 1 ? row[j] : (row[j - 1] + row[j + 1] + row[j - n] + row[j + n]) / 4;
    }
  }
}

static void work(int n) {
  double* in = malloc(sizeof(double) * (size_t)n * (kRows + 2));
  double* out = malloc(sizeof(double) * ((size_t)n * kRows + 1));
  for (;;) {
    MPI_Status status;
    MPI_Send(NULL, 0, MPI_DOUBLE, 0, kAsk, MPI_COMM_WORLD);
    MPI_Recv(in, n * (kRows + 2), MPI_DOUBLE, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    if (status.MPI_TAG < kWork) return;
    relax(in, out, n);
    out[(size_t)n * kRows] = status.MPI_TAG - kWork;
    MPI_Send(out, n * kRows + 1, MPI_DOUBLE, 0, kResult, MPI_COMM_WORLD);
  }
}

static void sweep(double* grid, double* next, double* buffer, int n) {
  int blocks = (n - 2) / kRows, given = 0;
  for (int done = 0; done < blocks;) {
    MPI_Status status;
    // Requests are taken only as long as there is something to give.
    MPI_Recv(buffer, n * kRows + 1, MPI_DOUBLE, MPI_ANY_SOURCE, given < blocks ? MPI_ANY_TAG : kResult, MPI_COMM_WORLD,
             &status);
    if (status.MPI_TAG == kAsk) {
      MPI_Send(grid + (size_t)given * kRows * n, n * (kRows + 2), MPI_DOUBLE, status.MPI_SOURCE, kWork + given,
               MPI_COMM_WORLD);
      given++;
    } else {
      int block = (int)buffer[(size_t)n * kRows];
      memcpy(next + ((size_t)block * kRows + 1) * n, buffer, sizeof(double) * n * kRows);
      done++;
    }
  }
  memcpy(grid + n, next + n, sizeof(double) * (size_t)n * blocks * kRows);
}

int main(int argc, char** argv) {
  int n = start_job(argc, argv, 302), sweeps = argc > 2 ? atoi(argv[2]) : 30;
  double sum = 0;
  if (rank != 0) {
    work(n);
  } else {
    double* grid = calloc((size_t)n * n, sizeof(double));
    double* next = calloc((size_t)n * n, sizeof(double));
    double* buffer = malloc(sizeof(double) * ((size_t)n * kRows + 1));
    for (int j = 0; j < n; j++) grid[j] = 1;
    for (int i = 0; i < sweeps; i++) sweep(grid, next, buffer, n);
    for (int i = 1; i < ranks; i++) {
      MPI_Status status;
      MPI_Recv(buffer, 0, MPI_DOUBLE, MPI_ANY_SOURCE, kAsk, MPI_COMM_WORLD, &status);
      MPI_Send(NULL, 0, MPI_DOUBLE, status.MPI_SOURCE, 0, MPI_COMM_WORLD);
    }
    for (size_t i = (size_t)n; i < (size_t)n * n; i++) sum += grid[i];
  }
  return end_job(rank != 0 || (sum > 0.1 * n && sum < 10.0 * n), sum);
}
