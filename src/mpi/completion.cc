#include "mpi/completion.h"

#include <sched.h>

#include "mpi/alone.h"
#include "mpi/lock.h"
#include "mpi/racing.h"
#include "mpi/receive.h"
#include "mpi/requests.h"

namespace ana::mpi {

namespace {

MPI_Request* freed = nullptr;
size_t freed_count = 0, freed_room = 0;

// An index, or MPI_UNDEFINED, as an outcome.
uint64_t to_outcome(int index) { return index == MPI_UNDEFINED ? 0 : static_cast<uint64_t>(index) + 1; }

int take_index(Thread* t, int count) {
  uint64_t outcome = take_outcome(t);
  if (outcome > static_cast<uint64_t>(count)) diverged(t, "the recording has an outcome that this call cannot have");
  return outcome == 0 ? MPI_UNDEFINED : static_cast<int>(outcome) - 1;
}

void set_empty(MPI_Status* status) {
  MPI_Request none = MPI_REQUEST_NULL;
  if (status != MPI_STATUS_IGNORE) PMPI_Wait(&none, status);
}

MPI_Status* at(MPI_Status* statuses, int i) {
  return statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[i];
}

}  // namespace

int replay_wait(Thread* t, MPI_Request* request, MPI_Status* status) {
  Tracked* e = find_tracked(*request);
  if (e == nullptr) return PMPI_Wait(request, status);
  if (alone()) return alone_wait(t, e, request, status);
  if (e->pseudo && e->active) {
    if (!t->schedule->ended) park(t);
    diverged(t, "waits for a receive that got no message in the recording");
  }
  MPI_Request target = e->actual == MPI_REQUEST_NULL ? e->handle : e->actual;
  e->actual = MPI_REQUEST_NULL;
  e->active = false;
  if (!e->persistent) {
    remove_tracked(e);
    *request = MPI_REQUEST_NULL;
  }
  return PMPI_Wait(&target, status);
}

void adopt_freed(MPI_Request request) {
  Guard guard;
  if (freed_count == freed_room) {
    freed_room = freed_room == 0 ? 16 : freed_room * 2;
    freed = static_cast<MPI_Request*>(realloc(static_cast<void*>(freed), freed_room * sizeof *freed));
    if (freed == nullptr) give_up("there is no memory left for freed requests");
  }
  freed[freed_count++] = request;
}

namespace {

void poll_freed(Thread* t) {
  Guard guard;
  for (size_t i = 0; i < freed_count;) {
    MPI_Request request = freed[i];
    MPI_Status status;
    int done = 0;
    Tracked* e = take_out(request);
    PMPI_Test(&request, &done, &status);
    if (done == 0) {
      if (e != nullptr) put_back(e);
      i++;
      continue;
    }
    if (e != nullptr) {
      if (g.contents) keep_freed(t, e, &status);
      completed(e, &status);
      e->persistent ? remove_tracked(e) : drop(e);
    }
    if (request != MPI_REQUEST_NULL) PMPI_Request_free(&request);  // a persistent one
    freed[i] = freed[--freed_count];
  }
}

}  // namespace

// With contents, what they got is saved at the end of calls only, so that a replay knows when to look.
void poll_freed() {
  if (__atomic_load_n(&freed_count, __ATOMIC_RELAXED) != 0 && !g.contents) poll_freed(nullptr);
}

void look_after_freed(Thread* t) {
  if (alone()) return take_freed(t);
  if (__atomic_load_n(&freed_count, __ATOMIC_RELAXED) != 0) poll_freed(t);
}

namespace {

// Record: requests as they were before a call that completes some of them.
class Before {
 public:
  Before(int n, const MPI_Request* requests) : count_(static_cast<size_t>(n)), handles_(count_), taken_(count_) {
    for (size_t i = 0; i < count_; i++) {
      handles_[i] = requests[i];
      taken_[i] = g.threads ? take_out(requests[i]) : nullptr;
    }
  }
  ~Before() {
    for (size_t i = 0; i < count_; i++) {
      if (taken_[i] != nullptr) put_back(taken_[i]);
    }
  }
  Before(const Before&) = delete;

