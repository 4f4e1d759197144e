/* Pages that are opened on the first fault, by a handler that loops and races before it returns into the loop that it
 * interrupted. Each thread has pages of its own: when a page opens for others is not what this is about. */
#include <signal.h>
#include <sys/mman.h>

#include "support.h"

enum { kPages = 64, kPageBytes = 4096 };

static char *region;
static volatile int faults;
static volatile uint32_t order_hash;

static void open_page(int signal, siginfo_t *info, void *context) {
  (void)signal, (void)context;
  char *page = (char *)((uintptr_t)info->si_addr & ~(uintptr_t)(kPageBytes - 1));
  for (int i = 0; i < 20; i++) order_hash = order_hash * 31 + (uint32_t)(page - region);
  faults++;
  mprotect(page, kPageBytes, PROT_READ | PROT_WRITE);
}

static uint64_t body(int index) {
  char *pages = region + (size_t)index * kPages * kPageBytes;
  uint64_t seen = 0;
  for (int round = 0; round < 4; round++) {
    uint32_t at = (uint32_t)index * 97 + 1;
    /* A chase through pages: how far it goes is not known before. */
    for (int steps = 0; at && steps < kPages; steps++) {
      at = at * 5 + 3 + (uint32_t)pages[(at % kPages) * kPageBytes];
      pages[(at % kPages) * kPageBytes + 1] = (char)index;
      seen = mix(seen, order_hash);
    }
  }
  return seen;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  region = mmap(NULL, (size_t)threads * kPages * kPageBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  struct sigaction action = {0};
  action.sa_sigaction = open_page;
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  sigaction(SIGSEGV, &action, NULL);
  run_threads(body);
  print_results();
  printf("faults %d order %08" PRIx32 "\n", faults, order_hash);
  return 0;
}
