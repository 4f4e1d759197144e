/* Children that print to the stdout and stderr of the program: made by fork, fork and exec, vfork, posix_spawn with
 * file actions, system, popen; waited for or not, killed, to copies of the descriptors, more than a pipe holds. A
 * replay prints it again, in the same place. With an argument "late" some print when the program has ended, with "yes"
 * one prints for ever, with "modes" one changes those of its terminal, and with "pause" the program does not end. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "support.h"

extern char **environ;

static unsigned now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (unsigned)time.tv_nsec;
}

/* At once, so that what several print does not mix. */
static void say(int fd, const char *what, int index) {
  char line[100];
  int n = snprintf(line, sizeof line, "%s %d: %d at %u\n", what, index, (int)getpid(), now());
  (void)!write(fd, line, (size_t)n);
}

static int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

static char *const *shell(const char *script) {
  static __thread char *words[4];
  words[0] = "sh", words[1] = "-c", words[2] = (char *)script, words[3] = NULL;
  return words;
}

static void forked(int index) {
  say(1, "before the fork", index);
  pid_t child = fork();
  if (child == 0) {
    for (int i = 0; i < 5; i++) say(1 + i % 2, "forked", index);
    _exit(3);
  }
  say(1, "not in order with the child", index);
  printf("%d: %x\n", index, wait_for(child));
  fflush(stdout);
  say(2, "after the fork", index);
}

static void executed(int index, pid_t (*start)(void)) {
  pid_t child = start();
  if (child == 0) {
    execv("/bin/sh", shell("echo executed $$; echo executed >&2; date +%N"));
    _exit(127);
  }
  wait_for(child);
  say(1, "executed by", index);
}

/* stdout and stderr of the first are the other way round, the second prints to stdout by another name. */
static void spawned(int index) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, 1, 40);
  posix_spawn_file_actions_adddup2(&actions, 2, 1);
  posix_spawn_file_actions_adddup2(&actions, 40, 2);
  posix_spawn_file_actions_addclose(&actions, 40);
  pid_t child = 0, other = 0;
  posix_spawn(&child, "/bin/sh", &actions, NULL, shell("echo spawned to 2, $$; echo spawned to 1, $$ >&2"), environ);
  wait_for(child);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  const char *script = "ls /nowhere; ls -l /proc/self/fd | wc -l; echo $$ > /dev/stdout";
  posix_spawnp(&other, "sh", &actions, NULL, shell(script), environ);
  posix_spawn_file_actions_destroy(&actions);
  wait_for(other);
  say(1, "spawned by", index);
}

static void commands(int index) {
  printf("%d: %d\n", index, system("echo a pipeline $$ | cat | tr a-z A-Z; echo to stderr >&2; exit 4"));
  fflush(stdout);
  FILE *to = popen("sed s/^/popen:/", "w");
  fprintf(to, "%d %u\n", index, now());
  pclose(to);
  char line[100];
  FILE *from = popen("echo beside the pipe >&2; echo $$", "r");
  while (fgets(line, sizeof line, from)) printf("%d: from the pipe %s", index, line);
  pclose(from);
  fflush(stdout);
}

/* More than a pipe holds, while the parent waits or does not. */
static void big(int index) {
  system("yes 0123456789abcdef | head -n 40000; yes error | head -n 20000 >&2");
  say(1, "much", index);
  pid_t child = 0;
  posix_spawn(&child, "/bin/sh", NULL, NULL, shell("yes beside | head -n 20000"), environ);
  for (int i = 0; i < 20; i++) say(1, "beside it", i);
  wait_for(child);
}

static void killed(int index) {
  pid_t child = fork();
  if (child == 0) {
    say(1, "to be killed", index);
    raise(SIGKILL);
  }
  printf("%d: %x\n", index, wait_for(child));
  fflush(stdout);
}

/* By another name, and not at all. */
static void copies(void) {
  int copy = fcntl(1, F_DUPFD_CLOEXEC, 50), file = memfd_create("elsewhere", MFD_CLOEXEC);
  pid_t child = fork();
  if (child == 0) {
    say(copy, "by a copy", 0);
    _exit(0);
  }
  wait_for(child);
  dup2(file, 1);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, copy, 1);
  posix_spawn(&child, "/bin/sh", &actions, NULL, shell("echo by a copy $$"), environ);
  posix_spawn_file_actions_destroy(&actions);
  wait_for(child);
  posix_spawn(&child, "/bin/sh", NULL, NULL, shell("ls /proc/$$/fd | tr '\\n' ' ' >&2"), environ);
  wait_for(child);
  system("echo not shown $$");
  child = fork();
  if (child == 0) {
    say(1, "not shown", 0);
    dup2(copy, 1);
    execv("/bin/sh", shell("echo shown again $$"));
  }
  wait_for(child);
  dup2(copy, 1);
  char text[200];
  ssize_t n = pread(file, text, sizeof text, 0);
  fprintf(stderr, "elsewhere: %.*s", (int)n, text);
  close(copy), close(file);
}

/* A child that closes all that it finds, and starts another. */
static void daemons(void) {
  pid_t child = fork();
  if (child == 0) {
    close_range(3, ~0u, 0);
    setsid();
    system("echo of a daemon");
    _exit(0);
  }
  wait_for(child);
  for (int fd = 3; fd < 1024; fd++) close(fd);
  system("echo after all was closed");
}

static uint64_t body(int index) {
  forked(index);
  executed(index, fork);
  executed(index, vfork);
  spawned(index);
  commands(index);
  return (uint64_t)index;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  if (threads > 4) threads = 4;
  setvbuf(stdout, NULL, _IOFBF, 4096);
  system("echo first $$; test -t 1 && test -t 2 && echo a terminal of $(stty size <&2)");
  run_threads(body);
  big(0);
  killed(0);
  copies();
  daemons();
  print_results();
  fflush(stdout);
  const char *more = argc > 2 ? argv[2] : "";
  if (!strcmp(more, "late")) {
    system("(sleep 0.3; echo late; sleep 0.3; echo later >&2) &");
    pid_t child = 0;
    posix_spawn(&child, "/bin/sh", NULL, NULL, shell("echo not waited for"), environ);
  } else if (!strcmp(more, "yes")) {
    system("yes");
  } else if (!strcmp(more, "modes")) {
    system("stty -icanon <&1; echo changed; until stty -a | grep -q -e -icanon; do :; done; stty icanon <&1; echo back;"
           "while stty -a | grep -q -e -icanon; do :; done; echo so does the other terminal");
  } else if (!strcmp(more, "pause")) {
    system("echo all is printed by $PPID");
    pause();
  }
  return 0;
}
