#include "mpi/receive.h"

#include "mpi/alone.h"
#include "mpi/communicators.h"
#include "mpi/completion.h"
#include "mpi/lock.h"
#include "mpi/payload.h"
#include "mpi/permits.h"
#include "mpi/racing.h"
#include "mpi/sites.h"
#include "mpi/turns.h"
#include "mpi/unseen.h"

namespace ana::mpi {

namespace {

bool is_recorded(int source) { return source == MPI_ANY_SOURCE || g.mode == RankMode::kAll; }

[[gnu::noinline]] void put_unmatched(Thread* t, RequestClass kind, uint64_t number) {
  Guard guard;
  int64_t& last = t->last_unmatched[static_cast<size_t>(kind)];
  t->writer.put({.kind = EventKind::kUnmatched,
                 .value = static_cast<uint64_t>(kind),
                 .number = static_cast<int64_t>(number) - last});
  last = static_cast<int64_t>(number);
  if (kind == RequestClass::kWildcard) t->next_match = static_cast<int64_t>(number) + 1;
}

}  // namespace

void put_long_match(Thread* t, int64_t n, int64_t tag_step, int source) {
  bool next = n == t->next_match;
  t->writer.put({.kind = next ? EventKind::kMatch : EventKind::kMatchAt,
                 .has_tag = next && tag_step != 0,
                 .value = static_cast<uint64_t>(source),
                 .number = n - t->next_match,
                 .tag = tag_step});
  t->next_match = n + 1;
}

namespace {

template <bool kPlain>
[[gnu::always_inline]] inline Posting numbered(Thread* t, int source, int tag, MPI_Comm comm) {
  bool any_source = source == MPI_ANY_SOURCE, any_tag = tag == MPI_ANY_TAG;
  Posting p{t, 0, RequestClass::kNamed, any_source, any_tag, false, source, tag, comm, nullptr};
  if (is_recorded(source)) p.kind = RequestClass::kWildcard;
  p.number = t->posted[static_cast<size_t>(p.kind)]++;
  if ((!kPlain && !recording()) || !p.any_source) return p;
  count_one<kPlain>(g.header->wildcard_receives);
  p.site = site_of(t);
  return p;
}

uint64_t last_order = 0;

// Record: a receive is about to be posted.
template <bool kPlain>
[[gnu::always_inline]] inline Posting posted(Thread* t, int source, int tag, MPI_Comm comm) {
  Posting p = numbered<kPlain>(t, source, tag, comm);
  count_one<kPlain>(last_order);
  p.order = last_order;
  if (g.timestamps) racing_posted(p, comm);
  return p;
}

}  // namespace

Posting number(Thread* t, int source, int tag, MPI_Comm comm) {
  Posting p = numbered<false>(t, source, tag, comm);
  if (recording() || alone()) return p;
  if (p.kind == RequestClass::kNamed) {
    p.never = t->schedule->never(p.kind, p.number);
    if (g.timestamps && t->schedule->is_traced(p.number)) p.comm = find_communicator(comm)->shadow;
    return p;
  }
  Match match = t->schedule->match(p.number);
  // With timestamps, a receive that is not in the trace may take what comes: only the right message can.
  if (match.source == Match::kUnknown && g.timestamps) return p;
  p.never = match.source < 0;
  if (p.never) return p;
  p.source = match.source;
  if (p.any_tag) p.tag = match.tag;
  if (match.traced) {
    Communicator* c = find_communicator(comm);
    p.source = rank_in(c, match.source);
    p.comm = c->shadow;
    if (p.source < 0 || p.comm == MPI_COMM_NULL)
      diverged(t, "the recording has a message of another communicator here");
  }
  return p;
}

uint64_t next_order() {
  count_one(last_order);
  return last_order;
}

Posting post(Thread* t, int source, int tag, MPI_Comm comm) {
  disturb();
  return recording() ? posted<false>(t, source, tag, comm) : number(t, source, tag, comm);
}

void demand_match(const Posting& p) {
  if (!p.never) return;
  if (!p.thread->schedule->ended) park(p.thread);
  diverged(p.thread, "the recording does not say which message this receives");
}

Posting post_blocking(Thread* t, int source, int tag, MPI_Comm comm) {
  Posting p = post(t, source, tag, comm);
  demand_match(p);
  return p;
}

namespace {

template <bool kPlain>
[[gnu::always_inline]] inline void has_received(const Posting& p, MPI_Comm comm, MPI_Status* status) {
  if (status->MPI_SOURCE < 0) return put_unmatched(p.thread, p.kind, p.number);
  count_one<kPlain>(g.header->messages_received);
  if (p.site != nullptr) count_at<kPlain>(p.site, status->MPI_SOURCE, false);
  if (g.timestamps) {
    racing_received(p, comm, status->MPI_SOURCE, status->MPI_TAG);
  } else if (p.kind == RequestClass::kWildcard) {
    put_match<kPlain>(p.thread, p.number, p.any_tag, status->MPI_SOURCE, status->MPI_TAG);
  }
  note_received(p.order, comm, status->MPI_TAG);
}

}  // namespace

void received(const Posting& p, MPI_Comm comm, MPI_Status* status) { has_received<false>(p, comm, status); }

Tracked* track(const Posting& p, MPI_Request request, MPI_Comm comm) {
  Tracked* e = add_tracked(request);
  e->poster = p.thread;
  e->number = p.number;
  e->kind = p.kind;
  e->any_source = p.any_source;
  e->any_tag = p.any_tag;
  e->site = p.site;
  e->order = p.order;
  e->tag = p.tag;
  e->comm = comm;
  e->active = e->pending = true;
  if (recording() && e->any_source) add_open(e);
  return e;
}

void completed(Tracked* e, MPI_Status* status, bool seen) {
  if (!e->active) return;
  if (e->area != nullptr || e->by_probe) {
    e->active = false;
    return;
  }
  bool told = e->told;
  e->active = !seen;
  e->told = true;
  if (told) return;
  if (e->any_source) remove_open(e);
  int cancelled = 0;
  PMPI_Test_cancelled(status, &cancelled);
  Posting p{e->poster, e->number, e->kind, e->any_source, e->any_tag, false,
            e->source, e->tag,    e->comm, e->site,       e->order,  e->freed || !seen};
  if (cancelled != 0) {
    if (g.timestamps) racing_cancelled(p);
    put_unmatched(e->poster, e->kind, e->number);
  } else {
    received(p, e->comm, status);
  }
}

}  // namespace ana::mpi

