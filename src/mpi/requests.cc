#include "mpi/requests.h"

#include <stdlib.h>
#include <string.h>

#include "mpi/alone.h"
#include "mpi/lock.h"

namespace ana::mpi {

namespace {

// Open addressing with linear probing; a removed entry is closed up again, so there are no tombstones.
Tracked** entries = nullptr;
size_t room = 0, used = 0;
Tracked* spare = nullptr;  // entries that were removed; linked by `buffer`

size_t home_of(uint64_t key) { return static_cast<size_t>((key * 0x9e3779b97f4a7c15ull) >> 20) & (room - 1); }

void clear(Tracked& e) {
  e = Tracked{};
  e.handle = e.actual = MPI_REQUEST_NULL;
}

Tracked* new_entry() {
  Tracked* e = spare;
  if (e != nullptr) {
    spare = static_cast<Tracked*>(e->buffer);
  } else {
    e = static_cast<Tracked*>(malloc(sizeof(Tracked)));
    if (e == nullptr) give_up("there is no memory left for the table of requests");
  }
  return e;
}

// Its place, or that where it would be.
Tracked** slot_for(MPI_Request request) {
  size_t i = home_of(key_of(request));
  while (entries[i] != nullptr && entries[i]->handle != request) i = (i + 1) & (room - 1);
  return &entries[i];
}

void grow() {
  Tracked** old = entries;
  size_t old_room = room;
  room = room == 0 ? 256 : room * 2;
  entries = static_cast<Tracked**>(calloc(room, sizeof(Tracked*)));
  if (entries == nullptr) give_up("there is no memory left for the table of requests");
  for (size_t i = 0; i < old_room; i++) {
    if (old[i] != nullptr) *slot_for(old[i]->handle) = old[i];
  }
  free(static_cast<void*>(old));
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

size_t tracked_requests() { return __atomic_load_n(&used, __ATOMIC_RELAXED); }

Tracked* find_tracked(MPI_Request request) {
  if (tracked_requests() == 0 || request == MPI_REQUEST_NULL) return nullptr;
  Guard guard;
  return used == 0 ? nullptr : *slot_for(request);
}

Tracked* add_tracked(MPI_Request request) {
  Guard guard;
  if ((used + 1) * 2 > room) grow();
  Tracked** slot = slot_for(request);
  if (*slot == nullptr) {
    *slot = new_entry();
    used++;
  }
  clear(**slot);
  (*slot)->handle = request;
  return *slot;
}

namespace {

void unlink(Tracked* entry) {
  size_t hole = static_cast<size_t>(slot_for(entry->handle) - entries);
  used--;
  for (size_t i = (hole + 1) & (room - 1); entries[i] != nullptr; i = (i + 1) & (room - 1)) {
    size_t home = home_of(key_of(entries[i]->handle));
    // May move into the hole if its home does not lie cyclically after the hole.
    if (((i - home) & (room - 1)) >= ((i - hole) & (room - 1))) {
      entries[hole] = entries[i];
      hole = i;
    }
  }
  entries[hole] = nullptr;
}

}  // namespace

Tracked* take_out(MPI_Request request) {
  Guard guard;
  Tracked* e = find_tracked(request);
  if (e != nullptr && !e->persistent) unlink(e);
  return e;
}

void put_back(Tracked* entry) {
  if (entry->persistent) return;
  Guard guard;
  if ((used + 1) * 2 > room) grow();
  *slot_for(entry->handle) = entry;
  used++;
}

void drop(Tracked* entry) {
  release_held(entry);
  Guard guard;
  entry->buffer = spare;
  spare = entry;
}

void remove_tracked(Tracked* entry) {
  Guard guard;
  unlink(entry);
  drop(entry);
}

MPI_Request make_pseudo() {
  MPI_Request request;
  PMPI_Grequest_start(query_pseudo, free_pseudo, cancel_pseudo, nullptr, &request);
  return request;
}

}  // namespace ana::mpi
