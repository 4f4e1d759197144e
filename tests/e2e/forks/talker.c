/* A child that writes numbered lines until somebody ends it. */
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
  pid_t child = fork();
  if (!child)
    for (int i = 0;; i++) {
      char line[32];
      if (write(1, line, (size_t)snprintf(line, sizeof line, "line %d\n", i)) < 0) return 1;
    }
  int status = 0;
  waitpid(child, &status, 0);
  fprintf(stderr, "the child ended by signal %d\n", WIFSIGNALED(status) ? WTERMSIG(status) : 0);
  return 0;
}
