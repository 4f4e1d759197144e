#include "mpi/requests.h"

#include <stdlib.h>
#include <string.h>

namespace ana::mpi {

namespace {

// Open addressing with linear probing; a removed entry is closed up again, so there are no tombstones.
Tracked* entries = nullptr;
size_t room = 0, used = 0;

size_t home_of(uint64_t key) { return static_cast<size_t>((key * 0x9e3779b97f4a7c15ull) >> 20) & (room - 1); }
bool is_free(const Tracked& e) { return e.handle == MPI_REQUEST_NULL; }

void clear(Tracked& e) {
  e = Tracked{};
  e.handle = e.actual = MPI_REQUEST_NULL;
}

Tracked* slot_for(MPI_Request request) {
  size_t i = home_of(key_of(request));
  while (!is_free(entries[i]) && entries[i].handle != request) i = (i + 1) & (room - 1);
  return &entries[i];
}

void grow() {
  Tracked* old = entries;
  size_t old_room = room;
  room = room == 0 ? 256 : room * 2;
  entries = static_cast<Tracked*>(malloc(room * sizeof(Tracked)));
  if (entries == nullptr) give_up("there is no memory left for the table of requests");
  for (size_t i = 0; i < room; i++) clear(entries[i]);
  for (size_t i = 0; i < old_room; i++) {
    if (!is_free(old[i])) *slot_for(old[i].handle) = old[i];
  }
  free(old);
}

int query_pseudo(void*, MPI_Status* status) {
  PMPI_Status_set_elements(status, MPI_BYTE, 0);
  PMPI_Status_set_cancelled(status, 1);
  status->MPI_SOURCE = MPI_UNDEFINED;
  status->MPI_TAG = MPI_UNDEFINED;
  return MPI_SUCCESS;
}
int free_pseudo(void*) { return MPI_SUCCESS; }
int cancel_pseudo(void*, int) { return MPI_SUCCESS; }

}  // namespace

uint64_t key_of(MPI_Request request) {
  uint64_t key = 0;
  memcpy(&key, &request, sizeof request);
  return key;
}

size_t tracked_requests() { return used; }

Tracked* find_tracked(MPI_Request request) {
  if (used == 0 || request == MPI_REQUEST_NULL) return nullptr;
  Tracked* e = slot_for(request);
  return is_free(*e) ? nullptr : e;
}

Tracked* add_tracked(MPI_Request request) {
  if ((used + 1) * 2 > room) grow();
  Tracked* e = slot_for(request);
  if (is_free(*e)) used++;
  clear(*e);
  e->handle = request;
  return e;
}

void remove_tracked(Tracked* entry) {
  size_t hole = static_cast<size_t>(entry - entries);
  used--;
  for (size_t i = (hole + 1) & (room - 1); !is_free(entries[i]); i = (i + 1) & (room - 1)) {
    size_t home = home_of(key_of(entries[i].handle));
    // May move into the hole if its home does not lie cyclically after the hole.
    if (((i - home) & (room - 1)) >= ((i - hole) & (room - 1))) {
      entries[hole] = entries[i];
      hole = i;
    }
  }
  clear(entries[hole]);
}

MPI_Request make_pseudo() {
  MPI_Request request;
  PMPI_Grequest_start(query_pseudo, free_pseudo, cancel_pseudo, nullptr, &request);
  return request;
}

}  // namespace ana::mpi
