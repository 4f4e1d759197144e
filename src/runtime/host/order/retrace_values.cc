// Reads are shown what they saw (algorithms/value_shadow.h). An event has the locks of its granules until it is closed;
// meanwhile bytes that it must not see yet, or no more, are put aside.
#include "algorithms/value_shadow.h"
#include "runtime/host/order/retracing.h"

namespace ana {
namespace {

using namespace algorithms;

// Bytes of the program's memory that a read sees others instead of.
struct Hidden {
  Hidden* next;
  uint64_t at, size;
  unsigned char bytes[];
};

struct ThreadShadow {
  LockSet locks;
  GranuleTable seen;
  Hidden* hidden;
  uint64_t edges_past;  // edges of earlier events: their sources are no longer awaited by them
  uint32_t* come_to;    // of each publication: how many of the edges that name it have been come to
};
ThreadShadow* g_states[kMaxSlots];

struct Publications {
  // Any answer but the latest is "yes" for longer than necessary.
  bool awaited(ThreadIndex slot, uint32_t publication) const {
    return __atomic_load_n(&g_states[slot]->come_to[publication - 1], __ATOMIC_RELAXED) <
           g_slots[slot].replay.consumers[publication - 1];
  }
  void came_to(const ScheduledEdge& edge) {
    __atomic_add_fetch(&g_states[edge.source]->come_to[edge.publication - 1], 1, __ATOMIC_RELAXED);
  }
};

using Shadow = ValueShadow<TracingHost, Publications>;

TracingHost g_host;
Publications g_publications;
GranuleTable g_granules;

// The publication that the slot's present event is, or 0 if no edge names it.
uint32_t publication_of(const Slot& slot) {
  const ReplayState& r = slot.replay;
  uint64_t n = r.next_publication;
  bool is_named = n < r.publication_count && r.publications[n].count == slot.shared->count;
  return is_named ? static_cast<uint32_t>(n) + 1 : 0;
}

// Edges of the present event have been taken already, and are the last ones of those.
bool is_source(const Slot& slot, uint64_t site, ThreadIndex source, uint32_t publication) {
  const ReplayState& r = slot.replay;
  for (uint64_t i = r.next_edge; i-- > 0;) {
    const ScheduledEdge& edge = r.edges[i];
    if (edge.count != slot.shared->count) return false;
    if (edge.site == site && edge.source == source && edge.publication == publication) return true;
  }
  return false;
}

void show(ThreadShadow& state, uint64_t first, uint64_t last, const unsigned char* content) {
  uint64_t size = last - first + 1;
  auto* hidden = static_cast<Hidden*>(g_host.allocate(sizeof(Hidden) + size));
  hidden->at = first;
  hidden->size = size;
  memcpy(hidden->bytes, reinterpret_cast<void*>(first), size);
  hidden->next = state.hidden;
  state.hidden = hidden;
  memcpy(reinterpret_cast<void*>(first), content, size);
}

// The latest first: ranges may overlap.
void show_no_more(ThreadShadow& state) {
  while (Hidden* hidden = state.hidden) {
    memcpy(reinterpret_cast<void*>(hidden->at), hidden->bytes, hidden->size);
    state.hidden = hidden->next;
    g_host.release(hidden, sizeof(Hidden) + hidden->size);
  }
}

void forget_past_edges(const Slot& slot, ThreadShadow& state) {
  const ReplayState& r = slot.replay;
  while (state.edges_past < r.next_edge && r.edges[state.edges_past].count < slot.shared->count)
    g_publications.came_to(r.edges[state.edges_past++]);
}

void init() { g_granules.init(g_session->granularity_shift, sizeof(Shadow::Granule)); }

void start(Slot& slot) {
  auto* state = static_cast<ThreadShadow*>(g_host.allocate(sizeof(ThreadShadow)));
  memset(state, 0, sizeof(ThreadShadow));
  state->locks.clear();
  state->seen.init(g_session->granularity_shift, sizeof(Shadow::Seen));
  uint64_t bytes = slot.replay.publication_count * sizeof(uint32_t);
  state->come_to = static_cast<uint32_t*>(g_host.allocate(bytes));
  memset(state->come_to, 0, bytes);
  g_states[slot.id] = state;  // others ask for it when they have passed one of its publications
}

void open(Slot& slot, ReplayedEvent& event) {
  ThreadShadow& state = *g_states[slot.id];
  forget_past_edges(slot, state);
  uint32_t shift = g_granules.shift();
  event.accesses.each(shift, [&](uint64_t granule, bool, uint64_t, uint64_t) { state.locks.add(granule, shift); });
  state.locks.lock(false);
  event.is_open = true;  // also if the memory cannot be read: the program is about to find that out
  Shadow shadow(g_host, g_publications, 1ull << shift);
  event.accesses.each(shift, [&](uint64_t number, bool write, uint64_t first, uint64_t last) {
    auto& granule = *static_cast<Shadow::Granule*>(g_granules.find(number));
    auto& seen = *static_cast<Shadow::Seen*>(state.seen.find(number));
    uint64_t begin = number << shift;
    if (write) {
      shadow.overwrite(granule, seen, slot.id, publication_of(slot), reinterpret_cast<void*>(begin));
      return;
    }
    auto is_mine = [&](ThreadIndex source, uint32_t publication) {
      return is_source(slot, event.site, source, publication);
    };
    if (const unsigned char* content = shadow.present(granule, seen, is_mine))
      show(state, first, last, content + (first - begin));
  });
}

void close(Slot& slot, ReplayedEvent&) {
  ThreadShadow& state = *g_states[slot.id];
  show_no_more(state);
  state.locks.unlock();
}

}  // namespace

constinit const Retracer kRetraceValues{init, start, open, close};

}  // namespace ana