  bool had(int i, MPI_Request request) { return handles_[static_cast<size_t>(i)] == request; }

  void completes(int i, MPI_Status* status, int result) {
    size_t n = static_cast<size_t>(i);
    // With threads, what the table has under this handle now may be a new request of another one.
    Tracked* e = g.threads ? taken_[n] : find_tracked(handles_[n]);
    if (e == nullptr) return;
    if (g.contents) keep_completed(this_thread(), e, result, status);
    completed(e, status);
    if (!e->persistent) g.threads ? drop(e) : remove_tracked(e);
    taken_[n] = nullptr;
  }

 private:
  size_t count_;
  Room<MPI_Request> handles_;
  Room<Tracked*> taken_;
};

int record_wait(MPI_Request* request, MPI_Status* status) {
  Before before(1, request);
  MPI_Status mine;
  if (status == MPI_STATUS_IGNORE) status = &mine;
  int result = PMPI_Wait(request, status);
  before.completes(0, status, result);
  return result;
}

int record_waitall(int count, MPI_Request requests[], MPI_Status* statuses) {
  size_t n = static_cast<size_t>(count);
  Before before(count, requests);
  Room<MPI_Status> mine(statuses == MPI_STATUSES_IGNORE ? n : 0);
  if (statuses == MPI_STATUSES_IGNORE) statuses = mine.data();
  int result = PMPI_Waitall(count, requests, statuses);
  for (int i = 0; i < count; i++) {
    if (requests[i] == MPI_REQUEST_NULL || before.had(i, requests[i])) before.completes(i, &statuses[i], result);
  }
  return result;
}

int replay_waitall(Thread* t, int count, MPI_Request requests[], MPI_Status* statuses) {
  if (tracked_requests() == 0) return PMPI_Waitall(count, requests, statuses);
  int all = MPI_SUCCESS;
  for (int i = 0; i < count; i++) {
    int result = replay_wait(t, &requests[i], at(statuses, i));
    if (statuses != MPI_STATUSES_IGNORE) statuses[i].MPI_ERROR = result;
    if (result != MPI_SUCCESS) all = MPI_ERR_IN_STATUS;
  }
  return all;
}

int replay_some(Thread* t, int in, MPI_Request requests[], int* out, int indices[], MPI_Status* statuses) {
  *out = take_index(t, in);
  int all = MPI_SUCCESS;
  if (*out == MPI_UNDEFINED) return all;
  *out += 1;
  for (int i = 0; i < *out; i++) {
    indices[i] = take_index(t, in);
    if (indices[i] == MPI_UNDEFINED) diverged(t, "the recording has an outcome that this call cannot have");
    int result = replay_wait(t, &requests[indices[i]], at(statuses, i));
    if (statuses != MPI_STATUSES_IGNORE) statuses[i].MPI_ERROR = result;
    if (result != MPI_SUCCESS) all = MPI_ERR_IN_STATUS;
  }
  return all;
}

// MPI_Waitsome and MPI_Testsome differ in whether they wait.
template <class F>
int record_some(Thread* t, F call, int in, MPI_Request requests[], int* out, int indices[], MPI_Status* statuses,
                bool tests) {
  size_t n = static_cast<size_t>(in);
  Before before(in, requests);
  Room<MPI_Status> mine(statuses == MPI_STATUSES_IGNORE ? n : 0);
  if (statuses == MPI_STATUSES_IGNORE) statuses = mine.data();
  int result = call(in, requests, out, indices, statuses);
  if (tests && *out == 0) {
    put_no(t);
    return result;
  }
  put_outcome(t, *out == MPI_UNDEFINED ? 0 : static_cast<uint64_t>(*out));
  for (int i = 0; *out != MPI_UNDEFINED && i < *out; i++) {
    put_outcome(t, to_outcome(indices[i]));
    before.completes(indices[i], &statuses[i], result);
  }
  return result;
}

}  // namespace

}  // namespace ana::mpi

using namespace ana::mpi;

extern "C" {

int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  Entered t = ANA_BEGIN(Wait, 0, 0, 0);
  if (t == nullptr) return PMPI_Wait(request, status);
  if (!recording()) return replay_wait(t, request, status);
  poll_freed();
  return tracked_requests() == 0 ? PMPI_Wait(request, status) : record_wait(request, status);
}

