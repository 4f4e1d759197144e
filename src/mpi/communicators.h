// The communicators that the program has, numbered in the order in which this rank got them, so that a replay can tell
// them apart by the same numbers although handles differ.
#pragma once
#include <mpi.h>
#include <stdint.h>

#include "mpi/library.h"

namespace ana::mpi {

struct Communicator {
  MPI_Comm handle;
  uint32_t id;
  uint64_t shared_id;  // the same in all its members; 0: unknown. Only with timestamps
  int* world_ranks;    // of its members, or the remote ones; null: not asked for yet
  int size;            // of these
  MPI_Comm shadow;     // replay: for messages that raced; MPI_COMM_NULL: none
  LiveReceived* row;   // record: of the communicator; null: none yet
  uint64_t told_as;    // record: its number among those that messages in the trace came by, + 1; 0: none did
  bool is_world;       // MPI_COMM_WORLD
  bool closed;         // record: this rank saves all receives of any source, see racing_close()
};

extern Communicator* last_communicator ANA_HIDDEN;  // most programs use one for long
inline Communicator* same_as_last(MPI_Comm comm) {
  Communicator* c = last_communicator;
  return !g.threads && c != nullptr && c->handle == comm ? c : nullptr;
}
// Entered when it is first seen.
[[gnu::noinline]] Communicator* look_up_communicator(MPI_Comm comm);
inline Communicator* find_communicator(MPI_Comm comm) {
  Communicator* c = same_as_last(comm);
  return c != nullptr ? c : look_up_communicator(comm);
}
[[gnu::noinline]] uint32_t look_up_id(MPI_Comm comm);
inline uint32_t comm_id(MPI_Comm comm) {
  Communicator* c = same_as_last(comm);
  return c != nullptr ? c->id : look_up_id(comm);
}
// A new one, in all members: agrees on shared_id where that is possible.
void add_communicator(Thread* t, MPI_Comm comm);
void remove_communicator(MPI_Comm comm);
// In any order; null after the last.
Communicator* communicator_at(size_t i);

// The rank in MPI_COMM_WORLD of a member; -1: none.
int translate_rank(Communicator* c, int rank);
inline int world_rank(Communicator* c, int rank) { return c->is_world ? rank : translate_rank(c, rank); }
// The other way round.
int rank_in(Communicator* c, int world);

// For hashes.
inline uint64_t pack(int count, MPI_Comm comm) {
  return static_cast<uint64_t>(static_cast<uint32_t>(count)) << 24 ^ comm_id(comm);
}
inline uint64_t pack_peer(int peer, int tag) {
  return static_cast<uint64_t>(static_cast<uint32_t>(peer)) << 32 ^ static_cast<uint64_t>(tag) << 8;
}

// Before a message is sent. Gives the communicator to send it by: in a replay, one that raced goes by the shadow.
MPI_Comm sending(Thread* t, int destination, int tag, MPI_Comm comm);

struct Outgoing {
  const void* data;
  int count;
  MPI_Datatype type;
  int destination, tag;
};
using StartSend = int(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
// All of a send, of the mode of `start`; `request` completes when the buffer may be used again.
int send_now(Thread* t, StartSend* start, const Outgoing& message, MPI_Comm comm, MPI_Request* request);

}  // namespace ana::mpi
