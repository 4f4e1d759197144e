// Record: receives of any source that are open and have got a message which the program has not seen. That one has is
// known when a receive that was posted later gets a message that it would have accepted. If the rank dies before the
// program looks at it, a replay must know what it got, or the later receive may get that; so it is asked for at once.
//
// Not where several threads may call MPI: the request may be in the hands of another.
#pragma once
#include "mpi/requests.h"

namespace ana::mpi {

void add_open(Tracked* entry);
void remove_open(Tracked* entry);
// A receive posted as `order` has got this message.
[[gnu::noinline]] void look_for_unseen(uint64_t order, MPI_Comm comm, int tag);
inline void note_received(uint64_t order, MPI_Comm comm, int tag) {
  if (g.open_receives != 0) look_for_unseen(order, comm, tag);
}
// At the end of a call, when no request is half done.
void tell_unseen();

}  // namespace ana::mpi
