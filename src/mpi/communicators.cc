#include "mpi/communicators.h"

#include <stdlib.h>
#include <string.h>

#include "mpi/alone.h"
#include "mpi/facts.h"
#include "mpi/lock.h"
#include "mpi/racing.h"
#include "mpi/turns.h"

namespace ana::mpi {

namespace {

Communicator** all = nullptr;
size_t count = 0, room = 0;
uint32_t next_id = 0;

Communicator* enter(MPI_Comm comm) {
  if (count == room) {
    room = room == 0 ? 16 : room * 2;
    all = static_cast<Communicator**>(realloc(static_cast<void*>(all), room * sizeof *all));
  }
  auto* entry = all == nullptr ? nullptr : static_cast<Communicator*>(calloc(1, sizeof(Communicator)));
  if (entry == nullptr) give_up("there is no memory left for the table of communicators");
  entry->handle = comm;
  entry->shadow = MPI_COMM_NULL;
  entry->id = next_id++;
  entry->is_world = comm == MPI_COMM_WORLD;
  all[count++] = entry;
  return entry;
}

}  // namespace

Communicator* last_communicator = nullptr;

Communicator* look_up_communicator(MPI_Comm comm) {
  Guard guard;
  if (last_communicator != nullptr && last_communicator->handle == comm) return last_communicator;
  for (size_t i = 0; i < count; i++) {
    if (all[i]->handle == comm) return last_communicator = all[i];
  }
  return last_communicator = enter(comm);
}

Communicator* communicator_at(size_t i) { return i < count ? all[i] : nullptr; }

uint32_t look_up_id(MPI_Comm comm) {
  if (comm == MPI_COMM_NULL) return ~0u;
  return find_communicator(comm)->id;
}

void add_communicator(Thread* t, MPI_Comm comm) {
  if (comm == MPI_COMM_NULL) return;
  Communicator* c;
  {
    Turn turn(t);
    c = find_communicator(comm);
  }
  int inter = 0;
  PMPI_Comm_test_inter(comm, &inter);
  if (!g.timestamps || inter != 0) return;
  // The first member names it for all.
  static uint32_t named = 0;
  uint64_t id = static_cast<uint64_t>(g.rank + 1) << 32 | ++named;
  PMPI_Bcast(&id, 1, MPI_UINT64_T, 0, comm);
  c->shared_id = id;
  if (!recording()) PMPI_Comm_dup(comm, &c->shadow);
}

int rank_in(Communicator* c, int world) {
  if (c->is_world) return world;
  translate_rank(c, 0);
  for (int i = 0; i < c->size; i++) {
    if (c->world_ranks[i] == world) return i;
  }
  return -1;
}

int translate_rank(Communicator* c, int rank) {
  if (c->world_ranks == nullptr) {
    MPI_Group members, world;
    int inter = 0;
    PMPI_Comm_test_inter(c->handle, &inter);
    inter != 0 ? PMPI_Comm_remote_group(c->handle, &members) : PMPI_Comm_group(c->handle, &members);
    PMPI_Comm_group(MPI_COMM_WORLD, &world);
    PMPI_Group_size(members, &c->size);
    size_t n = static_cast<size_t>(c->size);
    c->world_ranks = static_cast<int*>(malloc(n * sizeof(int)));
    auto* own = static_cast<int*>(malloc(n * sizeof(int)));
    if (c->world_ranks == nullptr || own == nullptr) give_up("there is no memory left for a communicator");
    for (int i = 0; i < c->size; i++) own[i] = i;
    PMPI_Group_translate_ranks(members, c->size, own, world, c->world_ranks);
    free(own);
    PMPI_Group_free(&members);
    PMPI_Group_free(&world);
  }
  return rank < 0 || rank >= c->size ? -1 : c->world_ranks[rank];
}

void remove_communicator(MPI_Comm comm) {
  Guard guard;
  for (size_t i = 0; i < count; i++) {
    if (all[i]->handle != comm) continue;
    if (last_communicator == all[i]) last_communicator = nullptr;
    free(all[i]->world_ranks);
    if (all[i]->shadow != MPI_COMM_NULL) PMPI_Comm_free(&all[i]->shadow);
    free(all[i]);
    all[i] = all[--count];
    return;
  }
}

}  // namespace ana::mpi

