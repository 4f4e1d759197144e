/* Two threads count together and lose updates. */
#include <pthread.h>
#include <stdio.h>

#include "work.h"

int main(void) {
  pthread_t one, two;
  pthread_create(&one, NULL, work, NULL);
  pthread_create(&two, NULL, work, NULL);
  pthread_join(one, NULL);
  pthread_join(two, NULL);
  printf("counter %ld\n", counter);
  return 0;
}
