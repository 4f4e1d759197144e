// Every family of collectives, blocking and not, with counts for each rank, in place, between groups and among
// neighbours; groups, topologies, attributes.
#include <string.h>

#include "observe.h"

enum { kMost = 16 };

static int out[kMost * kMost], in[kMost * kMost], counts[kMost], at[kMost], bytes_at[kMost];
static MPI_Datatype types[kMost];

static void prepare(int seed) {
  for (int i = 0; i < kMost * kMost; i++) {
    out[i] = seed + rank * 1000 + i;
    in[i] = -1;
  }
  for (int i = 0; i < kMost; i++) {
    counts[i] = i % 3;
    at[i] = 3 * i;
    bytes_at[i] = 12 * i;
    types[i] = MPI_INT;
  }
}

static void observe_in(void) {
  for (int i = 0; i < kMost * kMost; i++) observe(in[i]);
}

static void finish_request(MPI_Request request) {
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  observe_in();
}

static void blocking(MPI_Comm comm, int root) {
  int me;
  MPI_Comm_rank(comm, &me);
  MPI_Gather(out, 2, MPI_INT, in, 2, MPI_INT, root, comm);
  MPI_Gatherv(out, counts[me], MPI_INT, in, counts, at, MPI_INT, root, comm);
  MPI_Scatter(out, 2, MPI_INT, in, 2, MPI_INT, root, comm);
  MPI_Scatter(out, 2, MPI_INT, me == root ? MPI_IN_PLACE : in, 2, MPI_INT, root, comm);
  MPI_Scatterv(out, counts, at, MPI_INT, in, counts[me], MPI_INT, root, comm);
  observe_in();
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_INT, in, 1, MPI_INT, comm);
  MPI_Allgatherv(out, counts[me], MPI_INT, in, counts, at, MPI_INT, comm);
  MPI_Alltoall(out, 2, MPI_INT, in, 2, MPI_INT, comm);
  int same[kMost];
  for (int i = 0; i < kMost; i++) same[i] = 1;
  MPI_Alltoallv(out, same, at, MPI_INT, in, same, at, MPI_INT, comm);
  MPI_Alltoallw(out, same, bytes_at, types, in, same, bytes_at, types, comm);
  observe_in();
  MPI_Reduce(out, in, 5, MPI_INT, MPI_SUM, root, comm);
  MPI_Allreduce(MPI_IN_PLACE, in, 5, MPI_INT, MPI_MAX, comm);
  MPI_Reduce_scatter(out, in, counts, MPI_INT, MPI_SUM, comm);
  MPI_Reduce_scatter_block(out, in, 2, MPI_INT, MPI_SUM, comm);
  MPI_Scan(out, in, 3, MPI_INT, MPI_SUM, comm);
  MPI_Exscan(out, in + 7, 3, MPI_INT, MPI_SUM, comm);
  observe_in();
}

static void started(MPI_Comm comm, int root) {
  int me;
  MPI_Request r;
  MPI_Comm_rank(comm, &me);
  MPI_Ibcast(me == root ? out : in, 9, MPI_INT, root, comm, &r), finish_request(r);
  MPI_Igatherv(out, counts[me], MPI_INT, in, counts, at, MPI_INT, root, comm, &r), finish_request(r);
  MPI_Iscatter(out, 2, MPI_INT, in, 2, MPI_INT, root, comm, &r), finish_request(r);
  MPI_Iscatterv(out, counts, at, MPI_INT, in, counts[me], MPI_INT, root, comm, &r), finish_request(r);
  MPI_Iallgather(out, 1, MPI_INT, in, 1, MPI_INT, comm, &r), finish_request(r);
  MPI_Iallgatherv(out, counts[me], MPI_INT, in, counts, at, MPI_INT, comm, &r), finish_request(r);
  MPI_Ialltoall(out, 1, MPI_INT, in, 1, MPI_INT, comm, &r), finish_request(r);
  MPI_Ireduce(out, in, 3, MPI_INT, MPI_SUM, root, comm, &r), finish_request(r);
  MPI_Ireduce_scatter(out, in, counts, MPI_INT, MPI_SUM, comm, &r), finish_request(r);
  MPI_Iscan(out, in, 3, MPI_INT, MPI_SUM, comm, &r), finish_request(r);
  MPI_Iexscan(out, in + 5, 3, MPI_INT, MPI_SUM, comm, &r), finish_request(r);
}

