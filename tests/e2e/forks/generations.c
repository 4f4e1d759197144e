/* A child executes the program again, which forks; or the program becomes a daemon. */
#include <sys/wait.h>
#include <unistd.h>

#include "../programs/support.h"

static int be_daemon(void) {
  if (daemon(1, 1) != 0) return 1;
  usleep(500000);  /* longer than its parent's recorder waits */
  for (int i = 3; i < 1024; i++) close(i);
  pthread_t thread;
  printf("daemon %d, created: %d\n", getppid() > 0, pthread_create(&thread, NULL, (void *(*)(void *))pthread_self, NULL));
  return 33;
}

static int be_executed(void) {
  for (int i = 0; i < 2; i++) {
    if (fork() == 0) {
      printf("child %d of the executed one\n", i);
      exit(40 + i);
    }
    wait(NULL);
  }
  printf("executed: ends\n");
  return 3;
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  if (!strcmp(what, "daemon")) return be_daemon();
  if (!strcmp(what, "executed")) return be_executed();
  if (fork() == 0) {
    execl("/proc/self/exe", argv[0], "executed", (char *)NULL);
    _exit(1);
  }
  int status = 0;
  wait(&status);
  printf("ended with %d\n", WEXITSTATUS(status));
  return 0;
}
