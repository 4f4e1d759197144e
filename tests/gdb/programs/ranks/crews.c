// flags: -pthread
// A rank with a thread of its own, whose order with the first one nobody records.
#include <mpi.h>
#include <pthread.h>

int done;

static void* work(void* unused) {
  done = 7;
  return unused;
}

static void finish(int result) { done = result; }

int main(int argc, char** argv) {
  int provided, number = 3;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Bcast(&number, 1, MPI_INT, 0, MPI_COMM_WORLD);
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  pthread_join(thread, NULL);
  finish(done + number);
  MPI_Finalize();
  return 0;
}
