// What the programs of Netzer and Miller's Table 1, and ours beside them, share: the job, numbers that are the same in
// every run, and the end. Each program checks its own result and fails if it is wrong.
#pragma once
#include <mpi.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, ranks;

static inline int start_job(int argc, char** argv, int usual) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks < 2) {
    fprintf(stderr, "needs at least 2 ranks\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  return argc > 1 ? atoi(argv[1]) : usual;
}

static inline double random_number(unsigned long long* state) {
  *state = *state * 6364136223846793005ull + 1442695040888963407ull;
  return (double)(*state >> 11) / 9007199254740992.0;
}

// The result, by rank 0; `fine` says whether it is right.
static inline int end_job(int fine, double result) {
  if (rank == 0) printf("result %.10g%s\n", result, fine ? "" : " is wrong");
  fflush(stdout);
  MPI_Finalize();
  return fine ? 0 : 1;
}
