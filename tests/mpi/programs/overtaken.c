// The second message of rank 1 is received before its first, which races with that of rank 2 and is sent after that was
// received; rank 1 knows by a file, which no recording knows of.
#include <fcntl.h>
#include <unistd.h>

#include "observe.h"

int main(int argc, char** argv) {
  start(&argc, &argv);
  int value = rank;
  if (rank == 0) {
    const int tags[] = {1, 2, 1};
    for (int i = 0; i < 3; i++) {
      MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, tags[i], MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      observe(value);
      close(open(argv[1], O_CREAT | O_WRONLY, 0600));
    }
  } else if (rank == 1) {
    for (int i = 0; access(argv[1], F_OK) != 0 && i < 100000; i++) usleep(100);
    MPI_Send(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    MPI_Send(&value, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
  } else if (rank == 2) {
    MPI_Send(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
  }
  return finish();
}
