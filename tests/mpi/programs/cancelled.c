// Receives that may or may not be cancelled in time, and one that is freed while it is active.
#include "observe.h"

int main(int argc, char** argv) {
  start(&argc, &argv);
  enum { kRounds = 60 };
  static int freed[kRounds];
  int token = 0;
  if (rank == 0) {
    for (int round = 0; round < kRounds; round++) {
      int got = 0, left = ranks - 1, value = -1, cancelled;
      MPI_Request request;
      MPI_Status status;
      while (got < left) {
        value = -1;
        int source = round % 2 ? MPI_ANY_SOURCE : 1 + got;
        MPI_Irecv(&value, 1, MPI_INT, source, round, MPI_COMM_WORLD, &request);
        // Cancelling at once would leave MPI no time to look for messages.
        int flag;
        MPI_Iprobe(MPI_ANY_SOURCE, 9999, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        dawdle();
        MPI_Cancel(&request);
        MPI_Wait(&request, &status);
        MPI_Test_cancelled(&status, &cancelled);
        observe(cancelled);
        if (cancelled) continue;
        observe(value);
        observe_status(&status);
        got++;
      }
      // A message of a tag of its own, received without being waited for.
      MPI_Irecv(&freed[round], 1, MPI_INT, MPI_ANY_SOURCE, 1000 + round, MPI_COMM_WORLD, &request);
      MPI_Request_free(&request);
      for (int i = 1; i < ranks; i++) MPI_Send(&token, 1, MPI_INT, i, 5000, MPI_COMM_WORLD);
    }
  } else {
    for (int round = 0; round < kRounds; round++) {
      int value = rank * 100 + round;
      dawdle();
      MPI_Send(&value, 1, MPI_INT, 0, round, MPI_COMM_WORLD);
      if (rank == 1 + round % (ranks - 1)) MPI_Send(&value, 1, MPI_INT, 0, 1000 + round, MPI_COMM_WORLD);
      MPI_Recv(&token, 1, MPI_INT, 0, 5000, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    for (int round = 0; round < kRounds; round++) observe(freed[round]);
  }
  return finish();
}
