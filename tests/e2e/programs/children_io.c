/* Children and how they are heard of: popen both ways, system, pipes to a forked child, waitpid, waitid, pidfds. */
#define _GNU_SOURCE
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "inputs.h"

/* A child that had another thread's end of a pipe would keep that thread's child waiting, and the other way round. So no
 * thread forks while another has its end open; what popen starts gets none of them. */
static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

static uint64_t forked(uint64_t hash) {
  int down[2], up[2], status = 0;
  pthread_mutex_lock(&one_at_a_time);
  if (pipe2(down, O_CLOEXEC) || pipe2(up, O_CLOEXEC)) return 1;
  pid_t child = fork();
  if (child == 0) {
    char byte;
    close(down[1]);
    while (read(down[0], &byte, 1) == 1) byte ^= 32, (void)!write(up[1], &byte, 1);
    _exit(7);
  }
  close(down[0]), close(up[1]);
  char text[40], back[40];
  int n = snprintf(text, sizeof text, "%" PRIx64, now());
  hash = mix_result(hash, write(down[1], text, (size_t)n));
  close(down[1]);
  pthread_mutex_unlock(&one_at_a_time);
  for (ssize_t got; (got = read(up[0], back, sizeof back)) > 0;) hash = mix_bytes(hash, back, got);
  close(up[0]);
  siginfo_t info = {0};
  hash = mix_result(hash, waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT));
  hash = mix(mix(hash, (uint64_t)info.si_status), (uint64_t)info.si_pid);
  hash = mix_result(hash, waitpid(child, &status, 0));
  return mix(hash, (uint64_t)status);
}

static uint64_t body(int index) {
  uint64_t hash = (uint64_t)index;
  char line[100];
  FILE *from = popen("echo $$; date +%N", "r");
  while (from && fgets(line, sizeof line, from)) hash = mix_text(hash, line);
  if (from) hash = mix_result(hash, pclose(from));
  FILE *to = popen("cat > /dev/null; exit 3", "w");
  if (to) fprintf(to, "%" PRIu64 "\n", now()), hash = mix_result(hash, pclose(to));
  hash = mix_result(hash, system("exit 5"));
  return forked(hash);
}

static uint64_t killed(void) {
  int status = 0;
  pid_t child = fork();
  if (child == 0) for (;;) pause();
  int fd = (int)syscall(SYS_pidfd_open, child, 0);
  uint64_t hash = mix_result(1, waitpid(child, &status, WNOHANG));
  hash = mix_result(hash, syscall(SYS_pidfd_send_signal, fd, SIGKILL, NULL, 0));
  hash = mix_result(hash, waitpid(child, &status, 0));
  close(fd);
  return mix(hash, (uint64_t)WTERMSIG(status));
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  if (threads > 4) threads = 4;
  printf("%016" PRIx64 "\n", killed());
  run_threads(body);
  print_results();
  return 0;
}
