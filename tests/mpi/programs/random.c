// A random program, the same for the same seed: random SEED ROUNDS [DIE]. Ranks send to each other, or all to rank 0,
// and receive with windows of open receives of all kinds (any source or one, any tag or one, persistent or not, two
// communicators), complete them in all ways, and cancel what is left over. Some programs wait for replies, some send
// messages that nobody receives, and with DIE rank 0 kills itself after so many receives. Naps are random in each run,
// a replay included, so what is received varies, and a replay that does not force the order differs.
#include <signal.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "observe.h"

enum { kComms = 2, kTags = 3, kReply = 7, kMaxMessages = 400, kWindow = 6, kBig = 20000 };

struct Message {
  int from, to, comm, tag, big;
  int reply;  // is waited for
  int extra;  // there is no receive for it
};
struct Slot {
  MPI_Request request;
  int comm, persistent, active;
  int buffer[kBig];
};

static MPI_Comm comms[kComms];
static struct Message plan[kMaxMessages];
static int planned, left[kComms], total;
// What the seed says, as: to rank 0 only; rounds do not overlap; no naps; how many receives are open at most.
static int fan_in, one_comm, together, replies, extras, probing, hurry, window;
static int die;
static struct Slot slots[kWindow];
static unsigned long long plan_state, own_state, nap_state;

static unsigned pick(unsigned long long* state, unsigned n) {
  *state = *state * 6364136223846793005ull + 1442695040888963407ull;
  return (unsigned)(*state >> 33) % n;
}

static void nap(void) {
  if (hurry || pick(&nap_state, 6) != 0) return;
  struct timespec while_ = {0, (long)pick(&nap_state, 300) * 1000};
  nanosleep(&while_, NULL);
}

static void make_plan(void) {
  planned = 40 + (int)pick(&plan_state, kMaxMessages - 40);
  for (int i = 0; i < planned; i++) {
    struct Message* m = &plan[i];
    m->to = fan_in ? 0 : (int)pick(&plan_state, (unsigned)ranks);
    m->from = (m->to + 1 + (int)pick(&plan_state, (unsigned)ranks - 1)) % ranks;
    m->comm = one_comm ? 0 : (int)pick(&plan_state, kComms);
    m->tag = (int)pick(&plan_state, kTags);
    m->big = together && pick(&plan_state, 40) == 0;
    m->reply = replies && pick(&plan_state, 3) > 0;
    m->extra = extras && pick(&plan_state, 6) == 0;
  }
}

static void got(const MPI_Status* status, int comm, int value) {
  int source = status->MPI_SOURCE, tag = status->MPI_TAG;
  observe_status(status);
  observe(comm);
  observe(value);
  left[comm]--;
  printf("rank %d: %d: from %d, tag %d, comm %d: %d\n", rank, total, source, tag, comm, value);
  total++;
  if (value % 2 == 1) MPI_Send(&total, 1, MPI_INT, source, kReply, comms[comm]);
  if (rank == 0 && total == die) kill(getpid(), SIGKILL);
}

static void open_slot(struct Slot* s, int comm, int source, int tag, int persistent) {
  s->comm = comm;
  s->persistent = persistent;
  s->active = 1;
  if (persistent) {
    MPI_Recv_init(s->buffer, kBig, MPI_INT, source, tag, comms[comm], &s->request);
    MPI_Start(&s->request);
  } else {
    MPI_Irecv(s->buffer, kBig, MPI_INT, source, tag, comms[comm], &s->request);
  }
}

// Random ones, and one that takes everything for each communicator where something is still to come.
static void fill_window(void) {
  for (int i = 0; i < window; i++) {
    struct Slot* s = &slots[i];
    if (s->active) continue;
    if (i < kComms) {
      if (left[i] > 0) open_slot(s, i, MPI_ANY_SOURCE, MPI_ANY_TAG, (int)pick(&own_state, 2));
      continue;
    }
    int comm = (int)pick(&own_state, kComms);
    if (left[comm] <= 0 || pick(&own_state, 3) == 0) continue;
    int source = pick(&own_state, 3) == 0 ? (int)pick(&own_state, (unsigned)ranks) : MPI_ANY_SOURCE;
    int tag = pick(&own_state, 2) == 0 ? (int)pick(&own_state, kTags) : MPI_ANY_TAG;
    open_slot(s, comm, source, tag, pick(&own_state, 3) == 0);
  }
}

static void close_slot(int i, const MPI_Status* status) {
  struct Slot* s = &slots[i];
  int cancelled;
  MPI_Test_cancelled(status, &cancelled);
  observe(i);
  observe(cancelled);
  s->active = 0;
  if (!cancelled) got(status, s->comm, s->buffer[0]);
  if (s->persistent) {
    if (!cancelled && left[s->comm] > 0 && i >= kComms && pick(&own_state, 2) == 0) {
      s->active = 1;
      MPI_Start(&s->request);
    } else {
      MPI_Request_free(&s->request);
    }
  }
}

