// The vocabulary of the tracing algorithms (src/algorithms): events, accesses, edges, and what a host provides.
//
// An algorithm watches the accesses of threads to granules of memory and decides which pairs must be traced so that the
// order of all conflicting accesses can be enforced again. It is pure: no locks, no clocks of the machine, no I/O, and
// memory only from its host. There are two hosts: the recorder inside the user's program, and the simulator. All
// headers here are freestanding.
//
// One event, whatever it touches, is done so:
//
//   begin(thread)                           counts the event
//   check(thread, granule, kind)     x n    finds the earlier events that this one must come after
//   settle(thread, sink)                    traces those that nothing implies yet
//   update(thread, granule, kind)    x n    the event enters the histories
//
// The host holds the locks of all n granules from the first check to the last update (an event that touched them one
// after the other could be both before and after another event). access() is the whole of it for one granule.
#pragma once
#include <stddef.h>
#include <stdint.h>

namespace ana::algorithms {

using ThreadIndex = uint32_t;
using Serial = uint64_t;  // number of an event in its thread, from 1

constexpr ThreadIndex kMaxThreads = 0x7fff;
constexpr Serial kMaxSerial = (Serial{1} << 48) - 1;

enum class AccessKind : uint8_t { read, write, update };  // update: reads and writes at once, as atomics do
inline bool writes(AccessKind kind) { return kind != AccessKind::read; }

// What makes the sink depend on the source: read after write, and so on; "artificial" if the source is a later event of
// the thread that the sink really depends on.
enum class EdgeKind : uint8_t { raw, waw, war, rar, artificial };
constexpr unsigned kEdgeKinds = 5;

constexpr EdgeKind edge_kind(bool source_wrote, bool sink_writes) {
  return source_wrote ? (sink_writes ? EdgeKind::waw : EdgeKind::raw) : sink_writes ? EdgeKind::war : EdgeKind::rar;
}

// A traced edge: the event being checked comes after event `serial` of `thread`. Algorithms with Lamport clocks put the
// source's Lamport time there.
struct Edge {
  ThreadIndex thread;
  Serial serial;
  EdgeKind kind;
};

template <class T>
concept Sink = requires(T& sink, Edge edge) {
  sink.edge(edge);
};

// Where memory comes from. allocate() does not fail (a host without memory does not come back). kShared: granules that
// different threads work on at the same time share blocks, whose reference counts must then be atomic. pause() is one
// turn of a short wait for another thread; `turns` starts at 0 and is the host's.
template <class T>
concept Host = requires(T& host, void* block, size_t bytes, int& turns) {
  static_cast<char*>(host.allocate(bytes));
  host.release(block, bytes);
  host.pause(turns);
  static_cast<bool>(T::kShared);
};

// An event as histories keep it, in one word. All zero: none.
class Event {
 public:
  constexpr Event() = default;
  constexpr Event(ThreadIndex thread, uint64_t time, bool wrote)
      : bits_(time | uint64_t{thread} << 48 | uint64_t{wrote} << 63) {}

  explicit operator bool() const { return bits_ != 0; }
  ThreadIndex thread() const { return bits_ >> 48 & 0x7fff; }
  uint64_t time() const { return bits_ & kMaxSerial; }  // serial or Lamport time
  bool wrote() const { return bits_ >> 63; }
  uint64_t bits() const { return bits_; }
  static Event from_bits(uint64_t bits) {
    Event event;
    event.bits_ = bits;
    return event;
  }
  friend bool operator==(Event, Event) = default;

 private:
  uint64_t bits_ = 0;
};
static_assert(sizeof(Event) == 8);

// A view of a vector clock: for each thread the last event that is known to come before.
struct VectorClock {
  Serial* at;
  unsigned threads;

  bool covers(Event event) const { return event.time() <= at[event.thread()]; }
  void raise(ThreadIndex thread, Serial serial) {
    if (at[thread] < serial) at[thread] = serial;
  }
  void join(const Serial* other) {
    for (unsigned i = 0; i < threads; ++i) raise(i, other[i]);
  }
};

}  // namespace ana::algorithms
