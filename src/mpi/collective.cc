// Collectives: they are deterministic, so they pass; each is counted, so that a replay that takes another way is
// noticed. Those that let no rank out before all have come in (ANA_BARRIER, `orders`) also order the messages before
// and after; not those with a count for each rank, since some of these may be 0.
#include <mpi.h>

#include "mpi/area.h"
#include "mpi/communicators.h"
#include "mpi/library.h"
#include "mpi/racing.h"

using namespace ana::mpi;

namespace {

// Nobody waits for nothing.
bool has_data(int count, MPI_Datatype type) {
  int bytes = 0;
  return count > 0 && PMPI_Type_size(type, &bytes) == MPI_SUCCESS && bytes > 0;
}

}  // namespace

// `gets` says what it writes in this rank, which matters with contents only; `end` is what becomes of that.
#define ANA_ANY(name, parameters, arguments, root, count, orders, gets, end) \
  extern "C" int MPI_##name parameters {                                     \
    Entered t = ANA_BEGIN(name, root, 0, pack(count, comm));                 \
    if (t != nullptr) disturb();                                             \
    bool ordering = t != nullptr && (orders);                                \
    if (ordering) racing_barrier(true, comm);                                \
    int result = alone() ? MPI_SUCCESS : PMPI_##name arguments;              \
    if (ordering) racing_barrier(false, comm);                               \
    if (!ana::mpi::g.contents) return result;                                \
    Area area;                                                               \
    gets;                                                                    \
    return area.end;                                                         \
  }
#define ANA_COLLECTIVE(name, parameters, arguments, root, count, gets) \
  ANA_ANY(name, parameters, arguments, root, count, false, gets, pass(t, result, comm))
#define ANA_STARTED(name, parameters, arguments, root, count, gets) \
  ANA_ANY(name, parameters, arguments, root, count, false, gets, post(t, result, comm, request))
#define ANA_BARRIER(name, parameters, arguments, count, orders, gets) \
  ANA_ANY(name, parameters, arguments, 0, count, racing() && (orders), gets, pass(t, result, comm))

ANA_BARRIER(Barrier, (MPI_Comm comm), (comm), 0, true, (void)area)
ANA_STARTED(Ibarrier, (MPI_Comm comm, MPI_Request* request), (comm, request), 0, 0, (void)area)

ANA_COLLECTIVE(Bcast,
               (void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm),
               (buffer, count, type, root, comm), root, count, area.others(root, comm, buffer, count, type))
ANA_STARTED(Ibcast,
            (void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request* request),
            (buffer, count, type, root, comm, request), root, count, area.others(root, comm, buffer, count, type))

ANA_COLLECTIVE(Gather,
               (const void* out, int n, MPI_Datatype type, void* in, int m, MPI_Datatype in_type, int root, MPI_Comm
                comm),
               (out, n, type, in, m, in_type, root, comm), root, 0, area.gathered(root, comm, in, m, in_type))
ANA_STARTED(Igather,
            (const void* out, int n, MPI_Datatype type, void* in, int m, MPI_Datatype in_type, int root, MPI_Comm
             comm, MPI_Request* request),
            (out, n, type, in, m, in_type, root, comm, request), root, 0, area.gathered(root, comm, in, m, in_type))

ANA_COLLECTIVE(Gatherv,
               (const void* out, int n, MPI_Datatype type, void* in, const int m[], const int at[], MPI_Datatype
                in_type, int root, MPI_Comm comm),
               (out, n, type, in, m, at, in_type, root, comm), root, 0, area.gathered(root, comm, in, m, at, in_type))
ANA_STARTED(Igatherv,
            (const void* out, int n, MPI_Datatype type, void* in, const int m[], const int at[], MPI_Datatype
             in_type, int root, MPI_Comm comm, MPI_Request* request),
            (out, n, type, in, m, at, in_type, root, comm, request), root, 0,
            area.gathered(root, comm, in, m, at, in_type))

ANA_COLLECTIVE(Scatter,
               (const void* out, int n, MPI_Datatype type, void* in, int m, MPI_Datatype in_type, int root, MPI_Comm
                comm),
               (out, n, type, in, m, in_type, root, comm), root, 0, area.scattered(root, comm, in, m, in_type))
ANA_STARTED(Iscatter,
            (const void* out, int n, MPI_Datatype type, void* in, int m, MPI_Datatype in_type, int root, MPI_Comm
             comm, MPI_Request* request),
            (out, n, type, in, m, in_type, root, comm, request), root, 0, area.scattered(root, comm, in, m, in_type))

ANA_COLLECTIVE(Scatterv,
               (const void* out, const int n[], const int at[], MPI_Datatype type, void* in, int m, MPI_Datatype
                in_type, int root, MPI_Comm comm),
               (out, n, at, type, in, m, in_type, root, comm), root, 0, area.scattered(root, comm, in, m, in_type))
