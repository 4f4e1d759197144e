// What a rank alone could not repeat: functions that take part in what other ranks do and that are not wrapped. With
// --contents each is refused when it is called; else they pass. Those that work on windows, files and sessions need not
// be here, since there is nothing that they could work on.
//
// tests/mpi/run_contents.py compares this list with the functions that the MPI has.
#include <dlfcn.h>
#include <mpi.h>
#include <stdint.h>

#include "mpi/library.h"

extern "C" {
bool ana_refusing = false;
__attribute__((visibility("hidden"), noreturn)) void ana_refuse(const char* function, const void* site);
}

void ana_refuse(const char* function, const void* site) {
  using namespace ana::mpi;
  Thread* t = this_thread();
  t->site = site_in_program(site);
  refuse(t, function);
}

#define ANA_REFUSED(X)                                                                                             \
  X(MPI_Win_create) X(MPI_Win_allocate) X(MPI_Win_allocate_shared) X(MPI_Win_create_dynamic) X(MPI_File_open)      \
  X(MPI_Comm_spawn) X(MPI_Comm_spawn_multiple) X(MPI_Comm_accept) X(MPI_Comm_connect) X(MPI_Comm_join)             \
  X(MPI_Open_port) X(MPI_Publish_name) X(MPI_Unpublish_name) X(MPI_Lookup_name)

