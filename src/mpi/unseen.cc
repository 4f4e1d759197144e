#include "mpi/unseen.h"

#include <stdlib.h>

#include "mpi/receive.h"

namespace ana::mpi {

namespace {

Tracked** open = nullptr;
size_t count = 0, room = 0;
bool some_matched = false;

}  // namespace

void add_open(Tracked* e) {
  if (g.threads) return;
  if (count == room) {
    room = room == 0 ? 16 : room * 2;
    open = static_cast<Tracked**>(realloc(static_cast<void*>(open), room * sizeof *open));
    if (open == nullptr) give_up("there is no memory left for the list of receives");
  }
  open[count++] = e;
}

void remove_open(Tracked* e) {
  for (size_t i = count; i > 0; i--) {
    if (open[i - 1] != e) continue;
    open[i - 1] = open[--count];
    return;
  }
}

void note_received(uint64_t order, MPI_Comm comm, int tag) {
  for (size_t i = 0; i < count; i++) {
    Tracked* e = open[i];
    if (e->order < order && e->comm == comm && (e->any_tag || e->tag == tag)) e->matched = some_matched = true;
  }
}

void tell_unseen() {
  if (!some_matched) return;
  some_matched = false;
  for (size_t i = 0; i < count;) {
    Tracked* e = open[i];
    MPI_Status status;
    int done = 0;
    if (e->matched) PMPI_Request_get_status(e->handle, &done, &status);
    if (done != 0) {
      completed(e, &status, false);  // removes it
      i = 0;
    } else {
      some_matched = some_matched || e->matched;  // its data are still coming
      i++;
    }
  }
}

}  // namespace ana::mpi