using namespace ana::mpi;

namespace {

int receive(const Posting& p, void* buffer, int count, MPI_Datatype type, MPI_Status* status) {
  bool dying = p.thread->dying;
  if (!ana::mpi::g.threads && !dying) return PMPI_Recv(buffer, count, type, p.source, p.tag, p.comm, status);
  MPI_Request request;
  int result = in_turn(p.thread, PMPI_Irecv, buffer, count, type, p.source, p.tag, p.comm, &request);
  return result == MPI_SUCCESS && !dying ? PMPI_Wait(&request, status) : result;
}

// MPI_Recv, if it is not plain (Library::plain).
[[gnu::noinline]] int receive_otherwise(const void* site, void* buffer, int count, MPI_Datatype type, int source,
                                        int tag, MPI_Comm comm, MPI_Status* status) {
  Entered t = ANA_BEGIN_AT(site, Recv, source, tag, pack(count, comm));
  if (t == nullptr || source == MPI_PROC_NULL) return PMPI_Recv(buffer, count, type, source, tag, comm, status);
  MPI_Status mine;
  if (status == MPI_STATUS_IGNORE) status = &mine;
  Posting p = post_blocking(t, source, tag, comm);
  if (alone()) return alone_receive(t, buffer, count, type, comm, status);
  int result = receive(p, buffer, count, type, status);
  if (recording()) received(p, comm, status);
  if (ana::mpi::g.contents) keep_message(t, result, buffer, count, type, status);
  return result;
}

// Whether the parts of an MPI_Sendrecv are made one by one: to be in turn, or because they may go different ways.
bool is_apart(Thread* t) { return ana::mpi::g.threads || (!recording() && ana::mpi::g.timestamps) || t->dying; }

int exchange(const Outgoing& out, MPI_Comm comm, const Posting& p, void* in, int count, MPI_Datatype type,
             MPI_Status* status) {
  Thread* t = p.thread;
  MPI_Request received, sent;
  if (t->dying) {
    if (p.never || p.source == MPI_PROC_NULL) pass_turn(t);
    else in_turn(t, PMPI_Irecv, in, count, type, p.source, p.tag, p.comm, &received);
    send_now(t, PMPI_Isend, out, comm, &sent);
    park(t);  // here: the data are still needed
  }
  if (p.source == MPI_PROC_NULL) {
    // Not as a request: MPICH says in its status that the message came from rank 0.
    pass_turn(t);
    int result = send_now(t, PMPI_Isend, out, comm, &sent);
    if (result != MPI_SUCCESS) return result;
    PMPI_Wait(&sent, MPI_STATUS_IGNORE);
    return PMPI_Recv(in, count, type, MPI_PROC_NULL, p.tag, comm, status);
  }
  if (int result = in_turn(t, PMPI_Irecv, in, count, type, p.source, p.tag, p.comm, &received); result != MPI_SUCCESS)
    return result;
  if (ana::mpi::g.permits) receive_meanwhile(t, received);
  int result = send_now(t, PMPI_Isend, out, comm, &sent);
  if (ana::mpi::g.permits) receive_meanwhile(t, MPI_REQUEST_NULL);
  if (result != MPI_SUCCESS) return result;
  result = PMPI_Wait(&received, status);
  if (ana::mpi::g.permits) give_permits(t);
  PMPI_Wait(&sent, MPI_STATUS_IGNORE);
  return result;
}

}  // namespace

