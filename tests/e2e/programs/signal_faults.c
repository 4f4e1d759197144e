/* Faults with handlers that mend things or step over the instruction: SEGV, BUS, FPE, ILL, TRAP; and ABRT. */
#define _GNU_SOURCE
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "support.h"

static __thread volatile int faults, last;
static volatile uint32_t order;

static void skip(int signal, siginfo_t *info, void *context) {
  ucontext_t *user = context;
  faults++;
  last = signal;
  order = order * 31 + (uint32_t)signal + (uint32_t)info->si_code;
  /* Each faulting instruction below is followed by its resumption, whose address is in rbx. */
  if (signal != SIGTRAP) user->uc_mcontext.gregs[REG_RIP] = user->uc_mcontext.gregs[REG_RBX];
}

static void on_abort(int signal) {
  last = signal;
  order = order + 1;
}

#define FAULT(instruction, ...)                                                                     \
  __asm__ volatile("leaq 1f(%%rip), %%rbx\n\t" instruction "\n1:" ::__VA_ARGS__ : "rbx", "rax", "rdx", "memory", "cc")

static uint64_t body(int index) {
  uint64_t hash = (uint64_t)index;
  for (int i = 0; i < 20; i++) {
    FAULT("movl $0, 16");
    hash = mix(hash, (uint64_t)last);
    FAULT("xorl %%eax, %%eax\n\txorl %%edx, %%edx\n\tdivl %%eax");
    hash = mix(hash, (uint64_t)last);
    FAULT("ud2");
    hash = mix(hash, (uint64_t)last);
    __asm__ volatile("int3" ::: "memory");
    hash = mix(hash, (uint64_t)last);
    raise(SIGABRT);
    hash = mix(mix(hash, (uint64_t)last), order);
  }
  return mix(hash, (uint64_t)faults);
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  struct sigaction action = {0};
  action.sa_sigaction = skip;
  action.sa_flags = SA_SIGINFO;
  int all[] = {SIGSEGV, SIGFPE, SIGILL, SIGTRAP, SIGBUS};
  for (int i = 0; i < 5; i++) sigaction(all[i], &action, NULL);
  signal(SIGABRT, on_abort);
  run_threads(body);
  int fd = memfd_create("short", 0);
  volatile int *mapped = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, fd < 0 ? -1 : -1, 0);
  mprotect((void *)mapped, 4096, PROT_NONE);
  FAULT("movl $0, (%0)", "r"(mapped));
  printf("last %d order %08x\n", last, order);
  print_results();
  fflush(stdout);
  abort();
}
