// Probes. One of any source is the receive event: its match is recorded, and the receive that follows names the source.
#include <mpi.h>
#include <sched.h>

#include "mpi/alone.h"
#include "mpi/communicators.h"
#include "mpi/lock.h"
#include "mpi/payload.h"
#include "mpi/racing.h"
#include "mpi/receive.h"
#include "mpi/sites.h"
#include "mpi/turns.h"
#include "mpi/unseen.h"

using namespace ana::mpi;

namespace {

void look_into(MPI_Comm comm) {
  if (racing()) racing_close(comm);
}

// Record: a probe that does not wait. What it finds is a turn; no is an answer of this thread alone.
template <class F, class... Results>
int look_once(Thread* t, F probe, int source, int tag, MPI_Comm comm, int* flag, Results... results) {
  Guard guard;
  int result = probe(source, tag, comm, flag, results...);
  if (ana::mpi::g.threads && result == MPI_SUCCESS && *flag != 0) take_turn(t);
  return result;
}

// Record: one that waits; if there are other threads, by looking again and again, since nobody may wait in a turn.
template <class F, class G, class... Results>
int look(Thread* t, F blocking, G once, int source, int tag, MPI_Comm comm, Results... results) {
  if (!ana::mpi::g.threads) return blocking(source, tag, comm, results...);
  for (int flag = 0;; sched_yield()) {
    int result = look_once(t, once, source, tag, comm, &flag, results...);
    if (result != MPI_SUCCESS || flag != 0) return result;
  }
}

// Record: a probe has found something. One that also takes the message is a receive that names its source.
void found(Thread* t, int source, int tag, MPI_Comm comm, const MPI_Status* status, bool takes) {
  Posting p = number(t, source, tag, comm);
  if (p.kind == ana::RequestClass::kWildcard)
    put_match(t, p.number, p.any_tag, status->MPI_SOURCE, status->MPI_TAG);
  if (p.any_source) count_one(ana::mpi::g.header->probed);
  if (p.site != nullptr) count_at(p.site, status->MPI_SOURCE, false);
  if (ana::mpi::g.contents) keep_message(t, MPI_SUCCESS, nullptr, 0, MPI_BYTE, status);
  p.order = next_order();
  note_received(p.order, comm, status->MPI_TAG);
  if (!takes || !racing()) return;
  p.any_source = false;
  racing_posted(p, comm);
  racing_received(p, comm, status->MPI_SOURCE, status->MPI_TAG);
}

// Replay: which message it finds.
Posting find(Thread* t, int source, int tag, MPI_Comm comm) {
  Posting p = number(t, source, tag, comm);
  demand_match(p);
  return p;
}

int find(Thread* t, int source, int tag, MPI_Comm comm, MPI_Status* status) {
  Posting p = find(t, source, tag, comm);
  if (alone()) return alone_probe(t, comm, nullptr, status);
  return in_turn(t, PMPI_Probe, p.source, p.tag, comm, status);
}

int find(Thread* t, int source, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status) {
  Posting p = find(t, source, tag, comm);
  if (alone()) return alone_probe(t, comm, message, status);
  return in_turn(t, PMPI_Mprobe, p.source, p.tag, comm, message, status);
}

}  // namespace

extern "C" {

int MPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status* status) {
  Entered t = ANA_BEGIN(Probe, source, tag, comm_id(comm));
  if (t == nullptr || source == MPI_PROC_NULL) return PMPI_Probe(source, tag, comm, status);
  MPI_Status mine;
  if (status == MPI_STATUS_IGNORE) status = &mine;
  if (!recording()) return find(t, source, tag, comm, status);
  look_into(comm);
  int result = look(t, PMPI_Probe, PMPI_Iprobe, source, tag, comm, status);
  if (result == MPI_SUCCESS) found(t, source, tag, comm, status, false);
  return result;
}

int MPI_Iprobe(int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status) {
  Entered t = ANA_BEGIN(Iprobe, source, tag, comm_id(comm));
  if (t == nullptr || source == MPI_PROC_NULL) return PMPI_Iprobe(source, tag, comm, flag, status);
  MPI_Status mine;
  if (status == MPI_STATUS_IGNORE) status = &mine;
  if (!recording()) {
    *flag = take_yes(t) ? 1 : 0;
    if (*flag == 0) return MPI_SUCCESS;
    take_outcome(t);
    return find(t, source, tag, comm, status);
  }
  look_into(comm);
  int result = look_once(t, PMPI_Iprobe, source, tag, comm, flag, status);
  if (result != MPI_SUCCESS || *flag == 0) {
    put_no(t);
    return result;
  }
  put_outcome(t, 0);
  found(t, source, tag, comm, status, false);
  return result;
}

int MPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status) {
  Entered t = ANA_BEGIN(Mprobe, source, tag, comm_id(comm));
  if (t == nullptr || source == MPI_PROC_NULL) return PMPI_Mprobe(source, tag, comm, message, status);
  MPI_Status mine;
  if (status == MPI_STATUS_IGNORE) status = &mine;
  if (!recording()) return find(t, source, tag, comm, message, status);
  look_into(comm);
  int result = look(t, PMPI_Mprobe, PMPI_Improbe, source, tag, comm, message, status);
  if (result == MPI_SUCCESS) found(t, source, tag, comm, status, true);
  return result;
}

int MPI_Improbe(int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message, MPI_Status* status) {
  Entered t = ANA_BEGIN(Improbe, source, tag, comm_id(comm));
  if (t == nullptr || source == MPI_PROC_NULL) return PMPI_Improbe(source, tag, comm, flag, message, status);
  MPI_Status mine;
  if (status == MPI_STATUS_IGNORE) status = &mine;
  if (!recording()) {
    *flag = take_yes(t) ? 1 : 0;
    if (*flag == 0) return MPI_SUCCESS;
    take_outcome(t);
    return find(t, source, tag, comm, message, status);
  }
  look_into(comm);
  int result = look_once(t, PMPI_Improbe, source, tag, comm, flag, message, status);
  if (result != MPI_SUCCESS || *flag == 0) {
    put_no(t);
    return result;
  }
  put_outcome(t, 0);
  found(t, source, tag, comm, status, true);
  return result;
}

}  // extern "C"
