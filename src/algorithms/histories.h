// The axis "history" of the adaptive algorithms: what a granule remembers of the events that accessed it. All zero is a
// granule that was never accessed.
//
//   StrongHistory  the last writer and the readers since that are not ordered before another: a read depends on the
//                  writer only (strong data dependence, "optimal")
//   WeakHistory    the last access, whatever it was: reads depend on each other too ("compressed")
#pragma once
#include "algorithms/candidates.h"

namespace ana::algorithms {

template <class Order, Host H>
class WeakHistory {
 public:
  struct Granule {
    Event last;
  };
  static_assert(sizeof(Granule) == 8);

  WeakHistory(H&, Order& order) : order_(order) {}

  void check(typename Order::State& state, const Granule& granule, bool writes) {
    if (granule.last && !order_.covers(state, granule.last)) state.candidates.add(granule.last, writes, {});
  }
  void update(typename Order::State&, Granule& granule, Event event) { granule.last = event; }
  void copy(Granule& to, const Granule& from) { to = from; }
  void forget(Granule& granule) { granule = {}; }

 private:
  Order& order_;
};

template <class Known>
struct KnownToBoth {
  Known writer, reader;
};
template <>
struct KnownToBoth<Nothing> {
  static inline Nothing writer, reader;
};

template <class Order, Host H>
class StrongHistory {
 public:
  using Known = typename Order::Known;
  using State = typename Order::State;

  struct Reader {
    Event event;
    [[no_unique_address]] Known known;
  };
  struct ReadSet {
    uint32_t count, capacity;
    Reader at[];
  };
  // One reader stands in the granule itself, several in a block; the bit that says "wrote" in an event tells them
  // apart.
  struct Granule {
    Event writer;
    uint64_t readers;
    [[no_unique_address]] KnownToBoth<Known> known;

    bool has_many() const { return readers >> 63; }
    Event reader() const { return Event::from_bits(readers); }
    ReadSet* many() const { return reinterpret_cast<ReadSet*>(readers & ~kMany); }
  };

  StrongHistory(H& host, Order& order) : host_(host), order_(order) {}

  // Netzer '93, Fig. 2: readers before the writer.
  void check(State& state, const Granule& granule, bool writes) {
    if (writes && granule.readers) {
      if (granule.has_many()) {
        check_many(state, *granule.many());
      } else if (!order_.covers(state, granule.reader())) {
        state.candidates.add(granule.reader(), true, granule.known.reader);
      }
    }
    if (granule.writer && !order_.covers(state, granule.writer)) {
      state.candidates.add(granule.writer, writes, granule.known.writer);
    }
  }

  void update(State& state, Granule& granule, Event event) {
    if (event.wrote()) {
      // All readers are ordered before this event now.
      if (granule.readers) forget_readers(granule);
      granule.writer = event;
      order_.replace(state, granule.known.writer);
    } else if (granule.has_many()) {
      add_to_many(state, granule, event);
    } else if (!granule.readers || order_.covers(state, granule.reader())) {
      granule.readers = event.bits();
      order_.replace(state, granule.known.reader);
    } else {
      start_many(state, granule, event);
    }
  }

  // For hosts that refine their granules: `to` was never accessed.
  void copy(Granule& to, const Granule& from) {
    to = from;
    order_.retain(to.known.writer);
    if (!from.has_many()) {
      order_.retain(to.known.reader);
      return;
    }
    const ReadSet& set = *from.many();
    ReadSet* copied = make_set(set.capacity);
    for (; copied->count < set.count; ++copied->count) {
      copied->at[copied->count] = set.at[copied->count];
      order_.retain(set.at[copied->count].known);
    }
    to.readers = tagged(copied);
  }

  void forget(Granule& granule) {
    forget_readers(granule);
    order_.release(granule.known.writer);
    granule = {};
  }

 private:
  static constexpr uint64_t kMany = uint64_t{1} << 63;
  static constexpr uint32_t kFirstCapacity = 4;

  static uint64_t tagged(ReadSet* set) { return reinterpret_cast<uint64_t>(set) | kMany; }
  static size_t set_bytes(uint32_t capacity) { return sizeof(ReadSet) + capacity * sizeof(Reader); }

  ReadSet* make_set(uint32_t capacity) {
    auto* set = static_cast<ReadSet*>(host_.allocate(set_bytes(capacity)));
    set->count = 0;
    set->capacity = capacity;
    return set;
  }
  void release_set(ReadSet* set) { host_.release(set, set_bytes(set->capacity)); }

  [[gnu::noinline]] void check_many(State& state, const ReadSet& set) {
    for (uint32_t i = 0; i < set.count; ++i) {
      if (!order_.covers(state, set.at[i].event)) state.candidates.add(set.at[i].event, true, set.at[i].known);
    }
  }

  void forget_readers(Granule& granule) {
    if (granule.has_many()) {
      ReadSet* set = granule.many();
      for (uint32_t i = 0; i < set->count; ++i) order_.release(set->at[i].known);
      release_set(set);
    } else {
      order_.release(granule.known.reader);
    }
    granule.readers = 0;
    granule.known.reader = {};
  }

  [[gnu::noinline]] void start_many(State& state, Granule& granule, Event event) {
    ReadSet* set = make_set(kFirstCapacity);
    set->at[set->count++] = {granule.reader(), granule.known.reader};
    granule.known.reader = {};
    granule.readers = tagged(set);
    append(state, granule, event);
  }

  // Stays a set even if one reader is left: it will have several again.
  [[gnu::noinline]] void add_to_many(State& state, Granule& granule, Event event) {
    ReadSet& set = *granule.many();
    // Who comes back and has learnt nothing meanwhile finds the others as unordered as before.
    for (uint32_t i = 0; i < set.count; ++i) {
      if (set.at[i].event.thread() != event.thread()) continue;
      if (!order_.knows_no_more(state, set.at[i].known)) break;
      set.at[i].event = event;
      return;
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < set.count; ++i) {
      if (order_.covers(state, set.at[i].event)) {
        order_.release(set.at[i].known);
      } else {
        set.at[kept++] = set.at[i];
      }
    }
    set.count = kept;
    append(state, granule, event);
  }

  void append(State& state, Granule& granule, Event event) {
    ReadSet* set = granule.many();
    if (set->count == set->capacity) {
      ReadSet* larger = make_set(2 * set->capacity);
      for (; larger->count < set->count; ++larger->count) larger->at[larger->count] = set->at[larger->count];
      release_set(set);
      set = larger;
      granule.readers = tagged(set);
    }
    Reader& reader = set->at[set->count++];
    reader.event = event;
    reader.known = {};
    order_.replace(state, reader.known);
  }

  H& host_;
  Order& order_;
};

}  // namespace ana::algorithms
