// wild_pointers WAY ADDRESS BYTES: accesses that no program survives, or that the kernel refuses. ADDRESS 0 is that of a
// buffer.
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>
#include <wchar.h>

static char buffer[100];

static void* other(void* argument) { return argument; }

static void store_by_assembly(void** to, void* value) {
  __asm__ __volatile__("movq %1, (%0)" : : "r"(to), "r"(value) : "memory");
}

int main(int count, char** arguments) {
  if (count != 4) return 2;
  const char* way = arguments[1];
  uintptr_t address = strtoull(arguments[2], NULL, 16);
  size_t bytes = strtoull(arguments[3], NULL, 16);
  void* at = address ? (void*)address : buffer;
  pthread_t thread;
  pthread_create(&thread, NULL, other, NULL);
  pthread_join(thread, NULL);
  printf("%s\n", way);
  fflush(stdout);
  void* mark = NULL;
  if (!strcmp(way, "load")) printf("%d\n", *(volatile int*)at);
  if (!strcmp(way, "store")) *(volatile int*)at = 3;
  if (!strcmp(way, "add")) printf("%d\n", __atomic_fetch_add((int*)at, 1, __ATOMIC_SEQ_CST));
  if (!strcmp(way, "sum")) {
    int sum = 0;
    for (size_t i = 0; i < bytes; i++) sum += ((char*)at)[i];
    printf("%d\n", sum);
  }
  if (!strcmp(way, "mark")) store_by_assembly(&mark, at), printf("%d\n", mark == at);
  if (!strcmp(way, "memcpy")) memcpy(buffer, at, bytes);
  if (!strcmp(way, "memmove")) memmove(at, buffer + 1, bytes);
  if (!strcmp(way, "memset")) memset(at, 1, bytes);
  if (!strcmp(way, "memcmp")) printf("%d\n", memcmp(at, buffer, bytes));
  if (!strcmp(way, "strlen")) printf("%zu\n", strlen(at));
  if (!strcmp(way, "strcpy")) strcpy(buffer, at);
  if (!strcmp(way, "wmemset")) wmemset(at, 1, bytes);
  if (!strcmp(way, "printf")) printf("%s\n", (char*)at);
  if (!strcmp(way, "snprintf")) snprintf(at, bytes, "hello");
  if (!strcmp(way, "fwrite")) fwrite(at, 1, bytes, stdout);
  if (!strcmp(way, "fread")) printf("%zu\n", fread(at, 1, bytes, stdin));
  if (!strcmp(way, "read")) printf("%zd\n", read(0, at, bytes));
  if (!strcmp(way, "write")) printf("%zd\n", write(1, at, bytes));
  if (!strcmp(way, "writev")) printf("%zd\n", writev(1, &(struct iovec){at, bytes}, 1));
  if (!strcmp(way, "malloc")) printf("%d\n", !malloc(bytes));
  if (!strcmp(way, "calloc")) printf("%d\n", !calloc(bytes, 16));
  printf("after\n");
  return 0;
}
