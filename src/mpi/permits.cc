#include "mpi/permits.h"

#include <sched.h>
#include <stdlib.h>

#include "mpi/lock.h"

namespace ana::mpi {

// A copy of a message that is under way; it follows.
struct Unmatched {
  Unmatched* next;  // an earlier one of the channel
  MPI_Request request;
};

namespace {

constexpr double kPatience = 0.2;  // seconds

struct Permit {
  uint64_t communicator;  // Communicator::shared_id
  int64_t tag;
};

MPI_Comm permits = MPI_COMM_NULL;
MPI_Request receiving = MPI_REQUEST_NULL;
Thread* receiver = nullptr;

bool take_one() {
  int flag = 0;
  MPI_Status status;
  PMPI_Iprobe(MPI_ANY_SOURCE, 0, permits, &flag, &status);
  if (flag == 0) return false;
  Permit p;
  PMPI_Recv(&p, sizeof p, MPI_BYTE, status.MPI_SOURCE, 0, permits, MPI_STATUS_IGNORE);
  find_channel(Direction::kSend, p.communicator, status.MPI_SOURCE, static_cast<int>(p.tag))->permits++;
  return true;
}

void look_meanwhile() {
  int done = 0;
  PMPI_Request_get_status(receiving, &done, MPI_STATUS_IGNORE);
  if (done == 0) return;
  receiving = MPI_REQUEST_NULL;
  give_permits(receiver);
}

}  // namespace

void start_permits() { PMPI_Comm_dup(MPI_COMM_WORLD, &permits); }

void give_permits(Thread* t) {
  Schedule& s = *t->schedule;
  for (size_t kind = 0; kind < 2; kind++) {
    List<TracedReceive>& traced = s.traced[kind];
    for (; t->permits[kind] < traced.size && traced[t->permits[kind]].number <= t->posted[kind]; t->permits[kind]++) {
      const TracedReceive& next = traced[t->permits[kind]];
      Permit p{next.communicator, next.tag};
      PMPI_Send(&p, sizeof p, MPI_BYTE, next.source, 0, permits);
    }
  }
}

void receive_meanwhile(Thread* t, MPI_Request request) {
  receiver = t;
  receiving = request;
}

namespace {

bool is_permitted(Channel* channel) { return channel->permits >= 0; }

// Frees what has been received.
bool is_empty(Channel* channel) {
  for (Unmatched** at = &channel->unmatched; *at != nullptr;) {
    Unmatched* copy = *at;
    int done = 0;
    PMPI_Test(&copy->request, &done, MPI_STATUS_IGNORE);
    if (done == 0) {
      at = &copy->next;
    } else {
      *at = copy->next;
      free(copy);
    }
  }
  return channel->unmatched == nullptr;
}

void await(Channel* channel, bool (*is_due)(Channel*)) {
  if (is_due(channel)) return;
  count_one(g.page->held);
  for (double begin = PMPI_Wtime(); !is_due(channel); sched_yield()) {
    if (receiving != MPI_REQUEST_NULL) look_meanwhile();
    if (take_one()) continue;
    if (PMPI_Wtime() - begin > kPatience) return count_one(g.page->hurried);
  }
}

}  // namespace

void await_permit(Channel* channel) {
  channel->permits--;  // negative: of messages that went without as well
  await(channel, is_permitted);
}

int send_copy(const Outgoing& m, MPI_Comm comm, MPI_Request* request) {
  Communicator* c = find_communicator(comm);
  int peer = world_rank(c, m.destination);
  if (c->shared_id == 0 || peer < 0) {
    return PMPI_Isend(m.data, m.count, m.type, m.destination, m.tag, comm, request);
  }
  Channel* channel = find_channel(Direction::kSend, c->shared_id, peer, m.tag);
  await(channel, is_empty);
  int room = 0, bytes = 0;
  PMPI_Pack_size(m.count, m.type, comm, &room);
  auto* copy = static_cast<Unmatched*>(malloc(sizeof(Unmatched) + static_cast<size_t>(room)));
  if (copy == nullptr) give_up("there is no memory left for the copy of a message");
  PMPI_Pack(m.data, m.count, m.type, copy + 1, room, &bytes, comm);
  copy->next = channel->unmatched;
  channel->unmatched = copy;
  int result = PMPI_Issend(copy + 1, bytes, MPI_PACKED, m.destination, m.tag, comm, &copy->request);
  PMPI_Isend(nullptr, 0, MPI_BYTE, MPI_PROC_NULL, 0, comm, request);
  return result;
}

void drain_permits() {
  while (take_one()) {
  }
}

}  // namespace ana::mpi
