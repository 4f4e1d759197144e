// Groups of processes. Alone, there are no other processes: every group that is not empty is that of this one, and what
// the program asks about it is told by the recording.
#include <mpi.h>

#include "mpi/contents.h"
#include "mpi/library.h"

using namespace ana::mpi;

namespace {

int pass_group(Thread* t, int result, MPI_Group* group) {
  int empty = recording() && result == MPI_SUCCESS && *group == MPI_GROUP_EMPTY ? 1 : 0;
  result = pass_numbers(t, result, &empty, 1);
  if (!alone() || result != MPI_SUCCESS) return result;
  *group = MPI_GROUP_EMPTY;
  return empty != 0 ? result : PMPI_Comm_group(MPI_COMM_SELF, group);
}

}  // namespace

// MPI counts how often it has given out the empty group; pass_group() does not.
extern "C" int MPI_Group_free(MPI_Group* group) {
  if (!alone() || *group != MPI_GROUP_EMPTY) return PMPI_Group_free(group);
  *group = MPI_GROUP_NULL;
  return MPI_SUCCESS;
}

#define ANA_GROUP(name, parameters, arguments)                    \
  extern "C" int MPI_##name parameters {                          \
    Thread* t = ANA_FACT(name);                                   \
    int result = alone() ? MPI_SUCCESS : PMPI_##name arguments;   \
    return t == nullptr ? result : pass_group(t, result, group);  \
  }

ANA_GROUP(Comm_group, (MPI_Comm comm, MPI_Group* group), (comm, group))
ANA_GROUP(Comm_remote_group, (MPI_Comm comm, MPI_Group* group), (comm, group))
ANA_GROUP(Group_union, (MPI_Group a, MPI_Group b, MPI_Group* group), (a, b, group))
ANA_GROUP(Group_intersection, (MPI_Group a, MPI_Group b, MPI_Group* group), (a, b, group))
ANA_GROUP(Group_difference, (MPI_Group a, MPI_Group b, MPI_Group* group), (a, b, group))
ANA_GROUP(Group_incl, (MPI_Group old, int n, const int ranks[], MPI_Group* group), (old, n, ranks, group))
ANA_GROUP(Group_excl, (MPI_Group old, int n, const int ranks[], MPI_Group* group), (old, n, ranks, group))
ANA_GROUP(Group_range_incl, (MPI_Group old, int n, int ranges[][3], MPI_Group* group), (old, n, ranges, group))
ANA_GROUP(Group_range_excl, (MPI_Group old, int n, int ranges[][3], MPI_Group* group), (old, n, ranges, group))

#define ANA_GROUP_FACT(name, parameters, arguments, told, n)                       \
  extern "C" int MPI_##name parameters {                                           \
    Thread* t = ANA_FACT(name);                                                    \
    int result = alone() ? MPI_SUCCESS : PMPI_##name arguments;                    \
    return t == nullptr ? result : pass_numbers(t, result, told, n);               \
  }

ANA_GROUP_FACT(Group_size, (MPI_Group group, int* size), (group, size), size, 1)
ANA_GROUP_FACT(Group_rank, (MPI_Group group, int* rank), (group, rank), rank, 1)
ANA_GROUP_FACT(Group_compare, (MPI_Group a, MPI_Group b, int* answer), (a, b, answer), answer, 1)
ANA_GROUP_FACT(Group_translate_ranks, (MPI_Group from, int n, const int ranks[], MPI_Group to, int translated[]),
               (from, n, ranks, to, translated), translated, static_cast<size_t>(n))
