// Threads of a rank that call MPI at the same time, each by a communicator of its own and by ways of its own: probes that
// look again and again, matched ones, some of a window at a time, and exchanges.
#include <pthread.h>

#include "observe.h"

enum { kThreads = 4, kEach = 30, kWindow = 3 };

static MPI_Comm lanes[kThreads];
static unsigned long long sums[kThreads];

static void fold(int me, long long value) {
  sums[me] = (sums[me] ^ (unsigned long long)value) * 1099511628211ull;
  sums[me] ^= sums[me] >> 29;
}

static void look_again_and_again(int me, int all) {
  for (int got = 0; got < all;) {
    MPI_Status status;
    int flag, value;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, lanes[me], &flag, &status);
    fold(me, flag);
    if (!flag) continue;
    MPI_Recv(&value, 1, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, lanes[me], MPI_STATUS_IGNORE);
    fold(me, value);
    got++;
  }
}

static void take_matched(int me, int all) {
  for (int got = 0; got < all; got++) {
    MPI_Message message;
    MPI_Request request;
    MPI_Status status;
    int value;
    MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, lanes[me], &message, &status);
    MPI_Imrecv(&value, 1, MPI_INT, &message, &request);
    MPI_Wait(&request, &status);
    fold(me, value + status.MPI_SOURCE);
  }
}

static void take_some(int me, int all) {
  int values[kWindow], indices[kWindow], posted = 0;
  MPI_Request requests[kWindow];
  for (int i = 0; i < kWindow; i++) requests[i] = MPI_REQUEST_NULL;
  for (int got = 0; got < all;) {
    for (int i = 0; i < kWindow; i++) {
      if (requests[i] != MPI_REQUEST_NULL || posted == all) continue;
      MPI_Irecv(&values[i], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, lanes[me], &requests[i]);
      posted++;
    }
    int count;
    MPI_Waitsome(kWindow, requests, &count, indices, MPI_STATUSES_IGNORE);
    for (int i = 0; i < count; i++) fold(me, values[indices[i]] * 8 + indices[i]);
    got += count;
  }
}

static void take_one_by_one(int me, int all) {
  for (int got = 0; got < all; got++) {
    MPI_Status status;
    int value;
    MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, lanes[me], &status);
    fold(me, value + status.MPI_TAG);
  }
}

static void* work(void* argument) {
  int me = (int)(size_t)argument, all = (ranks - 1) * kEach;
  static void (*const ways[kThreads])(int, int) = {look_again_and_again, take_matched, take_some, take_one_by_one};
  if (rank == 0) {
    ways[me](me, all);
    return NULL;
  }
  for (int i = 0; i < kEach; i++) {
    int value = rank * 1000 + i;
    MPI_Send(&value, 1, MPI_INT, 0, i % 4, lanes[me]);
  }
  return NULL;
}

int main(int argc, char** argv) {
  int provided;
  pthread_t threads[kThreads];
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  if (provided < MPI_THREAD_MULTIPLE) MPI_Abort(MPI_COMM_WORLD, 3);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  print_apart();
  for (int i = 0; i < kThreads; i++) MPI_Comm_dup(MPI_COMM_WORLD, &lanes[i]);
  for (int round = 0; round < 2; round++) {
    for (int i = 0; i < kThreads; i++) pthread_create(&threads[i], NULL, work, (void*)(size_t)i);
    for (int i = 0; i < kThreads; i++) pthread_join(threads[i], NULL);
  }
  for (int i = 0; i < kThreads; i++) {
    observe((long long)sums[i]);
    MPI_Comm_free(&lanes[i]);
  }
  return finish();
}