#define ANA_PERSISTENT(X, prefix, suffix)                                                                          \
  X(prefix##Allgather_init##suffix) X(prefix##Allgatherv_init##suffix) X(prefix##Allreduce_init##suffix)           \
  X(prefix##Alltoall_init##suffix) X(prefix##Alltoallv_init##suffix) X(prefix##Alltoallw_init##suffix)             \
  X(prefix##Bcast_init##suffix) X(prefix##Exscan_init##suffix) X(prefix##Gather_init##suffix)                      \
  X(prefix##Gatherv_init##suffix) X(prefix##Neighbor_allgather_init##suffix)                                       \
  X(prefix##Neighbor_allgatherv_init##suffix) X(prefix##Neighbor_alltoall_init##suffix)                            \
  X(prefix##Neighbor_alltoallv_init##suffix) X(prefix##Neighbor_alltoallw_init##suffix)                            \
  X(prefix##Reduce_init##suffix) X(prefix##Reduce_scatter_init##suffix)                                            \
  X(prefix##Reduce_scatter_block_init##suffix) X(prefix##Scan_init##suffix) X(prefix##Scatter_init##suffix)        \
  X(prefix##Scatterv_init##suffix)

// `go` jumps to MPI's own.
#define ANA_REFUSE_AS(name, labels, go)                        \
  asm(".text\n"                                                \
      ".globl " #name "\n"                                     \
      ".type " #name ", @function\n"                           \
      labels #name ":\n"                                       \
      "  cmpb $0, ana_refusing(%rip)\n"                        \
      "  jne 1f\n"                                             \
      go                                                       \
      "1: leaq ana_refused_name_" #name "(%rip), %rdi\n"       \
      "  movq (%rsp), %rsi\n"                                  \
      "  andq $-16, %rsp\n"                                    \
      "  call ana_refuse\n"                                    \
      ".size " #name ", . - " #name "\n"                       \
      ".section .rodata\n"                                     \
      "ana_refused_name_" #name ": .string \"" #name "\"\n"    \
      ".text\n");

#ifdef OPEN_MPI

// The Fortran layer calls the PMPI_* forms, so these are refused as well.
#define ANA_REFUSE(name)                                                                                     \
  extern "C" __attribute__((visibility("hidden"))) void* ana_refused_##name;                                 \
  void* ana_refused_##name;                                                                                  \
  ANA_REFUSE_AS(name, ".globl P" #name "\n.type P" #name ", @function\nP" #name ":\n",                       \
                "  jmp *ana_refused_" #name "(%rip)\n")
#define ANA_ALL_REFUSED(X) ANA_REFUSED(X) ANA_PERSISTENT(X, MPIX_, ) X(MPIX_Barrier_init)

ANA_ALL_REFUSED(ANA_REFUSE)

namespace {

__attribute__((constructor)) void find_refused() {
#define ANA_FIND(name) ana_refused_##name = dlsym(RTLD_NEXT, "P" #name);
  ANA_ALL_REFUSED(ANA_FIND)
#undef ANA_FIND
}

}  // namespace

#else

#define ANA_REFUSE(name) ANA_REFUSE_AS(name, "", "  jmp P" #name "@PLT\n")

// MPI-4: large counts, partitioned messages, sessions; and MPICH's own.
#define ANA_REFUSED_OF_MPICH(X)                                                                                      \
  ANA_PERSISTENT(X, MPI_, ) ANA_PERSISTENT(X, MPI_, _c) X(MPI_Barrier_init) X(MPI_Win_create_c)                      \
  X(MPI_Win_allocate_c) X(MPI_Win_allocate_shared_c) X(MPI_Isendrecv) X(MPI_Isendrecv_c) X(MPI_Isendrecv_replace)    \
  X(MPI_Isendrecv_replace_c) X(MPI_Psend_init) X(MPI_Precv_init) X(MPI_Session_init) X(MPI_Comm_create_from_group)   \
  X(MPI_Intercomm_create_from_groups) X(MPI_Group_from_session_pset) X(MPI_Comm_idup_with_info) X(MPIX_Comm_agree)   \
  X(MPIX_Comm_failure_ack) X(MPIX_Comm_failure_get_acked) X(MPIX_Comm_revoke) X(MPIX_Comm_shrink)                    \
  X(MPI_Allgather_c) X(MPI_Allgatherv_c) X(MPI_Allreduce_c) X(MPI_Alltoall_c) X(MPI_Alltoallv_c) X(MPI_Alltoallw_c)  \
  X(MPI_Bcast_c) X(MPI_Bsend_c) X(MPI_Bsend_init_c) X(MPI_Exscan_c) X(MPI_Gather_c) X(MPI_Gatherv_c)                 \
  X(MPI_Iallgather_c) X(MPI_Iallgatherv_c) X(MPI_Iallreduce_c) X(MPI_Ialltoall_c) X(MPI_Ialltoallv_c)                \
  X(MPI_Ialltoallw_c) X(MPI_Ibcast_c) X(MPI_Ibsend_c) X(MPI_Iexscan_c) X(MPI_Igather_c) X(MPI_Igatherv_c)            \
  X(MPI_Imrecv_c) X(MPI_Ineighbor_allgather_c) X(MPI_Ineighbor_allgatherv_c) X(MPI_Ineighbor_alltoall_c)             \
  X(MPI_Ineighbor_alltoallv_c) X(MPI_Ineighbor_alltoallw_c) X(MPI_Irecv_c) X(MPI_Ireduce_c)                          \
  X(MPI_Ireduce_scatter_block_c) X(MPI_Ireduce_scatter_c) X(MPI_Irsend_c) X(MPI_Iscan_c) X(MPI_Iscatter_c)           \
  X(MPI_Iscatterv_c) X(MPI_Isend_c) X(MPI_Issend_c) X(MPI_Mrecv_c) X(MPI_Neighbor_allgather_c)                       \
  X(MPI_Neighbor_allgatherv_c) X(MPI_Neighbor_alltoall_c) X(MPI_Neighbor_alltoallv_c) X(MPI_Neighbor_alltoallw_c)    \
  X(MPI_Recv_c) X(MPI_Recv_init_c) X(MPI_Reduce_c) X(MPI_Reduce_scatter_block_c) X(MPI_Reduce_scatter_c)             \
  X(MPI_Rsend_c) X(MPI_Rsend_init_c) X(MPI_Scan_c) X(MPI_Scatter_c) X(MPI_Scatterv_c) X(MPI_Send_c)                  \
  X(MPI_Send_init_c) X(MPI_Sendrecv_c) X(MPI_Sendrecv_replace_c) X(MPI_Ssend_c) X(MPI_Ssend_init_c)

ANA_REFUSED(ANA_REFUSE)
ANA_REFUSED_OF_MPICH(ANA_REFUSE)

#endif
