// The functions of MPI that are wrapped, for hashes and messages. Used by the tools as well, for their names.
#pragma once
#include <stdint.h>

namespace ana::mpi {

#define ANA_MPI_CALLS(X)                                                                                              \
  X(Send) X(Bsend) X(Ssend) X(Rsend) X(Isend) X(Ibsend) X(Issend) X(Irsend) X(Recv) X(Irecv) X(Sendrecv)              \
  X(Sendrecv_replace) X(Mrecv) X(Imrecv) X(Probe) X(Iprobe) X(Mprobe) X(Improbe) X(Send_init) X(Bsend_init)           \
  X(Ssend_init) X(Rsend_init) X(Recv_init) X(Start) X(Startall) X(Wait) X(Waitany) X(Waitall) X(Waitsome) X(Test)     \
  X(Testany) X(Testall) X(Testsome) X(Cancel) X(Request_free) X(Request_get_status) X(Barrier) X(Bcast) X(Gather)     \
  X(Gatherv) X(Scatter) X(Scatterv) X(Allgather) X(Allgatherv) X(Alltoall) X(Alltoallv) X(Alltoallw) X(Reduce)        \
  X(Allreduce) X(Reduce_scatter) X(Reduce_scatter_block) X(Scan) X(Exscan) X(Neighbor_allgather)                      \
  X(Neighbor_allgatherv) X(Neighbor_alltoall) X(Neighbor_alltoallv) X(Neighbor_alltoallw) X(Ibarrier) X(Ibcast)       \
  X(Igather) X(Igatherv) X(Iscatter) X(Iscatterv) X(Iallgather) X(Iallgatherv) X(Ialltoall) X(Ialltoallv)             \
  X(Ialltoallw) X(Ireduce) X(Iallreduce) X(Ireduce_scatter) X(Ireduce_scatter_block) X(Iscan) X(Iexscan)              \
  X(Ineighbor_allgather) X(Ineighbor_allgatherv) X(Ineighbor_alltoall) X(Ineighbor_alltoallv)                         \
  X(Ineighbor_alltoallw) X(Comm_dup) X(Comm_dup_with_info) X(Comm_idup) X(Comm_create) X(Comm_create_group)           \
  X(Comm_split) X(Comm_split_type) X(Cart_create) X(Cart_sub) X(Graph_create) X(Dist_graph_create)                    \
  X(Dist_graph_create_adjacent) X(Intercomm_create) X(Intercomm_merge) X(Comm_free) X(Comm_disconnect) X(Wtime)       \
  X(Abort) X(Finalize)

// Those that only tell something; they are not counted, and wrapped for the sake of --contents.
#define ANA_MPI_FACTS(X)                                                                                              \
  X(Comm_rank) X(Comm_size) X(Comm_remote_size) X(Comm_test_inter) X(Comm_compare) X(Comm_group) X(Comm_remote_group) \
  X(Comm_get_attr) X(Attr_get) X(Group_size) X(Group_rank) X(Group_compare) X(Group_translate_ranks) X(Group_union)   \
  X(Group_intersection) X(Group_difference) X(Group_incl) X(Group_excl) X(Group_range_incl) X(Group_range_excl)       \
  X(Topo_test) X(Cart_get) X(Cartdim_get) X(Cart_rank) X(Cart_coords) X(Cart_shift) X(Cart_map) X(Graphdims_get)      \
  X(Graph_get) X(Graph_neighbors_count) X(Graph_neighbors) X(Graph_map) X(Dist_graph_neighbors_count)                 \
  X(Dist_graph_neighbors) X(Get_processor_name) X(Test_cancelled) X(Group_free)

enum class Call : uint8_t {
#define ANA_NAME(name) name,
  ANA_MPI_CALLS(ANA_NAME) ANA_MPI_FACTS(ANA_NAME)
#undef ANA_NAME
};

// "MPI_Send"
inline const char* name_of(Call call) {
  constexpr const char* kNames[] = {
#define ANA_NAME(name) "MPI_" #name,
      ANA_MPI_CALLS(ANA_NAME) ANA_MPI_FACTS(ANA_NAME)
#undef ANA_NAME
  };
  auto i = static_cast<uint32_t>(call);
  return i < sizeof kNames / sizeof *kNames ? kNames[i] : "an unknown call";
}

// Whether the function itself sends something, or takes a message that others then do not find, also if it does not come
// to its end. (They are in this order above.)
constexpr bool matters_to_others(Call call) {
  return (call <= Call::Improbe && call != Call::Mrecv && call != Call::Imrecv) || call == Call::Start ||
         call == Call::Startall || (call >= Call::Barrier && call <= Call::Intercomm_merge);
}
// Whether it works in concert with other ranks, and waits for them.
constexpr bool is_concerted(Call call) {
  return (call >= Call::Barrier && call <= Call::Neighbor_alltoallw) ||
         (call >= Call::Comm_dup && call <= Call::Intercomm_merge && call != Call::Comm_idup);
}

}  // namespace ana::mpi
