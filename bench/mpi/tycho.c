// A cache simulator: rank 0 reads an address trace and deals out pieces, each to be simulated for one set of caches, to
// whoever is free; each kind of worker (small and large caches) has a tag of its own for its answers.
#include "job.h"

enum { kPiece = 4096, kLines = 64, kSmall = 1, kLarge = 2, kStop = 3 };

static long simulate(const unsigned* addresses, int lines) {
  unsigned tags[kLines * 4];
  memset(tags, 0xff, sizeof tags);
  long misses = 0;
  for (int i = 0; i < kPiece; i++) {
    unsigned line = addresses[i] / 32;
    if (tags[line % (unsigned)lines] == line) continue;
    tags[line % (unsigned)lines] = line;
    misses++;
  }
  return misses;
}

static void piece(unsigned* addresses, int number) {
  unsigned long long state = (unsigned long long)number + 1;
  unsigned at = 0;
  for (int i = 0; i < kPiece; i++) {
    double p = random_number(&state);
    at = p < 0.8 ? at + 4 : (unsigned)(random_number(&state) * (1 << 16));
    addresses[i] = at;
  }
}

int main(int argc, char** argv) {
  int pieces = start_job(argc, argv, 300);
  unsigned addresses[kPiece];
  long total = 0, expected = 0, answer;
  if (rank != 0) {
    int kind = rank % 2 ? kSmall : kLarge;
    for (answer = -1;;) {
      MPI_Status status;
      MPI_Send(&answer, 1, MPI_LONG, 0, kind, MPI_COMM_WORLD);
      MPI_Recv(addresses, kPiece, MPI_UNSIGNED, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
      if (status.MPI_TAG == kStop) break;
      answer = simulate(addresses, kind == kSmall ? kLines : kLines * 4);
    }
  } else {
    // Both kinds of cache see every piece. Small ones are served first in odd rounds, large ones in even ones.
    int kinds = ranks > 2 ? 2 : 1, given[3] = {0}, stopped = 0;
    for (int round = 0; stopped < ranks - 1; round++) {
      MPI_Status status;
      int both = round % 4 != 3 || given[kSmall] >= pieces || (kinds == 2 && given[kLarge] >= pieces);
      int wanted = both ? MPI_ANY_TAG : round % 8 < 4 && kinds == 2 ? kLarge : kSmall;
      MPI_Recv(&answer, 1, MPI_LONG, MPI_ANY_SOURCE, wanted, MPI_COMM_WORLD, &status);
      if (answer >= 0) total += answer;
      int stop = given[status.MPI_TAG] >= pieces;
      piece(addresses, given[status.MPI_TAG]++);
      MPI_Send(addresses, stop ? 0 : kPiece, MPI_UNSIGNED, status.MPI_SOURCE, stop ? kStop : 0, MPI_COMM_WORLD);
      stopped += stop;
    }
    for (int i = 0; i < pieces; i++) {
      piece(addresses, i);
      expected += simulate(addresses, kLines) + (kinds == 2 ? simulate(addresses, kLines * 4) : 0);
    }
  }
  return end_job(total == expected, (double)total);
}
