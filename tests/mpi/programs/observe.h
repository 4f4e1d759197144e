// What the programs share: each folds whatever it sees, in order, into one number per rank and prints that at the end.
// Two runs that saw the same print the same lines, in some order of the ranks.
#pragma once
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static int rank, ranks;
static unsigned long long seen = 14695981039346656037ull;

static inline void observe(long long value) {
  seen = (seen ^ (unsigned long long)value) * 1099511628211ull;
  seen ^= seen >> 29;
}

static inline void observe_status(const MPI_Status* status) {
  observe(status->MPI_SOURCE);
  observe(status->MPI_TAG);
}

// Into a file of its own, if the test gives a directory: launchers tear lines of several ranks, and drop some at an abort.
// Not where the threads are recorded: a replay then writes no files.
static inline void print_apart(void) {
#ifndef PRINT_TOGETHER
  const char* directory = getenv("OBSERVED");
  char path[4096];
  if (directory == NULL) return;
  snprintf(path, sizeof path, "%s/%d", directory, rank);
  if (freopen(path, "w", stdout) == NULL) abort();
#endif
  setvbuf(stdout, NULL, _IOLBF, 0);
}

static inline void start(int* argc, char*** argv) {
  MPI_Init(argc, argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  print_apart();
}

static inline int finish(void) {
  printf("rank %d of %d saw %016llx\n", rank, ranks, seen);
  fflush(stdout);
  MPI_Finalize();
  return 0;
}

// A little time, different from run to run.
static inline void dawdle(void) {
  static unsigned state;
  struct timespec now;
  if (state == 0) {
    clock_gettime(CLOCK_REALTIME, &now);
    state = (unsigned)now.tv_nsec ^ (unsigned)(rank * 7919) ^ 1u;
  }
  state = state * 1103515245u + 12345u;
  if ((state >> 16) % 8 != 0) return;
  struct timespec nap = {0, (long)((state >> 8) % 200) * 1000};
  nanosleep(&nap, NULL);
}
