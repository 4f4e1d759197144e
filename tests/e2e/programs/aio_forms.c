// Asynchronous input and output: many requests at once, on files and pipes; lists, signals and threads at their end;
// requests that fail, are cancelled or too late.
#include <aio.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { kBlocks = 24, kBytes = 512 };

static sem_t done;
static volatile sig_atomic_t signals, codes;

static void on_signal(int number, siginfo_t* info, void* context) {
  (void)number, (void)context;
  signals += info->si_value.sival_int;
  codes += info->si_code == SI_ASYNCIO;
}

static void on_end(union sigval value) {
  printf("thread for %d\n", value.sival_int);
  sem_post(&done);
}

static struct aiocb request(int file, void* buffer, size_t bytes, off_t offset) {
  struct aiocb block;
  memset(&block, 0, sizeof block);
  block.aio_fildes = file;
  block.aio_buf = buffer;
  block.aio_nbytes = bytes;
  block.aio_offset = offset;
  block.aio_sigevent.sigev_notify = SIGEV_NONE;
  return block;
}

static ssize_t wait_for(struct aiocb* block) {
  const struct aiocb* list[1] = {block};
  while (aio_error(block) == EINPROGRESS) aio_suspend(list, 1, NULL);
  return aio_return(block);
}

static void many(int file) {
  static char out[kBlocks][kBytes], in[kBlocks][kBytes];
  struct aiocb block[kBlocks];
  for (int i = 0; i < kBlocks; i++) {
    memset(out[i], 'a' + i, kBytes);
    block[i] = request(file, out[i], kBytes, (off_t)i * kBytes);
    if (aio_write(&block[i])) exit(1);
  }
  for (int i = kBlocks; i-- > 0;)
    if (wait_for(&block[i]) != kBytes) exit(2);
  struct aiocb sync = request(file, NULL, 0, 0);
  if (aio_fsync(O_SYNC, &sync) || wait_for(&sync)) exit(3);
  for (int i = 0; i < kBlocks; i++) {
    block[i] = request(file, in[i], kBytes, (off_t)i * kBytes);
    block[i].aio_reqprio = i % 3;
    if (aio_read(&block[i])) exit(4);
  }
  int early = 0;
  for (int i = 0; i < kBlocks; i++) early += aio_error(&block[i]) == EINPROGRESS;
  for (int i = 0; i < kBlocks; i++) wait_for(&block[i]);
  printf("in progress: %d, the same: %d\n", early, !memcmp(in, out, sizeof in));
}

static void lists(int file) {
  static char in[4][kBytes];
  struct aiocb block[4];
  struct aiocb* list[5] = {0};
  for (int i = 0; i < 4; i++) {
    block[i] = request(file, in[i], kBytes, (off_t)i * kBytes);
    block[i].aio_lio_opcode = i == 3 ? LIO_NOP : LIO_READ;
    list[i] = &block[i];
  }
  printf("list: %d,", lio_listio(LIO_WAIT, list, 5, NULL));
  for (int i = 0; i < 3; i++) printf(" %zd %c", aio_return(&block[i]), in[i][0]);
  struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = on_end, .sigev_value.sival_int = 4};
  printf("\nwithout waiting: %d\n", lio_listio(LIO_NOWAIT, list, 4, &event));
  sem_wait(&done);
  block[1].aio_fildes = -1;
  printf("one fails: %d, %s,", lio_listio(LIO_WAIT, list, 4, NULL), strerror(errno));
  printf(" %s\n", strerror(aio_error(&block[1])));
}

static void pipes(void) {
  int ends[2];
  char text[16] = {0}, never[16];
  if (pipe(ends)) exit(5);
  struct aiocb reader = request(ends[0], text, 5, 0), second = request(ends[0], never, 5, 0);
  const struct aiocb* list[1] = {&reader};
  struct timespec soon = {0, 2000000};
  if (aio_read(&reader)) exit(6);
  int result = aio_suspend(list, 1, &soon);
  printf("too early: %d, %s\n", result, strerror(errno));
  if (aio_read(&second)) exit(7);
  printf("cancelled: %d", aio_cancel(ends[0], &second) == AIO_CANCELED);
  printf(", %s\n", strerror(aio_error(&second)));
  if (write(ends[1], "hello", 5) != 5) exit(8);
  printf("%zd %s\n", wait_for(&reader), text);
  printf("all done: %d\n", aio_cancel(ends[0], NULL) == AIO_ALLDONE);
}

static void signalled(int file) {
  struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO};
  sigaction(SIGRTMIN + 1, &action, NULL);
  static char in[8][kBytes];
  struct aiocb block[8];
  for (int i = 0; i < 8; i++) {
    block[i] = request(file, in[i], kBytes, (off_t)i * kBytes);
    block[i].aio_sigevent.sigev_notify = i == 7 ? SIGEV_THREAD : SIGEV_SIGNAL;
    block[i].aio_sigevent.sigev_signo = SIGRTMIN + 1;
    block[i].aio_sigevent.sigev_notify_function = on_end;
    block[i].aio_sigevent.sigev_value.sival_int = 1 << i;
    if (i == 7) block[i].aio_sigevent.sigev_notify_function = on_end;
    if (aio_read(&block[i])) exit(9);
  }
  sem_wait(&done);
  while (signals != 127) usleep(1000);
  printf("signals %d, of asynchronous I/O %d\n", (int)signals, (int)codes);
}

static struct aiocb queued[4];
static volatile sig_atomic_t ended;

static void on_cancelled(int signal, siginfo_t *info, void *context) {
  (void)signal, (void)context;
  struct aiocb *block = info->si_value.sival_ptr;
  if (aio_error(block) == ECANCELED && aio_return(block) == -1) ended++;
}

/* The handler comes to the thread that cancels, and asks. */
static void cancelled(void) {
  struct sigaction action = {.sa_sigaction = on_cancelled, .sa_flags = SA_SIGINFO};
  sigaction(SIGRTMIN + 2, &action, NULL);
  int ends[2];
  char first[8], text[8];
  if (pipe(ends)) exit(10);
  struct aiocb reader = request(ends[0], first, sizeof first, 0);
  if (aio_read(&reader)) exit(11);
  for (int i = 0; i < 4; i++) {
    queued[i] = request(ends[0], text, sizeof text, 0);
    queued[i].aio_sigevent.sigev_notify = SIGEV_SIGNAL;
    queued[i].aio_sigevent.sigev_signo = SIGRTMIN + 2;
    queued[i].aio_sigevent.sigev_value.sival_ptr = &queued[i];
    if (aio_read(&queued[i])) exit(12);
    aio_cancel(ends[0], &queued[i]);
  }
  while (ended < 4) usleep(1000);
  if (write(ends[1], "end", 4) != 4) exit(13);
  printf("cancelled %d, then %zd\n", (int)ended, wait_for(&reader));
}

int main(void) {
  char name[] = "/tmp/anaphora-aio-XXXXXX";
  int file = mkstemp(name);
  if (file < 0) return 1;
  unlink(name);
  sem_init(&done, 0, 0);
  many(file);
  lists(file);
  pipes();
  signalled(file);
  cancelled();
  struct aiocb wrong = request(file, name, 1, 0);
  wrong.aio_reqprio = -1;
  printf("wrong: %d, %s\n", aio_read(&wrong), strerror(errno));
  printf("priority of no use: %d %zd\n", aio_fsync(O_SYNC, &wrong), wait_for(&wrong));
  return 0;
}
