#include "mpi/racing.h"

#include <stdlib.h>
#include <string.h>

#include "mpi/communicators.h"
#include "mpi/hints.h"
#include "mpi/sites.h"

namespace ana::mpi {

namespace {

constexpr size_t kMaxExposed = 4096;

struct Exposed {
  uint64_t order, number, serial;
  MPI_Comm comm;
  Thread* poster;
  int source, tag;  // of the message that it got
  int wanted_tag;
};

// A receive of any source that is posted and not complete.
struct Outstanding {
  uint64_t order;
  MPI_Comm comm;
  int wanted_tag;
  bool first;  // of a race: to be recorded when it completes
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
    memmove(static_cast<void*>(items + i), items + i + n, (size - i - n) * sizeof(T));
    size -= n;
  }
};

Sequence<Exposed> exposed;  // by serial
Sequence<Outstanding> outstanding;
uint64_t posted = 0;

bool accepts(int wanted_tag, int tag) { return wanted_tag == MPI_ANY_TAG || wanted_tag == tag; }

void record(const Exposed& e) { put_match(e.poster, e.number, e.wanted_tag == MPI_ANY_TAG, e.source, e.tag); }

// What a killed rank leaves unrecorded may have raced with a message that was never received.
void remember(const Exposed& e) {
  LiveExposed& slot = g.header->exposed[e.number % kLiveExposed];
  slot.stream = e.poster->stream;
  slot.source = e.source;
  slot.tag = e.tag;
  __atomic_store_n(&slot.number, e.number + 1, __ATOMIC_RELEASE);
}

void expose(const Exposed& e) {
  if (exposed.size == kMaxExposed) {
    record(exposed.items[0]);
    exposed.remove(0);
  }
  exposed.add(e);
  remember(e);
}

// Receives that every sender knows to be complete cannot race any more.
void forget_safe() {
  uint64_t known = known_by_all();
  size_t n = 0;
  while (n < exposed.size && exposed.items[n].serial <= known) n++;
  if (n > 0) exposed.remove(0, n);
}

// The message, received by the receive posted as `order`, against all before. True: it raced by the rule of the paper.
bool check(uint64_t order, MPI_Comm comm, int source, int tag, uint64_t known) {
  bool raced = false;
  for (size_t i = 0; i < outstanding.size; i++) {
    Outstanding& o = outstanding.items[i];
    if (o.order < order && o.comm == comm && accepts(o.wanted_tag, tag)) o.first = raced = true;
  }
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

}  // namespace

bool racing() { return g.phase == Phase::kRecord && g.timestamps; }

void start_racing() { start_hints(); }

void finish_racing() { finish_hints(); }

void racing_posted(Posting& p, MPI_Comm comm) {
  p.order = ++posted;
  if (p.any_source) outstanding.add({p.order, comm, p.tag, false});
}

void racing_cancelled(const Posting& p) {
  for (size_t i = outstanding.size; i > 0; i--) {
    if (outstanding.items[i - 1].order == p.order) return outstanding.remove(i - 1);
  }
}

void racing_received(const Posting& p, MPI_Comm comm, int source, int tag) {
  bool first = false;
  for (size_t i = outstanding.size; p.any_source && i > 0; i--) {
    if (outstanding.items[i - 1].order != p.order) continue;
    first = outstanding.items[i - 1].first;
    outstanding.remove(i - 1);
    break;
  }
  uint64_t known = known_to_sender(comm, source, tag, p.order);
  bool raced = check(p.order, comm, source, tag, known);
  if (raced) g.header->raced++;
  if (raced && p.site != nullptr) count_at(p.site, source, true);
  if (!p.any_source) return;
  uint64_t serial = count_completion();
  Exposed e{p.order, p.number, serial, comm, p.thread, source, tag, p.any_tag ? MPI_ANY_TAG : tag};
  if (first) {
    record(e);
  } else {
    expose(e);
  }
  if (serial % 64 == 0) forget_safe();
}

}  // namespace ana::mpi
