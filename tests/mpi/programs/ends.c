// Ends of all kinds in the middle of a race: ends HOW, with how = kill, abort, segv, exit, or tool: then what
// started the rank is killed.
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "observe.h"

int main(int argc, char** argv) {
  start(&argc, &argv);
  const char* how = argc > 1 ? argv[1] : "abort";
  if (rank == 0) {
    for (int i = 0;; i++) {
      int value;
      MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      observe(value);
      printf("%d: %d\n", i, value);
      fflush(stdout);
      if (i < 100) continue;
      if (!strcmp(how, "kill")) kill(getpid(), SIGKILL);
      if (!strcmp(how, "tool")) kill(getppid(), SIGKILL), pause();
      if (!strcmp(how, "segv")) raise(SIGSEGV);
      if (!strcmp(how, "exit")) _exit(7);
      MPI_Abort(MPI_COMM_WORLD, 9);
    }
  }
  for (int i = 0;; i++) {
    int value = rank * 100000 + i;
    dawdle();
    MPI_Send(&value, 1, MPI_INT, 0, i % 7, MPI_COMM_WORLD);
  }
}
