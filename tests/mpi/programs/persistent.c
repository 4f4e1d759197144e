// Persistent receives from any source and persistent sends, started again and again, one by one and all together.
#include "observe.h"

int main(int argc, char** argv) {
  start(&argc, &argv);
  enum { kWindow = 3, kRounds = 40 };
  if (rank == 0) {
    int values[kWindow], left = kRounds * (ranks - 1), flag;
    MPI_Request requests[kWindow];
    MPI_Status status;
    for (int i = 0; i < kWindow; i++)
      MPI_Recv_init(&values[i], 1, MPI_INT, MPI_ANY_SOURCE, i == 2 ? MPI_ANY_TAG : 7, MPI_COMM_WORLD, &requests[i]);
    MPI_Startall(kWindow, requests);
    int active = kWindow;
    while (left > 0) {
      int index = MPI_UNDEFINED;
      if (left % 5 == 0) {
        MPI_Testany(kWindow, requests, &index, &flag, &status);
        observe(flag);
        if (!flag) continue;
      } else {
        MPI_Waitany(kWindow, requests, &index, &status);
      }
      observe(index);
      observe(values[index]);
      observe_status(&status);
      left--;
      active--;
      if (left > active) {
        MPI_Start(&requests[index]);
        active++;
      }
    }
    for (int i = 0; i < kWindow; i++) MPI_Request_free(&requests[i]);
  } else {
    int value = 0;
    MPI_Request request;
    MPI_Send_init(&value, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, &request);
    for (int i = 0; i < kRounds; i++) {
      value = rank * 1000 + i;
      dawdle();
      MPI_Start(&request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&request);
  }
  return finish();
}
