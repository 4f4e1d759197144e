#include "mpi/hints.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/channels.h"
#include "mpi/communicators.h"
#include "mpi/racing.h"

namespace ana::mpi {

namespace {

struct Entry {
  uint32_t component;
  uint32_t value;
};
struct Hint {
  uint64_t communicator;  // Communicator::shared_id
  uint64_t index;         // of the message in its channel, from 1
  uint64_t sent;          // messages to this receiver, of all channels, up to this one
  int32_t tag;
  uint32_t entries;
  Entry entry[kMaxEntries];
};

MPI_Comm carrier = MPI_COMM_NULL;
uint32_t* clock_of = nullptr;    // by component: the ranks, then the barriers
uint64_t* changed_at = nullptr;  // by component: the stamp of its last change
struct Sent {
  uint64_t hints, messages;
};
Sent* sent_to = nullptr;         // by rank
// What came from each rank. If the last message of which it is known how many were sent before is also the last of them
// to come, nothing is under way that was sent before it: all that comes now was sent with what it knew, at least.
struct Got {
  uint64_t messages;
  uint64_t sent, serial;  // of the latest message with a hint, by the order of sending; our receives that it knew of
  uint64_t bound;         // that all messages to come know of
};
Got* got_from = nullptr;         // by rank
uint64_t taken = 0;              // hints
uint64_t stamp = 0;              // counts changes
bool wildcards_known = false;    // somebody receives from any source
// Looking for hints costs: MPI gives the processor away where nothing has come, which is dear if there are more ranks
// than processors. So the less there is, the rarer, down to once in kMostPause / 8 receives; if hints begin to come
// after a long time without, those of so many messages may come too late.
constexpr uint64_t kMostPause = 16384;
uint64_t pause = 1, until_poll = 0;

// How many receives were complete when we entered each barrier.
uint64_t* at_barrier = nullptr;
size_t entered = 0, barrier_room = 0;

size_t components() { return static_cast<size_t>(g.ranks) + 1; }

void raise(uint32_t component, uint32_t value) {
  if (component >= components() || clock_of[component] >= value) return;
  clock_of[component] = value;
  if (component < static_cast<uint32_t>(g.ranks)) wildcards_known = true;
  // Barriers alone are no news: they matter only to those who receive from any source.
  if (wildcards_known) changed_at[component] = ++stamp;
}

uint64_t serial_at_barrier(uint32_t count) { return count == 0 || count > entered ? 0 : at_barrier[count - 1]; }

void arrive(const Hint& hint, int source) {
  uint32_t n = hint.entries < kMaxEntries ? hint.entries : kMaxEntries;
  Channel* channel = find_channel(Direction::kReceive, hint.communicator, source, hint.tag);
  Known known{hint.index, hint.sent, 0, 0};
  if (channel->hints > 0) {
    known = channel->known[(channel->hints - 1) % kKnown];
    known.index = hint.index;
    known.sent = hint.sent;
  }
  for (uint32_t i = 0; i < n; i++) {
    if (hint.entry[i].component == static_cast<uint32_t>(g.rank)) known.serial = hint.entry[i].value;
    if (hint.entry[i].component == static_cast<uint32_t>(g.ranks)) known.barriers = hint.entry[i].value;
  }
  channel->known[channel->hints++ % kKnown] = known;
  auto* waiting = static_cast<Waiting*>(malloc(sizeof(Waiting) + n * sizeof(Entry)));
  if (waiting == nullptr) return;  // then less is known, and more recorded
  *waiting = {nullptr, hint.index, n, 0};
  memcpy(static_cast<void*>(waiting + 1), hint.entry, n * sizeof(Entry));
  Waiting** end = &channel->waiting;
  while (*end != nullptr) end = &(*end)->next;
  *end = waiting;
}

// A message to this rank itself: what it knows is known here.
void know_own(Channel* sent) {
  Channel* channel = find_channel(Direction::kReceive, sent->communicator, g.rank, sent->tag);
  auto barriers = clock_of[g.ranks];
  channel->known[channel->hints++ % kKnown] = {sent->count, sent_to[g.rank].messages, clock_of[g.rank], barriers};
  sent->stamp = stamp;
}

void poll() {
  if (until_poll > 0) {
    until_poll--;
    return;
  }
  bool found = false;
  for (;;) {
    int flag = 0;
    MPI_Status status;
    PMPI_Iprobe(MPI_ANY_SOURCE, 0, carrier, &flag, &status);
    if (flag == 0) break;
    Hint hint;
    PMPI_Recv(&hint, sizeof hint, MPI_BYTE, status.MPI_SOURCE, 0, carrier, MPI_STATUS_IGNORE);
    taken++;
    found = true;
    arrive(hint, status.MPI_SOURCE);
  }
  // Short pauses at first, so that a rank that starts to get hints does not miss many.
  pause = found ? 1 : pause < kMostPause ? pause + 1 + pause / 8 : kMostPause;
  until_poll = pause / 8;
}

// The place of the message in its channel is that of its receive among those that got messages of the channel. Receives
// can complete in another order than they were posted in, so this is the least that it can be. 0: unknown, since too
// many that were posted later are complete.
uint64_t least_index(Channel* channel, uint64_t order) {
  uint64_t later = 0, seen = channel->count < kOrders ? channel->count : kOrders;
  if (order > channel->latest) seen = 0;  // none was posted later
  for (uint64_t i = 0; i < seen; i++) {
    if (channel->orders[i] > order) later++;
  }
  uint64_t index = order < channel->latest_left ? 0 : channel->count - later + 1;
  uint64_t& slot = channel->orders[channel->count++ % kOrders];
  if (slot > channel->latest_left) channel->latest_left = slot;
  if (order > channel->latest) channel->latest = order;
  slot = order;
  return index;
}

// What came with the messages up to this one is now known here.
void join(Channel* channel, uint64_t index) {
  while (channel->waiting != nullptr && channel->waiting->index <= index) {
    Waiting* hint = channel->waiting;
    const auto* entries = reinterpret_cast<const Entry*>(hint + 1);
    for (uint32_t i = 0; i < hint->entries; i++) raise(entries[i].component, entries[i].value);
    channel->waiting = hint->next;
    free(hint);
  }
}

// The last hint of the message or one before it in its channel; null: none.
const Known* find_known(const Channel* channel, uint64_t index) {
  for (uint32_t i = 1; i <= kKnown && i <= channel->hints; i++) {
    const Known* known = &channel->known[(channel->hints - i) % kKnown];
    if (known->index <= index) return known;
  }
  return nullptr;
}

uint64_t serial_of(const Known* known) {
  if (known == nullptr) return 0;
  uint64_t through_barrier = serial_at_barrier(known->barriers);
  return known->serial > through_barrier ? known->serial : through_barrier;
}

}  // namespace

void start_hints() {
  PMPI_Comm_dup(MPI_COMM_WORLD, &carrier);
  clock_of = static_cast<uint32_t*>(calloc(components(), sizeof *clock_of));
  changed_at = static_cast<uint64_t*>(calloc(components(), sizeof *changed_at));
  sent_to = static_cast<Sent*>(calloc(components(), sizeof *sent_to));
  got_from = static_cast<Got*>(calloc(components(), sizeof *got_from));
  if (clock_of == nullptr || changed_at == nullptr || sent_to == nullptr || got_from == nullptr)
    give_up("there is no memory left for timestamps");
}

void finish_hints() {
  // What is still under way must be received before MPI ends.
  auto* coming = static_cast<Sent*>(calloc(components(), sizeof(Sent)));
  if (coming == nullptr) give_up("there is no memory left for timestamps");
  PMPI_Alltoall(sent_to, 2, MPI_UINT64_T, coming, 2, MPI_UINT64_T, g.world);
  uint64_t all = 0;
  for (int i = 0; i < g.ranks; i++) {
    all += coming[i].hints;
    if (coming[i].messages != got_from[i].messages) g.header->unreceived = 1;
  }
  free(coming);
  for (; taken < all; taken++) {
    Hint hint;
    PMPI_Recv(&hint, sizeof hint, MPI_BYTE, MPI_ANY_SOURCE, 0, carrier, MPI_STATUS_IGNORE);
  }
  PMPI_Comm_free(&carrier);
}

void racing_send(int destination, int tag, MPI_Comm comm) {
  Communicator* c = find_communicator(comm);
  int peer = world_rank(c, destination);
  if (c->shared_id == 0 || peer < 0) return;
  Channel* channel = find_channel(Direction::kSend, c->shared_id, peer, tag);
  channel->count++;
  sent_to[peer].messages++;
  if (channel->stamp == stamp) return;
  if (peer == g.rank) return know_own(channel);
  Hint hint{c->shared_id, channel->count, sent_to[peer].messages, tag, 0, {}};
  for (uint32_t i = 0; i < components(); i++) {
    if (changed_at[i] <= channel->stamp) continue;
    if (hint.entries < kMaxEntries) hint.entry[hint.entries] = {i, clock_of[i]};
    hint.entries++;
  }
  channel->stamp = stamp;
  if (hint.entries > kMaxEntries) return;
  size_t bytes = offsetof(Hint, entry) + hint.entries * sizeof(Entry);
  PMPI_Send(&hint, static_cast<int>(bytes), MPI_BYTE, peer, 0, carrier);
  sent_to[peer].hints++;
  g.header->hints_sent++;
  g.header->hint_bytes += bytes;
}

void racing_barrier(bool entering, MPI_Comm comm) {
  if (comm != MPI_COMM_WORLD) return;
  if (!entering) return raise(static_cast<uint32_t>(g.ranks), static_cast<uint32_t>(entered));
  if (entered == barrier_room) {
    barrier_room = barrier_room == 0 ? 1024 : barrier_room * 2;
    at_barrier = static_cast<uint64_t*>(realloc(static_cast<void*>(at_barrier), barrier_room * sizeof *at_barrier));
    if (at_barrier == nullptr) give_up("there is no memory left for barriers");
  }
  at_barrier[entered++] = clock_of[g.rank];
}

uint64_t count_completion(bool tell) {
  if (!tell) return ++clock_of[g.rank];
  wildcards_known = true;
  changed_at[g.rank] = ++stamp;
  return ++clock_of[g.rank];
}

uint64_t completions() { return clock_of[g.rank]; }

Arrival arrival_of(MPI_Comm comm, int source, int tag) {
  Communicator* c = find_communicator(comm);
  int peer = world_rank(c, source);
  bool known = c->shared_id != 0 && peer >= 0;
  return {comm, source, tag, c, peer, known ? find_channel(Direction::kReceive, c->shared_id, peer, tag) : nullptr};
}

uint64_t known_to_sender(const Arrival& message, uint64_t order, bool seen, uint64_t& index) {
  index = 0;
  if (message.channel == nullptr) return 0;
  poll();
  index = least_index(message.channel, order);
  if (seen) join(message.channel, index);
  return serial_of(find_known(message.channel, index));
}

uint64_t look_again(const Arrival& message, uint64_t index, bool seen) {
  until_poll = 0;
  poll();
  if (seen) join(message.channel, index);
  return serial_of(find_known(message.channel, index));
}

void note_place(const Arrival& message, uint64_t index) {
  const Known* known = find_known(message.channel, index);
  Got& got = got_from[message.world];
  if (known == nullptr || known->index != index || known->sent <= got.sent) return;
  got.sent = known->sent;
  got.serial = serial_of(known);
}

void count_open(const Arrival& message, uint64_t open) {
  Channel* channel = message.channel;
  if (channel->received != nullptr) __atomic_store_n(&channel->received->count, channel->count + open, __ATOMIC_RELEASE);
}

void count_received(const Arrival& message, uint64_t open) {
  Channel* channel = message.channel;
  if (channel->received == nullptr)
    channel->received = add_received_row(message.communicator->shared_id, message.world, message.tag);
  count_open(message, open);
  Got& got = got_from[message.world];
  if (++got.messages == got.sent) got.bound = got.serial;
}

uint64_t known_to_all() {
  if (sent_to[g.rank].messages != got_from[g.rank].messages) return 0;  // one to itself is under way
  uint64_t least = clock_of[g.rank];
  for (int i = 0; i < g.ranks; i++) {
    if (i != g.rank && got_from[i].bound < least) least = got_from[i].bound;
  }
  return least;
}

TracedPlace mark_traced(const Arrival& message, uint64_t index) {
  static uint64_t channels = 0, lanes = 0, communicators = 0;
  static int64_t last_tag = 0, last_low = 0;
  Communicator* c = message.communicator;
  int world = message.world, tag = message.tag;
  Channel* channel = message.channel;
  TracedPlace place{channel->traced_as - 1, channel->traced_as == 0, false, false, 0, index - channel->stamp, 0, 0};
  channel->stamp = index;
  if (!place.new_channel) return place;
  channel->traced_as = ++channels;
  Channel* lane = find_channel(Direction::kReceive, c->shared_id, world, kLane);
  place.new_lane = lane->traced_as == 0;
  place.number = place.new_lane ? static_cast<uint64_t>(world) : lane->traced_as - 1;
  place.tag = tag - (place.new_lane ? last_tag : lane->traced_tag);
  lane->traced_tag = last_tag = tag;
  if (!place.new_lane) return place;
  lane->traced_as = ++lanes;
  place.new_communicator = c->told_as == 0;
  if (!place.new_communicator) {
    place.communicator = communicators - c->told_as;
    return place;
  }
  c->told_as = ++communicators;
  int64_t low = static_cast<uint32_t>(c->shared_id);
  place.communicator = c->shared_id >> 32;
  place.low = low - last_low;
  last_low = low;
  return place;
}

}  // namespace ana::mpi
