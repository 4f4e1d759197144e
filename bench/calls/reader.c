// Reads the file named by its argument in pieces of 64 KiB, and prints the bytes and the seconds that it took.
#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
  struct timespec at;
  clock_gettime(CLOCK_MONOTONIC, &at);
  return at.tv_sec + at.tv_nsec / 1e9;
}

int main(int count, char** arguments) {
  static char piece[64 * 1024];
  int file = count > 1 ? open(arguments[1], O_RDONLY) : -1;
  if (file < 0) return 2;
  double begin = now();
  long total = 0, n;
  while ((n = read(file, piece, sizeof piece)) > 0) total += n;
  printf("%ld %.6f\n", total, now() - begin);
  return n < 0;
}