// Within a group of one, collectives are complete at once.
static void among_neighbours(void) {
  int extents[2] = {0, 0}, periods[2] = {0, 1}, place[2], got[2], around[2], n, kind;
  MPI_Comm grid, line;
  MPI_Request r;
  MPI_Dims_create(ranks, 2, extents);
  MPI_Cart_create(MPI_COMM_WORLD, 2, extents, periods, 1, &grid);
  MPI_Topo_test(grid, &kind);
  observe(kind == MPI_CART);
  int me;
  MPI_Comm_rank(grid, &me);
  MPI_Cart_coords(grid, me, 2, place);
  MPI_Cart_get(grid, 2, extents, around, got);
  MPI_Cart_rank(grid, got, &n);
  observe(place[0] * 1000 + place[1] * 100 + got[0] * 10 + n);
  MPI_Cart_shift(grid, 0, 1, &place[0], &place[1]);
  observe(place[0] * 100 + place[1]);
  MPI_Neighbor_allgather(out, 2, MPI_INT, in, 2, MPI_INT, grid);
  observe_in();
  MPI_Neighbor_alltoall(out, 1, MPI_INT, in + 20, 1, MPI_INT, grid);
  MPI_Ineighbor_allgather(out, 1, MPI_INT, in + 40, 1, MPI_INT, grid, &r), finish_request(r);
  int remain[2] = {1, 0};
  MPI_Cart_sub(grid, remain, &line);
  MPI_Comm_size(line, &n);
  observe(n);
  MPI_Comm_free(&line);
  MPI_Comm_free(&grid);
  int sources[2] = {(rank + 1) % ranks, (rank + ranks - 1) % ranks}, weights[2] = {3, 4}, in_degree, out_degree, weighted;
  MPI_Comm graph;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, sources, weights, 2, sources, weights, MPI_INFO_NULL, 0, &graph);
  MPI_Dist_graph_neighbors_count(graph, &in_degree, &out_degree, &weighted);
  int s[2], sw[2], d[2], dw[2];
  MPI_Dist_graph_neighbors(graph, 2, s, sw, 2, d, dw);
  observe(in_degree * 1000 + out_degree * 100 + weighted * 10 + s[0] + sw[1] + d[1] + dw[0]);
  int two[2] = {2, 2};
  MPI_Neighbor_alltoallv(out, two, at, MPI_INT, in, two, at, MPI_INT, graph);
  observe_in();
  MPI_Comm_free(&graph);
}

static void between_groups(void) {
  MPI_Comm half, inter;
  int size, flag;
  MPI_Comm_split(MPI_COMM_WORLD, rank == 0, rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank == 0 ? 1 : 0, 3, &inter);
  MPI_Comm_test_inter(inter, &flag);
  MPI_Comm_remote_size(inter, &size);
  observe(flag * 100 + size);
  MPI_Bcast(rank == 0 ? out : in, 4, MPI_INT, rank == 0 ? MPI_ROOT : 0, inter);
  MPI_Allgather(out, 2, MPI_INT, in + 8, 2, MPI_INT, inter);
  MPI_Allreduce(out, in + 100, 2, MPI_INT, MPI_SUM, inter);
  MPI_Gather(out, 2, MPI_INT, in + 40, 2, MPI_INT, rank == 0 ? MPI_ROOT : 0, inter);
  observe_in();
  MPI_Comm_free(&inter);
  MPI_Comm_free(&half);
}

static int copied = 0;
static int copy_attribute(MPI_Comm comm, int key, void* extra, void* value, void* copy, int* flag) {
  int me;
  (void)key, (void)extra;
  MPI_Comm_rank(comm, &me);
  observe(me);
  *(void**)copy = value;
  *flag = 1;
  copied++;
  return MPI_SUCCESS;
}

static void groups_and_attributes(void) {
  MPI_Group world, some, rest, none;
  MPI_Comm comm, copy;
  int size, me, answer, chosen[2] = {ranks - 1, 0}, all[kMost], translated[kMost], *value, flag, key, length;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, 2, chosen, &some);
  MPI_Group_difference(world, some, &rest);
  MPI_Group_intersection(some, rest, &none);
  observe(none == MPI_GROUP_EMPTY);
  MPI_Group_size(rest, &size);
  MPI_Group_rank(some, &me);
  MPI_Group_compare(world, some, &answer);
  observe(size * 100 + me * 10 + (answer == MPI_UNEQUAL));
  for (int i = 0; i < ranks; i++) all[i] = i;
  MPI_Group_translate_ranks(world, ranks, all, some, translated);
  for (int i = 0; i < ranks; i++) observe(translated[i]);
  MPI_Comm_create(MPI_COMM_WORLD, some, &comm);
  observe(comm == MPI_COMM_NULL);
  if (comm != MPI_COMM_NULL) {
    int sum;
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
    observe(sum);
    MPI_Comm_create_keyval(copy_attribute, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    MPI_Comm_set_attr(comm, key, &copied);
    MPI_Comm_dup(comm, &copy);
    MPI_Comm_get_attr(copy, key, &value, &flag);
    observe(flag && value == &copied ? copied : -1);
    MPI_Comm_compare(comm, copy, &answer);
    observe(answer == MPI_CONGRUENT);
    MPI_Comm_free(&copy);
    MPI_Comm_free(&comm);
  }
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &value, &flag);
  observe(flag ? *value : -1);
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_UNIVERSE_SIZE, &value, &flag);
  observe(flag ? *value : -1);
  char name[MPI_MAX_PROCESSOR_NAME];
  MPI_Get_processor_name(name, &length);
  observe(length * 256 + name[0]);
  MPI_Group_free(&world);
  MPI_Group_free(&some);
  MPI_Group_free(&rest);
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  for (int root = 0; root < 2; root++) {
    prepare(root * 7);
    blocking(MPI_COMM_WORLD, root);
    prepare(root * 11);
    started(MPI_COMM_WORLD, root);
  }
  prepare(3);
  started(MPI_COMM_SELF, 0);
  among_neighbours();
  between_groups();
  groups_and_attributes();
  return finish();
}
