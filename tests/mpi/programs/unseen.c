// A rank dies when a receive of any source has got a message that it has not looked at, and a later one has been seen.
#include <signal.h>
#include <unistd.h>

#include "observe.h"

int main(int argc, char** argv) {
  start(&argc, &argv);
  if (rank != 0) {
    for (int i = 0; i < 3; i++) {
      int value = rank * 10 + i;
      usleep(20000 * (useconds_t)(ranks - rank));
      MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Recv(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);  // never comes
  }
  enum { kReceives = 5 };
  int values[kReceives];
  MPI_Request requests[kReceives];
  for (int i = 0; i < kReceives; i++)
    MPI_Irecv(&values[i], 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &requests[i]);
  const int seen_ones[] = {3, 1};
  for (int i = 0; i < 2; i++) {
    MPI_Wait(&requests[seen_ones[i]], MPI_STATUS_IGNORE);
    printf("%d: %d\n", seen_ones[i], values[seen_ones[i]]);
  }
  fflush(stdout);
  raise(SIGKILL);
  return finish();
}
