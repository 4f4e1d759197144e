#include "mpi/channels.h"

#include <stdlib.h>

#include "mpi/library.h"

namespace ana::mpi {

namespace {

Channel** table = nullptr;
size_t room = 0, used = 0;

bool is(const Channel* c, Direction direction, uint64_t communicator, int peer, int tag) {
  return c->is(communicator, peer, tag) && c->direction == direction;
}

size_t home_of(Direction direction, uint64_t communicator, int peer, int tag) {
  uint64_t h = communicator * 0x9e3779b97f4a7c15ull ^ static_cast<uint64_t>(direction);
  h = (h ^ static_cast<uint32_t>(peer)) * 0xbf58476d1ce4e5b9ull;
  h = (h ^ static_cast<uint32_t>(tag)) * 0x94d049bb133111ebull;
  return static_cast<size_t>(h >> 24) & (room - 1);
}

void grow() {
  Channel** old = table;
  size_t old_room = room;
  room = room == 0 ? 1024 : room * 2;
  table = static_cast<Channel**>(calloc(room, sizeof *table));
  if (table == nullptr) give_up("there is no memory left for the table of channels");
  for (size_t i = 0; i < old_room; i++) {
    if (old[i] == nullptr) continue;
    size_t at = home_of(old[i]->direction, old[i]->communicator, old[i]->peer, old[i]->tag);
    while (table[at] != nullptr) at = (at + 1) & (room - 1);
    table[at] = old[i];
  }
  free(static_cast<void*>(old));
}

}  // namespace

Channel* recent_channels[2][kRecentChannels] = {};

Channel* look_up_channel(Direction direction, uint64_t communicator, int peer, int tag) {
  if ((used + 1) * 2 > room) grow();
  size_t at = home_of(direction, communicator, peer, tag);
  while (table[at] != nullptr && !is(table[at], direction, communicator, peer, tag)) at = (at + 1) & (room - 1);
  if (table[at] == nullptr) {
    table[at] = static_cast<Channel*>(calloc(1, sizeof(Channel)));
    if (table[at] == nullptr) give_up("there is no memory left for a channel");
    used++;
    table[at]->communicator = communicator;
    table[at]->peer = peer;
    table[at]->tag = tag;
    table[at]->direction = direction;
  }
  return table[at];
}

}  // namespace ana::mpi
