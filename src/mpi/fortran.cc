// Programs in Fortran. Open MPI's Fortran layer calls PMPI_*, and so does MPICH's for mpi_f08 (for mpif.h and mpi it
// calls MPI_*, which our wrappers see anyway): here each PMPI_* that we wrap is taken over, and goes to our MPI_* if
// the caller is that layer, else to the real one. So all the conversions of handles, statuses and special addresses
// are left to the layer, for mpif.h, mpi and mpi_f08.
#include <dlfcn.h>
#include <link.h>
#include <mpi.h>
#include <stdint.h>
#include <string.h>

#include "mpi/calls.h"
#include "mpi/library.h"
#include "mpi/outside_entry.h"

// The layer also stands between us and the place in the program that calls it. Its entries (of mpif.h and mpi, and of
// mpi_f08) are wrapped as well, to note where they return to.
extern "C" {
__attribute__((visibility("hidden"))) uintptr_t ana_fortran_begin, ana_fortran_bytes;
// Where the present call of the layer returns to.
__attribute__((visibility("hidden"))) thread_local const void* ana_fortran_caller = nullptr;
__attribute__((visibility("hidden"))) void* ana_find_entry(const char* name);
}

namespace {

#ifdef OPEN_MPI
constexpr const char* kLayer = "libmpi_mpifh.so";
constexpr const char* kLayers[] = {"libmpi_mpifh.so.40", "libmpi_usempif08.so.40"};
#else
constexpr const char* kLayer = "libmpichfort.so";
constexpr const char* kLayers[] = {"libmpichfort.so.12"};
#endif

int find_layer(dl_phdr_info* info, size_t, void*) {
  if (info->dlpi_name == nullptr || strstr(info->dlpi_name, kLayer) == nullptr) return 0;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) continue;
    ana_fortran_begin = info->dlpi_addr + segment.p_vaddr;
    ana_fortran_bytes = segment.p_memsz;
  }
  return 1;
}

}  // namespace

// When an entry of the layer is called for the first time. The layer may be of a library that was loaded later.
void* ana_find_entry(const char* name) {
  if (ana_fortran_bytes == 0) dl_iterate_phdr(find_layer, nullptr);
  void* entry = dlsym(RTLD_NEXT, name);
  for (const char* layer : kLayers) {
    if (entry != nullptr) break;
    if (void* handle = dlopen(layer, RTLD_LAZY | RTLD_NOLOAD); handle != nullptr) entry = dlsym(handle, name);
  }
  if (entry == nullptr) ana::mpi::give_up("a function of MPI's Fortran interface is not there");
  return entry;
}

const void* ana::mpi::site_behind(const void* site) {
  if (has_recorded_program()) return site_inside();
  const void* caller = ana_fortran_caller;
  if (reinterpret_cast<uintptr_t>(site) - ana_fortran_begin >= ana_fortran_bytes || caller == nullptr) return site;
  ana_fortran_caller = nullptr;
  return caller;
}

// No argument is touched: six registers are saved around the first call.
#define ANA_ENTRY(name)                                   \
  asm(".text\n"                                           \
      ".globl " #name "\n"                                \
      ".type " #name ", @function\n"                      \
      #name ":\n"                                         \
      "  movq ana_entry_" #name "(%rip), %rax\n"          \
      "  testq %rax, %rax\n"                              \
      "  jnz 1f\n"                                        \
      "  pushq %rdi; pushq %rsi; pushq %rdx\n"            \
      "  pushq %rcx; pushq %r8; pushq %r9\n"              \
      "  subq $8, %rsp\n"                                 \
      "  leaq ana_name_" #name "(%rip), %rdi\n"           \
      "  call ana_find_entry\n"                           \
      "  movq %rax, ana_entry_" #name "(%rip)\n"          \
      "  addq $8, %rsp\n"                                 \
      "  popq %r9; popq %r8; popq %rcx\n"                 \
      "  popq %rdx; popq %rsi; popq %rdi\n"               \
      "1: movq ana_fortran_caller@gottpoff(%rip), %r10\n" \
      "  movq (%rsp), %r11\n"                             \
      "  movq %r11, %fs:(%r10)\n"                         \
      "  jmp *%rax\n"                                     \
      ".size " #name ", . - " #name "\n"                  \
      ".section .rodata\n"                                \
      "ana_name_" #name ": .string \"" #name "\"\n"       \
      ".local ana_entry_" #name "\n"                      \
      ".comm ana_entry_" #name ", 8, 8\n"                 \
      ".text\n");

// What receives, completes, probes or sends.
#define ANA_ENTRIES(X)                                                                                            \
  X(send) X(bsend) X(ssend) X(rsend) X(isend) X(ibsend) X(issend) X(irsend) X(recv) X(irecv) X(sendrecv)          \
  X(sendrecv_replace) X(mrecv) X(imrecv) X(probe) X(iprobe) X(mprobe) X(improbe) X(send_init) X(bsend_init)       \
  X(ssend_init) X(rsend_init) X(recv_init) X(start) X(startall) X(wait) X(waitany) X(waitall) X(waitsome) X(test) \
  X(testany) X(testall) X(testsome) X(cancel) X(request_free) X(request_get_status) X(barrier) X(bcast) X(reduce) \
  X(allreduce) X(gather) X(scatter) X(allgather) X(alltoall) X(abort) X(finalize)
#define ANA_MPIF(name) ANA_ENTRY(mpi_##name##_)
ANA_ENTRIES(ANA_MPIF)

#define ANA_F08(name) ANA_ENTRY(mpi_##name##_f08_)
ANA_ENTRIES(ANA_F08)
#ifndef OPEN_MPI
// What has a buffer of any type has another name there.
#define ANA_F08TS(name) ANA_ENTRY(mpi_##name##_f08ts_)
ANA_ENTRIES(ANA_F08TS)
#endif

#define ANA_DIVERTED(X) ANA_MPI_CALLS(X) ANA_MPI_FACTS(X) X(Init) X(Init_thread)

extern "C" {
#define ANA_REAL(name) __attribute__((visibility("hidden"))) void* ana_real_##name;
ANA_DIVERTED(ANA_REAL)
#undef ANA_REAL
}

// No argument is touched, so one form does for all signatures.
#define ANA_DIVERT(name)                           \
  asm(".text\n"                                    \
      ".globl PMPI_" #name "\n"                    \
      ".type PMPI_" #name ", @function\n"          \
      "PMPI_" #name ":\n"                          \
      "  movq (%rsp), %r11\n"                      \
      "  subq ana_fortran_begin(%rip), %r11\n"     \
      "  cmpq ana_fortran_bytes(%rip), %r11\n"     \
      "  jb 1f\n"                                  \
      "  jmp *ana_real_" #name "(%rip)\n"          \
      "1: jmp MPI_" #name "@PLT\n"                 \
      ".size PMPI_" #name ", . - PMPI_" #name "\n");
ANA_DIVERTED(ANA_DIVERT)

namespace {

// Before main(): a program's first call may be mpi_init_.
__attribute__((constructor)) void find_real_functions() {
#define ANA_FIND(name) ana_real_##name = dlsym(RTLD_NEXT, "PMPI_" #name);
  ANA_DIVERTED(ANA_FIND)
#undef ANA_FIND
  dl_iterate_phdr(find_layer, nullptr);
}

}  // namespace