// May take nothing, unless it is told to block.
static void receive(int block) {
  MPI_Request requests[kWindow];
  MPI_Status statuses[kWindow];
  int indices[kWindow], index, flag, n;
  fill_window();
  for (int i = 0; i < kWindow; i++) requests[i] = slots[i].active ? slots[i].request : MPI_REQUEST_NULL;
  switch (pick(&own_state, block ? 2 : 4)) {
    case 0:
      MPI_Waitany(kWindow, requests, &index, statuses);
      n = 1;
      indices[0] = index;
      break;
    case 1:
      MPI_Waitsome(kWindow, requests, &n, indices, statuses);
      break;
    case 2:
      MPI_Testany(kWindow, requests, &index, &flag, statuses);
      n = flag && index != MPI_UNDEFINED ? 1 : 0;
      indices[0] = index;
      break;
    default:
      MPI_Testsome(kWindow, requests, &n, indices, statuses);
  }
  for (int i = 0; i < n; i++) {
    if (!slots[indices[i]].persistent) slots[indices[i]].request = MPI_REQUEST_NULL;
    close_slot(indices[i], &statuses[i]);
  }
}

static int all_left(void) {
  int sum = 0;
  for (int c = 0; c < kComms; c++) sum += left[c] > 0 ? left[c] : 0;
  return sum;
}

static void test_once(void) {
  MPI_Status status;
  int flag;
  fill_window();
  int i = (int)pick(&own_state, (unsigned)window);
  if (!slots[i].active) return;
  MPI_Test(&slots[i].request, &flag, &status);
  observe(flag);
  if (flag) close_slot(i, &status);
}

static void play(int probes) {
  static int out[kMaxMessages][1], big[kBig];
  MPI_Request sends[kMaxMessages];
  int next = 0, sent = 0;
  for (int i = 0; i < planned; i++) left[plan[i].comm] += plan[i].to == rank && !plan[i].extra;
  for (;;) {
    while (next < planned && plan[next].from != rank) next++;
    if (next == planned && all_left() == 0) break;
    nap();
    if (next < planned && (all_left() == 0 || pick(&own_state, 2) == 0)) {
      struct Message* m = &plan[next];
      out[sent][0] = 2 * next++ + m->reply;
      if (m->big && !m->reply) MPI_Isend(big, kBig, MPI_INT, m->to, m->tag, comms[m->comm], &sends[sent]);
      else MPI_Isend(out[sent], 1, MPI_INT, m->to, m->tag, comms[m->comm], &sends[sent]);
      sent++;
      int reply;
      if (m->reply) MPI_Recv(&reply, 1, MPI_INT, m->to, kReply, comms[m->comm], MPI_STATUS_IGNORE);
    } else if (next < planned) {
      test_once();
    } else {
      receive(1);
    }
    if (probes && all_left() > 0) {
      int flag, comm = (int)pick(&own_state, kComms);
      MPI_Status status;
      static int room[kBig];
      MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comms[comm], &flag, &status);
      observe(flag);
      if (flag) {
        observe_status(&status);
        MPI_Recv(room, kBig, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, comms[comm], &status);
        got(&status, comm, room[0]);
      }
    }
  }
  for (int i = 0; i < kWindow; i++) {
    if (!slots[i].active) continue;
    MPI_Status status;
    MPI_Cancel(&slots[i].request);
    MPI_Wait(&slots[i].request, &status);
    close_slot(i, &status);
  }
  MPI_Waitall(sent, sends, MPI_STATUSES_IGNORE);
}

static void choose(void) {
  fan_in = pick(&plan_state, 3) > 0;
  one_comm = (int)pick(&plan_state, 2);
  together = (int)pick(&plan_state, 2);
  probing = pick(&plan_state, 5) == 0;
  replies = fan_in && pick(&plan_state, 3) > 0;
  if (replies && !one_comm) together = 1;  // else a message of the next round could keep a sender of this one waiting
  extras = !replies && !together && pick(&plan_state, 2) == 0;
  hurry = pick(&plan_state, 3) == 0;
  window = one_comm && pick(&plan_state, 2) == 0 ? 1 : kComms + (int)pick(&plan_state, kWindow - kComms + 1);
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  if (argc < 3) return 1;
  plan_state = strtoull(argv[1], NULL, 10) * 2654435761ull + 1;
  int rounds = atoi(argv[2]);
  die = argc > 3 ? atoi(argv[3]) : 0;
  choose();
  own_state = plan_state + (unsigned)rank;
  if (getrandom(&nap_state, sizeof nap_state, 0) < 0) return 1;
  comms[0] = MPI_COMM_WORLD;
  MPI_Comm_dup(MPI_COMM_WORLD, &comms[1]);
  for (int round = 0; round < rounds; round++) {
    int probes = probing && pick(&plan_state, 2) == 0;
    make_plan();
    play(probes);
    if (together) MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Barrier(MPI_COMM_WORLD);  // MPICH does not take messages that nobody receives in MPI_Finalize, so sends would wait
  return finish();
}
