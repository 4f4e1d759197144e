// Every round reads a digit from a file, gets a number from rank 0, computes for long, and tells about it. Rank 1 ends itself
// in the last round.
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { kRounds = 5 };
int rank;
long total;

static long churn(long n) {
  long x = 1;
  for (long i = 0; i < n; i++) x = x * 3 + i;
  return x;
}

static int depth(int n) {
  if (n == 0) return 0;
  return 1 + depth(n - 1);
}

static void tell(int round, int digit, int number) {
  total += digit * number;
  printf("rank %d round %d digit %d\n", rank, round, digit);
  fflush(stdout);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int file = open(argv[1], O_RDONLY);
  for (int round = 0; round < kRounds; round++) {
    char digit = 0;
    if (read(file, &digit, 1) != 1) return 1;
    int number = round + 10;
    MPI_Bcast(&number, 1, MPI_INT, 0, MPI_COMM_WORLD);
    long churned = churn(number * 3000000L);
    total += churned & 1;
    total += depth(3);
    tell(round, digit - '0', number);
    if (rank == 1 && round == kRounds - 1) abort();
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
