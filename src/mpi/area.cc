#include "mpi/area.h"

#include <stdlib.h>
#include <string.h>

#include "mpi/alone.h"
#include "mpi/contents.h"
#include "mpi/facts.h"
#include "mpi/payload.h"
#include "mpi/requests.h"

namespace ana::mpi {

namespace {

void* after(void* buffer, int64_t items, MPI_Datatype type) {
  MPI_Aint lower, extent;
  PMPI_Type_get_extent(type, &lower, &extent);
  return reinterpret_cast<void*>(reinterpret_cast<intptr_t>(buffer) + extent * items);
}

void* at_byte(void* buffer, MPI_Aint offset) {
  return reinterpret_cast<void*>(reinterpret_cast<intptr_t>(buffer) + offset);
}

bool is_root(int root, MPI_Comm comm) {
  Facts facts = facts_of(comm);
  return facts.inter != 0 ? root == MPI_ROOT : root == facts.rank;
}

}  // namespace

Area::~Area() {
  for (size_t i = 0; held_ && i < count_; i++) release_type(&at(i).type);
  free(pieces_);
}

void Area::add(void* buffer, int64_t count, MPI_Datatype type) {
  if (count <= 0 || buffer == MPI_IN_PLACE) return;
  if (count_ == 0) {
    first_ = {buffer, count, type};
    count_ = 1;
    return;
  }
  if (count_ >= room_) {
    bool moves = pieces_ == nullptr;
    room_ = room_ == 0 ? 16 : room_ * 2;
    pieces_ = static_cast<Piece*>(realloc(static_cast<void*>(pieces_), room_ * sizeof(Piece)));
    if (pieces_ == nullptr) give_up("there is no memory left for the arguments of a collective");
    if (moves) pieces_[0] = first_;
  }
  pieces_[count_++] = {buffer, count, type};
}

void Area::others(int root, MPI_Comm comm, void* buffer, int64_t count, MPI_Datatype type) {
  if (root != MPI_PROC_NULL && !is_root(root, comm)) add(buffer, count, type);
}

void Area::root(int root, MPI_Comm comm, void* buffer, int64_t count, MPI_Datatype type) {
  if (is_root(root, comm)) add(buffer, count, type);
}

void Area::from_each(MPI_Comm comm, void* buffer, int64_t count, MPI_Datatype type) {
  add(buffer, count * facts_of(comm).remote_size, type);
}

void Area::gathered(int root, MPI_Comm comm, void* buffer, int64_t count, MPI_Datatype type) {
  if (is_root(root, comm)) from_each(comm, buffer, count, type);
}

void Area::gathered(int root, MPI_Comm comm, void* buffer, const int counts[], const int at[], MPI_Datatype type) {
  if (is_root(root, comm)) from_each(comm, buffer, counts, at, type);
}

// Within a group the root gets its part as well, unless it is where it was.
void Area::scattered(int root, MPI_Comm comm, void* buffer, int64_t count, MPI_Datatype type) {
  if (root == MPI_PROC_NULL || (facts_of(comm).inter != 0 && root == MPI_ROOT)) return;
  add(buffer, count, type);
}

void Area::from_each(MPI_Comm comm, void* buffer, const int counts[], const int at[], MPI_Datatype type) {
  int n = facts_of(comm).remote_size;
  for (int i = 0; i < n; i++) add(after(buffer, at[i], type), counts[i], type);
}

void Area::from_each(MPI_Comm comm, void* buffer, const int counts[], const int at[], const MPI_Datatype types[]) {
  int n = facts_of(comm).remote_size;
  for (int i = 0; i < n; i++) add(at_byte(buffer, at[i]), counts[i], types[i]);
}

void Area::share(MPI_Comm comm, void* buffer, const int counts[], MPI_Datatype type) {
  add(buffer, counts[facts_of(comm).rank], type);
}

void Area::below(MPI_Comm comm, void* buffer, int64_t count, MPI_Datatype type) {
  if (facts_of(comm).rank != 0) add(buffer, count, type);
}

void Area::from_neighbours(MPI_Comm comm, void* buffer, int64_t count, MPI_Datatype type) {
  Neighbours from(comm);
  for (int i = 0; i < from.count(); i++) {
    if (from.ranks()[i] != MPI_PROC_NULL) add(after(buffer, i * count, type), count, type);
  }
}

void Area::from_neighbours(MPI_Comm comm, void* buffer, const int counts[], const int at[], MPI_Datatype type) {
  Neighbours from(comm);
  for (int i = 0; i < from.count(); i++) {
    if (from.ranks()[i] != MPI_PROC_NULL) add(after(buffer, at[i], type), counts[i], type);
  }
}

void Area::from_neighbours(MPI_Comm comm, void* buffer, const int counts[], const MPI_Aint at[],
                           const MPI_Datatype types[]) {
  Neighbours from(comm);
  for (int i = 0; i < from.count(); i++) {
    if (from.ranks()[i] != MPI_PROC_NULL) add(at_byte(buffer, at[i]), counts[i], types[i]);
  }
}

uint64_t Area::bytes() const {
  uint64_t sum = 0;
  for (size_t i = 0; i < count_; i++) sum += payload_bytes(static_cast<uint64_t>(at(i).count), at(i).type);
  return sum;
}

void Area::put(Thread* t, int result) {
  int64_t row[] = {result};
  put_record(t, ContentKind::kArea, row, 1, result == MPI_SUCCESS ? bytes() : 0);
  for (size_t i = 0; i < count_ && result == MPI_SUCCESS; i++)
    put_payload(t, at(i).buffer, at(i).type, payload_bytes(static_cast<uint64_t>(at(i).count), at(i).type));
}

int Area::take(Thread* t, MPI_Comm comm) {
  Taken taken = take_record(t, ContentKind::kArea);
  int result = taken.result();
  if (result != MPI_SUCCESS) {
    PMPI_Comm_call_errhandler(comm, result);
    return result;
  }
  if (taken.bytes != bytes()) diverged(t, "the collective of the recording gave another number of bytes");
  for (size_t i = 0; i < count_; i++)
    take_payload(t, at(i).buffer, at(i).type, payload_bytes(static_cast<uint64_t>(at(i).count), at(i).type));
  return result;
}

int Area::pass(Thread* t, int result, MPI_Comm comm) {
  if (!recording()) return take(t, comm);
  put(t, result);
  return result;
}

// A request that is complete at once may share its handle with others, so what it got is saved with the call.
int Area::post(Thread* t, int result, MPI_Comm comm, MPI_Request* request) {
  int done = 1;
  if (recording() && result == MPI_SUCCESS && count_ > 0)
    PMPI_Request_get_status(*request, &done, MPI_STATUS_IGNORE);
  result = pass_numbers(t, result, &done, 1);
  if (alone() && result == MPI_SUCCESS) *request = done != 0 ? make_complete() : make_ticket();
  if (result != MPI_SUCCESS) return result;
  if (done != 0) return count_ == 0 ? result : pass(t, result, comm);
  Tracked* e = add_tracked(*request);
  e->area = hold();
  e->comm = comm;
  e->active = e->pending = true;
  return result;
}

Area* Area::hold() {
  auto* held = static_cast<Area*>(malloc(sizeof(Area)));
  if (held == nullptr) give_up("there is no memory left for a collective");
  memcpy(static_cast<void*>(held), static_cast<const void*>(this), sizeof(Area));
  pieces_ = nullptr;
  count_ = 0;
  held->held_ = true;
  for (size_t i = 0; i < held->count_; i++) held->at(i).type = hold_type(held->at(i).type);
  return held;
}

void drop_area(Area* area) {
  area->~Area();
  free(area);
}

}  // namespace ana::mpi
