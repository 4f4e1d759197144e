// The places in the program that receive from any source, with counts, in the mapped file: what `anaphora races` shows.
#pragma once
#include "mpi/lock.h"

namespace ana::mpi {

// The file of an address in the program, and the offset in it. False: unknown.
bool find_place(const void* address, const char*& module, uint64_t& offset);
// The entry of the present call; null if the table is full.
[[gnu::noinline]] SiteRecord* look_up_site(Thread* t);
inline SiteRecord* site_of(Thread* t) { return t->site == t->noted_site ? t->noted : look_up_site(t); }

template <bool kPlain = false>  // Library::plain, where that is known
void count_at(SiteRecord* site, int source, bool raced) {
  Guard guard(!kPlain);
  uint64_t bit = uint64_t{1} << (source > 63 ? 63 : source);
  if (raced) {
    site->raced++;
    site->racing |= bit;
    return;
  }
  site->receives++;
  site->sources |= bit;
}

}  // namespace ana::mpi
