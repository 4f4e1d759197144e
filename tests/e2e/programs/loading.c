/* Libraries loaded, looked into and unloaded while other threads work; errors of doing so. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>

#include "inputs.h"

static int count_objects(struct dl_phdr_info *info, size_t size, void *count) {
  (void)size;
  *(uint64_t *)count = mix(mix_text(*(uint64_t *)count, info->dlpi_name), info->dlpi_addr);
  return 0;
}

static uint64_t body(int index) {
  static const char *kNames[] = {"libm.so.6", "libresolv.so.2", "libnss_files.so.2", "libmissing.so.9"};
  uint64_t hash = (uint64_t)index;
  for (int i = 0; i < 6; i++) {
    const char *name = kNames[(unsigned)(i + index) % 4];
    void *library = dlopen(name, i % 2 ? RTLD_NOW : RTLD_LAZY | RTLD_LOCAL);
    if (!library) {
      hash = mix_text(hash, dlerror());
      continue;
    }
    double (*cosine)(double) = (double (*)(double))dlsym(library, "cos");
    if (cosine) hash = mix(hash, (uint64_t)(cosine((double)(now() % 100)) * 1e6));
    Dl_info about;
    if (cosine && dladdr((void *)cosine, &about)) hash = mix_text(hash, about.dli_fname);
    hash = mix(hash, (uint64_t)(uintptr_t)cosine);
    dl_iterate_phdr(count_objects, &hash);
    dlclose(library);
    yield_every(i, 2);
  }
  return hash;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  run_threads(body);
  print_results();
  return 0;
}
