#include "mpi/inside_shapes.h"

namespace ana::mpi {

namespace {

constexpr BufferArguments one(int8_t buffer, int8_t count, int8_t type) {
  return {Extent::kOne, buffer, count, -1, type};
}
constexpr BufferArguments each(int8_t buffer, int8_t count, int8_t type) {
  return {Extent::kEach, buffer, count, -1, type};
}
constexpr BufferArguments hull(int8_t buffer, int8_t counts, int8_t displacements, int8_t type) {
  return {Extent::kHull, buffer, counts, displacements, type};
}
constexpr BufferArguments kNothing{};

}  // namespace

#define ANA_BOTH(name) case k_MPI_##name: case k_PMPI_##name

CallShape shape_of(uint64_t number) {
  switch (number) {
    ANA_BOTH(Send):
    ANA_BOTH(Ssend):
    ANA_BOTH(Rsend):
    ANA_BOTH(Bsend):
    ANA_BOTH(Isend):
    ANA_BOTH(Issend):
    ANA_BOTH(Irsend):
    ANA_BOTH(Ibsend): return {one(0, 1, 2), kNothing};
    ANA_BOTH(Recv):
    ANA_BOTH(Mrecv): return {kNothing, one(0, 1, 2)};
    ANA_BOTH(Irecv): return {kNothing, one(0, 1, 2), -1, 6};
    ANA_BOTH(Imrecv): return {kNothing, one(0, 1, 2), -1, 4};
    ANA_BOTH(Recv_init): return {kNothing, one(0, 1, 2), -1, 6, true};
    ANA_BOTH(Sendrecv): return {one(0, 1, 2), one(5, 6, 7)};
    ANA_BOTH(Sendrecv_replace): return {one(0, 1, 2), one(0, 1, 2)};
    ANA_BOTH(Bcast): return {one(0, 1, 2), one(0, 1, 2)};
    ANA_BOTH(Ibcast): return {one(0, 1, 2), one(0, 1, 2), -1, 5};
    ANA_BOTH(Reduce): return {one(0, 2, 3), one(1, 2, 3)};
    ANA_BOTH(Ireduce): return {one(0, 2, 3), one(1, 2, 3), -1, 7};
    ANA_BOTH(Allreduce):
    ANA_BOTH(Scan):
    ANA_BOTH(Exscan): return {one(0, 2, 3), one(1, 2, 3)};
    ANA_BOTH(Iallreduce):
    ANA_BOTH(Iscan):
    ANA_BOTH(Iexscan): return {one(0, 2, 3), one(1, 2, 3), -1, 6};
    ANA_BOTH(Reduce_scatter_block): return {each(0, 2, 3), one(1, 2, 3), 5};
    ANA_BOTH(Ireduce_scatter_block): return {each(0, 2, 3), one(1, 2, 3), 5, 6};
    ANA_BOTH(Gather): return {one(0, 1, 2), each(3, 4, 5), 7};
    ANA_BOTH(Igather): return {one(0, 1, 2), each(3, 4, 5), 7, 8};
    ANA_BOTH(Allgather): return {one(0, 1, 2), each(3, 4, 5), 6};
    ANA_BOTH(Iallgather): return {one(0, 1, 2), each(3, 4, 5), 6, 7};
    ANA_BOTH(Scatter): return {each(0, 1, 2), one(3, 4, 5), 7};
    ANA_BOTH(Iscatter): return {each(0, 1, 2), one(3, 4, 5), 7, 8};
    ANA_BOTH(Alltoall): return {each(0, 1, 2), each(3, 4, 5), 6};
    ANA_BOTH(Ialltoall): return {each(0, 1, 2), each(3, 4, 5), 6, 7};
    ANA_BOTH(Gatherv): return {one(0, 1, 2), hull(3, 4, 5, 6), 8};
    ANA_BOTH(Igatherv): return {one(0, 1, 2), hull(3, 4, 5, 6), 8, 9};
    ANA_BOTH(Allgatherv): return {one(0, 1, 2), hull(3, 4, 5, 6), 7};
    ANA_BOTH(Iallgatherv): return {one(0, 1, 2), hull(3, 4, 5, 6), 7, 8};
    ANA_BOTH(Scatterv): return {hull(0, 1, 2, 3), one(4, 5, 6), 8};
    ANA_BOTH(Iscatterv): return {hull(0, 1, 2, 3), one(4, 5, 6), 8, 9};
    ANA_BOTH(Alltoallv): return {hull(0, 1, 2, 3), hull(4, 5, 6, 7), 8};
    ANA_BOTH(Ialltoallv): return {hull(0, 1, 2, 3), hull(4, 5, 6, 7), 8, 9};
  }
  return {};
}

CompletionShape completion_of(uint64_t number) {
  switch (number) {
    ANA_BOTH(Wait):
    ANA_BOTH(Test): return {0, -1};
    ANA_BOTH(Waitall):
    ANA_BOTH(Waitany):
    ANA_BOTH(Waitsome):
    ANA_BOTH(Testall):
    ANA_BOTH(Testany):
    ANA_BOTH(Testsome): return {1, 0};
  }
  return {};
}

#undef ANA_BOTH

}  // namespace ana::mpi
