/* A server that forks its workers first. They are told by SIGHUP, and end by a crash, an abort, another program or SIGTERM. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../programs/support.h"

enum { kWorkers = 4 };

static volatile sig_atomic_t told;

static void on_hup(int signal) { told += signal == SIGHUP; }

static void say(const char *what, long a, long b) {
  char text[100];
  int n = snprintf(text, sizeof text, "%s %ld %ld\n", what, a, b);
  if (write(1, text, (size_t)n) != n) abort();
}

static void serve(int listening, int index) {
  for (int served = 0;;) {
    int client = accept(listening, NULL, NULL);
    if (client < 0 && errno == EINTR) {
      say("told", index, told);
      continue;
    }
    char wish[64], answer[100];
    long n = read(client, wish, sizeof wish - 1);
    wish[n > 0 ? n : 0] = 0;
    int size = snprintf(answer, sizeof answer, "%d:%d:%s", index, ++served, wish);
    say("served", index, served);
    if (write(client, answer, (size_t)size) != size) _exit(4);
    close(client);
    if (!strcmp(wish, "crash")) *(volatile int *)0 = 1;
    if (!strcmp(wish, "abort")) abort();
    if (!strcmp(wish, "exec")) execl("/bin/true", "true", (char *)NULL);
  }
}

int main(void) {
  struct sigaction action = {.sa_handler = on_hup};
  sigaction(SIGHUP, &action, NULL);
  int listening = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t length = sizeof address;
  if (bind(listening, (struct sockaddr *)&address, length) || listen(listening, 16)) return 1;
  getsockname(listening, (struct sockaddr *)&address, &length);
  pid_t workers[kWorkers];
  for (int i = 0; i < kWorkers; i++)
    if ((workers[i] = fork()) == 0) serve(listening, i);
  static const char *const wishes[] = {"a", "b", "crash", "c", "abort", "d", "exec"};
  for (int i = 0; i < 7; i++) {
    int server = socket(AF_INET, SOCK_STREAM, 0);
    char answer[100];
    if (connect(server, (struct sockaddr *)&address, sizeof address) || write(server, wishes[i], strlen(wishes[i])) < 0) return 2;
    long n = read(server, answer, sizeof answer - 1);
    answer[n > 0 ? n : 0] = 0;
    close(server);
    say(answer, i, n);
    for (int k = 0; i == 1 && k < kWorkers; k++) kill(workers[k], SIGHUP);
  }
  usleep(20000);
  for (int i = 0; i < kWorkers; i++) kill(workers[i], SIGTERM);
  for (int i = 0; i < kWorkers; i++) {
    int status = 0;
    waitpid(workers[i], &status, 0);
    say("ended", i, status);
  }
  return 0;
}
