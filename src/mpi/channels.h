// The paper's logical channels, as far as this rank sends or receives by them: (communicator, peer, tag), with what is
// known of the timestamps of their messages. For hints.cc.
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "trace/rank_format.h"

namespace ana::mpi {

enum class Direction : uint8_t { kSend, kReceive };

constexpr uint32_t kOrders = 8;
constexpr uint32_t kKnown = 4;

// What the sender knew when it sent the message `index` and those after it.
struct Known {
  uint64_t index;
  uint64_t sent;      // messages of the sender to us, of all channels, up to this one
  uint32_t serial;    // of our receives of any source
  uint32_t barriers;  // of MPI_COMM_WORLD
};

// A hint whose message has not come yet; its entries follow.
struct Waiting {
  Waiting* next;
  uint64_t index;
  uint32_t entries;
  uint32_t reserved;
};

struct Channel {
  uint64_t communicator;  // Communicator::shared_id
  int peer;               // its rank in MPI_COMM_WORLD
  int tag;
  Direction direction;
  bool is(uint64_t of, int with, int tagged) const { return tag == tagged && peer == with && communicator == of; }
  uint64_t count;            // of messages
  uint64_t stamp;            // send: of the last hint; receive: index of the last message traced
  uint64_t traced_as;        // receive: its number in the trace, + 1; 0: none yet
  int64_t traced_tag;        // of a lane: the last tag told
  uint64_t orders[kOrders];  // receive: when the receives of the last messages were posted
  uint64_t latest_left;      // receive: the latest of those that no longer are in `orders`
  uint64_t latest;           // receive: of all of them
  uint32_t hints;            // receive: in `known`, so many so far
  Known known[kKnown];
  LiveReceived* received;  // receive: its row in the file
  uint64_t limit;          // send, in a replay: so many were received, + 1; 0: not known yet
  int64_t permits;         // send, in a replay: see permits.h
  struct Unmatched* unmatched;  // the same
  Waiting* waiting;  // by index; send, in a replay: the messages that raced
  Waiting* last;     // of these
};

// Stands for the tag of a *lane*: all channels of a communicator and peer.
constexpr int kLane = -2147483647 - 1;

// Those that were asked for last, of each direction, by a hash that is cheaper than that of the table of all.
constexpr size_t kRecentChannels = 32;
extern Channel* recent_channels[2][kRecentChannels] __attribute__((visibility("hidden")));

// Made when it is first asked for.
[[gnu::noinline]] Channel* look_up_channel(Direction direction, uint64_t communicator, int peer, int tag);
inline Channel* find_channel(Direction direction, uint64_t communicator, int peer, int tag) {
  size_t place = (static_cast<size_t>(peer) ^ static_cast<size_t>(tag) * 8 ^ communicator) % kRecentChannels;
  Channel* c = recent_channels[static_cast<size_t>(direction)][place];
  if (c == nullptr || !c->is(communicator, peer, tag)) {
    c = look_up_channel(direction, communicator, peer, tag);
    recent_channels[static_cast<size_t>(direction)][place] = c;
  }
  return c;
}

}  // namespace ana::mpi
