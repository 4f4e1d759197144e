// Probes. One of any source is the receive event: its match is recorded, and the receive that follows names the source.
#include <mpi.h>

#include "mpi/communicators.h"
#include "mpi/receive.h"

using namespace ana::mpi;

namespace {

// Numbers a probe that has found something, as if it were a receive, and records it.
void found(Thread* t, int source, int tag, MPI_Comm comm, MPI_Status* status) {
  Posting p = post(t, source, tag, comm);
  received(p, comm, status);
  ana::mpi::g.header->messages_received--;  // its receive will count
}

}  // namespace

extern "C" {

int MPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status* status) {
  Entered t = ANA_BEGIN(Probe, source, tag, comm_id(comm));
  if (t == nullptr || source == MPI_PROC_NULL) return PMPI_Probe(source, tag, comm, status);
  MPI_Status mine;
  if (status == MPI_STATUS_IGNORE) status = &mine;
  if (!recording()) {
    Posting p = post_blocking(t, source, tag, comm);
    return PMPI_Probe(p.source, p.tag, comm, status);
  }
  int result = PMPI_Probe(source, tag, comm, status);
  if (result == MPI_SUCCESS) found(t, source, tag, comm, status);
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
    Posting p = post_blocking(t, source, tag, comm);
    return PMPI_Probe(p.source, p.tag, comm, status);
  }
  int result = PMPI_Iprobe(source, tag, comm, flag, status);
  if (result != MPI_SUCCESS || *flag == 0) {
    put_no(t);
    return result;
  }
  put_outcome(t, 0);
  found(t, source, tag, comm, status);
  return result;
}

int MPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status) {
  Entered t = ANA_BEGIN(Mprobe, source, tag, comm_id(comm));
  if (t == nullptr || source == MPI_PROC_NULL) return PMPI_Mprobe(source, tag, comm, message, status);
  MPI_Status mine;
  if (status == MPI_STATUS_IGNORE) status = &mine;
  if (!recording()) {
    Posting p = post_blocking(t, source, tag, comm);
    return PMPI_Mprobe(p.source, p.tag, comm, message, status);
  }
  int result = PMPI_Mprobe(source, tag, comm, message, status);
  if (result == MPI_SUCCESS) found(t, source, tag, comm, status);
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
    Posting p = post_blocking(t, source, tag, comm);
    return PMPI_Mprobe(p.source, p.tag, comm, message, status);
  }
  int result = PMPI_Improbe(source, tag, comm, flag, message, status);
  if (result != MPI_SUCCESS || *flag == 0) {
    put_no(t);
    return result;
  }
  put_outcome(t, 0);
  found(t, source, tag, comm, status);
  return result;
}

}  // extern "C"
