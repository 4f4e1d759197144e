// A rank that sends to itself and receives from any source. Tells on stdout how many nanoseconds of processor time a message
// took.
#include <mpi.h>
#include <stdio.h>
#include <time.h>

int main(int argc, char** argv) {
  enum { kMessages = 60000 };
  int rank, out = 1, in = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  struct timespec begin, end;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
  for (int i = 0; i < kMessages; i++) {
    MPI_Request request;
    MPI_Isend(&out, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, &request);
    MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
  double taken = 1e9 * (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec);
  if (rank == 0) printf("%.0f\n", taken / kMessages);
  MPI_Finalize();
  return 0;
}
