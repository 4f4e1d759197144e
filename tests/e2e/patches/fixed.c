// A program with system calls of each shape (library.c) in its own code, and perhaps at a fixed address. Prints which of them
// were replaced.
#include <pthread.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { kThreads = 3, kRounds = 100 };

long by_mov(void), by_cmp(long number), jumped_to(long number);
int replaced(void);

static void* call(void* unused) {
  (void)unused;
  long parent = getppid(), wrong = 0;
  for (int i = 0; i < kRounds; i++)
    wrong += (by_mov() != parent) + (by_cmp(SYS_getppid) != parent) + (jumped_to(SYS_getppid) != parent);
  return (void*)wrong;
}

int main(void) {
  pthread_t other[kThreads];
  long wrong = 0;
  for (int i = 0; i < kThreads; i++) pthread_create(&other[i], NULL, call, NULL);
  for (int i = 0; i < kThreads; i++) {
    void* theirs;
    pthread_join(other[i], &theirs);
    wrong += (long)theirs;
  }
  printf("%d\n", replaced());
  return wrong ? 3 : 0;
}
