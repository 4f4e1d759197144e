// What larger programs in C++ mix: windows of persistent receives of any source completed by some at a time, gaps in
// datatypes, sends of all modes, messages that are too long for their receive, matched probes for sizes that are not
// known, and the same across communicators of all kinds.
#include <vector>

#include "observe.h"

namespace {

constexpr int kWindow = 5, kEach = 25, kDone = 999;

// All but rank 0 of `comm` send to it (or to the first of the other group), then say that they are done.
void send_all(MPI_Comm comm, int me, int to) {
  std::vector<int> data(64);
  for (int i = 0; i < kEach; i++) {
    dawdle();
    int count = 1 + (i * 7 + me * 3) % 40;
    for (int j = 0; j < count; j++) data[static_cast<size_t>(j)] = me * 1000 + i;
    if (i % 4 == 0) MPI_Send(data.data(), count, MPI_INT, to, i % 3, comm);
    if (i % 4 == 1) MPI_Ssend(data.data(), count, MPI_INT, to, i % 3, comm);
    if (i % 4 == 2) MPI_Bsend(data.data(), count, MPI_INT, to, i % 3, comm);
    if (i % 4 == 3) {
      MPI_Request request;
      MPI_Issend(data.data(), count, MPI_INT, to, i % 3, comm, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
  }
  MPI_Send(nullptr, 0, MPI_INT, to, kDone, comm);
}

// With persistent receives into every second element.
void receive_window(MPI_Comm comm, int senders, bool test) {
  MPI_Datatype gaps;
  MPI_Type_vector(40, 1, 2, MPI_INT, &gaps);
  MPI_Type_commit(&gaps);
  std::vector<std::vector<int>> buffers(kWindow, std::vector<int>(80));
  std::vector<MPI_Request> requests(kWindow, MPI_REQUEST_NULL);
  std::vector<MPI_Status> statuses(kWindow);
  std::vector<int> indices(kWindow);
  for (size_t i = 0; i < kWindow; i++)
    MPI_Recv_init(buffers[i].data(), 1, gaps, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &requests[i]);
  MPI_Startall(kWindow, requests.data());
  int done = 0;
  while (done < senders) {
    int count = 0;
    if (test) {
      MPI_Testsome(kWindow, requests.data(), &count, indices.data(), statuses.data());
      observe(count);
    } else {
      MPI_Waitsome(kWindow, requests.data(), &count, indices.data(), statuses.data());
    }
    for (int n = 0; n < count; n++) {
      size_t i = static_cast<size_t>(indices[static_cast<size_t>(n)]);
      MPI_Status& status = statuses[static_cast<size_t>(n)];
      int elements = 0;
      MPI_Get_elements(&status, MPI_INT, &elements);
      observe_status(&status);
      observe(buffers[i][0]);
      if (status.MPI_TAG == kDone) {
        observe(elements);
        done++;
      }
      MPI_Start(&requests[i]);
    }
  }
  for (MPI_Request& request : requests) {
    MPI_Status status;
    int cancelled = 0;
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &cancelled);
    observe(cancelled);
    MPI_Request_free(&request);
  }
  MPI_Type_free(&gaps);
}

// Into room that is too small for some: these say so.
void receive_short(MPI_Comm comm, int senders) {
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  for (int i = 0, done = 0; done < senders; i++) {
    int data[40] = {}, kind = MPI_SUCCESS;
    MPI_Status status;
    int result;
    if (i % 2) {
      MPI_Request request;
      MPI_Irecv(data, 20, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &request);
      result = MPI_Wait(&request, &status);
    } else {
      result = MPI_Recv(data, 20, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &status);
    }
    if (result != MPI_SUCCESS) MPI_Error_class(result, &kind);
    observe(kind);
    observe_status(&status);
    if (kind == MPI_SUCCESS) observe(data[0]);
    done += status.MPI_TAG == kDone;
  }
}

void receive_probed(MPI_Comm comm, int senders) {
  for (int done = 0; done < senders;) {
    MPI_Message message;
    MPI_Status status;
    int count = 0;
    MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &message, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    std::vector<int> data(static_cast<size_t>(count) + 1);
    if (count % 2) {
      MPI_Mrecv(data.data(), count, MPI_INT, &message, MPI_STATUS_IGNORE);
    } else {
      MPI_Request request;
      MPI_Imrecv(data.data(), count, MPI_INT, &message, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    observe_status(&status);
    observe(count);
    observe(data[0]);
    done += status.MPI_TAG == kDone;
  }
}

void exchange(MPI_Comm comm) {
  int me, size;
  MPI_Comm_rank(comm, &me);
  MPI_Comm_size(comm, &size);
  for (int way = 0; way < 4; way++) {
    if (me != 0) send_all(comm, me, 0);
    else if (way == 2) receive_probed(comm, size - 1);
    else if (way == 3) receive_short(comm, size - 1);
    else receive_window(comm, size - 1, way == 1);
    MPI_Barrier(comm);
  }
}

void across_groups() {
  MPI_Comm half, between;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank % 2 ? 0 : 1, 5, &between);
  int me, others;
  MPI_Comm_rank(half, &me);
  MPI_Comm_remote_size(between, &others);
  if (rank % 2) send_all(between, me, 0);
  else if (me == 0) receive_probed(between, others);
  MPI_Barrier(between);
  MPI_Comm_free(&between);
  MPI_Comm_free(&half);
}

void around_a_ring() {
  int extent = ranks, periodic = 1, from, to, value = rank;
  MPI_Comm ring;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &extent, &periodic, 0, &ring);
  MPI_Cart_shift(ring, 0, 1, &from, &to);
  for (int i = 0; i < 10; i++) {
    MPI_Status status;
    MPI_Sendrecv_replace(&value, 1, MPI_INT, to, 3, i % 2 ? MPI_ANY_SOURCE : from, 3, ring, &status);
    observe_status(&status);
    observe(value);
  }
  MPI_Comm_free(&ring);
}

}  // namespace

int main(int argc, char** argv) {
  start(&argc, &argv);
  std::vector<char> room(1 << 20);
  MPI_Buffer_attach(room.data(), static_cast<int>(room.size()));
  exchange(MPI_COMM_WORLD);
  MPI_Comm copy;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  exchange(copy);
  MPI_Comm_free(&copy);
  across_groups();
  around_a_ring();
  void* old;
  int size;
  MPI_Buffer_detach(&old, &size);
  return finish();
}
