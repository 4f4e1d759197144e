// Persistent requests. Each MPI_Start posts a receive anew. In a replay, one of any source cannot be started, since its
// source was fixed when it was made: an ordinary receive is posted in its stead (Tracked::actual).
#include <mpi.h>

#include "mpi/alone.h"
#include "mpi/communicators.h"
#include "mpi/payload.h"
#include "mpi/receive.h"
#include "mpi/turns.h"
#include "mpi/unseen.h"

using namespace ana::mpi;

namespace {

void restart(Thread* t, Tracked* e) {
  Posting p = post(t, e->source, e->tag, e->comm);
  e->poster = t;
  e->number = p.number;
  e->kind = p.kind;
  e->site = p.site;
  e->order = p.order;
  e->matched = e->told = false;
  e->active = e->pending = true;
  if (e->any_source) add_open(e);
}

// Replay: if it cannot be started as it is, another receive is posted in its stead.
int replay_start(Thread* t, Tracked* e) {
  Posting p = post(t, e->source, e->tag, e->comm);
  e->active = true;
  e->pseudo = p.never;
  Turn turn(t);
  if (p.never) {
    e->actual = make_pseudo();
    return MPI_SUCCESS;
  }
  bool as_it_is = p.source == e->source && p.tag == e->tag && p.comm == e->comm;
  if (as_it_is) return PMPI_Start(&e->handle);
  return PMPI_Irecv(e->buffer, e->count, e->type, p.source, p.tag, p.comm, &e->actual);
}

int start(Thread* t, MPI_Request* request) {
  Tracked* e = find_tracked(*request);
  if (e == nullptr) return PMPI_Start(request);
  if (e->kind == ana::RequestClass::kSend) {
    MPI_Comm way = sending(t, e->source, e->tag, e->comm);
    check_sent(t, e->buffer, e->count, e->type, e->source);
    if (alone()) return alone_send(t);
    if (way == e->comm) return in_turn(t, PMPI_Start, request);
    return PMPI_Isend(e->buffer, e->count, e->type, e->source, e->tag, way, &e->actual);
  }
  if (alone()) {
    Turn turn(t);
    e->active = e->pending = true;
    return MPI_SUCCESS;
  }
  if (!recording()) return replay_start(t, e);
  restart(t, e);
  return in_turn(t, PMPI_Start, request);
}

// Each start of it is a message.
void track_send(MPI_Request request, const void* buffer, int count, MPI_Datatype type, int destination, int tag,
                MPI_Comm comm) {
  Tracked* e = add_tracked(request);
  e->buffer = const_cast<void*>(buffer);
  e->count = count;
  e->type = type;
  if (ana::mpi::g.contents) hold_buffer(e, e->buffer, count, type);
  e->persistent = true;
  e->kind = ana::RequestClass::kSend;
  e->source = destination;
  e->tag = tag;
  e->comm = comm;
}

}  // namespace

extern "C" {

int MPI_Recv_init(void* buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                  MPI_Request* request) {
  Entered t = ANA_BEGIN(Recv_init, source, tag, pack(count, comm));
  int result = MPI_SUCCESS;
  if (alone() && source != MPI_PROC_NULL) {
    *request = make_ticket();
  } else {
    result = PMPI_Recv_init(buffer, count, type, source, tag, comm, request);
  }
  if (t == nullptr || source == MPI_PROC_NULL || result != MPI_SUCCESS) return result;
  Tracked* e = add_tracked(*request);
  e->persistent = true;
  e->any_source = source == MPI_ANY_SOURCE;
  e->any_tag = tag == MPI_ANY_TAG;
  e->buffer = buffer;
  e->count = count;
  e->type = type;
  if (ana::mpi::g.contents) hold_buffer(e, buffer, count, type);
  e->source = source;
  e->tag = tag;
  e->comm = comm;
  return result;
}

int MPI_Start(MPI_Request* request) {
  Entered t = ANA_BEGIN(Start, 0, 0, 0);
  return t == nullptr ? PMPI_Start(request) : start(t, request);
}

int MPI_Startall(int count, MPI_Request requests[]) {
  Entered t = ANA_BEGIN(Startall, count, 0, 0);
  if (t == nullptr) return PMPI_Startall(count, requests);
  for (int i = 0; i < count; i++) {
    if (int result = start(t, &requests[i]); result != MPI_SUCCESS) return result;
  }
  return MPI_SUCCESS;
}

#define ANA_SEND_INIT(name)                                                                                   \
  int MPI_##name(const void* buffer, int count, MPI_Datatype type, int destination, int tag, MPI_Comm comm,   \
                 MPI_Request* request) {                                                                      \
    Entered t = ANA_BEGIN(name, destination, tag, pack(count, comm));                                         \
    int result = MPI_SUCCESS;                                                                                 \
    if (alone()) *request = make_ticket();                                                                    \
    else result = PMPI_##name(buffer, count, type, destination, tag, comm, request);                          \
    if (t != nullptr && result == MPI_SUCCESS)                                                                \
      track_send(*request, buffer, count, type, destination, tag, comm);                                      \
    return result;                                                                                            \
  }
ANA_SEND_INIT(Send_init)
ANA_SEND_INIT(Bsend_init)
ANA_SEND_INIT(Ssend_init)
ANA_SEND_INIT(Rsend_init)

}  // extern "C"
