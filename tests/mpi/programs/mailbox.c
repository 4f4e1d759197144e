// Several threads of each rank receive on one communicator: which of them gets a message is decided by who asks first.
// The mailbox of Netzer and Miller, section 4.1. Threads of other ranks send into the same channels at the same time.
#include <pthread.h>

#include "observe.h"

enum { kReceivers = 3, kSenders = 2, kEach = 40 };

static unsigned long long sums[kReceivers];

static void fold(unsigned long long* sum, long long value) {
  *sum = (*sum ^ (unsigned long long)value) * 1099511628211ull;
  *sum ^= *sum >> 29;
}

// Of a rank's messages, a third by a receive of any source, by one that names it, and by a matched probe.
static void* receive_some(void* argument) {
  int me = (int)(size_t)argument;
  int all = (ranks - 1) * kSenders * kEach, mine = all / kReceivers + (me < all % kReceivers ? 1 : 0);
  for (int i = 0; i < mine; i++) {
    int value = 0;
    MPI_Status status;
    if (i % 3 == 0) {
      MPI_Message message;
      MPI_Mprobe(MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &message, &status);
      MPI_Mrecv(&value, 1, MPI_INT, &message, &status);
    } else if (i % 3 == 1) {
      MPI_Request request;
      int done = 0;
      MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &request);
      while (done == 0) MPI_Test(&request, &done, &status);
    } else {
      MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &status);
    }
    fold(&sums[me], value);
    fold(&sums[me], status.MPI_SOURCE);
  }
  return NULL;
}

static void* send_all(void* argument) {
  int me = (int)(size_t)argument;
  for (int i = 0; i < kEach; i++) {
    for (int to = 0; to < ranks; to++) {
      int value = rank * 1000000 + me * 10000 + i;
      if (to != rank) MPI_Send(&value, 1, MPI_INT, to, 7, MPI_COMM_WORLD);
    }
  }
  return NULL;
}

// Two threads ask one rank, by name, for messages of one channel; and each makes a communicator of its own.
static void* take(void* argument) {
  unsigned long long* sum = argument;
  MPI_Comm own;
  MPI_Comm_dup(MPI_COMM_SELF, &own);
  for (int i = 0; i < kEach; i++) {
    int value = 0;
    MPI_Recv(&value, 1, MPI_INT, (rank + ranks - 1) % ranks, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    fold(sum, value);
    MPI_Sendrecv_replace(&value, 1, MPI_INT, 0, 1, 0, 1, own, MPI_STATUS_IGNORE);
    MPI_Status status;
    MPI_Sendrecv_replace(&value, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_PROC_NULL, 1, own, &status);
    fold(sum, status.MPI_SOURCE == MPI_PROC_NULL && status.MPI_TAG == MPI_ANY_TAG ? 1 : 2);
    if (status.MPI_SOURCE != MPI_PROC_NULL) MPI_Abort(MPI_COMM_WORLD, 4);
  }
  MPI_Comm_free(&own);
  return NULL;
}

int main(int argc, char** argv) {
  int level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  print_apart();
  if (level != MPI_THREAD_MULTIPLE) MPI_Abort(MPI_COMM_WORLD, 3);
  pthread_t threads[kReceivers + kSenders];
  for (size_t i = 0; i < kReceivers; i++) pthread_create(&threads[i], NULL, receive_some, (void*)i);
  for (size_t i = 0; i < kSenders; i++) pthread_create(&threads[kReceivers + i], NULL, send_all, (void*)i);
  for (size_t i = 0; i < kReceivers + kSenders; i++) pthread_join(threads[i], NULL);

  unsigned long long taken[2] = {1, 2};
  for (size_t i = 0; i < 2; i++) pthread_create(&threads[i], NULL, take, &taken[i]);
  for (int i = 0; i < 2 * kEach; i++) {
    int value = rank * 1000 + i;
    dawdle();
    MPI_Send(&value, 1, MPI_INT, (rank + 1) % ranks, 8, MPI_COMM_WORLD);
  }
  for (size_t i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  for (size_t i = 0; i < kReceivers; i++) observe((long long)sums[i]);
  for (size_t i = 0; i < 2; i++) observe((long long)taken[i]);
  return finish();
}
