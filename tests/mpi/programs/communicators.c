// Messages of any source in communicators of all makes, some made and freed on the way, and between two groups.
#include "observe.h"

static void race_in(MPI_Comm comm, int remote) {
  int me, size, value;
  MPI_Status status;
  MPI_Comm_rank(comm, &me);
  if (remote) MPI_Comm_remote_size(comm, &size); else MPI_Comm_size(comm, &size);
  MPI_Request requests[64];
  for (int i = 0; i < size; i++) {
    dawdle();
    MPI_Isend(&rank, 1, MPI_INT, i, 3, comm, &requests[i]);
  }
  for (int i = 0; i < size; i++) {
    MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &status);
    observe(value);
    observe_status(&status);
  }
  MPI_Waitall(size, requests, MPI_STATUSES_IGNORE);
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  MPI_Comm comm, half, inter, merged;
  for (int round = 0; round < 6; round++) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    race_in(comm, 0);
    MPI_Comm_split(comm, rank % 2, -rank, &half);
    race_in(half, 0);
    if (ranks > 1) {
      MPI_Intercomm_create(half, 0, comm, rank % 2 ? ranks - 2 + ranks % 2 : ranks - 1 - ranks % 2, 11, &inter);
      race_in(inter, 1);
      MPI_Intercomm_merge(inter, rank % 2, &merged);
      race_in(merged, 0);
      MPI_Comm_free(&merged);
      MPI_Comm_free(&inter);
    }
    MPI_Comm_free(&half);
    int extent = ranks, period = 1;
    MPI_Cart_create(comm, 1, &extent, &period, 0, &half);
    race_in(half, 0);
    MPI_Comm_free(&half);
    MPI_Comm_free(&comm);
  }
  MPI_Request request;
  MPI_Comm_idup(MPI_COMM_WORLD, &comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  race_in(comm, 0);
  MPI_Comm_free(&comm);
  return finish();
}
