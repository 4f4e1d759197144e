// Collectives, blocking and not, between races; the clock.
#include "observe.h"

int main(int argc, char** argv) {
  start(&argc, &argv);
  int in[64] = {0}, out[64], value = rank, sum, flag;
  MPI_Request requests[3];
  for (int round = 0; round < 12; round++) {
    for (int i = 0; i < ranks; i++) out[i] = rank * 64 + i + round;
    dawdle();
    MPI_Bcast(&value, 1, MPI_INT, round % ranks, MPI_COMM_WORLD);
    MPI_Allgather(&value, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD);
    MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < ranks; i++) observe(in[i]);
    MPI_Allreduce(&out[0], &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Scan(&out[0], &value, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    observe(sum);
    observe(value);
    MPI_Ibarrier(MPI_COMM_WORLD, &requests[0]);
    MPI_Iallreduce(&out[1], &sum, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD, &requests[1]);
    MPI_Igather(&out[0], 1, MPI_INT, in, 1, MPI_INT, 0, MPI_COMM_WORLD, &requests[2]);
    for (int left = 3; left > 0;) {
      int index;
      MPI_Testany(3, requests, &index, &flag, MPI_STATUS_IGNORE);
      observe(flag);
      if (flag) {
        observe(index);
        left--;
      }
    }
    observe(sum);
    int next = (rank + 1) % ranks;
    for (int i = 0; i < 2; i++) {
      MPI_Request request;
      MPI_Isend(&rank, 1, MPI_INT, i ? next : (rank + ranks - 1) % ranks, i, MPI_COMM_WORLD, &request);
      MPI_Request_free(&request);
    }
    for (int i = 0; i < 2; i++) {
      MPI_Status status;
      MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
      observe(value);
      observe_status(&status);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    observe((long long)(MPI_Wtime() * 1e7));
  }
  return finish();
}
