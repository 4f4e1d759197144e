// Receives, blocking or not, from C or Fortran: what is done before one is posted and after it has completed.
#pragma once
#include <mpi.h>

#include "mpi/lock.h"
#include "mpi/requests.h"

namespace ana::mpi {

struct Posting {
  Thread* thread;
  uint64_t number;
  RequestClass kind;  // kWildcard: its match is recorded
  bool any_source, any_tag;
  bool never;       // replay: nothing came; it must not be posted
  int source, tag;  // to post it with
  MPI_Comm comm;    // the same: in a replay, a message that raced comes by the shadow
  SiteRecord* site;
  uint64_t order = 0;  // record: among all receives
  bool unseen = false;  // record: the program does not know that it is complete, or never will
};

// Gives the receive or the probe that has found something its number and, in a replay, the source and tag that it got.
Posting number(Thread* t, int source, int tag, MPI_Comm comm);
// The same for a receive that is about to be posted.
Posting post(Thread* t, int source, int tag, MPI_Comm comm);
// Record: the place of a receive in the order of posting, of a probe as well.
uint64_t next_order();
// Of a receive or probe that blocks: in a replay it must have a match.
void demand_match(const Posting& posting);
Posting post_blocking(Thread* t, int source, int tag, MPI_Comm comm);

// Record: the receive of any source with this number got this message.
[[gnu::noinline]] void put_long_match(Thread* t, int64_t number, int64_t tag_step, int source);
template <bool kPlain = false>  // Library::plain, where that is known
void put_match(Thread* t, uint64_t number, bool any_tag, int source, int tag) {
  Guard guard(!kPlain);  // who waits for a receive need not be the thread that posted it
  int64_t n = static_cast<int64_t>(number);
  g.header->traced++;
  // The tag of a receive that names it need not be told, nor one that is as the last.
  int64_t tag_step = any_tag ? tag - t->last_tag : 0;
  t->last_tag += tag_step;
  if (n != t->next_match || tag_step != 0 || static_cast<uint32_t>(source) >= Writer::kShortSource)
    return put_long_match(t, n, tag_step, source);
  t->next_match = n + 1;
  t->writer.put_source(static_cast<uint32_t>(source));
}
// Record: the receive has got this message.
void received(const Posting& posting, MPI_Comm comm, MPI_Status* status);

// A non-blocking receive has been posted as `request`.
Tracked* track(const Posting& posting, MPI_Request request, MPI_Comm comm);
// Record: it has completed; `status` is never MPI_STATUS_IGNORE. Not `seen`: and the program does not know.
void completed(Tracked* entry, MPI_Status* status, bool seen = true);

}  // namespace ana::mpi
