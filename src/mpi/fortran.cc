// Programs in Fortran. MPICH's Fortran layer calls MPI_*, so our wrappers see it anyway. Open MPI's calls PMPI_*: here
// each PMPI_* that we wrap is taken over, and goes to our MPI_* if the caller is that layer, else to the real one. So
// all the conversions of handles, statuses and special addresses are left to the layer, for mpif.h, mpi and mpi_f08.
#include <dlfcn.h>
#include <link.h>
#include <mpi.h>
#include <stdint.h>
#include <string.h>

#include "mpi/calls.h"

#ifdef OPEN_MPI

#define ANA_DIVERTED(X) ANA_MPI_CALLS(X) X(Init) X(Init_thread)

extern "C" {
// The code of the layer, once it is loaded.
__attribute__((visibility("hidden"))) uintptr_t ana_fortran_begin, ana_fortran_bytes;
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

int find_layer(dl_phdr_info* info, size_t, void*) {
  if (info->dlpi_name == nullptr || strstr(info->dlpi_name, "libmpi_mpifh.so") == nullptr) return 0;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) continue;
    ana_fortran_begin = info->dlpi_addr + segment.p_vaddr;
    ana_fortran_bytes = segment.p_memsz;
  }
  return 1;
}

// Before main(): a program's first call may be mpi_init_.
__attribute__((constructor)) void find_real_functions() {
#define ANA_FIND(name) ana_real_##name = dlsym(RTLD_NEXT, "PMPI_" #name);
  ANA_DIVERTED(ANA_FIND)
#undef ANA_FIND
  dl_iterate_phdr(find_layer, nullptr);
}

}  // namespace

#endif
