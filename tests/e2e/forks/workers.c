/* Children that go on with the program's code and answer by a pipe: inherited buffers and heap, threads of their own, handlers,
 * a kept file read on, children of children, one that is killed, one that outlives its parent. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../programs/support.h"

enum { kPiece = 1 << 20 };

static volatile int alarms;
static __thread int of_thread = 5;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int answers[2], big;
static char *buffer;

static void on_alarm(int signal) { alarms += signal == SIGALRM; }
static void at_end(void) { printf("%d ends\n", getpid()); }

static void *raise_own(void *nothing) {
  of_thread++;
  return nothing;
}

static void read_on(const char *who) {
  long n = read(big, buffer, kPiece);
  uint64_t hash = 0;
  for (long i = 0; i < n; i++) hash = mix(hash, (unsigned char)buffer[i]);
  printf("%s read %ld bytes: %016" PRIx64 "\n", who, n, hash);
}

static int with_heap(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  uint64_t hash = 0;
  char *blocks[100];
  for (int i = 0; i < 100; i++) hash = mix(hash, (uintptr_t)(blocks[i] = malloc((size_t)i * 100 + 1)));
  for (int i = 0; i < 100; i++) free(blocks[i]);
  char *pages = mmap(NULL, kPiece, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  printf("process %d of %d, heap %016" PRIx64 ", pages %p, %ld ns\n", getpid(), getppid(), hash, (void *)pages, now.tv_nsec);
  return 1;  /* by exit: what the parent has not written yet is written by the child, too */
}

static int with_threads(void) {
  pthread_mutex_unlock(&mutex);
  pthread_t own[4];
  for (int i = 0; i < 4; i++) pthread_create(&own[i], NULL, raise_own, NULL);
  for (int i = 0; i < 4; i++) pthread_join(own[i], NULL);
  pthread_mutex_lock(&mutex);
  printf("of this thread: %d\n", of_thread);
  return 2;
}

static int with_alarms(void) {
  struct sigaction action = {.sa_handler = on_alarm};
  sigaction(SIGALRM, &action, NULL);
  ualarm(1000, 1000);
  volatile unsigned turns = 0;
  while (alarms < 5) turns++;
  ualarm(0, 0);
  printf("%d alarms in %u turns\n", alarms, turns);
  return 3;
}

static int with_child(void) {
  pid_t child = fork();
  if (child == 0) {
    int n = getpid();
    if (write(answers[1], &n, sizeof n) != sizeof n) _exit(99);
    printf("inner\n");
    exit(40);
  }
  int status = 0, n = 0;
  waitpid(child, &status, 0);
  if (read(answers[0], &n, sizeof n) != sizeof n || n != child) return 98;
  printf("inner ended with %d\n", WEXITSTATUS(status));
  return 4;
}

static int with_file(void) {
  read_on("child");
  return 5;
}

static int until_killed(void) {
  for (;;) getppid();
}

static int of_orphan(void) {
  if (fork() != 0) _exit(6);
  usleep(20000);
  printf("orphan\n");
  return 7;
}

int main(int argc, char **argv) {
  static int (*const kinds[])(void) = {with_heap, with_threads, with_alarms, with_child, with_file, until_killed, of_orphan};
  big = open(argv[argc - 1], O_RDONLY);
  buffer = malloc(kPiece);
  if (pipe(answers) != 0) return 1;
  atexit(at_end);
  setvbuf(stdout, NULL, _IOFBF, 4096);
  read_on("parent");
  pthread_mutex_lock(&mutex);
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    pid_t child = fork();
    if (child == 0) exit(kinds[i]());
    if (kinds[i] == until_killed) {
      usleep(3000);
      kill(child, SIGKILL);
    }
    int status = 0;
    if (i % 2) waitpid(child, &status, 0);
    else wait(NULL);
    printf("child %zu: %x\n", i, status);
    fflush(stdout);
  }
  read_on("parent");
  usleep(60000);
  return 0;
}