int MPI_Waitall(int count, MPI_Request requests[], MPI_Status* statuses) {
  Entered t = ANA_BEGIN(Waitall, count, 0, 0);
  if (t == nullptr) return PMPI_Waitall(count, requests, statuses);
  if (!recording()) return replay_waitall(t, count, requests, statuses);
  poll_freed();
  return tracked_requests() == 0 ? PMPI_Waitall(count, requests, statuses) : record_waitall(count, requests, statuses);
}

int MPI_Waitany(int count, MPI_Request requests[], int* index, MPI_Status* status) {
  Entered t = ANA_BEGIN(Waitany, count, 0, 0);
  if (t == nullptr) return PMPI_Waitany(count, requests, index, status);
  if (!recording()) {
    *index = take_index(t, count);
    if (*index != MPI_UNDEFINED) return replay_wait(t, &requests[*index], status);
    set_empty(status);
    return MPI_SUCCESS;
  }
  poll_freed();
  MPI_Status mine;
  if (status == MPI_STATUS_IGNORE) status = &mine;
  Before before(count, requests);
  int result = PMPI_Waitany(count, requests, index, status);
  put_outcome(t, to_outcome(*index));
  if (*index != MPI_UNDEFINED) before.completes(*index, status, result);
  return result;
}

int MPI_Waitsome(int in, MPI_Request requests[], int* out, int indices[], MPI_Status* statuses) {
  Entered t = ANA_BEGIN(Waitsome, in, 0, 0);
  if (t == nullptr) return PMPI_Waitsome(in, requests, out, indices, statuses);
  if (!recording()) return replay_some(t, in, requests, out, indices, statuses);
  poll_freed();
  return record_some(t, PMPI_Waitsome, in, requests, out, indices, statuses, false);
}

int MPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  Entered t = ANA_BEGIN(Test, 0, 0, 0);
  if (t == nullptr) return PMPI_Test(request, flag, status);
  if (!recording()) {
    *flag = take_yes(t) ? 1 : 0;
    if (*flag == 0) return MPI_SUCCESS;
    take_outcome(t);
    return replay_wait(t, request, status);
  }
  poll_freed();
  Before before(1, request);
  MPI_Status mine;
  if (status == MPI_STATUS_IGNORE) status = &mine;
  int result = PMPI_Test(request, flag, status);
  if (*flag == 0) {
    put_no(t);
    return result;
  }
  put_outcome(t, 0);
  before.completes(0, status, result);
  return result;
}

int MPI_Testall(int count, MPI_Request requests[], int* flag, MPI_Status* statuses) {
  Entered t = ANA_BEGIN(Testall, count, 0, 0);
  if (t == nullptr) return PMPI_Testall(count, requests, flag, statuses);
  if (!recording()) {
    *flag = take_yes(t) ? 1 : 0;
    if (*flag == 0) return MPI_SUCCESS;
    take_outcome(t);
    return replay_waitall(t, count, requests, statuses);
  }
  poll_freed();
  size_t n = static_cast<size_t>(count);
  Before before(count, requests);
  Room<MPI_Status> mine(statuses == MPI_STATUSES_IGNORE ? n : 0);
  if (statuses == MPI_STATUSES_IGNORE) statuses = mine.data();
  int result = PMPI_Testall(count, requests, flag, statuses);
  if (*flag == 0) {
    put_no(t);
    return result;
  }
  put_outcome(t, 0);
  for (int i = 0; i < count; i++) before.completes(i, &statuses[i], result);
  return result;
}

int MPI_Testany(int count, MPI_Request requests[], int* index, int* flag, MPI_Status* status) {
  Entered t = ANA_BEGIN(Testany, count, 0, 0);
  if (t == nullptr) return PMPI_Testany(count, requests, index, flag, status);
  if (!recording()) {
    *flag = take_yes(t) ? 1 : 0;
    *index = MPI_UNDEFINED;
    if (*flag == 0) return MPI_SUCCESS;
    *index = take_index(t, count);
    if (*index != MPI_UNDEFINED) return replay_wait(t, &requests[*index], status);
    set_empty(status);
    return MPI_SUCCESS;
  }
  poll_freed();
  MPI_Status mine;
  if (status == MPI_STATUS_IGNORE) status = &mine;
  Before before(count, requests);
  int result = PMPI_Testany(count, requests, index, flag, status);
  if (*flag == 0) {
    put_no(t);
    return result;
  }
  put_outcome(t, to_outcome(*index));
  if (*index != MPI_UNDEFINED) before.completes(*index, status, result);
  return result;
}

