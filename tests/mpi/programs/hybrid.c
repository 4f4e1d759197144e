// Threads that race for memory and for messages. What a thread finds in memory that others write without any order
// decides whom it sends what; any thread receives from anybody, and mixes what it got into that memory.
//
//   hybrid [ROUNDS [THREADS [END]]]    END: a thread of rank 0 ends the job half way, by kill, abort, segv or exit
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "observe.h"

enum { kWords = 8, kMaxThreads = 16, kMaxRanks = 64, kTag = 3 };

static long shared[kWords];  // no lock, no atomics
static int rounds = 120, threads = 3;
static const char* how = "";

struct Worker {
  pthread_t thread;
  int number;
  unsigned long long seen;
  int sent[kMaxRanks];
  int received;
};

static void see(struct Worker* w, long value) {
  w->seen = (w->seen ^ (unsigned long long)value) * 1099511628211ull;
  w->seen ^= w->seen >> 31;
}

static long race(struct Worker* w, int round) {
  for (int i = 0; i < 40; i++) {
    long* word = &shared[(round + i) % kWords];
    *word = *word * 31 + shared[(round * 7 + i) % kWords] + w->number + 1;
  }
  long value = shared[round % kWords];
  see(w, value);
  return value;
}

static void take(struct Worker* w, MPI_Message* message, MPI_Status* status) {
  long value;
  MPI_Mrecv(&value, 1, MPI_LONG, message, status);
  see(w, status->MPI_SOURCE);
  see(w, value);
  shared[(unsigned long)value % kWords] += value;
  w->received++;
}

static void end_job(void) {
  if (!strcmp(how, "kill")) kill(getpid(), SIGKILL);
  if (!strcmp(how, "abort")) MPI_Abort(MPI_COMM_WORLD, 9);
  if (!strcmp(how, "segv")) *(volatile int*)(long)(how[0] == 'x') = 1;
  if (!strcmp(how, "exit")) _exit(7);
}

static void* work(void* argument) {
  struct Worker* w = argument;
  for (int round = 0; round < rounds; round++) {
    if (how[0] && round % 4 == 0) printf("rank %d thread %d round %d: %016llx\n", rank, w->number, round, w->seen);
    if (rank == 0 && w->number == 1 && round == rounds / 2) end_job();
    long value = race(w, round);
    int to = (int)((unsigned long)value % (unsigned)ranks);
    MPI_Send(&value, 1, MPI_LONG, to, kTag, MPI_COMM_WORLD);
    w->sent[to]++;
    int found = 1;
    MPI_Message message;
    MPI_Status status;
    MPI_Improbe(MPI_ANY_SOURCE, kTag, MPI_COMM_WORLD, &found, &message, &status);
    if (found) take(w, &message, &status);
  }
  return NULL;
}

int main(int argc, char** argv) {
  static struct Worker worker[kMaxThreads];
  int level, sent[kMaxRanks] = {0}, coming[kMaxRanks], left = 0;
  if (argc > 1) rounds = atoi(argv[1]);
  if (argc > 2) threads = atoi(argv[2]);
  if (argc > 3) how = argv[3];
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (level != MPI_THREAD_MULTIPLE) MPI_Abort(MPI_COMM_WORLD, 1);
  print_apart();
  for (int i = 0; i < threads; i++) {
    worker[i].number = i;
    pthread_create(&worker[i].thread, NULL, work, &worker[i]);
  }
  for (int i = 0; i < threads; i++) pthread_join(worker[i].thread, NULL);
  for (int i = 0; i < threads; i++) {
    left -= worker[i].received;
    for (int k = 0; k < ranks; k++) sent[k] += worker[i].sent[k];
  }
  MPI_Alltoall(sent, 1, MPI_INT, coming, 1, MPI_INT, MPI_COMM_WORLD);
  for (int k = 0; k < ranks; k++) left += coming[k];
  for (; left > 0; left--) {
    MPI_Message message;
    MPI_Status status;
    MPI_Mprobe(MPI_ANY_SOURCE, kTag, MPI_COMM_WORLD, &message, &status);
    take(&worker[0], &message, &status);
  }
  for (int i = 0; i < threads; i++) {
    observe((long long)worker[i].seen);
    printf("rank %d thread %d received %d\n", rank, i, worker[i].received);
  }
  for (int i = 0; i < kWords; i++) observe(shared[i]);
  return finish();
}
