// Functions that tell a rank about its communicators and about where it runs. Alone, they tell what the recording says.
#include <mpi.h>

#include "mpi/contents.h"
#include "mpi/facts.h"
#include "mpi/library.h"

using namespace ana::mpi;

namespace {

// The value behind an attribute of MPI's own lies in memory of MPI.
constexpr int kPredefined[] = {MPI_TAG_UB,        MPI_HOST,         MPI_IO,     MPI_WTIME_IS_GLOBAL,
                               MPI_UNIVERSE_SIZE, MPI_LASTUSEDCODE, MPI_APPNUM};
int values[sizeof kPredefined / sizeof *kPredefined];

int* value_of(int keyval) {
  for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
    if (kPredefined[i] == keyval) return &values[i];
  }
  return nullptr;
}

int pass_attribute(Thread* t, int result, int keyval, void* value, int* flag) {
  int told[2] = {0, 0};
  auto** pointer = static_cast<int**>(value);
  if (recording() && result == MPI_SUCCESS && *flag != 0) {
    told[0] = 1;
    told[1] = **pointer;
  }
  result = pass_numbers(t, result, told, 2);
  if (!alone() || result != MPI_SUCCESS) return result;
  *flag = told[0];
  if (told[0] == 0) return result;
  *pointer = value_of(keyval);
  **pointer = told[1];
  return result;
}

}  // namespace

extern "C" {

int MPI_Comm_rank(MPI_Comm comm, int* rank) {
  if (!alone()) return PMPI_Comm_rank(comm, rank);
  *rank = facts_of(comm).rank;
  return MPI_SUCCESS;
}

int MPI_Comm_size(MPI_Comm comm, int* size) {
  if (!alone()) return PMPI_Comm_size(comm, size);
  *size = facts_of(comm).size;
  return MPI_SUCCESS;
}

int MPI_Comm_remote_size(MPI_Comm comm, int* size) {
  if (!alone() || facts_of(comm).inter == 0) return PMPI_Comm_remote_size(comm, size);
  *size = facts_of(comm).remote_size;
  return MPI_SUCCESS;
}

int MPI_Comm_test_inter(MPI_Comm comm, int* flag) {
  if (!alone()) return PMPI_Comm_test_inter(comm, flag);
  *flag = facts_of(comm).inter;
  return MPI_SUCCESS;
}

int MPI_Comm_compare(MPI_Comm a, MPI_Comm b, int* answer) {
  Thread* t = ANA_FACT(Comm_compare);
  int result = alone() ? MPI_SUCCESS : PMPI_Comm_compare(a, b, answer);
  return t == nullptr ? result : pass_numbers(t, result, answer, 1);
}

int MPI_Comm_get_attr(MPI_Comm comm, int keyval, void* value, int* flag) {
  Thread* t = value_of(keyval) == nullptr ? nullptr : ANA_FACT(Comm_get_attr);
  int result = t != nullptr && alone() ? MPI_SUCCESS : PMPI_Comm_get_attr(comm, keyval, value, flag);
  return t == nullptr ? result : pass_attribute(t, result, keyval, value, flag);
}

int MPI_Attr_get(MPI_Comm comm, int keyval, void* value, int* flag) {
  Thread* t = value_of(keyval) == nullptr ? nullptr : ANA_FACT(Attr_get);
  int result = t != nullptr && alone() ? MPI_SUCCESS : PMPI_Comm_get_attr(comm, keyval, value, flag);
  return t == nullptr ? result : pass_attribute(t, result, keyval, value, flag);
}

int MPI_Get_processor_name(char* name, int* length) {
  Thread* t = ANA_FACT(Get_processor_name);
  int result = PMPI_Get_processor_name(name, length);
  if (t == nullptr) return result;
  result = pass_text(t, result, name, MPI_MAX_PROCESSOR_NAME);
  return pass_numbers(t, result, length, 1);
}

// Whether a send was cancelled in time.
int MPI_Test_cancelled(const MPI_Status* status, int* flag) {
  Thread* t = ANA_FACT(Test_cancelled);
  int result = PMPI_Test_cancelled(status, flag);
  return t == nullptr ? result : pass_numbers(t, result, flag, 1);
}

}  // extern "C"
