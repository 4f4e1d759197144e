#include "mpi/racing.h"

#include <stdlib.h>
#include <string.h>

#include "mpi/adaptive.h"
#include "mpi/channels.h"
#include "mpi/communicators.h"
#include "mpi/hints.h"
#include "mpi/race_facts.h"
#include "mpi/sites.h"

namespace ana::mpi {

namespace {

// If there are more exposed receives, those are forgotten that no message to come can race with, and if these are not
// half of them, some are recorded.
constexpr size_t kMaxExposed = 1 << 16;

struct Exposed {
  uint64_t order, number, serial;
  MPI_Comm comm;
  Thread* poster;
  int source, tag;  // of the message that it got
  int wanted_tag;
};

// A receive that is posted and not complete.
struct Outstanding {
  uint64_t order;
  MPI_Comm comm;
  int wanted_source, wanted_tag;
  bool first;  // of a race: to be recorded when it completes
};

// The last receive of any source of its kind (communicator and tag wanted), for the paper's rule.
// And the last two that are exposed and got messages of different sources: every other exposed one that a message could
// race with is covered by one of them.
struct Previous {
  MPI_Comm comm;
  int wanted_tag;
  uint64_t serial;
  uint64_t exposed[2];  // serials; 0: none
  int source[2];
};

template <class T>
struct Sequence {
  T* items = nullptr;
  size_t size = 0, room = 0;
  void add(const T& item) {
    if (size == room) {
      room = room == 0 ? 64 : room * 2;
      items = static_cast<T*>(realloc(static_cast<void*>(items), room * sizeof(T)));
      if (items == nullptr) give_up("there is no memory left for the check of races");
    }
    items[size++] = item;
  }
  void remove(size_t i, size_t n = 1) {
    if (i + n != size) memmove(static_cast<void*>(items + i), items + i + n, (size - i - n) * sizeof(T));
    size -= n;
  }
};

Sequence<Exposed> exposed;  // by serial
Sequence<Outstanding> outstanding;
Sequence<Previous> previous;
Sequence<Arrival> uncertain;  // the last messages of channels of which open receives may have got another

bool accepts(int wanted_tag, int tag) { return wanted_tag == MPI_ANY_TAG || wanted_tag == tag; }

bool accepts(const Outstanding& o, MPI_Comm comm, int source, int tag) {
  return o.comm == comm && accepts(o.wanted_tag, tag) &&
         (o.wanted_source == MPI_ANY_SOURCE || o.wanted_source == source);
}

Previous* previous_of(MPI_Comm comm, int wanted_tag) {
  for (size_t i = 0; i < previous.size; i++) {
    Previous& p = previous.items[i];
    if (p.comm == comm && p.wanted_tag == wanted_tag) return &p;
  }
  previous.add({comm, wanted_tag, 0, {0, 0}, {-1, -1}});
  return &previous.items[previous.size - 1];
}

void note_exposed(Previous* p, int source, uint64_t serial) {
  if (p->source[0] != source) {
    p->source[1] = p->source[0];
    p->exposed[1] = p->exposed[0];
  }
  p->source[0] = source;
  p->exposed[0] = serial;
}

// The latest receives before a message that would have accepted it: it races with them unless its sender knew of them.
struct Rivals {
  uint64_t last;     // Fig. 3, line 4: PrevRecv
  uint64_t exposed;  // of those that are exposed
};
Rivals rivals_of(MPI_Comm comm, int source, int tag) {
  Rivals r{0, 0};
  for (size_t i = 0; i < previous.size; i++) {
    const Previous& p = previous.items[i];
    if (p.comm != comm || !accepts(p.wanted_tag, tag)) continue;
    uint64_t open = p.exposed[p.source[0] == source ? 1 : 0];
    if (p.serial > r.last) r.last = p.serial;
    if (open > r.exposed) r.exposed = open;
  }
  return r;
}

void record(const Exposed& e) { put_match(e.poster, e.number, e.wanted_tag == MPI_ANY_TAG, e.source, e.tag); }

// From now on it matters which messages of the communicator are never received.
void count_messages(Communicator* c) {
  if (c->row == nullptr) c->row = add_received_row(c->shared_id, kAllSources, 0);
  if (c->row != nullptr) __atomic_store_n(&c->row->count, 1, __ATOMIC_RELEASE);
}

void expose(const Exposed& e) {
  if (exposed.size == kMaxExposed) {
    uint64_t known = known_to_all();
    size_t gone = 0;
    while (gone < exposed.size && exposed.items[gone].serial <= known) gone++;
    // Half of them at once, since what is left is moved.
    for (; gone < kMaxExposed / 2; gone++) record(exposed.items[gone]);
    exposed.remove(0, gone);
  }
  exposed.add(e);
}

// The message, received by the receive posted as `order`, against all before, which are recorded if it races with them.
bool record_first(uint64_t order, MPI_Comm comm, int source, int tag, uint64_t known, const Rivals& rivals) {
  bool raced = false;
  for (size_t i = 0; i < outstanding.size; i++) {
    Outstanding& o = outstanding.items[i];
    if (o.order < order && o.wanted_source == MPI_ANY_SOURCE && accepts(o, comm, source, tag)) o.first = raced = true;
  }
  // There may be very many, all of the same source.
  if (rivals.exposed <= known) return raced;
  for (size_t i = exposed.size; i > 0 && exposed.items[i - 1].serial > known; i--) {
    const Exposed& e = exposed.items[i - 1];
    if (e.order > order || e.comm != comm || !accepts(e.wanted_tag, tag)) continue;
    if (e.source == source) continue;
    raced = true;
    record(e);
    exposed.remove(i - 1);
  }
  return raced;
}

// Receives that were posted before and are open, and could get, or have got, a message of the channel.
uint64_t open_before(const Arrival& m, uint64_t order) {
  uint64_t open = 0;
  for (size_t i = 0; i < outstanding.size; i++) {
    const Outstanding& o = outstanding.items[i];
    if (o.order < order && accepts(o, m.comm, m.source, m.tag)) open++;
  }
  return open;
}

void put_traced(const Posting& p, const TracedPlace& place) {
  static int64_t next_named = 0;
  int64_t& next = p.any_source ? p.thread->next_match : next_named;
  int64_t number = static_cast<int64_t>(p.number);
  p.thread->writer.put({.kind = EventKind::kTraced,
                        .has_tag = place.new_channel,
                        .named = !p.any_source,
                        .new_lane = place.new_lane,
                        .new_communicator = place.new_communicator,
                        .value = place.number,
                        .number = number - next,
                        .tag = place.tag,
                        .index = place.since,
                        .communicator = place.communicator,
                        .low = place.low});
  next = number + 1;
  g.header->traced++;
}

}  // namespace

bool racing() { return g.phase == Phase::kRecord && g.timestamps; }

void start_racing() { start_hints(); }

void finish_racing() { finish_hints(); }

void racing_posted(const Posting& p, MPI_Comm comm) {
  outstanding.add({p.order, comm, p.source, p.tag, false});
}

namespace {

// True: it is the first receive of a race.
bool remove_outstanding(uint64_t order) {
  if (outstanding.size > 0 && outstanding.items[outstanding.size - 1].order == order)
    return outstanding.items[--outstanding.size].first;  // one that blocks is the last
  for (size_t i = outstanding.size; i > 0; i--) {
    if (outstanding.items[i - 1].order != order) continue;
    bool first = outstanding.items[i - 1].first;
    outstanding.remove(i - 1);
    return first;
  }
  return false;
}

// It is complete: of other channels it has got nothing. Before anything of this is in the trace, since the rank may be
// killed at any time, and a message that seems to be received is not kept from other receives in a replay.
bool settle(uint64_t order) {
  bool first = remove_outstanding(order);
  for (size_t i = 0; i < uncertain.size;) {
    const Arrival& m = uncertain.items[i];
    uint64_t open = open_before(m, m.channel->latest);
    count_open(m, open);
    if (open == 0) uncertain.remove(i);
    else i++;
  }
  return first;
}

void note_received(const Arrival& m) {
  uint64_t open = open_before(m, m.channel->latest);
  count_received(m, open);
  if (open == 0) return;
  for (size_t i = 0; i < uncertain.size; i++) {
    if (uncertain.items[i].channel == m.channel) return;
  }
  uncertain.add(m);
}

}  // namespace

void racing_cancelled(const Posting& p) { settle(p.order); }

void racing_close(MPI_Comm comm) {
  Communicator* c = find_communicator(comm);
  if (c->closed) return;
  c->closed = true;
  for (size_t i = 0; i < outstanding.size; i++) outstanding.items[i].first |= outstanding.items[i].comm == comm;
  size_t kept = 0;
  for (size_t i = 0; i < exposed.size; i++) {
    const Exposed& e = exposed.items[i];
    if (e.comm == comm) {
      record(e);
    } else {
      exposed.items[kept++] = e;
    }
  }
  exposed.size = kept;
  if (c->row != nullptr) __atomic_store_n(&c->row->count, 0, __ATOMIC_RELEASE);
}

namespace {

// All of them are saved from now on, or no longer. Those that are open are: what has come to later ones may race with
// them.
void change_way() {
  for (size_t i = 0; i < outstanding.size; i++) outstanding.items[i].first = true;
  if (!saves_all()) return;
  for (size_t i = 0; i < exposed.size; i++) record(exposed.items[i]);
  exposed.size = 0;
  for (size_t i = 0; i < previous.size; i++) previous.items[i].exposed[0] = previous.items[i].exposed[1] = 0;
  for (size_t i = 0; Communicator* c = communicator_at(i); i++) {
    if (c->row != nullptr) __atomic_store_n(&c->row->count, 0, __ATOMIC_RELEASE);
  }
}

void save(const Posting& p, const Arrival& m) {
  settle(p.order);
  uint64_t index;
  known_to_sender(m, p.order, !p.unseen, index);
  if (!p.any_source) return;
  put_match(p.thread, p.number, p.any_tag, m.source, m.tag);
  count_completion(false);
}

void check(const Posting& p, const Arrival& m) {
  MPI_Comm comm = m.comm;
  int source = m.source, tag = m.tag;
  bool first = settle(p.order);
  uint64_t index, known = known_to_sender(m, p.order, !p.unseen, index);
  Communicator* c = m.communicator;
  if (c->shared_id == 0) racing_close(comm);
  // Only then its place in its channel is sure.
  bool sure = index != 0 && open_before(m, p.order) == 0;
  bool outright = sure && !c->closed && m.world != g.rank;
  // One may only seem to be: the timestamp comes late. Asking MPI costs more than all the rest, so as often as it helps.
  static uint32_t pause = 0, asked_in_vain = 0;
  Rivals rivals = rivals_of(comm, source, tag);
  if (outright && rivals.exposed > known && pause-- == 0) {
    known = look_again(m, index, !p.unseen);
    asked_in_vain = rivals.exposed > known ? asked_in_vain + 1 : 0;
    pause = asked_in_vain < 14 ? (1u << asked_in_vain) - 1 : 16383;
  }
  if (sure) note_place(m, index);
  bool raced = outright ? rivals.exposed > known : record_first(p.order, comm, source, tag, known, rivals);
  bool traced = raced && outright;
  if (rivals.last > known) g.header->raced++;
  if (g.race_graph) note_race_fact(p, comm, source, tag, completions() - known);
  if (raced && p.site != nullptr) count_at(p.site, source, true);
  if (traced) put_traced(p, mark_traced(m, index));
  if (!p.any_source) return;
  uint64_t serial = count_completion(true);
  int wanted_tag = p.any_tag ? MPI_ANY_TAG : tag;
  Previous* last = previous_of(comm, wanted_tag);
  last->serial = serial;
  Exposed e{p.order, p.number, serial, comm, p.thread, source, tag, wanted_tag};
  if (!traced && (first || c->closed)) {
    record(e);
  } else if (!traced) {
    if (c->row == nullptr || c->row->count == 0) count_messages(c);
    expose(e);
    note_exposed(last, source, serial);
  }
}

}  // namespace

void racing_received(const Posting& p, MPI_Comm comm, int source, int tag) {
  Arrival message = arrival_of(comm, source, tag);
  saves_all() ? save(p, message) : check(p, message);
  if (p.any_source && changes_way()) change_way();
  // Last: a rank that is killed before has not received it.
  if (message.channel != nullptr) note_received(message);
}

}  // namespace ana::mpi
