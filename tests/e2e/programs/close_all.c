/* Like a daemon: closes all that it might have inherited, also with close_range, and takes high numbers for itself; then creates
 * threads. /proc/self/exe is the program. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support.h"

static volatile uint32_t racing;

static uint64_t body(int index) {
  for (int i = 0; i < share_of(4000); i++) racing = racing * 5 + (uint32_t)(i + index);
  return racing;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  int closed = 0;
  for (int i = 3; i < 1024; i++) closed += close(i) == 0;
  printf("closed %d, a range: %d\n", closed, close_range(3, ~0u, 0));
  for (int i = 890; i < 910; i++)
    if (dup2(1, i) != i) printf("no copy at %d: %s\n", i, strerror(errno));
  run_threads(body);
  print_results();
  struct stat by_name, by_link;
  int file = open("/proc/self/exe", O_RDONLY);
  if (stat(argv[0], &by_name) != 0 || fstat(file, &by_link) != 0) return 1;
  printf("the program: %s\n", by_name.st_ino == by_link.st_ino ? "yes" : "no");
  return by_name.st_ino != by_link.st_ino;
}
