// Timestamps and the messages that carry them, for racing.cc; see racing.h for what they mean.
#pragma once
#include <mpi.h>
#include <stdint.h>

namespace ana::mpi {

struct Channel;
struct Communicator;

constexpr uint32_t kMaxEntries = 64;  // components in a hint

void start_hints();
void finish_hints();

// A message that has been received, and where all that is known of its channel is.
struct Arrival {
  MPI_Comm comm;
  int source, tag;
  Communicator* communicator;
  int world;         // its source in MPI_COMM_WORLD
  Channel* channel;  // null: the communicator has no name that its members share
};
Arrival arrival_of(MPI_Comm comm, int source, int tag);

// One more receive of any source is complete here; gives its serial number, from 1. `tell`: it is news to other ranks.
uint64_t count_completion(bool tell);
// How many so far.
uint64_t completions();
// How many of them the sender of this message knew of, at least. `order` is that of the receive that got it. `index` is
// its place in its channel, the least that it can be, 0 if that is unknown. `seen`: the program knows that it has come.
uint64_t known_to_sender(const Arrival& message, uint64_t order, bool seen, uint64_t& index);
// The same, later, for a message whose index is known: its hint may have come.
uint64_t look_again(const Arrival& message, uint64_t index, bool seen);
// The place of the message in its channel is sure, and its hint has come if it has one.
void note_place(const Arrival& message, uint64_t index);
// How many of them the senders of all messages that are still to come know of.
uint64_t known_to_all();
// The message is received, and what is recorded of it is in the trace. `open` receives that accept messages of the
// channel were posted before the last that got one, and are open: they have got one, of this channel or of another. Only
// if it has a channel.
void count_received(const Arrival& message, uint64_t open);
// As many of them are still open.
void count_open(const Arrival& message, uint64_t open);
// The message is traced: gives what the trace tells of its place, EventKind::kTraced.
struct TracedPlace {
  uint64_t number;  // of its channel, of its lane, or its source
  bool new_channel, new_lane, new_communicator;
  int64_t tag;
  uint64_t since;  // in its channel
  uint64_t communicator;
  int64_t low;
};
TracedPlace mark_traced(const Arrival& message, uint64_t index);

}  // namespace ana::mpi
