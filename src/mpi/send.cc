// Sends: counted, and in mode `racing` the place where timestamps leave.
#include <mpi.h>

#include "mpi/communicators.h"
#include "mpi/library.h"
#include "mpi/racing.h"

namespace ana::mpi {

void sending(Thread* t, int destination, int tag, MPI_Comm comm) {
  if (destination == MPI_PROC_NULL) return;
  disturb();
  if (!recording()) return;
  g.header->messages_sent++;
  if (g.timestamps) racing_send(destination, tag, comm);
}

}  // namespace ana::mpi

using namespace ana::mpi;

#define ANA_SEND(name)                                                                                        \
  extern "C" int MPI_##name(const void* buffer, int count, MPI_Datatype type, int destination, int tag,       \
                            MPI_Comm comm) {                                                                  \
    Entered t = ANA_BEGIN(name, destination, tag, pack(count, comm));                                         \
    if (t != nullptr) sending(t, destination, tag, comm);                                                     \
    return PMPI_##name(buffer, count, type, destination, tag, comm);                                          \
  }
ANA_SEND(Send)
ANA_SEND(Bsend)
ANA_SEND(Ssend)
ANA_SEND(Rsend)

#define ANA_ISEND(name)                                                                                       \
  extern "C" int MPI_##name(const void* buffer, int count, MPI_Datatype type, int destination, int tag,       \
                            MPI_Comm comm, MPI_Request* request) {                                            \
    Entered t = ANA_BEGIN(name, destination, tag, pack(count, comm));                                         \
    if (t != nullptr) sending(t, destination, tag, comm);                                                     \
    return PMPI_##name(buffer, count, type, destination, tag, comm, request);                                 \
  }
ANA_ISEND(Isend)
ANA_ISEND(Ibsend)
ANA_ISEND(Issend)
ANA_ISEND(Irsend)
