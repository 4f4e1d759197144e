// The receives that are under way: which number each has in the trace, so that its match can be written when it
// completes, and, in a replay, which request really stands behind the one that the program holds.
//
// Keyed by handle. That is sound for receives, whose handles are their own from posting to completion; MPI shares
// handles only among sends (and receives from MPI_PROC_NULL) that are already complete, and these are never entered.
// Functions lock; an entry stays where it is, and belongs to the thread that works on its request, as MPI demands.
#pragma once
#include <mpi.h>
#include <stdint.h>

#include "mpi/library.h"

namespace ana::mpi {

class Area;

struct Tracked {
  MPI_Request handle;
  Thread* poster;
  uint64_t number;  // of its class
  RequestClass kind;
  bool any_source, any_tag;
  bool persistent, active;
  bool freed;          // record: before it was complete
  bool matched, told;  // record: see unseen.h; its message is recorded already
  bool pseudo;         // replay: `handle` or `actual` is a generalized request that only a cancel ends
  MPI_Request actual;  // replay: waited for instead of `handle`; MPI_REQUEST_NULL: `handle` itself
  SiteRecord* site;
  uint64_t order;      // Posting::order
  // What was asked for; a persistent receive is posted anew from it in a replay.
  void* buffer;
  int count, source, tag;
  MPI_Datatype type;
  MPI_Comm comm;
  // With contents (alone.h).
  Area* area;             // of a collective
  bool by_probe;          // an MPI_Imrecv: the probe was the receive event
  bool pending;           // what it gets is not the program's yet
  bool held;              // the datatype is ours
  uint64_t freed_number;  // see `freed`
};

uint64_t key_of(MPI_Request request);

// How many there are: with none, completion functions have nothing to do.
size_t tracked_requests();
Tracked* find_tracked(MPI_Request request);
Tracked* add_tracked(MPI_Request request);
void remove_tracked(Tracked* entry);
// The same, but the entry lives on: until it is entered again or dropped. Null: there is none. For calls that complete
// requests: as soon as one is complete, MPI may give its handle to another thread. Not so of persistent ones: they stay.
Tracked* take_out(MPI_Request request);
void put_back(Tracked* entry);
void drop(Tracked* entry);

// A request that nothing but cancelling completes, for receives that were never matched.
MPI_Request make_pseudo();

}  // namespace ana::mpi