ANA_STARTED(Iscatterv,
            (const void* out, const int n[], const int at[], MPI_Datatype type, void* in, int m, MPI_Datatype
             in_type, int root, MPI_Comm comm, MPI_Request* request),
            (out, n, at, type, in, m, in_type, root, comm, request), root, 0,
            area.scattered(root, comm, in, m, in_type))

ANA_BARRIER(Allgather,
            (const void* out, int n, MPI_Datatype type, void* in, int m, MPI_Datatype in_type, MPI_Comm comm),
            (out, n, type, in, m, in_type, comm), m, has_data(m, in_type), area.from_each(comm, in, m, in_type))
ANA_STARTED(Iallgather,
            (const void* out, int n, MPI_Datatype type, void* in, int m, MPI_Datatype in_type, MPI_Comm comm,
             MPI_Request* request),
            (out, n, type, in, m, in_type, comm, request), 0, m, area.from_each(comm, in, m, in_type))

ANA_COLLECTIVE(Allgatherv,
               (const void* out, int n, MPI_Datatype type, void* in, const int m[], const int at[], MPI_Datatype
                in_type, MPI_Comm comm),
               (out, n, type, in, m, at, in_type, comm), 0, 0, area.from_each(comm, in, m, at, in_type))
ANA_STARTED(Iallgatherv,
            (const void* out, int n, MPI_Datatype type, void* in, const int m[], const int at[], MPI_Datatype
             in_type, MPI_Comm comm, MPI_Request* request),
            (out, n, type, in, m, at, in_type, comm, request), 0, 0, area.from_each(comm, in, m, at, in_type))

ANA_BARRIER(Alltoall,
            (const void* out, int n, MPI_Datatype type, void* in, int m, MPI_Datatype in_type, MPI_Comm comm),
            (out, n, type, in, m, in_type, comm), m, has_data(m, in_type), area.from_each(comm, in, m, in_type))
ANA_STARTED(Ialltoall,
            (const void* out, int n, MPI_Datatype type, void* in, int m, MPI_Datatype in_type, MPI_Comm comm,
             MPI_Request* request),
            (out, n, type, in, m, in_type, comm, request), 0, m, area.from_each(comm, in, m, in_type))

ANA_COLLECTIVE(Alltoallv,
               (const void* out, const int n[], const int from[], MPI_Datatype type, void* in, const int m[], const int
                at[], MPI_Datatype in_type, MPI_Comm comm),
               (out, n, from, type, in, m, at, in_type, comm), 0, 0, area.from_each(comm, in, m, at, in_type))
ANA_STARTED(Ialltoallv,
            (const void* out, const int n[], const int from[], MPI_Datatype type, void* in, const int m[], const
             int at[], MPI_Datatype in_type, MPI_Comm comm, MPI_Request* request),
            (out, n, from, type, in, m, at, in_type, comm, request), 0, 0, area.from_each(comm, in, m, at, in_type))

ANA_COLLECTIVE(Alltoallw,
               (const void* out, const int n[], const int from[], const MPI_Datatype types[], void* in, const int m[],
                const int at[], const MPI_Datatype in_types[], MPI_Comm comm),
               (out, n, from, types, in, m, at, in_types, comm), 0, 0, area.from_each(comm, in, m, at, in_types))
ANA_STARTED(Ialltoallw,
            (const void* out, const int n[], const int from[], const MPI_Datatype types[], void* in, const int m[],
             const int at[], const MPI_Datatype in_types[], MPI_Comm comm, MPI_Request* request),
            (out, n, from, types, in, m, at, in_types, comm, request), 0, 0, area.from_each(comm, in, m, at, in_types))

ANA_COLLECTIVE(Reduce,
               (const void* out, void* in, int n, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm),
               (out, in, n, type, op, root, comm), root, n, area.root(root, comm, in, n, type))
ANA_STARTED(Ireduce,
            (const void* out, void* in, int n, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm, MPI_Request*
             request),
            (out, in, n, type, op, root, comm, request), root, n, area.root(root, comm, in, n, type))

