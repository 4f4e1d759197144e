/* Addresses of stacks, heap, globals, thread-locals, functions and libraries. */
#include "support.h"

int global_variable;
_Thread_local int thread_variable;
static const int kConstant = 3;

static uint64_t body(int index) {
  int local = index;
  void *block = malloc(40 + (size_t)index);
  flockfile(stdout);
  printf("thread %d: stack %p, tls %p, heap %p\n", index, (void *)&local, (void *)&thread_variable, block);
  funlockfile(stdout);
  uint64_t hash = mix((uint64_t)(uintptr_t)&local, (uint64_t)(uintptr_t)block);
  free(block);
  return hash;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  run_threads(body);
  void *large = malloc(10 << 20);
  printf("main %p printf %p global %p constant %p argv %p env %p heap %p frame %p\n", (void *)main, (void *)printf,
         (void *)&global_variable, (const void *)&kConstant, (void *)argv, (void *)getenv("PATH"), large,
         __builtin_frame_address(0));
  free(large);
  print_results();
  return 0;
}
