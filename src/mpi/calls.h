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

enum class Call : uint8_t {
#define ANA_NAME(name) name,
  ANA_MPI_CALLS(ANA_NAME)
#undef ANA_NAME
};

// "MPI_Send"
inline const char* name_of(Call call) {
  constexpr const char* kNames[] = {
#define ANA_NAME(name) "MPI_" #name,
      ANA_MPI_CALLS(ANA_NAME)
#undef ANA_NAME
  };
  auto i = static_cast<uint32_t>(call);
  return i < sizeof kNames / sizeof *kNames ? kNames[i] : "an unknown call";
}

}  // namespace ana::mpi
