// Instructions with references of each kind, for replays that are followed by instructions: what they access is printed
// as the trace must have it, "r|w address size".
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

static _Alignas(64) uint8_t from[64], to[64];

static void say(char kind, const void* at, int size) { printf("%c %p %d\n", kind, at, size); }

static void* run(void* unused) {
  (void)unused;
  void *source = from + 3, *target = to + 5;
  uint64_t count = 3, value = 0x1122;
  asm volatile("rep movsb" : "+S"(source), "+D"(target), "+c"(count)::"memory");
  count = 0;
  asm volatile("rep stosb" : "+D"(target), "+c"(count) : "a"(1) : "memory");  // nothing
  asm volatile("btsq %1, (%0)" ::"r"(to), "r"((int64_t)130) : "memory", "cc");
  asm volatile("btl %1, (%0)" ::"r"(from + 32), "r"(-1) : "memory", "cc");
  asm volatile("lock cmpxchgq %1, 8(%0)" ::"r"(to), "r"(value), "a"(value) : "memory", "cc");
  asm volatile("xchgw %w1, 2(%0,%2,4)" : : "r"(to), "r"(value), "r"((uint64_t)5) : "memory");
  asm volatile("movups (%0), %%xmm0\n\tmovups %%xmm0, 16(%0)" ::"r"(to) : "memory", "xmm0");
  asm volatile("leaq 8(%0), %%rax\n\tnopl (%0)\n\tprefetcht0 (%0)" ::"r"(to) : "rax");
  asm volatile("addl $1, %0" : "+m"(*(uint32_t*)(to + 40)));
  asm volatile("pushq (%0)\n\tpopq 56(%0)" ::"r"(to) : "memory");
  asm volatile("cmpb $0, (%0)" ::"r"(from) : "cc");
  return NULL;
}

int main(void) {
  for (int i = 0; i < 3; i++) say('r', from + 3 + i, 1), say('w', to + 5 + i, 1);
  say('w', to + 16, 8);
  say('r', from + 28, 4);
  say('w', to + 8, 8);
  say('w', to + 22, 2);
  say('r', to, 16), say('w', to + 16, 16);
  say('w', to + 40, 4);
  say('r', to, 8), say('w', to + 56, 8);
  say('r', from, 1);
  pthread_t thread;
  pthread_create(&thread, NULL, run, NULL);
  pthread_join(thread, NULL);
  return 0;
}
