// Probes. One of any source is the receive event: its match is recorded, and the receive that follows names the source.
// `message` is where the message goes if the probe takes it, else null.
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

// Record: looks once. What it finds is a turn, and told before others have theirs; no is an answer of this thread alone.
int look_once(Thread* t, int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message, MPI_Status* status) {
  Guard guard;
  int result = message != nullptr ? PMPI_Improbe(source, tag, comm, flag, message, status)
                                  : PMPI_Iprobe(source, tag, comm, flag, status);
  if (result != MPI_SUCCESS || *flag == 0) return result;
  if (ana::mpi::g.threads) take_turn(t);
  if (t->call == Call::Iprobe || t->call == Call::Improbe) put_outcome(t, 0);
  found(t, source, tag, comm, status, message != nullptr);
  return result;
}

// Record: one that waits; if there are other threads, by looking again and again, since nobody may wait in a turn.
int look(Thread* t, int source, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status) {
  look_into(comm);
  for (; ana::mpi::g.threads; sched_yield()) {
    int flag = 0, result = look_once(t, source, tag, comm, &flag, message, status);
    if (result != MPI_SUCCESS || flag != 0) return result;
  }
  int result = message != nullptr ? PMPI_Mprobe(source, tag, comm, message, status)
                                  : PMPI_Probe(source, tag, comm, status);
  if (result == MPI_SUCCESS) found(t, source, tag, comm, status, message != nullptr);
  return result;
}

// Replay: waits for the message that the recorded one found.
int find(Thread* t, int source, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status) {
  Posting p = number(t, source, tag, comm);
  demand_match(p);
  if (alone()) return alone_probe(t, comm, message, status);
  if (t->dying && p.kind == ana::RequestClass::kNamed) park(t);  // nobody knows whether it found one
  Turn turn(t);
  return message != nullptr ? PMPI_Mprobe(p.source, p.tag, comm, message, status)
                            : PMPI_Probe(p.source, p.tag, comm, status);
}

int probe(Thread* t, int source, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status) {
  MPI_Status mine;
  if (status == MPI_STATUS_IGNORE) status = &mine;
  return recording() ? look(t, source, tag, comm, message, status) : find(t, source, tag, comm, message, status);
}

int ask(Thread* t, int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message, MPI_Status* status) {
  MPI_Status mine;
  if (status == MPI_STATUS_IGNORE) status = &mine;
  if (!recording()) {
    *flag = take_yes(t) ? 1 : 0;
    if (*flag == 0) return MPI_SUCCESS;
    take_outcome(t);
    return find(t, source, tag, comm, message, status);
  }
  look_into(comm);
  int result = look_once(t, source, tag, comm, flag, message, status);
  if (result != MPI_SUCCESS || *flag == 0) put_no(t);
  return result;
}

}  // namespace

extern "C" {

int MPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status* status) {
  Entered t = ANA_BEGIN(Probe, source, tag, comm_id(comm));
  if (t == nullptr || source == MPI_PROC_NULL) return PMPI_Probe(source, tag, comm, status);
  return probe(t, source, tag, comm, nullptr, status);
}

int MPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status) {
  Entered t = ANA_BEGIN(Mprobe, source, tag, comm_id(comm));
  if (t == nullptr || source == MPI_PROC_NULL) return PMPI_Mprobe(source, tag, comm, message, status);
  return probe(t, source, tag, comm, message, status);
}

int MPI_Iprobe(int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status) {
  Entered t = ANA_BEGIN(Iprobe, source, tag, comm_id(comm));
  if (t == nullptr || source == MPI_PROC_NULL) return PMPI_Iprobe(source, tag, comm, flag, status);
  return ask(t, source, tag, comm, flag, nullptr, status);
}

int MPI_Improbe(int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message, MPI_Status* status) {
  Entered t = ANA_BEGIN(Improbe, source, tag, comm_id(comm));
  if (t == nullptr || source == MPI_PROC_NULL) return PMPI_Improbe(source, tag, comm, flag, message, status);
  return ask(t, source, tag, comm, flag, message, status);
}

}  // extern "C"
