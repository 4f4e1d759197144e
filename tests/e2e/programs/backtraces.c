/* backtrace, dladdr, dl_iterate_phdr, dlopen and dlsym of a plain library by many threads. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>

#include "support.h"

static volatile int racing;

static int count_one(struct dl_phdr_info *info, size_t size, void *data) {
  (void)size;
  *(uint64_t *)data = mix(*(uint64_t *)data, (uint64_t)info->dlpi_phnum);
  return 0;
}

__attribute__((noinline)) static uint64_t deep(int level) {
  if (level > 0) return mix(deep(level - 1), (uint64_t)level);
  void *frames[32];
  int count = backtrace(frames, 32);
  uint64_t hash = (uint64_t)count;
  for (int i = 0; i < count; i++) {
    Dl_info info;
    hash = mix(hash, (uint64_t)(uintptr_t)frames[i]);
    if (dladdr(frames[i], &info) && info.dli_sname) hash = mix(hash, strlen(info.dli_sname));
  }
  return hash;
}

static uint64_t body(int index) {
  uint64_t hash = 0;
  for (int i = 0, n = share_of(30); i < n; i++) {
    hash = mix(hash, deep((index + i) % 8));
    void *library = dlopen(i % 2 ? "libm.so.6" : "libresolv.so.2", RTLD_NOW | RTLD_LOCAL);
    double (*root)(double) = library ? (double (*)(double))dlsym(library, "sqrt") : NULL;
    racing = racing + index + 1;
    if (root) hash = mix(hash, (uint64_t)(root(racing) * 1000));
    else hash = mix(hash, (uint64_t)(dlerror() != NULL));
    dl_iterate_phdr(count_one, &hash);
    if (library) dlclose(library);
    yield_every(i, 4);
  }
  return hash;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  run_threads(body);
  print_results();
  return 0;
}