int MPI_Testsome(int in, MPI_Request requests[], int* out, int indices[], MPI_Status* statuses) {
  Entered t = ANA_BEGIN(Testsome, in, 0, 0);
  if (t == nullptr) return PMPI_Testsome(in, requests, out, indices, statuses);
  if (!recording()) {
    *out = 0;
    return take_yes(t) ? replay_some(t, in, requests, out, indices, statuses) : MPI_SUCCESS;
  }
  poll_freed();
  return record_some(t, PMPI_Testsome, in, requests, out, indices, statuses, true);
}

int MPI_Request_get_status(MPI_Request request, int* flag, MPI_Status* status) {
  Entered t = ANA_BEGIN(Request_get_status, 0, 0, 0);
  if (t == nullptr) return PMPI_Request_get_status(request, flag, status);
  if (!recording()) {
    *flag = take_yes(t) ? 1 : 0;
    if (*flag == 0) return MPI_SUCCESS;
    take_outcome(t);
    Tracked* e = find_tracked(request);
    if (e != nullptr && alone()) return alone_look(t, e, status);
    if (e != nullptr && e->actual != MPI_REQUEST_NULL) request = e->actual;
    int done = 0, result = MPI_SUCCESS;
    while (done == 0 && result == MPI_SUCCESS) {
      result = PMPI_Request_get_status(request, &done, status);
      if (done == 0) sched_yield();
    }
    return result;
  }
  Tracked* e = find_tracked(request);
  MPI_Status mine;
  if (status == MPI_STATUS_IGNORE) status = &mine;
  int result = PMPI_Request_get_status(request, flag, status);
  if (*flag == 0) {
    put_no(t);
    return result;
  }
  put_outcome(t, 0);
  if (e != nullptr && g.contents) keep_seen(t, e, result, status);
  // The program knows now that it is complete; what frees it adds nothing.
  if (e != nullptr) completed(e, status);
  return result;
}

int MPI_Cancel(MPI_Request* request) {
  Entered t = ANA_BEGIN(Cancel, 0, 0, 0);
  if (t == nullptr || recording()) return PMPI_Cancel(request);
  // Whether it is cancelled is known: if so, nothing was posted; if not, its message will come.
  Tracked* e = find_tracked(*request);
  if (alone()) return e == nullptr ? PMPI_Cancel(request) : MPI_SUCCESS;
  if (e == nullptr || !e->pseudo) return MPI_SUCCESS;
  e->pseudo = false;
  return PMPI_Grequest_complete(e->actual == MPI_REQUEST_NULL ? e->handle : e->actual);
}

int MPI_Request_free(MPI_Request* request) {
  Entered t = ANA_BEGIN(Request_free, 0, 0, 0);
  Tracked* e = t == nullptr ? nullptr : find_tracked(*request);
  if (e == nullptr) return PMPI_Request_free(request);
  if (racing() && e->active) racing_close(e->comm);
  if (alone() && e->pending && e->kind != ana::RequestClass::kSend) free_alone(e);
  if (recording() && e->active && (e->any_source || g.contents)) {
    // Its match is not known yet.
    e->freed = true;
    e->freed_number = next_freed_number();
    adopt_freed(*request);
    *request = MPI_REQUEST_NULL;
    return MPI_SUCCESS;
  }
  bool leave = e->pseudo && e->actual == MPI_REQUEST_NULL;
  if (e->actual != MPI_REQUEST_NULL && !e->pseudo) PMPI_Request_free(&e->actual);
  remove_tracked(e);
  if (!leave) return PMPI_Request_free(request);
  *request = MPI_REQUEST_NULL;
  return MPI_SUCCESS;
}

}  // extern "C"
