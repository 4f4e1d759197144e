/* What a signal does to calls that wait: EINTR or another try, as SA_RESTART says; library waits go on. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "support.h"

static pthread_t waiter;
static volatile int stage, answered, interrupts;
static int ends[2];
static sem_t semaphore;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int ready, word;

static void on_interrupt(int signal) {
  (void)signal;
  interrupts = interrupts + 1;
}

static int interrupts_at(int what) { return __atomic_load_n(&interrupts, __ATOMIC_RELAXED) - what; }

/* Once the waiter has been told what to do next, sends signals until it has been interrupted. */
static void interrupt(int at, int signal) {
  while (__atomic_load_n(&stage, __ATOMIC_ACQUIRE) != at) sched_yield();
  int before = interrupts_at(0);
  struct timespec wait = {0, 2000000};
  while (!interrupts_at(before) && __atomic_load_n(&stage, __ATOMIC_ACQUIRE) == at) {
    nanosleep(&wait, NULL);
    pthread_kill(waiter, signal);
  }
  __atomic_store_n(&answered, at, __ATOMIC_RELEASE);
}

static void *disturb(void *nothing) {
  interrupt(1, SIGUSR1);   /* read fails */
  interrupt(2, SIGUSR2);   /* read goes on */
  if (write(ends[1], "x", 1) != 1) abort();
  interrupt(3, SIGUSR1);   /* nanosleep */
  interrupt(4, SIGUSR1);   /* sem_wait fails */
  interrupt(5, SIGUSR2);   /* sem_wait goes on */
  sem_post(&semaphore);
  interrupt(6, SIGUSR1);   /* a condition */
  pthread_mutex_lock(&lock);
  ready = 1;
  pthread_cond_signal(&condition);
  pthread_mutex_unlock(&lock);
  interrupt(7, SIGUSR1);   /* pause */
  interrupt(8, SIGUSR1);   /* a futex of its own fails */
  interrupt(9, SIGUSR2);   /* and goes on */
  __atomic_store_n(&word, 1, __ATOMIC_SEQ_CST);
  syscall(SYS_futex, &word, FUTEX_WAKE, 1, NULL);
  return nothing;
}

static void say(const char *what, long result) {
  printf("%s: %ld %s, interrupts %d\n", what, result, result < 0 ? strerror(errno) : "", interrupts);
}

/* No signal of the last stage is sent any more. */
static void to_stage(int n) {
  while (__atomic_load_n(&answered, __ATOMIC_ACQUIRE) != n - 1) sched_yield();
  __atomic_store_n(&stage, n, __ATOMIC_RELEASE);
}

static uint64_t compute(int index) {
  uint64_t hash = (uint64_t)index;
  for (int i = 0; i < share_of(20000); i++) hash = mix(hash, (uint64_t)interrupts);
  return hash;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  struct sigaction action = {0};
  action.sa_handler = on_interrupt;
  sigaction(SIGUSR1, &action, NULL);
  action.sa_flags = SA_RESTART;
  sigaction(SIGUSR2, &action, NULL);
  waiter = pthread_self();
  sem_init(&semaphore, 0, 0);
  if (pipe(ends) != 0) return 1;
  pthread_t thread;
  pthread_create(&thread, NULL, disturb, NULL);
  char byte = 0;
  to_stage(1);
  say("read", read(ends[0], &byte, 1));
  to_stage(2);
  say("read again", read(ends[0], &byte, 1));
  to_stage(3);
  struct timespec left = {0, 0}, wait = {1000, 0};
  say("sleep", nanosleep(&wait, &left));
  printf("left %ld.%09ld\n", (long)left.tv_sec, left.tv_nsec);
  to_stage(4);
  say("sem_wait", sem_wait(&semaphore));
  to_stage(5);
  say("sem_wait again", sem_wait(&semaphore));
  pthread_mutex_lock(&lock);
  to_stage(6);
  while (!ready) pthread_cond_wait(&condition, &lock);
  pthread_mutex_unlock(&lock);
  say("condition", 0);
  to_stage(7);
  say("pause", pause());
  to_stage(8);
  say("futex", syscall(SYS_futex, &word, FUTEX_WAIT, 0, NULL));
  to_stage(9);
  say("futex again", syscall(SYS_futex, &word, FUTEX_WAIT, 0, NULL));
  pthread_join(thread, NULL);
  run_threads(compute);
  print_results();
  return 0;
}
