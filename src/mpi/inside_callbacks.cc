// Functions of the program's that MPI calls: operators, attributes, error handlers, generalised requests.
#include <stdio.h>
#include <stdlib.h>

#include "mpi/inside.h"

extern "C" __attribute__((visibility("hidden"))) const char ana_thunks_begin[], ana_thunks_end[];

namespace ana::mpi {

namespace {

// One that MPI itself offers, as MPI_COMM_DUP_FN: `mov $number, %eax` is what its thunk begins with.
bool is_thunk(uint64_t function) {
  return function - reinterpret_cast<uint64_t>(ana_thunks_begin) < static_cast<uint64_t>(ana_thunks_end - ana_thunks_begin);
}
uint64_t real_of_thunk(uint64_t function) {
  uint32_t number;
  __builtin_memcpy(&number, reinterpret_cast<const char*>(function) + 1, sizeof number);
  return outside_page().symbols[number];
}

uint64_t stub_of(uint64_t function) {
  OutsidePage& page = outside_page();
  for (uint32_t i = 0; i < kMaxOutsideCallbacks; i++) {
    uint64_t free = 0;
    if (__atomic_compare_exchange_n(&page.callbacks[i], &free, function, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE) ||
        free == function) {
      return page.stubs + 16 * i;
    }
  }
  fprintf(stderr, "anaphora runtime: the program gives MPI more than %u functions to call\n", kMaxOutsideCallbacks);
  abort();
}

void replace(uint64_t& word) {
  if (word < 4096) return;  // none, or one of MPICH's constants
  word = is_thunk(word) ? real_of_thunk(word) : stub_of(word);
}

}  // namespace

void replace_callbacks(Frame& frame, uint64_t* words) {
#define ANA_BOTH(name) case k_MPI_##name: case k_PMPI_##name
  switch (frame.number) {
    ANA_BOTH(Op_create):
    ANA_BOTH(Comm_create_errhandler):
    ANA_BOTH(Win_create_errhandler):
    ANA_BOTH(File_create_errhandler):
      return replace(words[0]);
    ANA_BOTH(Comm_create_keyval):
    ANA_BOTH(Win_create_keyval):
    ANA_BOTH(Type_create_keyval):
    ANA_BOTH(Keyval_create):
      replace(words[0]);
      return replace(words[1]);
    ANA_BOTH(Grequest_start):
      replace(words[0]);
      replace(words[1]);
      return replace(words[2]);
    ANA_BOTH(Register_datarep):
      replace(words[1]);
      replace(words[2]);
      return replace(words[3]);
  }
#undef ANA_BOTH
}

}  // namespace ana::mpi
