// System calls whose instructions the host replaces, and such that it must not: what comes after them is as it was, also
// if a handler came between.
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>

#include "support.h"

extern char** environ;

extern char at_read[], after_read[];

static int ends[2];
enum { kRounds = 20 };
static volatile int handled, reading;
static int at_call;
static void* volatile interrupted_at;
static pthread_t reader;

// mov, syscall.
static long number_in_mov(void) {
  long result;
  __asm__ volatile("movl $39, %%eax\n\tsyscall" : "=a"(result) : : "rcx", "r11", "memory");  // getpid
  return result;
}

// syscall, cmp: whether the flags are those of the comparison.
static int flags_of_cmp(long number, long argument, long* result) {
  unsigned char above;
  __asm__ volatile("movq %2, %%rax\n\tsyscall\n\tcmpq $-4096, %%rax\n\tseta %1" : "=&a"(*result), "=q"(above)
                   : "r"(number), "D"(argument) : "rcx", "r11", "memory");
  return above;
}

// A jump to the cmp: the syscall cannot be replaced by anything longer.
static int jumps_to_cmp(long value, int calls) {
  unsigned char above;
  __asm__ volatile("testl %2, %2\n\tjz 1f\n\tsyscall\n1:\tcmpq $-4095, %%rax\n\tsetae %1"
                   : "+a"(value), "=q"(above) : "r"(calls) : "rcx", "r11", "memory");
  return above;
}

// Neither: only dispatched.
static long of_no_shape(long number) {
  long result;
  __asm__ volatile("movq %1, %%rax\n\tsyscall\n\tnop" : "=&a"(result) : "r"(number) : "rcx", "r11", "memory");
  return result;
}

// What a leaf function keeps below its stack pointer.
static int keeps_red_zone(void) {
  long kept, result;
  __asm__ volatile("movq $4711, -128(%%rsp)\n\tmovq $4711, -8(%%rsp)\n\tmovl $39, %%eax\n\tsyscall\n\t"
                   "movq -128(%%rsp), %1\n\taddq -8(%%rsp), %1"
                   : "=&a"(result), "=&r"(kept) : : "rcx", "r11", "memory");
  return kept == 2 * 4711;
}

// Waits for a byte with vector registers in use. `after_read` is where the kernel says that it was interrupted.
__attribute__((noinline)) static long read_with_vectors(int from, char* to, int* kept) {
  long result;
  double before[2] = {1.5, -2.25}, then[2];
  __asm__ volatile("movupd %5, %%xmm13\n\txorl %%eax, %%eax\n\tmovl $1, %%edx\nat_read:\tsyscall\nafter_read:\t"
                   "cmpq $-4096, %%rax\n\tmovupd %%xmm13, %1"
                   : "=&a"(result), "=m"(then), "=m"(*to) : "D"(from), "S"(to), "m"(before)
                   : "rcx", "r11", "rdx", "xmm13", "memory");
  *kept = !memcmp(before, then, sizeof before);
  return result;
}

static void on_signal(int signal, siginfo_t* info, void* context) {
  (void)signal, (void)info;
  interrupted_at = (void*)((ucontext_t*)context)->uc_mcontext.gregs[REG_RIP];
  __asm__ volatile("xorpd %%xmm13, %%xmm13" : : : "xmm13");
  handled++;
}

// Sends signals until the reader has seen one, then the byte.
static void* disturb(void* unused) {
  (void)unused;
  while (!__atomic_load_n(&reading, __ATOMIC_SEQ_CST)) sched_yield();
  while (!__atomic_load_n(&handled, __ATOMIC_SEQ_CST)) {
    sched_yield();
    pthread_kill(reader, SIGUSR1);
  }
  if (write(ends[1], "x", 1) != 1) abort();
  return NULL;
}

// How often the read gave up, of kRounds; -1 if anything was lost.
static int read_disturbed(int flags) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_SIGINFO | flags;
  sigaction(SIGUSR1, &action, NULL);
  reader = pthread_self();
  int given_up = 0;
  for (int round = 0; round < kRounds; round++) {
    handled = reading = 0;
    pthread_t other;
    pthread_create(&other, NULL, disturb, NULL);
    char byte = 0;
    int kept = 0;
    reading = 1;
    long result = read_with_vectors(ends[0], &byte, &kept);
    while (result == -EINTR) {
      given_up++;
      if (!kept) return -1;
      result = read_with_vectors(ends[0], &byte, &kept);
    }
    pthread_join(other, NULL);
    if (result != 1 || byte != 'x' || !kept) return -1;
    if (interrupted_at == (void*)after_read || interrupted_at == (void*)at_read) at_call++;
  }
  return given_up;
}

static int in_child(void) {
  pid_t child = fork();
  if (child == 0) _exit(number_in_mov() == getpid() && getppid() > 0 ? 5 : 6);
  int status = 0;
  waitpid(child, &status, 0);
  return WEXITSTATUS(status);
}

static int by_spawn(void) {
  char name[] = "true";
  char* arguments[] = {name, NULL};
  pid_t child;
  int status = -1;
  if (posix_spawnp(&child, name, NULL, NULL, arguments, environ) == 0) waitpid(child, &status, 0);
  return status;
}

int main(void) {
  long result;
  int failures = 0;
  failures += number_in_mov() != getpid();
  failures += flags_of_cmp(SYS_close, 99999, &result) != 1 || result != -EBADF;
  failures += flags_of_cmp(SYS_getpid, 0, &result) != 0 || result != getpid();
  failures += jumps_to_cmp(-EBADF, 0) != 1 || jumps_to_cmp(7, 0) != 0 || jumps_to_cmp(SYS_getppid, 1) != 0;
  failures += of_no_shape(SYS_getpid) != getpid();
  failures += !keeps_red_zone();
  printf("after the shapes: %d failures\n", failures);
  if (pipe(ends) != 0) return 1;
  int restarted = read_disturbed(SA_RESTART), interrupted = read_disturbed(0);
  printf("given up %d and %d times, %d signals at the call\n", restarted, interrupted, at_call);
  failures += restarted != 0 || interrupted < 0;
  failures += in_child() != 5;
  failures += by_spawn() != 0;
  printf("%d failures\n", failures);
  return failures != 0;
}
