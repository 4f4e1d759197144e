/* The program becomes another one: the recording ends there, with the status of the other. */
#include <errno.h>
#include <unistd.h>

#include "support.h"

static volatile uint32_t racing;

static uint64_t body(int index) {
  for (int i = 0; i < share_of(4000); i++) racing = racing * 5 + (uint32_t)(i + index);
  return racing;
}

static void *go_on(void *nothing) {
  for (;;) racing = racing + 1;
  return nothing;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  run_threads(body);
  print_results();
  pthread_t other;
  pthread_create(&other, NULL, go_on, NULL);
  execl("/no/such/program", "program", (char *)NULL);
  printf("not there: %s\n", strerror(errno));
  fflush(stdout);
  execl("/bin/sh", "sh", "-c", "exit 23", (char *)NULL);
  return 1;
}
