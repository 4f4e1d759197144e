// Probe, Iprobe, Mprobe and Improbe of any source, each followed by the receive that belongs to it. Before these:
// messages that are matched long before they are received.
#include "observe.h"

enum { kMostRanks = 64 };

static void receive_late(void) {
  MPI_Message matched[kMostRanks];
  MPI_Request posted[kMostRanks];
  int others = ranks - 1, values[kMostRanks], value;
  for (int i = 0; i < others; i++)
    MPI_Mprobe(MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &matched[i], MPI_STATUS_IGNORE);
  for (int i = 0; i < others; i++)
    MPI_Irecv(&values[i], 1, MPI_INT, MPI_ANY_SOURCE, 8, MPI_COMM_WORLD, &posted[i]);
  for (int i = others; i-- > 0;) {
    MPI_Mrecv(&value, 1, MPI_INT, &matched[i], MPI_STATUS_IGNORE);
    observe(value);
  }
  MPI_Waitall(others, posted, MPI_STATUSES_IGNORE);
  for (int i = 0; i < others; i++) observe(values[i]);
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  int each = 60;
  if (rank == 0) {
    if (ranks <= kMostRanks) receive_late();
    for (int i = 0; i < each * (ranks - 1); i++) {
      MPI_Status status;
      MPI_Message message;
      int value[8], count, flag = 0;
      switch (i % 4) {
        case 0:
          MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
          break;
        case 1:
          for (int no = 0; !flag; no++) {
            MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &status);
            if (flag) observe(no);
          }
          break;
        case 2:
          MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &message, &status);
          break;
        default:
          for (int no = 0; !flag; no++) {
            MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &message, &status);
            if (flag) observe(no);
          }
      }
      observe_status(&status);
      MPI_Get_count(&status, MPI_INT, &count);
      observe(count);
      if (i % 4 < 2) {
        MPI_Recv(value, count, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      } else if (i % 4 == 2) {
        MPI_Mrecv(value, count, MPI_INT, &message, MPI_STATUS_IGNORE);
      } else {
        MPI_Request request;
        MPI_Imrecv(value, count, MPI_INT, &message, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
      }
      observe(count ? value[0] : -1);
    }
  } else {
    for (int tag = 7; tag < 9 && ranks <= kMostRanks; tag++) {
      int value = rank * 1000 + tag;
      MPI_Send(&value, 1, MPI_INT, 0, tag, MPI_COMM_WORLD);
    }
    for (int i = 0; i < each; i++) {
      int value[8] = {rank * 1000 + i};
      dawdle();
      MPI_Send(value, i % 8, MPI_INT, 0, i % 3, MPI_COMM_WORLD);
    }
  }
  return finish();
}
