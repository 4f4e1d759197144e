// The channels of messages that raced, as the stream of their receiver tells them: each once, by differences, and by a
// number afterwards. For all who read such a stream. Freestanding: used inside the replayed program.
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "trace/rank_events.h"

namespace ana {

struct TracedChannel {
  uint64_t communicator;
  uint64_t index;  // of the last message traced
  int32_t source;  // in MPI_COMM_WORLD
  int32_t tag;     // of a lane: the last one told
};

class TracedChannels {
 public:
  TracedChannels() = default;
  TracedChannels(const TracedChannels&) = delete;
  ~TracedChannels() {
    free(communicators_.items);
    free(lanes_.items);
    free(channels_.items);
  }

  // The channel of a traced message, with its index; all events of the stream have to come by here, in order. Null: the
  // event names something that has not come up, or there is no memory.
  const TracedChannel* of(const RankEvent& e) {
    if (!e.has_tag) return e.new_lane || e.value >= channels_.size ? nullptr : move(channels_.items[e.value], e);
    size_t lane = e.value;
    if (e.new_lane) {
      if (e.new_communicator && !add_communicator(e)) return nullptr;
      uint64_t since = e.new_communicator ? 0 : e.communicator;
      if (since >= communicators_.size) return nullptr;
      lane = lanes_.size;
      uint64_t id = communicators_.items[communicators_.size - 1 - since];
      if (!lanes_.add({id, 0, static_cast<int32_t>(e.value), last_tag_})) return nullptr;
    }
    if (lane >= lanes_.size) return nullptr;
    TracedChannel& told = lanes_.items[lane];
    // Nothing in a file is trusted, sums included.
    told.tag = last_tag_ = static_cast<int32_t>(static_cast<uint32_t>(told.tag) + static_cast<uint32_t>(e.tag));
    if (!channels_.add(told)) return nullptr;
    return move(channels_.items[channels_.size - 1], e);
  }

 private:
  template <class T>
  struct Items {
    T* items = nullptr;
    size_t size = 0, room = 0;
    bool add(const T& item) {
      if (size == room) {
        size_t more = room == 0 ? 64 : room * 2;
        auto* moved = static_cast<T*>(realloc(static_cast<void*>(items), more * sizeof(T)));
        if (moved == nullptr) return false;
        items = moved;
        room = more;
      }
      items[size++] = item;
      return true;
    }
  };

  static const TracedChannel* move(TracedChannel& channel, const RankEvent& e) {
    channel.index += e.index;
    return &channel;
  }
  bool add_communicator(const RankEvent& e) {
    uint32_t before = communicators_.size == 0 ? 0 : static_cast<uint32_t>(communicators_.items[communicators_.size - 1]);
    return communicators_.add(e.communicator << 32 | (before + static_cast<uint32_t>(e.low)));
  }

  Items<uint64_t> communicators_;
  Items<TracedChannel> lanes_, channels_;
  int32_t last_tag_ = 0;
};

}  // namespace ana
