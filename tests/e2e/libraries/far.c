// Loads a library behind 3 GiB of other mappings, too far from where a copy of its code could go: own_libraries.py.
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>

static void (*race)(void);
static void* run(void* unused) {
  race();
  return unused;
}

int main(int argc, char** argv) {
  for (int i = 0; i < 3; i++)
    if (mmap(0, 1ul << 30, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) == MAP_FAILED) return 1;
  void* library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : 0;
  if (!library || !(race = (void (*)(void))dlsym(library, "plugin_race"))) return fprintf(stderr, "%s\n", dlerror()), 1;
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, run, 0);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
  return 0;
}
