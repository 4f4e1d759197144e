#include "mpi/unseen.h"

#include <stdlib.h>

#include "mpi/receive.h"

namespace ana::mpi {

namespace {

Tracked** open = nullptr;
size_t room = 0;

}  // namespace

void add_open(Tracked* e) {
  if (g.threads) return;
  if (g.open_receives == room) {
    room = room == 0 ? 16 : room * 2;
    open = static_cast<Tracked**>(realloc(static_cast<void*>(open), room * sizeof *open));
    if (open == nullptr) give_up("there is no memory left for the list of receives");
  }
  open[g.open_receives++] = e;
}

void remove_open(Tracked* e) {
  for (size_t i = g.open_receives; i > 0; i--) {
    if (open[i - 1] != e) continue;
    open[i - 1] = open[--g.open_receives];
    return;
  }
}

void look_for_unseen(uint64_t order, MPI_Comm comm, int tag) {
  for (size_t i = 0; i < g.open_receives; i++) {
    Tracked* e = open[i];
    if (e->order < order && e->comm == comm && (e->any_tag || e->tag == tag)) e->matched = g.unseen = true;
  }
}

void tell_unseen() {
  if (!g.unseen) return;
  g.unseen = false;
  for (size_t i = 0; i < g.open_receives;) {
    Tracked* e = open[i];
    MPI_Status status;
    int done = 0;
    if (e->matched) PMPI_Request_get_status(e->handle, &done, &status);
    if (done != 0) {
      completed(e, &status, false);  // removes it
      i = 0;
    } else {
      g.unseen = g.unseen || e->matched;  // its data are still coming
      i++;
    }
  }
}

}  // namespace ana::mpi
