// A system of linear equations by Gaussian elimination with pivoting: each step, rank 0 collects the candidates for the
// pivot as they come and names the winner, which passes its row to all.
#include "job.h"

int main(int argc, char** argv) {
  int n = start_job(argc, argv, 120), count = 0, width = n + 1;
  double* rows = malloc(sizeof(double) * (size_t)width * (n / ranks + 1));
  char* used = calloc((size_t)(n / ranks + 1), 1);
  int* column_of = malloc(sizeof(int) * (n / ranks + 1));
  double* pivot = malloc(sizeof(double) * width);
  unsigned long long state = 11;
  for (int i = 0; i < n; i++) {
    double right = 0;
    for (int j = 0; j < n; j++) right += pivot[j] = random_number(&state) - 0.5;
    pivot[n] = right;  // all unknowns are 1
    if (i % ranks == rank) memcpy(rows + (size_t)width * count++, pivot, sizeof(double) * width);
  }
  for (int k = 0; k < n; k++) {
    int best = -1;
    for (int i = 0; i < count; i++)
      if (!used[i] && (best < 0 || fabs(rows[i * width + k]) > fabs(rows[best * width + k]))) best = i;
    double offer[2] = {best < 0 ? -1 : fabs(rows[best * width + k]), rank};
    double winner[2] = {offer[0], 0};
    if (rank != 0) MPI_Send(offer, 2, MPI_DOUBLE, 0, 2 * k, MPI_COMM_WORLD);
    for (int i = 1; rank == 0 && i < ranks; i++) {
      MPI_Recv(offer, 2, MPI_DOUBLE, MPI_ANY_SOURCE, 2 * k, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      if (offer[0] > winner[0]) memcpy(winner, offer, sizeof winner);
    }
    MPI_Bcast(winner, 2, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (rank == (int)winner[1]) {
      memcpy(pivot, rows + (size_t)width * best, sizeof(double) * width);
      used[best] = 1;
      column_of[best] = k;
      for (int to = 0; to < ranks; to++)
        if (to != rank) MPI_Send(pivot, width, MPI_DOUBLE, to, 2 * k + 1, MPI_COMM_WORLD);
    } else {
      MPI_Recv(pivot, width, MPI_DOUBLE, (int)winner[1], 2 * k + 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    for (int i = 0; i < count; i++) {
      double* row = rows + (size_t)width * i;
      if (used[i] && column_of[i] == k) continue;
      double factor = row[k] / pivot[k];
      for (int j = k; j < width; j++) row[j] -= factor * pivot[j];
    }
  }
  double wrong = 0, most;
  for (int i = 0; i < count; i++)
    wrong = fmax(wrong, fabs(rows[(size_t)width * i + n] / rows[(size_t)width * i + column_of[i]] - 1));
  MPI_Reduce(&wrong, &most, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  return end_job(rank != 0 || most < 1e-6, rank == 0 ? n : 0);
}
