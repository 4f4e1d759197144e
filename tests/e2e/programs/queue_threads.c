// Message queues that start a thread when a message comes, which asks to be told of the next one.
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { kMessages = 20, kSize = 64 };

static mqd_t queue;
static sem_t done;
static int got, threads;

static void listen_again(void);

// Empties the queue after it has asked again, so that no message is missed.
static void on_message(union sigval value) {
  char text[kSize];
  if (value.sival_int != 42) abort();
  __atomic_add_fetch(&threads, 1, __ATOMIC_SEQ_CST);
  listen_again();
  while (mq_receive(queue, text, sizeof text, NULL) >= 0)
    if (__atomic_add_fetch(&got, 1, __ATOMIC_SEQ_CST) == kMessages) sem_post(&done);
}

static void listen_again(void) {
  struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = on_message, .sigev_value.sival_int = 42};
  if (mq_notify(queue, &event) && errno != EBUSY) {
    perror("mq_notify");
    exit(1);
  }
}

static void* send(void* from) {
  for (int i = 0; i < kMessages / 4; i++) {
    char text[kSize];
    snprintf(text, sizeof text, "%ld: %d", (long)from, i);
    while (mq_send(queue, text, strlen(text) + 1, 1) && errno == EAGAIN) usleep(1000);
  }
  return NULL;
}

int main(void) {
  char name[64];
  snprintf(name, sizeof name, "/anaphora-queue-threads-%d", (int)getpid());
  struct mq_attr attributes = {.mq_maxmsg = 4, .mq_msgsize = kSize};
  queue = mq_open(name, O_RDWR | O_CREAT | O_EXCL | O_NONBLOCK, 0600, &attributes);
  if (queue == (mqd_t)-1) {
    perror("mq_open");
    return 1;
  }
  mq_unlink(name);
  sem_init(&done, 0, 0);
  listen_again();
  pthread_t sender[4];
  for (long i = 0; i < 4; i++) pthread_create(&sender[i], NULL, send, (void*)i);
  for (int i = 0; i < 4; i++) pthread_join(sender[i], NULL);
  sem_wait(&done);
  printf("%d messages, %d threads\n", got, threads);
  mq_notify(queue, NULL);  // takes the registration back
  mq_close(queue);
  return 0;
}
