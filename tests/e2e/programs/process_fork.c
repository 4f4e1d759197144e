/* Children by fork and vfork: they compute, race and print by pipes, end in different ways, and the parent's threads wait
 * for them. What a child does is not recorded; what the parent hears of it is. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio_ext.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "support.h"

static volatile uint32_t racing;
static volatile int children;

static void on_child(int signal) {
  (void)signal;
  children = children + 1;
}

static void *race(void *hash) {
  for (int i = 0; i < 2000; i++) racing = racing * 3 + (uint32_t)i;
  *(uint64_t *)hash = mix(*(uint64_t *)hash, racing);
  return NULL;
}

/* Threads, memory, stdio and the time in a child. */
static void be_child(int to, int index) {
  uint64_t hash = (uint64_t)index;
  pthread_t other;
  pthread_create(&other, NULL, race, &hash);
  pthread_join(other, NULL);
  char *text = malloc(10000);
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  int n = snprintf(text, 10000, "child %d of %d at %ld: %016" PRIx64 "\n", (int)getpid(), (int)getppid(), now.tv_nsec, hash);
  if (write(to, text, (size_t)n) != n) _exit(99);
  free(text);
  if (index % 3 == 1) kill(getpid(), SIGKILL);
  if (index % 3 == 2) _exit(index);
  __fpurge(stdout);  // what other threads have printed is for the parent to write
  exit(index + 100);
}

static uint64_t body(int index) {
  uint64_t hash = 1;
  for (int i = 0; i < 2; i++) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return 0;
    pid_t child = fork();
    if (child == 0) {
      close(ends[0]);
      be_child(ends[1], index);
    }
    close(ends[1]);
    char text[200];
    ssize_t n, total = 0;
    while ((n = read(ends[0], text + total, sizeof text - 1 - (size_t)total)) > 0 || (n < 0 && errno == EINTR))
      if (n > 0) total += n;
    text[total] = 0;
    close(ends[0]);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    printf("%d: %d %x %s", index, (int)child, status, text);
    hash = mix(mix(hash, (uint64_t)status), racing);
    racing = racing + 1;
  }
  return hash;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  setvbuf(stdout, NULL, _IOLBF, 0);
  struct sigaction action = {0};
  action.sa_handler = on_child;
  sigaction(SIGCHLD, &action, NULL);
  run_threads(body);
  pid_t child = vfork();
  if (child == 0) {
    execl("/bin/sh", "sh", "-c", "exit 42", (char *)NULL);
    _exit(127);
  }
  siginfo_t info;
  while (waitid(P_PID, (id_t)child, &info, WEXITED) != 0 && errno == EINTR) continue;
  printf("child %d ended with %d\n", info.si_pid == child, info.si_status);
  errno = 0;
  printf("no more: %d %d\n", (int)wait(NULL), errno == ECHILD);
  print_results();
  printf("children heard of: %d, racing %08x\n", children, racing);
  return 0;
}
