#include "mpi/outside_entry.h"

#include <unistd.h>

#include "mpi/library.h"
#include "mpi/threads.h"

namespace ana::mpi {

namespace {

void (*park_thread)() = nullptr;  // not null: g.hosted
thread_local const void* site = nullptr;

}  // namespace

bool has_recorded_program() { return g.hosted; }
const void* site_inside() { return site; }

bool find_inside(const void* address, const char*& module, uint64_t& offset) {
  if (!has_recorded_program()) return false;
  const OutsidePage& page = outside_page();
  offset = reinterpret_cast<uint64_t>(address) - page.program_begin;
  module = page.program_path;
  return offset < page.program_bytes;
}

void park_inside() {
  __atomic_store_n(&g.parked, true, __ATOMIC_RELEASE);
  park_thread();
  __builtin_unreachable();
}

}  // namespace ana::mpi

using namespace ana::mpi;

void ana_outside_start(void (*park)()) {
  park_thread = park;
  ana::mpi::g.hosted = park != nullptr;
}
// Apart from the lineages of threads that MPI makes, which call nothing of ours.
void ana_outside_thread(uint32_t slot) { name_thread(slot + 2); }
void ana_outside_site(uint64_t address) { site = reinterpret_cast<const void*>(address); }

void ana_outside_end() {
  if (g.phase != Phase::kReplay) return;
  wait_for_all();
  if (g.abort_code >= 0) end_job(g.abort_code);
  // Somebody else may have to call MPI_Abort with the recorded code.
  if (!g.all_finished) sleep(2);
}
