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

// Made when it is first asked for.
Channel* find_channel(Direction direction, uint64_t communicator, int peer, int tag);

}  // namespace ana::mpi
