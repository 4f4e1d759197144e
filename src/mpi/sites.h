// The places in the program that receive from any source, with counts, in the mapped file: what `anaphora races` shows.
#pragma once
#include "mpi/library.h"

namespace ana::mpi {

// The entry of the present call; null if the table is full.
SiteRecord* site_of(Thread* t);
void count_at(SiteRecord* site, int source, bool raced);

}  // namespace ana::mpi
