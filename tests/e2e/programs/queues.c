/* Message queues of POSIX and System V, and semaphores of System V. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <mqueue.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <time.h>
#include <unistd.h>

#include "support.h"

static int queue, locks;
static mqd_t posix_queue;

static uint64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_nsec;
}

struct Letter {
  long type;
  uint64_t value[4];
};

static uint64_t body(int index) {
  uint64_t hash = (uint64_t)index;
  for (int i = 0; i < 20; i++) {
    struct Letter letter = {1 + i % 3, {now(), 1, 2, 3}}, got = {0, {9, 9, 9, 9}};
    struct sembuf down = {(unsigned short)(i % 2), -1, 0}, up = {(unsigned short)(i % 2), 1, 0};
    hash = mix(hash, (uint64_t)semop(locks, &down, 1));
    hash = mix(hash, (uint64_t)msgsnd(queue, &letter, i % 2 ? 8 : 16, 0));
    hash = mix(hash, (uint64_t)msgrcv(queue, &got, sizeof got.value, i % 4 ? 0 : 1 + i % 3, 0));
    hash = mix(mix(mix(hash, (uint64_t)got.type), got.value[0]), got.value[1]);
    hash = mix(hash, (uint64_t)semop(locks, &up, 1));
    if (posix_queue != (mqd_t)-1) {
      uint64_t value = now();
      unsigned priority = 0;
      char bytes[64] = "";
      mq_send(posix_queue, (char *)&value, sizeof value, (unsigned)i % 4);
      hash = mix(hash, (uint64_t)mq_receive(posix_queue, bytes, sizeof bytes, &priority));
      memcpy(&value, bytes, sizeof value);
      hash = mix(mix(hash, value), priority);
    }
  }
  return hash;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  queue = msgget(IPC_PRIVATE, IPC_CREAT | 0600);
  locks = semget(IPC_PRIVATE, 2, IPC_CREAT | 0600);
  unsigned short values[2] = {2, 1};
  if (queue < 0 || locks < 0 || semctl(locks, 0, SETALL, values)) return 2;
  char name[64];
  snprintf(name, sizeof name, "/anaphora-%d", (int)getpid());
  struct mq_attr attributes = {.mq_maxmsg = 10, .mq_msgsize = 64};
  posix_queue = mq_open(name, O_RDWR | O_CREAT, 0600, &attributes);  /* not everywhere */
  mq_unlink(name);
  run_threads(body);
  struct msqid_ds about;
  struct semid_ds about_locks;
  msgctl(queue, IPC_STAT, &about);
  semctl(locks, 0, IPC_STAT, &about_locks);
  semctl(locks, 0, GETALL, values);
  printf("%d left, last by %d at %ld; semaphores %d %d of %lu\n", (int)about.msg_qnum, (int)about.msg_lrpid,
         (long)about.msg_rtime, values[0], values[1], (unsigned long)about_locks.sem_nsems);
  if (posix_queue != (mqd_t)-1) {
    mq_getattr(posix_queue, &attributes);
    printf("posix: %ld of %ld\n", attributes.mq_curmsgs, attributes.mq_maxmsg);
  }
  msgctl(queue, IPC_RMID, NULL);
  semctl(locks, 0, IPC_RMID);
  print_results();
  return 0;
}
