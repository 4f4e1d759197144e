// All ways to complete receives from any source: Wait, Waitany, Waitsome, Waitall, Test, Testany, Testsome, Testall,
// and how often the tests said no.
#include "observe.h"

enum { kWindow = 4 };

static int buffers[kWindow];
static MPI_Request requests[kWindow];

static void post(int i) {
  MPI_Irecv(&buffers[i], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[i]);
}

static void take(int i, const MPI_Status* status) {
  observe(i);
  observe(buffers[i]);
  if (status) observe_status(status);
}

static int complete(int way) {
  MPI_Status statuses[kWindow];
  int indices[kWindow], index, flag, count = 0;
  switch (way) {
    case 0:
      MPI_Wait(&requests[0], &statuses[0]);
      take(0, &statuses[0]);
      return 1;
    case 1:
      MPI_Waitany(kWindow, requests, &index, &statuses[0]);
      take(index, &statuses[0]);
      return 1;
    case 2:
      MPI_Waitsome(kWindow, requests, &count, indices, statuses);
      for (int i = 0; i < count; i++) take(indices[i], &statuses[i]);
      return count;
    case 3:
      MPI_Test(&requests[1], &flag, MPI_STATUS_IGNORE);
      observe(flag);
      if (flag) take(1, NULL);
      return flag;
    case 4:
      MPI_Testany(kWindow, requests, &index, &flag, &statuses[0]);
      observe(flag);
      if (flag) take(index, &statuses[0]);
      return flag;
    case 5:
      MPI_Testsome(kWindow, requests, &count, indices, MPI_STATUSES_IGNORE);
      observe(count);
      for (int i = 0; i < count; i++) take(indices[i], NULL);
      return count;
    default:
      MPI_Request_get_status(requests[2], &flag, &statuses[0]);
      observe(flag);
      if (!flag) return 0;
      MPI_Wait(&requests[2], &statuses[0]);
      take(2, &statuses[0]);
      return 1;
  }
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  int each = 40 * kWindow;
  if (rank == 0) {
    int left = each * (ranks - 1), posted = 0, way = 0;
    for (int i = 0; i < kWindow; i++) requests[i] = MPI_REQUEST_NULL;
    while (left > 0) {
      for (int i = 0; i < kWindow; i++) {
        if (requests[i] != MPI_REQUEST_NULL || posted == each * (ranks - 1)) continue;
        post(i);
        posted++;
      }
      if (left <= kWindow) break;
      if (requests[0] != MPI_REQUEST_NULL && requests[1] != MPI_REQUEST_NULL && requests[2] != MPI_REQUEST_NULL)
        left -= complete(way++ % 7);
      else
        left -= complete(1 + way++ % 2);
    }
    MPI_Status statuses[kWindow];
    int flag = 0;
    for (int i = 0; i < 5 && !flag; i++) {
      MPI_Testall(kWindow, requests, &flag, statuses);
      observe(flag);
    }
    if (!flag) MPI_Waitall(kWindow, requests, statuses);
    for (int i = 0; i < kWindow; i++) observe(buffers[i]);
  } else {
    for (int i = 0; i < each; i++) {
      int value = rank * 100000 + i;
      dawdle();
      if (i % 2) {
        MPI_Send(&value, 1, MPI_INT, 0, i % 5, MPI_COMM_WORLD);
      } else {
        MPI_Request request;
        MPI_Isend(&value, 1, MPI_INT, 0, i % 5, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
      }
    }
  }
  return finish();
}