extern "C" {

int MPI_Recv(void* buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status* status) {
  if (__builtin_expect(!ana::mpi::g.plain || source == MPI_PROC_NULL, 0))
    return receive_otherwise(__builtin_return_address(0), buffer, count, type, source, tag, comm, status);
  Thread* t = ANA_BEGIN_OFTEN(Recv, source, tag, pack(count, comm));
  MPI_Status mine;
  if (status == MPI_STATUS_IGNORE) status = &mine;
  Posting p = posted<true>(t, source, tag, comm);
  int result = PMPI_Recv(buffer, count, type, source, tag, comm, status);
  has_received<true>(p, comm, status);
  end_recorded_call(t);
  return result;
}

int MPI_Irecv(void* buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request* request) {
  Entered t = ANA_BEGIN(Irecv, source, tag, pack(count, comm));
  if (t == nullptr || source == MPI_PROC_NULL) return PMPI_Irecv(buffer, count, type, source, tag, comm, request);
  Posting p = post(t, source, tag, comm);
  Turn turn(t);
  if (alone()) {
    *request = make_ticket();
    hold_buffer(track(p, *request, comm), buffer, count, type);
    return MPI_SUCCESS;
  }
  if (p.never) {
    *request = make_pseudo();
    track(p, *request, comm)->pseudo = true;
    return MPI_SUCCESS;
  }
  int result = PMPI_Irecv(buffer, count, type, p.source, p.tag, p.comm, request);
  if (result != MPI_SUCCESS || !recording()) return result;
  Tracked* e = track(p, *request, comm);
  if (ana::mpi::g.contents) hold_buffer(e, buffer, count, type);
  return result;
}

int MPI_Sendrecv(const void* out, int out_count, MPI_Datatype out_type, int destination, int out_tag, void* in,
                 int in_count, MPI_Datatype in_type, int source, int in_tag, MPI_Comm comm, MPI_Status* status) {
  Entered t = ANA_BEGIN(Sendrecv, source, in_tag, pack(in_count, comm) ^ pack_peer(destination, out_tag));
  if (t == nullptr) {
    return PMPI_Sendrecv(out, out_count, out_type, destination, out_tag, in, in_count, in_type, source, in_tag, comm,
                         status);
  }
  MPI_Status mine;
  if (status == MPI_STATUS_IGNORE) status = &mine;
  if (!is_apart(t)) sending(t, destination, out_tag, comm);
  Posting p{t, 0, ana::RequestClass::kNamed, false, false, false, source, in_tag, comm, nullptr};
  if (source != MPI_PROC_NULL) p = t->dying ? post(t, source, in_tag, comm) : post_blocking(t, source, in_tag, comm);
  check_sent(t, out, out_count, out_type, destination);
  if (alone()) return alone_exchange(t, in, in_count, in_type, source, comm, status);
  int result;
  if (is_apart(t)) {
    result = exchange({out, out_count, out_type, destination, out_tag}, comm, p, in, in_count, in_type, status);
  } else {
    result = PMPI_Sendrecv(out, out_count, out_type, destination, out_tag, in, in_count, in_type, p.source, p.tag, comm,
                           status);
  }
  if (recording() && source != MPI_PROC_NULL) received(p, comm, status);
  if (ana::mpi::g.contents && source != MPI_PROC_NULL) keep_message(t, result, in, in_count, in_type, status);
  return result;
}

int MPI_Sendrecv_replace(void* buffer, int count, MPI_Datatype type, int destination, int out_tag, int source,
                         int in_tag, MPI_Comm comm, MPI_Status* status) {
  Entered t = ANA_BEGIN(Sendrecv_replace, source, in_tag, pack(count, comm) ^ pack_peer(destination, out_tag));
  if (t == nullptr)
    return PMPI_Sendrecv_replace(buffer, count, type, destination, out_tag, source, in_tag, comm, status);
  MPI_Status mine;
  if (status == MPI_STATUS_IGNORE) status = &mine;
  if (!is_apart(t)) sending(t, destination, out_tag, comm);
  Posting p{t, 0, ana::RequestClass::kNamed, false, false, false, source, in_tag, comm, nullptr};
  if (source != MPI_PROC_NULL) p = t->dying ? post(t, source, in_tag, comm) : post_blocking(t, source, in_tag, comm);
  check_sent(t, buffer, count, type, destination);
  if (alone()) return alone_exchange(t, buffer, count, type, source, comm, status);
  int result;
  if (is_apart(t)) {
    int room = 0, bytes = 0;
    PMPI_Pack_size(count, type, comm, &room);
    Room<char, 1024> packed(static_cast<size_t>(room));
    PMPI_Pack(buffer, count, type, packed.data(), room, &bytes, comm);
    result = exchange({packed.data(), bytes, MPI_PACKED, destination, out_tag}, comm, p, buffer, count, type, status);
  } else {
    result = PMPI_Sendrecv_replace(buffer, count, type, destination, out_tag, p.source, p.tag, comm, status);
  }
  if (recording() && source != MPI_PROC_NULL) received(p, comm, status);
  if (ana::mpi::g.contents && source != MPI_PROC_NULL) keep_message(t, result, buffer, count, type, status);
  return result;
}

// The probe that gave the message was the receive; these only count.
int MPI_Mrecv(void* buffer, int count, MPI_Datatype type, MPI_Message* message, MPI_Status* status) {
  Entered t = ANA_BEGIN(Mrecv, count, 0, 0);
  if (t != nullptr && recording()) count_one(ana::mpi::g.header->messages_received);
  if (!ana::mpi::g.contents || *message == MPI_MESSAGE_NO_PROC) return PMPI_Mrecv(buffer, count, type, message, status);
  if (alone()) return alone_take(t, buffer, count, type, message, status);
  MPI_Status mine;
  if (status == MPI_STATUS_IGNORE) status = &mine;
  int result = PMPI_Mrecv(buffer, count, type, message, status);
  keep_message(t, result, buffer, count, type, status);
  return result;
}

int MPI_Imrecv(void* buffer, int count, MPI_Datatype type, MPI_Message* message, MPI_Request* request) {
  Entered t = ANA_BEGIN(Imrecv, count, 0, 0);
  if (t != nullptr && recording()) count_one(ana::mpi::g.header->messages_received);
  if (!ana::mpi::g.contents || *message == MPI_MESSAGE_NO_PROC)
    return PMPI_Imrecv(buffer, count, type, message, request);
  int result = MPI_SUCCESS;
  if (alone()) {
    drop_message(message);
    *request = make_ticket();
  } else {
    result = PMPI_Imrecv(buffer, count, type, message, request);
  }
  if (result != MPI_SUCCESS) return result;
  Tracked* e = add_tracked(*request);
  hold_buffer(e, buffer, count, type);
  e->comm = g.world;
  e->by_probe = e->active = e->pending = true;
  return result;
}

}  // extern "C"