using namespace ana::mpi;

// Each makes its communicator and then gives it a number.
#define ANA_MAKER_OF(name, parameters, arguments, old, made, copies)                          \
  extern "C" int MPI_##name parameters {                                                      \
    Entered t = ANA_BEGIN(name, 0, 0, comm_id(old));                                          \
    int result = alone() ? MPI_SUCCESS : PMPI_##name arguments;                               \
    if (t != nullptr && ana::mpi::g.contents) result = pass_communicator(t, result, old, &made, copies); \
    if (t != nullptr && result == MPI_SUCCESS) add_communicator(t, made);                     \
    return result;                                                                            \
  }
#define ANA_MAKER(name, parameters, arguments, old, made) ANA_MAKER_OF(name, parameters, arguments, old, made, false)

ANA_MAKER_OF(Comm_dup, (MPI_Comm comm, MPI_Comm* made), (comm, made), comm, *made, true)
ANA_MAKER_OF(Comm_dup_with_info, (MPI_Comm comm, MPI_Info info, MPI_Comm* made), (comm, info, made), comm, *made, true)
ANA_MAKER(Comm_create, (MPI_Comm comm, MPI_Group group, MPI_Comm* made), (comm, group, made), comm, *made)
ANA_MAKER(Comm_create_group, (MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* made), (comm, group, tag, made), comm,
          *made)
ANA_MAKER(Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm* made), (comm, color, key, made), comm, *made)
ANA_MAKER(Comm_split_type, (MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* made),
          (comm, type, key, info, made), comm, *made)
ANA_MAKER(Cart_create,
          (MPI_Comm comm, int dimensions, const int extents[], const int periods[], int reorder, MPI_Comm* made),
          (comm, dimensions, extents, periods, reorder, made), comm, *made)
ANA_MAKER(Cart_sub, (MPI_Comm comm, const int remain[], MPI_Comm* made), (comm, remain, made), comm, *made)
ANA_MAKER(Graph_create,
          (MPI_Comm comm, int nodes, const int index[], const int edges[], int reorder, MPI_Comm* made),
          (comm, nodes, index, edges, reorder, made), comm, *made)
ANA_MAKER(Dist_graph_create,
          (MPI_Comm comm, int n, const int sources[], const int degrees[], const int destinations[],
           const int weights[], MPI_Info info, int reorder, MPI_Comm* made),
          (comm, n, sources, degrees, destinations, weights, info, reorder, made), comm, *made)
ANA_MAKER(Dist_graph_create_adjacent,
          (MPI_Comm comm, int in, const int sources[], const int source_weights[], int out, const int destinations[],
           const int destination_weights[], MPI_Info info, int reorder, MPI_Comm* made),
          (comm, in, sources, source_weights, out, destinations, destination_weights, info, reorder, made), comm, *made)
ANA_MAKER(Intercomm_create,
          (MPI_Comm comm, int leader, MPI_Comm peer, int remote_leader, int tag, MPI_Comm* made),
          (comm, leader, peer, remote_leader, tag, made), comm, *made)
ANA_MAKER(Intercomm_merge, (MPI_Comm comm, int high, MPI_Comm* made), (comm, high, made), comm, *made)

extern "C" {

// Complete only later, so it is numbered when it is first used.
int MPI_Comm_idup(MPI_Comm comm, MPI_Comm* made, MPI_Request* request) {
  Entered t = ANA_BEGIN(Comm_idup, 0, 0, comm_id(comm));
  if (!alone()) return PMPI_Comm_idup(comm, made, request);
  *request = make_complete();
  return copy_alone(comm, made);
}

int MPI_Comm_free(MPI_Comm* comm) {
  Entered t = ANA_BEGIN(Comm_free, 0, 0, comm_id(*comm));
  if (t != nullptr) remove_communicator(*comm);
  return PMPI_Comm_free(comm);
}

int MPI_Comm_disconnect(MPI_Comm* comm) {
  Entered t = ANA_BEGIN(Comm_disconnect, 0, 0, comm_id(*comm));
  if (t != nullptr) remove_communicator(*comm);
  return PMPI_Comm_disconnect(comm);
}

}  // extern "C"
