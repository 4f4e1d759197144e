// Sends: counted, and in mode `racing` the place where timestamps leave.
#include <mpi.h>

#include "mpi/communicators.h"
#include "mpi/library.h"
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

}  // namespace ana::mpi

using namespace ana::mpi;

#define ANA_SEND(name, started)                                                                               \
  extern "C" int MPI_##name(const void* buffer, int count, MPI_Datatype type, int destination, int tag,       \
                            MPI_Comm comm) {                                                                  \
    Entered t = ANA_BEGIN(name, destination, tag, pack(count, comm));                                         \
    if (t != nullptr) comm = sending(t, destination, tag, comm);                                              \
    if (t == nullptr || !ana::mpi::g.threads)                                                                 \
      return PMPI_##name(buffer, count, type, destination, tag, comm);                                        \
    MPI_Request request;                                                                                      \
    if (int result = in_turn(t, PMPI_##started, buffer, count, type, destination, tag, comm, &request);       \
        result != MPI_SUCCESS)                                                                                \
      return result;                                                                                          \
    return PMPI_Wait(&request, MPI_STATUS_IGNORE);                                                            \
  }
ANA_SEND(Send, Isend)
ANA_SEND(Bsend, Ibsend)
ANA_SEND(Ssend, Issend)
ANA_SEND(Rsend, Irsend)

#define ANA_ISEND(name)                                                                                       \
  extern "C" int MPI_##name(const void* buffer, int count, MPI_Datatype type, int destination, int tag,       \
                            MPI_Comm comm, MPI_Request* request) {                                            \
    Entered t = ANA_BEGIN(name, destination, tag, pack(count, comm));                                         \
    if (t == nullptr) return PMPI_##name(buffer, count, type, destination, tag, comm, request);               \
    comm = sending(t, destination, tag, comm);                                                                \
    return in_turn(t, PMPI_##name, buffer, count, type, destination, tag, comm, request);                     \
  }
ANA_ISEND(Isend)
ANA_ISEND(Ibsend)
ANA_ISEND(Issend)
ANA_ISEND(Irsend)
