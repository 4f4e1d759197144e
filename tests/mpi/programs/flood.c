// Senders run ahead of a slow receiver. How many messages are under way at most goes to stderr; it is counted in memory
// that the ranks share, a file that is given, whose contents no recording knows.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "observe.h"

int main(int argc, char** argv) {
  start(&argc, &argv);
  int fd = argc > 1 ? open(argv[1], O_RDWR) : -1;
  long* under_way = fd < 0 ? MAP_FAILED : mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (under_way == MAP_FAILED) MPI_Abort(MPI_COMM_WORLD, 3);
  enum { kEach = 60 };
  if (rank == 0) {
    long most = 0;
    for (int i = 0; i < kEach * (ranks - 1); i++) {
      usleep(2000);
      long now = __atomic_load_n(under_way, __ATOMIC_SEQ_CST);
      if (now > most) most = now;
      int value;
      MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      __atomic_sub_fetch(under_way, 1, __ATOMIC_SEQ_CST);
      observe(value);
    }
    fprintf(stderr, "under way at most: %ld\n", most);
  } else {
    for (int i = 0; i < kEach; i++) {
      int value = rank * 1000 + i;
      usleep(500);
      MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
      __atomic_add_fetch(under_way, 1, __ATOMIC_SEQ_CST);
    }
  }
  return finish();
}
