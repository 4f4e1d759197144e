// MPI_Sendrecv and its _replace form with any source, and every mode of sending.
#include "observe.h"

int main(int argc, char** argv) {
  start(&argc, &argv);
  static char space[1 << 16];
  MPI_Buffer_attach(space, sizeof space);
  enum { kRounds = 40 };
  for (int round = 0; round < kRounds; round++) {
    // Everybody sends to two others and takes what comes.
    int out = rank * 1000 + round, in = -1;
    MPI_Status status;
    dawdle();
    MPI_Sendrecv(&out, 1, MPI_INT, (rank + 1) % ranks, round, &in, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG,
                 MPI_COMM_WORLD, &status);
    observe(in);
    observe_status(&status);
    dawdle();
    MPI_Sendrecv_replace(&in, 1, MPI_INT, (rank + 2) % ranks, kRounds + round, MPI_ANY_SOURCE, MPI_ANY_TAG,
                         MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    observe(in);
    MPI_Sendrecv(&out, 1, MPI_INT, MPI_PROC_NULL, 0, &in, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &status);
    observe_status(&status);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  for (int way = 0; way < 8; way++) {
    int values[64], value = rank * 10 + way;
    MPI_Request requests[64], request = MPI_REQUEST_NULL;
    for (int i = 0; i < ranks; i++)
      MPI_Irecv(&values[i], 1, MPI_INT, MPI_ANY_SOURCE, 900 + way, MPI_COMM_WORLD, &requests[i]);
    MPI_Barrier(MPI_COMM_WORLD);  // the ready modes want their receives posted
    for (int i = 0; i < ranks; i++) {
      int to = (rank + i) % ranks;
      dawdle();
      switch (way) {
        case 0: MPI_Send(&value, 1, MPI_INT, to, 900 + way, MPI_COMM_WORLD); break;
        case 1: MPI_Bsend(&value, 1, MPI_INT, to, 900 + way, MPI_COMM_WORLD); break;
        case 2: MPI_Ssend(&value, 1, MPI_INT, to, 900 + way, MPI_COMM_WORLD); break;
        case 3: MPI_Rsend(&value, 1, MPI_INT, to, 900 + way, MPI_COMM_WORLD); break;
        case 4: MPI_Isend(&value, 1, MPI_INT, to, 900 + way, MPI_COMM_WORLD, &request); break;
        case 5: MPI_Ibsend(&value, 1, MPI_INT, to, 900 + way, MPI_COMM_WORLD, &request); break;
        case 6: MPI_Issend(&value, 1, MPI_INT, to, 900 + way, MPI_COMM_WORLD, &request); break;
        default: MPI_Irsend(&value, 1, MPI_INT, to, 900 + way, MPI_COMM_WORLD, &request);
      }
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Waitall(ranks, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < ranks; i++) observe(values[i]);
  }
  int size;
  void* old;
  MPI_Buffer_detach(&old, &size);
  return finish();
}
