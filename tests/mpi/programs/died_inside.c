// Rank 0 dies in a call that has already sent something: died_inside HOW, with how = sendrecv, replace, scatter, send,
// ssend, start. Rank 1 gets the message and kills it; rank 2 never answers.
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "observe.h"

enum { kLarge = 1 << 20 };  // more than any MPI sends without asking the receiver
static int data[3 * kLarge];

static void send_and_die(const char* how) {
  int pid = getpid(), got;
  MPI_Send(&pid, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
  for (int i = 0; i < 3 * kLarge; i++) data[i] = i % 1000;
  if (!strcmp(how, "sendrecv"))
    MPI_Sendrecv(data, kLarge, MPI_INT, 1, 1, &got, 1, MPI_INT, 2, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (!strcmp(how, "replace"))
    MPI_Sendrecv_replace(data, kLarge, MPI_INT, 1, 1, 2, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (!strcmp(how, "send")) MPI_Send(data, kLarge, MPI_INT, 1, 1, MPI_COMM_WORLD);
  if (!strcmp(how, "ssend")) MPI_Ssend(data, kLarge, MPI_INT, 1, 1, MPI_COMM_WORLD);
  if (!strcmp(how, "start")) {
    MPI_Request request;
    MPI_Send_init(data, kLarge, MPI_INT, 1, 1, MPI_COMM_WORLD, &request);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  const char* how = argc > 1 ? argv[1] : "sendrecv";
  int scatter = !strcmp(how, "scatter"), pid = 0, nothing;
  if (rank == 0 && !scatter) send_and_die(how);
  if (rank == 0 && scatter) {
    pid = getpid();
    MPI_Send(&pid, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    for (int i = 0; i < 3 * kLarge; i++) data[i] = i % 1000;
  }
  if (rank == 1) MPI_Recv(&pid, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (scatter && rank != 2) {
    int counts[3] = {kLarge, kLarge, kLarge}, places[3] = {0, kLarge, 2 * kLarge};
    int* mine = malloc(kLarge * sizeof *mine);
    MPI_Scatterv(data, counts, places, MPI_INT, mine, kLarge, MPI_INT, 0, MPI_COMM_WORLD);
    memcpy(data, mine, kLarge * sizeof *mine);
    free(mine);
  }
  if (rank == 1) {
    if (!scatter) MPI_Recv(data, kLarge, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    long sum = 0;
    for (int i = 0; i < kLarge; i++) sum += data[i];
    printf("%d: %ld\n", rank, sum);
    fflush(stdout);
    kill(pid, SIGKILL);
  }
  MPI_Recv(&nothing, 1, MPI_INT, (rank + 1) % 3, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return 1;
}
