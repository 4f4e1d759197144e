/* Threads write to a shared line of text without a lock. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static char text[64];

static void *work(void *argument) {
  for (int i = 0; i < 5000; i++) {
    size_t at = (strlen(text) + (size_t)i) % 60;
    text[at] = *(const char *)argument;
  }
  return NULL;
}

int main(void) {
  pthread_t threads[3];
  for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, work, (void *)&"abc"[i]);
  for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
  printf("%s\n", text);
  return 0;
}
