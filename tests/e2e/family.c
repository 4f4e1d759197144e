/* Executes itself, by posix_spawn, by fork and exec, and by a shell; each child races and prints, and is read by a pipe. A
 * last one inherits a pipe, closes it, which its parent waits for, and is killed. See recorded_children.py. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "programs/support.h"

extern char **environ;

static volatile uint32_t racing;

static uint64_t body(int index) {
  for (int i = 0; i < 3000; i++) racing = racing * 5 + (uint32_t)(i + index);
  return racing;
}

static int be_child(void) {
  threads = 3;
  run_threads(body);
  print_results();
  return (int)(racing % 50);
}

static pid_t start(const char *program, int how, int to) {
  char *arguments[] = {(char *)program, "2", "child", NULL};
  char command[600];
  snprintf(command, sizeof command, "%s 2 child; exit 7", program);
  char *shell[] = {"sh", "-c", command, NULL};
  pid_t child = 0;
  if (how == 1) {
    child = fork();
    if (child) return child;
    dup2(to, 1);
    execv(program, arguments);
    _exit(127);
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, to, 1);
  if (how == 0) posix_spawn(&child, program, &actions, NULL, arguments, environ);
  else posix_spawn(&child, "/bin/sh", &actions, NULL, shell, environ);
  posix_spawn_file_actions_destroy(&actions);
  return child;
}

/* The parent goes on when nobody has the other end of its pipe. */
static void start_closer(const char *program) {
  int ends[2], status = 0;
  char number[20], byte;
  if (pipe(ends) != 0) exit(1);
  snprintf(number, sizeof number, "%d", ends[1]);
  char *arguments[] = {(char *)program, "2", "closer", number, NULL};
  pid_t child = 0;
  if (posix_spawn(&child, program, NULL, NULL, arguments, environ) != 0) exit(1);
  close(ends[1]);
  ssize_t n = read(ends[0], &byte, 1);
  printf("closer: %zd bytes\n", n);
  kill(child, SIGUSR1);
  waitpid(child, &status, 0);
  printf("closer: status %x\n", status);
}

static int be_closer(int descriptor) {
  close(descriptor);
  for (;;) pause();
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  if (argc > 3) return be_closer(atoi(argv[3]));
  if (argc > 2) return be_child();
  for (int how = 0; how < 3; how++) {
    int ends[2], status = 0;
    if (pipe2(ends, O_CLOEXEC) != 0) return 1;
    pid_t child = start(argv[0], how, ends[1]);
    close(ends[1]);
    FILE *from = fdopen(ends[0], "r");
    char line[200];
    while (fgets(line, sizeof line, from)) printf("child %d: %s", how, line);
    fclose(from);
    waitpid(child, &status, 0);
    printf("child %d: status %x\n", how, status);
  }
  fflush(stdout);
  start_closer(argv[0]);
  return 0;
}
