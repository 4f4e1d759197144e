// Mode `racing`, replay: the way that each message takes. One that was traced, or that nobody received in the recording,
// goes by the shadow of its communicator.
#include <stdlib.h>

#include "mpi/channels.h"
#include "mpi/communicators.h"
#include "mpi/permits.h"
#include "mpi/racing.h"

namespace ana::mpi {

namespace {

constexpr uint64_t kNoLimit = ~uint64_t{0};

// Whether the receiver has counted what it got.
bool is_counted(uint64_t communicator, int destination) {
  size_t count;
  const RankLimit* all = received_messages(count);
  for (size_t i = 0; i < count; i++) {
    if (all[i].communicator == communicator && all[i].destination == destination && all[i].tag == kAllTags) return true;
  }
  return false;
}

uint64_t limit_of(Channel* channel) {
  if (channel->limit == 0) channel->limit = is_counted(channel->communicator, channel->peer) ? 1 : kNoLimit;
  return channel->limit - 1;
}

void drain(MPI_Comm shadow) {
  for (;;) {
    int flag = 0, bytes = 0;
    MPI_Message message;
    MPI_Status status;
    PMPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, shadow, &flag, &message, &status);
    if (flag == 0) return;
    PMPI_Get_count(&status, MPI_BYTE, &bytes);
    void* room = malloc(static_cast<size_t>(bytes) + 1);
    if (room == nullptr) give_up("there is no memory left for a message that nobody received");
    PMPI_Mrecv(room, bytes, MPI_BYTE, &message, &status);
    free(room);
  }
}

}  // namespace

void start_ways() {
  find_communicator(MPI_COMM_WORLD)->shared_id = 1;
  PMPI_Comm_dup(MPI_COMM_WORLD, &find_communicator(MPI_COMM_WORLD)->shadow);
  size_t count;
  const RankRacing* all = racing_messages(count);
  for (size_t i = 0; i < count; i++) {
    Channel* channel = find_channel(Direction::kSend, all[i].communicator, all[i].destination, all[i].tag);
    auto* waiting = static_cast<Waiting*>(calloc(1, sizeof(Waiting)));
    if (waiting == nullptr) give_up("there is no memory left for the messages that raced");
    waiting->index = all[i].index;
    Waiting** end = channel->last == nullptr ? &channel->waiting : &channel->last->next;
    *end = channel->last = waiting;
  }
  const RankLimit* limits = received_messages(count);
  for (size_t i = 0; i < count; i++) {
    const RankLimit& limit = limits[i];
    if (limit.tag == kAllTags) continue;
    find_channel(Direction::kSend, limit.communicator, limit.destination, limit.tag)->limit = limit.count + 1;
  }
}

MPI_Comm racing_way(int destination, int tag, MPI_Comm comm) {
  Communicator* c = find_communicator(comm);
  int peer = world_rank(c, destination);
  if (c->shared_id == 0 || peer < 0) return comm;
  Channel* channel = find_channel(Direction::kSend, c->shared_id, peer, tag);
  channel->count++;
  Waiting* next = channel->waiting;
  if (next == nullptr || next->index != channel->count) return channel->count > limit_of(channel) ? c->shadow : comm;
  channel->waiting = next->next;
  free(next);
  if (g.permits) await_permit(channel);
  return c->shadow;
}

void drain_ways() {
  for (size_t i = 0; Communicator* c = communicator_at(i); i++) {
    if (c->shadow != MPI_COMM_NULL) drain(c->shadow);
  }
  if (g.permits) drain_permits();
}

}  // namespace ana::mpi
