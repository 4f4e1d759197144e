// Sends: counted, and in mode `racing` the place where timestamps leave.
#include <mpi.h>

#include "mpi/alone.h"
#include "mpi/communicators.h"
#include "mpi/library.h"
#include "mpi/lock.h"
#include "mpi/payload.h"
#include "mpi/permits.h"
#include "mpi/racing.h"
#include "mpi/turns.h"

namespace ana::mpi {

MPI_Comm sending(Thread* t, int destination, int tag, MPI_Comm comm) {
  if (destination == MPI_PROC_NULL) return comm;
  disturb();
  if (!recording()) return g.timestamps ? racing_way(destination, tag, comm) : comm;
  count_one(g.header->messages_sent);
  if (g.timestamps) racing_send(destination, tag, comm);
  return comm;
}

int send_now(Thread* t, const Outgoing& m, MPI_Comm comm, MPI_Request* request) {
  MPI_Comm way = sending(t, m.destination, m.tag, comm);
  if (g.permits && way == comm && m.destination != MPI_PROC_NULL) return send_copy(m, comm, request);
  return in_turn(t, PMPI_Isend, m.data, m.count, m.type, m.destination, m.tag, way, request);
}

}  // namespace ana::mpi

using namespace ana::mpi;

extern "C" {

int MPI_Send(const void* buffer, int count, MPI_Datatype type, int destination, int tag, MPI_Comm comm) {
  Entered t = ANA_BEGIN(Send, destination, tag, pack(count, comm));
  if (t == nullptr) return PMPI_Send(buffer, count, type, destination, tag, comm);
  check_sent(t, buffer, count, type, destination);
  if (alone()) return alone_send(t);
  if (!ana::mpi::g.threads && !ana::mpi::g.permits)
    return PMPI_Send(buffer, count, type, destination, tag, sending(t, destination, tag, comm));
  MPI_Request request;
  int result = send_now(t, {buffer, count, type, destination, tag}, comm, &request);
  return result == MPI_SUCCESS ? PMPI_Wait(&request, MPI_STATUS_IGNORE) : result;
}

int MPI_Isend(const void* buffer, int count, MPI_Datatype type, int destination, int tag, MPI_Comm comm,
              MPI_Request* request) {
  Entered t = ANA_BEGIN(Isend, destination, tag, pack(count, comm));
  if (t == nullptr) return PMPI_Isend(buffer, count, type, destination, tag, comm, request);
  check_sent(t, buffer, count, type, destination);
  if (alone()) return alone_isend(t, request);
  return send_now(t, {buffer, count, type, destination, tag}, comm, request);
}

}  // extern "C"

#define ANA_SEND(name, started)                                                                               \
  extern "C" int MPI_##name(const void* buffer, int count, MPI_Datatype type, int destination, int tag,       \
                            MPI_Comm comm) {                                                                  \
    Entered t = ANA_BEGIN(name, destination, tag, pack(count, comm));                                         \
    if (t != nullptr) comm = sending(t, destination, tag, comm);                                              \
    if (t != nullptr) check_sent(t, buffer, count, type, destination);                                        \
    if (t != nullptr && alone()) return alone_send(t);                                                        \
    if (t == nullptr || !ana::mpi::g.threads)                                                                 \
      return PMPI_##name(buffer, count, type, destination, tag, comm);                                        \
    MPI_Request request;                                                                                      \
    if (int result = in_turn(t, PMPI_##started, buffer, count, type, destination, tag, comm, &request);       \
        result != MPI_SUCCESS)                                                                                \
      return result;                                                                                          \
    return PMPI_Wait(&request, MPI_STATUS_IGNORE);                                                            \
  }
ANA_SEND(Bsend, Ibsend)
ANA_SEND(Ssend, Issend)
ANA_SEND(Rsend, Irsend)

#define ANA_ISEND(name)                                                                                       \
  extern "C" int MPI_##name(const void* buffer, int count, MPI_Datatype type, int destination, int tag,       \
                            MPI_Comm comm, MPI_Request* request) {                                            \
    Entered t = ANA_BEGIN(name, destination, tag, pack(count, comm));                                         \
    if (t == nullptr) return PMPI_##name(buffer, count, type, destination, tag, comm, request);               \
    comm = sending(t, destination, tag, comm);                                                                \
    check_sent(t, buffer, count, type, destination);                                                          \
    if (alone()) return alone_isend(t, request);                                                              \
    return in_turn(t, PMPI_##name, buffer, count, type, destination, tag, comm, request);                     \
  }
ANA_ISEND(Ibsend)
ANA_ISEND(Issend)
ANA_ISEND(Irsend)
