// Mode `auto`: a rank saves all its receives of any source, as in `wildcard`, until they are many. Then it looks for
// races, as in `racing`, and goes on with that if few of a sample had to be saved; else it saves all again, for twice as
// long. Each rank decides for itself: timestamps begin to travel when the first of them looks for races, and a rank that
// saves all is right whatever the others do.
//
// Both ends of a channel count its messages all the time, since what is traced is named by its place there. For
// racing.cc.
#pragma once
#include <stdint.h>

namespace ana::mpi {

void start_adaptive(uint64_t patience);
// Every receive of any source is saved.
bool saves_all();
// One more receive of any source is complete. True: from now on it is the other way round.
bool changes_way();

}  // namespace ana::mpi
