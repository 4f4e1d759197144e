// Takes another way if the variable CHANGES says so, which a replay must notice: "tag", "count", "call", "less",
// "more", "data".
#include <string.h>

#include "observe.h"

int main(int argc, char** argv) {
  start(&argc, &argv);
  const char* how = getenv("CHANGES");
  if (how == NULL) how = "";
  for (int i = 0; i < 50; i++) {
    int value[2] = {rank, i};
    if (rank == 0) {
      int strange = i == 30, count = strange && !strcmp(how, "count") ? 2 : 1;
      int tag = strange && !strcmp(how, "tag") ? MPI_ANY_TAG : 4;
      if (strange && !strcmp(how, "call")) MPI_Barrier(MPI_COMM_SELF);
      if (strange && !strcmp(how, "less")) break;
      for (int k = 1; k < ranks; k++)
        MPI_Recv(value, count, MPI_INT, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      if (i == 49 && !strcmp(how, "more"))
        MPI_Recv(value, count, MPI_INT, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      if (i == 30 && !strcmp(how, "data")) value[0]++;
      MPI_Send(value, 1, MPI_INT, 0, 4, MPI_COMM_WORLD);
    }
  }
  return finish();
}
