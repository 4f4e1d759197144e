#include "mpi/alone.h"

#include <stdlib.h>

#include "mpi/area.h"
#include "mpi/contents.h"
#include "mpi/lock.h"
#include "mpi/payload.h"
#include "mpi/turns.h"

namespace ana::mpi {

MPI_Request make_ticket() {
  MPI_Request request;
  PMPI_Recv_init(nullptr, 0, MPI_BYTE, MPI_PROC_NULL, 0, g.world, &request);
  return request;
}

MPI_Request make_complete() {
  MPI_Request request;
  PMPI_Isend(nullptr, 0, MPI_BYTE, MPI_PROC_NULL, 0, g.world, &request);
  return request;
}

int alone_send(Thread* t) {
  Turn turn(t);
  return MPI_SUCCESS;
}

int alone_isend(Thread* t, MPI_Request* request) {
  Turn turn(t);
  *request = make_complete();
  return MPI_SUCCESS;
}

int alone_receive(Thread* t, void* buffer, int count, MPI_Datatype type, MPI_Comm comm, MPI_Status* status) {
  { Turn turn(t); }
  return take_message(t, buffer, count, type, comm, status);
}

int alone_exchange(Thread* t, void* buffer, int count, MPI_Datatype type, int source, MPI_Comm comm,
                   MPI_Status* status) {
  alone_send(t);
  if (source != MPI_PROC_NULL) return alone_receive(t, buffer, count, type, comm, status);
  Turn turn(t);
  return PMPI_Recv(buffer, count, type, MPI_PROC_NULL, MPI_ANY_TAG, comm, status);
}

namespace {

// A message that was probed for is an empty one of our own: only its handle matters. Its send stays until it is
// received, since MPICH forgets a freed one that is still to be received (ch4_self.c).
struct Probed {
  MPI_Message message;
  MPI_Request sent;
  Probed* next;
};
Probed* all_probed = nullptr;  // under the lock

MPI_Message make_message() {
  auto* p = static_cast<Probed*>(malloc(sizeof(Probed)));
  if (p == nullptr) give_up("there is no memory left for a message");
  PMPI_Isend(nullptr, 0, MPI_BYTE, 0, 0, g.world, &p->sent);
  PMPI_Mprobe(0, 0, g.world, &p->message, MPI_STATUS_IGNORE);
  Guard guard;
  p->next = all_probed;
  all_probed = p;
  return p->message;
}

Probed* unlink(MPI_Message message) {
  Guard guard;
  Probed** at = &all_probed;
  while (*at != nullptr && (*at)->message != message) at = &(*at)->next;
  Probed* found = *at;
  if (found != nullptr) *at = found->next;
  return found;
}

}  // namespace

void drop_message(MPI_Message* message) {
  Probed* p = unlink(*message);  // before MPI may give its handle to another
  PMPI_Mrecv(nullptr, 0, MPI_BYTE, message, MPI_STATUS_IGNORE);
  if (p != nullptr) PMPI_Wait(&p->sent, MPI_STATUS_IGNORE);
  free(p);
}

int alone_probe(Thread* t, MPI_Comm comm, MPI_Message* message, MPI_Status* status) {
  Turn turn(t);
  int result = take_message(t, nullptr, 0, MPI_BYTE, comm, status);
  if (message != nullptr && result == MPI_SUCCESS) *message = make_message();
  return result;
}

int alone_take(Thread* t, void* buffer, int count, MPI_Datatype type, MPI_Message* message, MPI_Status* status) {
  drop_message(message);
  return take_message(t, buffer, count, type, g.world, status);
}

namespace {

void set_empty(MPI_Status* status) {
  MPI_Request none = MPI_REQUEST_NULL;
  if (status != MPI_STATUS_IGNORE) PMPI_Wait(&none, status);
}

bool gets_something(const Tracked* e) { return e->pending && e->kind != RequestClass::kSend; }

}  // namespace

int alone_look(Thread* t, Tracked* e, MPI_Status* status) {
  if (gets_something(e) && e->area == nullptr)
    return take_message(t, e->buffer, e->count, e->type, e->comm, status);
  set_empty(status);
  return gets_something(e) ? e->area->pass(t, MPI_SUCCESS, e->comm) : MPI_SUCCESS;
}

int alone_wait(Thread* t, Tracked* e, MPI_Request* request, MPI_Status* status) {
  int result = alone_look(t, e, status);
  e->active = e->pending = false;
  if (e->persistent) return result;
  MPI_Request ticket = e->handle;
  remove_tracked(e);
  PMPI_Request_free(&ticket);
  *request = MPI_REQUEST_NULL;
  return result;
}

void keep_seen(Thread* t, Tracked* e, int result, MPI_Status* status) {
  if (!gets_something(e)) return;
  if (result == MPI_ERR_IN_STATUS) result = status->MPI_ERROR;
  if (e->area != nullptr) {
    e->area->pass(t, result, e->comm);
  } else {
    int cancelled = 0;
    PMPI_Test_cancelled(status, &cancelled);
    keep_message(t, result, e->buffer, e->count, e->type, status, cancelled != 0);
  }
}

void keep_completed(Thread* t, Tracked* e, int result, MPI_Status* status) {
  keep_seen(t, e, result, status);
  e->pending = false;
}

MPI_Datatype hold_type(MPI_Datatype type) {
  int a, b, c, combiner = MPI_COMBINER_NAMED;
  PMPI_Type_get_envelope(type, &a, &b, &c, &combiner);
  if (combiner != MPI_COMBINER_NAMED) PMPI_Type_dup(type, &type);
  return type;
}

void release_type(MPI_Datatype* type) {
  int a, b, c, combiner = MPI_COMBINER_NAMED;
  PMPI_Type_get_envelope(*type, &a, &b, &c, &combiner);
  if (combiner != MPI_COMBINER_NAMED) PMPI_Type_free(type);
}

void hold_buffer(Tracked* e, void* buffer, int count, MPI_Datatype type) {
  e->buffer = buffer;
  e->count = count;
  e->type = hold_type(type);
  e->held = true;
}

void release_held(Tracked* e) {
  if (e->held) release_type(&e->type);
  if (e->area != nullptr) drop_area(e->area);
}

namespace {

struct Freed {
  Freed* next;
  uint64_t number;
  Tracked entry;
};
Freed* freed = nullptr;  // alone
// Alone: the next record is of one that gets its message when the thread has made so many calls.
thread_local struct {
  uint64_t number, calls;
  bool there;
} coming;
uint64_t freed_before = 0;

}  // namespace

void keep_freed(Thread* t, Tracked* e, MPI_Status* status) {
  int64_t row[] = {static_cast<int64_t>(e->freed_number), static_cast<int64_t>(t->calls)};
  put_record(t, ContentKind::kFreed, row, 2);
  keep_completed(t, e, MPI_SUCCESS, status);
}

uint64_t next_freed_number() { return __atomic_fetch_add(&freed_before, 1, __ATOMIC_RELAXED); }

void free_alone(Tracked* e) {
  auto* kept = static_cast<Freed*>(malloc(sizeof(Freed)));
  if (kept == nullptr) give_up("there is no memory left for freed requests");
  Guard guard;
  kept->entry = *e;
  kept->number = next_freed_number();
  kept->next = freed;
  freed = kept;
  e->held = false;  // goes with the copy
  e->area = nullptr;
}

void take_freed(Thread* t) {
  while (__atomic_load_n(&freed, __ATOMIC_RELAXED) != nullptr) {
    if (!coming.there && comes_next(t, ContentKind::kFreed)) {
      Taken taken = take_record(t, ContentKind::kFreed, 2);
      coming = {static_cast<uint64_t>(taken.numbers[0]), static_cast<uint64_t>(taken.numbers[1]), true};
    }
    if (!coming.there || coming.calls != t->calls) return;
    coming.there = false;
    uint64_t number = coming.number;
    Freed* found = nullptr;
    {
      Guard guard;
      for (Freed** at = &freed; *at != nullptr && found == nullptr; at = &(*at)->next) {
        if ((*at)->number != number) continue;
        found = *at;
        *at = found->next;
        break;
      }
    }
    if (found == nullptr) diverged(t, "the recording has a receive here that was freed, and is not now");
    Tracked& e = found->entry;
    take_message(t, e.buffer, e.count, e.type, e.comm, MPI_STATUS_IGNORE);
    release_held(&e);
    free(found);
  }
}

}  // namespace ana::mpi
