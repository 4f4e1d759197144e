// What a rank is told about the topology of a communicator. Alone, the communicators have none, and the recording tells.
#include <mpi.h>

#include "mpi/contents.h"
#include "mpi/library.h"

using namespace ana::mpi;

namespace {

int least(int a, int b) { return a < b ? a : b; }

int dimensions_of(MPI_Comm comm) {
  int n = 0;
  return PMPI_Cartdim_get(comm, &n) == MPI_SUCCESS ? n : 0;
}

}  // namespace

#define ANA_TOPOLOGY(name, parameters, arguments, told, n)               \
  extern "C" int MPI_##name parameters {                                 \
    Thread* t = ANA_FACT(name);                                          \
    int result = alone() ? MPI_SUCCESS : PMPI_##name arguments;          \
    return t == nullptr ? result : pass_numbers(t, result, told, n);     \
  }
#define ANA_TOPOLOGY_PAIR(name, parameters, arguments, first, second)    \
  extern "C" int MPI_##name parameters {                                 \
    Thread* t = ANA_FACT(name);                                          \
    int result = alone() ? MPI_SUCCESS : PMPI_##name arguments;          \
    if (t == nullptr) return result;                                     \
    const Told told[] = {{first, 1}, {second, 1}};                       \
    return pass_arrays(t, result, told, 2);                              \
  }

ANA_TOPOLOGY(Topo_test, (MPI_Comm comm, int* kind), (comm, kind), kind, 1)
ANA_TOPOLOGY(Cartdim_get, (MPI_Comm comm, int* dimensions), (comm, dimensions), dimensions, 1)
ANA_TOPOLOGY(Cart_rank, (MPI_Comm comm, const int coordinates[], int* rank), (comm, coordinates, rank), rank, 1)
ANA_TOPOLOGY(Cart_map, (MPI_Comm comm, int n, const int extents[], const int periods[], int* rank),
             (comm, n, extents, periods, rank), rank, 1)
ANA_TOPOLOGY(Graph_map, (MPI_Comm comm, int nodes, const int index[], const int edges[], int* rank),
             (comm, nodes, index, edges, rank), rank, 1)
ANA_TOPOLOGY(Graph_neighbors_count, (MPI_Comm comm, int rank, int* count), (comm, rank, count), count, 1)
ANA_TOPOLOGY_PAIR(Cart_shift, (MPI_Comm comm, int direction, int distance, int* source, int* destination),
                  (comm, direction, distance, source, destination), source, destination)
ANA_TOPOLOGY_PAIR(Graphdims_get, (MPI_Comm comm, int* nodes, int* edges), (comm, nodes, edges), nodes, edges)

extern "C" {

int MPI_Cart_get(MPI_Comm comm, int room, int extents[], int periods[], int coordinates[]) {
  Thread* t = ANA_FACT(Cart_get);
  int result = alone() ? MPI_SUCCESS : PMPI_Cart_get(comm, room, extents, periods, coordinates);
  if (t == nullptr) return result;
  int n = recording() ? least(room, dimensions_of(comm)) : 0;
  const Told told[] = {{extents, n}, {periods, n}, {coordinates, n}};
  return pass_arrays(t, result, told, 3);
}

int MPI_Cart_coords(MPI_Comm comm, int rank, int room, int coordinates[]) {
  Thread* t = ANA_FACT(Cart_coords);
  int result = alone() ? MPI_SUCCESS : PMPI_Cart_coords(comm, rank, room, coordinates);
  if (t == nullptr) return result;
  const Told told{coordinates, recording() ? least(room, dimensions_of(comm)) : 0};
  return pass_arrays(t, result, &told, 1);
}

int MPI_Graph_get(MPI_Comm comm, int index_room, int edge_room, int index[], int edges[]) {
  Thread* t = ANA_FACT(Graph_get);
  int result = alone() ? MPI_SUCCESS : PMPI_Graph_get(comm, index_room, edge_room, index, edges);
  if (t == nullptr) return result;
  int n = 0, m = 0;
  if (recording()) PMPI_Graphdims_get(comm, &n, &m);
  const Told told[] = {{index, least(n, index_room)}, {edges, least(m, edge_room)}};
  return pass_arrays(t, result, told, 2);
}

int MPI_Graph_neighbors(MPI_Comm comm, int rank, int room, int neighbours[]) {
  Thread* t = ANA_FACT(Graph_neighbors);
  int result = alone() ? MPI_SUCCESS : PMPI_Graph_neighbors(comm, rank, room, neighbours);
  if (t == nullptr) return result;
  int n = 0;
  if (recording()) PMPI_Graph_neighbors_count(comm, rank, &n);
  const Told told{neighbours, least(n, room)};
  return pass_arrays(t, result, &told, 1);
}

int MPI_Dist_graph_neighbors_count(MPI_Comm comm, int* in, int* out, int* weighted) {
  Thread* t = ANA_FACT(Dist_graph_neighbors_count);
  int result = alone() ? MPI_SUCCESS : PMPI_Dist_graph_neighbors_count(comm, in, out, weighted);
  if (t == nullptr) return result;
  const Told told[] = {{in, 1}, {out, 1}, {weighted, 1}};
  return pass_arrays(t, result, told, 3);
}

int MPI_Dist_graph_neighbors(MPI_Comm comm, int in_room, int sources[], int source_weights[], int out_room,
                             int destinations[], int destination_weights[]) {
  Thread* t = ANA_FACT(Dist_graph_neighbors);
  int result = alone() ? MPI_SUCCESS
                       : PMPI_Dist_graph_neighbors(comm, in_room, sources, source_weights, out_room, destinations,
                                                   destination_weights);
  if (t == nullptr) return result;
  int in = 0, out = 0, weighted = 0;
  if (recording()) PMPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted);
  in = least(in, in_room);
  out = least(out, out_room);
  // Without weights nothing is written there.
  const Told told[] = {{sources, in},
                       {source_weights, weighted != 0 && source_weights != MPI_UNWEIGHTED ? in : 0},
                       {destinations, out},
                       {destination_weights, weighted != 0 && destination_weights != MPI_UNWEIGHTED ? out : 0}};
  return pass_arrays(t, result, told, 4);
}

}  // extern "C"
