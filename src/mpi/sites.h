// The places in the program that receive from any source, with counts, in the mapped file: what `anaphora races` shows.
#pragma once
#include "mpi/library.h"

namespace ana::mpi {

// The file of an address in the program, and the offset in it. False: unknown.
bool find_place(const void* address, const char*& module, uint64_t& offset);
// The entry of the present call; null if the table is full.
SiteRecord* site_of(Thread* t);
void count_at(SiteRecord* site, int source, bool raced);

}  // namespace ana::mpi
