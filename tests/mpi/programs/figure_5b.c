// Netzer and Miller's Figure 5b, again and again: of three messages to rank 0, the first two race, and the last two,
// but not the first with the last. The paper's rule traces the last two; the second is enough.
//
//   first receive    channels of tag 1 from anybody    gets the message of rank 1
//   second receive   all channels                      gets the message of rank 2, of tag 1
//   third receive    the channel of tag 2 from rank 3
//
// With FORCED in the environment, files in $OBSERVED tell the senders when to send: an order that MPI knows nothing of.
// Without it, as in a replay, they send at once.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "observe.h"

static void name_of(char* path, size_t room, int round, int step) {
  snprintf(path, room, "%s/turn-%d-%d", getenv("OBSERVED"), round, step);
}

static void give_turn(int round, int step) {
  char path[4096];
  name_of(path, sizeof path, round, step);
  close(open(path, O_CREAT | O_WRONLY, 0600));
}

static void wait_for_turn(int round, int step) {
  char path[4096];
  struct stat status;
  name_of(path, sizeof path, round, step);
  // At most a minute, so that a test that goes wrong ends.
  for (int i = 0; getenv("FORCED") != NULL && stat(path, &status) != 0 && i < 600000; i++) usleep(100);
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  int rounds = argc > 1 ? atoi(argv[1]) : 40, value = rank;
  for (int i = 0; i < rounds; i++) {
    MPI_Status status;
    // Everybody knows the last round to be over.
    for (int to = 1; rank == 0 && to < ranks; to++) MPI_Send(&value, 1, MPI_INT, to, 0, MPI_COMM_WORLD);
    if (rank != 0) MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 0) {
      MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status);
      observe_status(&status);
      give_turn(i, 2);
      MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
      observe_status(&status);
      give_turn(i, 3);
      MPI_Recv(&value, 1, MPI_INT, 3, 2, MPI_COMM_WORLD, &status);
      observe_status(&status);
    } else if (rank <= 3) {
      if (rank > 1) wait_for_turn(i, rank);
      MPI_Send(&value, 1, MPI_INT, 0, rank == 3 ? 2 : 1, MPI_COMM_WORLD);
    }
  }
  return finish();
}
