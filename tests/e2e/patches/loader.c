// Loads the library named by its argument, calls it and unloads it, again and again, in the main thread and in others.
// Prints which of its system calls were replaced, each time.
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { kRounds = 40, kThreads = 3 };

static const char* path;

static int use_library(void) {
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    fprintf(stderr, "%s\n", dlerror());
    exit(2);
  }
  long (*by_mov)(void) = (long (*)(void))dlsym(library, "by_mov");
  long (*by_cmp)(long) = (long (*)(long))dlsym(library, "by_cmp");
  long (*jumped_to)(long) = (long (*)(long))dlsym(library, "jumped_to");
  int (*replaced)(void) = (int (*)(void))dlsym(library, "replaced");
  long parent = getppid();
  int wrong = 0, which = replaced();
  for (int i = 0; i < 10; i++)
    wrong += (by_mov() != parent) + (by_cmp(SYS_getppid) != parent) + (jumped_to(SYS_getppid) != parent) +
             (jumped_to(0) != 0);
  dlclose(library);
  if (wrong) exit(3);
  return which;
}

static void* use_in_thread(void* unused) {
  (void)unused;
  return (void*)(long)use_library();
}

int main(int count, char** arguments) {
  if (count < 2) return 2;
  path = arguments[1];
  for (int i = 0; i < kRounds; i++) {
    pthread_t other[kThreads];
    void* theirs[kThreads];
    printf("%d:", use_library());
    for (int k = 0; k < kThreads; k++) pthread_create(&other[k], NULL, use_in_thread, NULL);
    for (int k = 0; k < kThreads; k++) pthread_join(other[k], &theirs[k]);
    for (int k = 0; k < kThreads; k++) printf(" %ld", (long)theirs[k]);
    printf("\n");
  }
  return 0;
}
