/* A file mapped privately and read by all; anonymous memory mapped, raced on, protected and unmapped. */
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "support.h"

enum { kBytes = 64 * 1024 };
const unsigned char *file;
unsigned *shared_words;

static uint64_t body(int index) {
  uint64_t hash = 0;
  for (int i = 0, n = share_of(20000); i < n; i++) {
    unsigned at = (unsigned)(i * 31 + index * 7) % kBytes;
    shared_words[at % 256] += file[at];
    hash = mix(hash, shared_words[(at + 1) % 256]);
    if (i % 512 == 0) {
      size_t bytes = (size_t)(1 + i % 5) * 4096;
      unsigned char *mine =
          (unsigned char *)mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      mine[bytes - 1] = (unsigned char)i;
      hash = mix(hash, (uint64_t)(uintptr_t)mine + mine[0]);
      mprotect(mine, bytes, PROT_READ);
      munmap(mine, bytes);
      sched_yield();
    }
  }
  return hash;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  char path[] = "/tmp/anaphora-mmap-XXXXXX";
  int descriptor = mkstemp(path);
  unsigned char *contents = (unsigned char *)malloc(kBytes);
  for (int i = 0; i < kBytes; i++) contents[i] = (unsigned char)(i * 7 + i / 256);
  if (write(descriptor, contents, kBytes) != kBytes) return 2;
  file = (const unsigned char *)mmap(NULL, kBytes, PROT_READ, MAP_PRIVATE, descriptor, 0);
  /* More than the length that was asked for is there, up to the end of the page. */
  const unsigned char *beginning =
      (const unsigned char *)mmap(NULL, 4096 + 1, PROT_READ, MAP_PRIVATE, descriptor, 4096);
  printf("rest of a page %d\n", beginning[4096 + 1000]);
  shared_words = (unsigned *)mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  close(descriptor);
  unlink(path);
  run_threads(body);
  printf("file at %p, words at %p\n", (const void *)file, (void *)shared_words);
  for (int i = 0; i < 256; i += 16) printf("%u\n", shared_words[i]);
  print_results();
  return 0;
}
