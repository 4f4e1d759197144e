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

namespace {

// Record: a message is about to leave.
template <bool kPlain>
void note_sent(int destination, int tag, MPI_Comm comm) {
  if (destination == MPI_PROC_NULL) return;
  count_one<kPlain>(g.header->messages_sent);
  if (g.timestamps) racing_send(destination, tag, comm);
}

}  // namespace

MPI_Comm sending(Thread* t, int destination, int tag, MPI_Comm comm) {
  if (destination == MPI_PROC_NULL) return comm;
  disturb();
  if (!recording()) return g.timestamps ? racing_way(destination, tag, comm) : comm;
  note_sent<false>(destination, tag, comm);
  return comm;
}

int send_now(Thread* t, StartSend* start, const Outgoing& m, MPI_Comm comm, MPI_Request* request) {
  MPI_Comm way = sending(t, m.destination, m.tag, comm);
  bool standard = start == PMPI_Isend;  // may be buffered
  if (g.permits && standard && way == comm && m.destination != MPI_PROC_NULL) return send_copy(m, comm, request);
  return in_turn(t, start, m.data, m.count, m.type, m.destination, m.tag, way, request);
}

}  // namespace ana::mpi

using namespace ana::mpi;

// Each has a plain way and one for all the rest, see begin_often(). The rest of a send that returns at once:
#define ANA_SEND(name)                                                                                        \
  [[gnu::noinline]] static int send_I##name(const void* site, const Outgoing& m, MPI_Comm comm,               \
                                            MPI_Request* request) {                                           \
    Entered t = ANA_BEGIN_AT(site, I##name, m.destination, m.tag, pack(m.count, comm));                       \
    if (t == nullptr) return PMPI_I##name(m.data, m.count, m.type, m.destination, m.tag, comm, request);      \
    check_sent(t, m.data, m.count, m.type, m.destination);                                                    \
    if (alone()) return alone_isend(t, request);                                                              \
    return send_now(t, PMPI_I##name, m, comm, request);                                                       \
  }                                                                                                           \
  extern "C" int MPI_I##name(const void* buffer, int count, MPI_Datatype type, int destination, int tag,      \
                             MPI_Comm comm, MPI_Request* request) {                                           \
    if (__builtin_expect(!ana::mpi::g.plain, 0))                                                              \
      return send_I##name(__builtin_return_address(0), {buffer, count, type, destination, tag}, comm, request); \
    Thread* t = ANA_BEGIN_OFTEN(I##name, destination, tag, pack(count, comm));                                \
    note_sent<true>(destination, tag, comm);                                                                  \
    int result = PMPI_I##name(buffer, count, type, destination, tag, comm, request);                          \
    end_recorded_call(t);                                                                                     \
    return result;                                                                                            \
  }
ANA_SEND(send)
ANA_SEND(bsend)
ANA_SEND(ssend)
ANA_SEND(rsend)

#define ANA_BLOCKING_SEND(name, started)                                                                      \
  [[gnu::noinline]] static int send_##name(const void* site, const Outgoing& m, MPI_Comm comm) {              \
    Entered t = ANA_BEGIN_AT(site, name, m.destination, m.tag, pack(m.count, comm));                          \
    if (t == nullptr) return PMPI_##name(m.data, m.count, m.type, m.destination, m.tag, comm);                \
    check_sent(t, m.data, m.count, m.type, m.destination);                                                    \
    if (alone()) return alone_send(t);                                                                        \
    if (!ana::mpi::g.threads && !ana::mpi::g.permits && !t->dying) {                                          \
      MPI_Comm way = sending(t, m.destination, m.tag, comm);                                                  \
      return PMPI_##name(m.data, m.count, m.type, m.destination, m.tag, way);                                 \
    }                                                                                                         \
    MPI_Request request;                                                                                      \
    int result = send_now(t, PMPI_##started, m, comm, &request);                                              \
    return result == MPI_SUCCESS && !t->dying ? PMPI_Wait(&request, MPI_STATUS_IGNORE) : result;              \
  }                                                                                                           \
  extern "C" int MPI_##name(const void* buffer, int count, MPI_Datatype type, int destination, int tag,       \
                            MPI_Comm comm) {                                                                  \
    if (__builtin_expect(!ana::mpi::g.plain, 0))                                                              \
      return send_##name(__builtin_return_address(0), {buffer, count, type, destination, tag}, comm);         \
    Thread* t = ANA_BEGIN_OFTEN(name, destination, tag, pack(count, comm));                                   \
    note_sent<true>(destination, tag, comm);                                                                  \
    int result = PMPI_##name(buffer, count, type, destination, tag, comm);                                    \
    end_recorded_call(t);                                                                                     \
    return result;                                                                                            \
  }
ANA_BLOCKING_SEND(Send, Isend)
ANA_BLOCKING_SEND(Bsend, Ibsend)
ANA_BLOCKING_SEND(Ssend, Issend)
ANA_BLOCKING_SEND(Rsend, Irsend)