ANA_BARRIER(Allreduce,
            (const void* out, void* in, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
            (out, in, n, type, op, comm), n, has_data(n, type), area.add(in, n, type))
ANA_STARTED(Iallreduce,
            (const void* out, void* in, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request* request),
            (out, in, n, type, op, comm, request), 0, n, area.add(in, n, type))

ANA_COLLECTIVE(Reduce_scatter,
               (const void* out, void* in, const int n[], MPI_Datatype type, MPI_Op op, MPI_Comm comm),
               (out, in, n, type, op, comm), 0, 0, area.share(comm, in, n, type))
ANA_STARTED(Ireduce_scatter,
            (const void* out, void* in, const int n[], MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request*
             request),
            (out, in, n, type, op, comm, request), 0, 0, area.share(comm, in, n, type))

ANA_BARRIER(Reduce_scatter_block,
            (const void* out, void* in, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
            (out, in, n, type, op, comm), n, has_data(n, type), area.add(in, n, type))
ANA_STARTED(Ireduce_scatter_block,
            (const void* out, void* in, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request* request),
            (out, in, n, type, op, comm, request), 0, n, area.add(in, n, type))

ANA_COLLECTIVE(Scan,
               (const void* out, void* in, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
               (out, in, n, type, op, comm), 0, n, area.add(in, n, type))
ANA_STARTED(Iscan,
            (const void* out, void* in, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request* request),
            (out, in, n, type, op, comm, request), 0, n, area.add(in, n, type))

ANA_COLLECTIVE(Exscan,
               (const void* out, void* in, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
               (out, in, n, type, op, comm), 0, n, area.below(comm, in, n, type))
ANA_STARTED(Iexscan,
            (const void* out, void* in, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request* request),
            (out, in, n, type, op, comm, request), 0, n, area.below(comm, in, n, type))

ANA_COLLECTIVE(Neighbor_allgather,
               (const void* out, int n, MPI_Datatype type, void* in, int m, MPI_Datatype in_type, MPI_Comm comm),
               (out, n, type, in, m, in_type, comm), 0, m, area.from_neighbours(comm, in, m, in_type))
ANA_STARTED(Ineighbor_allgather,
            (const void* out, int n, MPI_Datatype type, void* in, int m, MPI_Datatype in_type, MPI_Comm comm,
             MPI_Request* request),
            (out, n, type, in, m, in_type, comm, request), 0, m, area.from_neighbours(comm, in, m, in_type))

ANA_COLLECTIVE(Neighbor_allgatherv,
               (const void* out, int n, MPI_Datatype type, void* in, const int m[], const int at[], MPI_Datatype
                in_type, MPI_Comm comm),
               (out, n, type, in, m, at, in_type, comm), 0, 0, area.from_neighbours(comm, in, m, at, in_type))
ANA_STARTED(Ineighbor_allgatherv,
            (const void* out, int n, MPI_Datatype type, void* in, const int m[], const int at[], MPI_Datatype
             in_type, MPI_Comm comm, MPI_Request* request),
            (out, n, type, in, m, at, in_type, comm, request), 0, 0, area.from_neighbours(comm, in, m, at, in_type))

ANA_COLLECTIVE(Neighbor_alltoall,
               (const void* out, int n, MPI_Datatype type, void* in, int m, MPI_Datatype in_type, MPI_Comm comm),
               (out, n, type, in, m, in_type, comm), 0, m, area.from_neighbours(comm, in, m, in_type))
ANA_STARTED(Ineighbor_alltoall,
            (const void* out, int n, MPI_Datatype type, void* in, int m, MPI_Datatype in_type, MPI_Comm comm,
             MPI_Request* request),
            (out, n, type, in, m, in_type, comm, request), 0, m, area.from_neighbours(comm, in, m, in_type))

ANA_COLLECTIVE(Neighbor_alltoallv,
               (const void* out, const int n[], const int from[], MPI_Datatype type, void* in, const int m[], const
                int at[], MPI_Datatype in_type, MPI_Comm comm),
               (out, n, from, type, in, m, at, in_type, comm), 0, 0, area.from_neighbours(comm, in, m, at, in_type))
ANA_STARTED(Ineighbor_alltoallv,
            (const void* out, const int n[], const int from[], MPI_Datatype type, void* in, const int m[], const
             int at[], MPI_Datatype in_type, MPI_Comm comm, MPI_Request* request),
            (out, n, from, type, in, m, at, in_type, comm, request), 0, 0,
            area.from_neighbours(comm, in, m, at, in_type))

ANA_COLLECTIVE(Neighbor_alltoallw,
               (const void* out, const int n[], const MPI_Aint from[], const MPI_Datatype types[], void* in, const int
                m[], const MPI_Aint at[], const MPI_Datatype in_types[], MPI_Comm comm),
               (out, n, from, types, in, m, at, in_types, comm), 0, 0, area.from_neighbours(comm, in, m, at, in_types))
ANA_STARTED(Ineighbor_alltoallw,
            (const void* out, const int n[], const MPI_Aint from[], const MPI_Datatype types[], void* in, const int
             m[], const MPI_Aint at[], const MPI_Datatype in_types[], MPI_Comm comm, MPI_Request* request),
            (out, n, from, types, in, m, at, in_types, comm, request), 0, 0,
            area.from_neighbours(comm, in, m, at, in_types))
