#include "mpi/race_facts.h"

#include "mpi/communicators.h"
#include "mpi/stream.h"
#include "trace/race_facts.h"

namespace ana::mpi {

void note_race_fact(const Posting& p, MPI_Comm comm, int source, int tag, uint64_t unknown) {
  static uint64_t last = 0;
  static LiveBlock* block = nullptr;
  Communicator* c = find_communicator(comm);
  RaceFact fact{p.order, p.any_source, p.any_tag, c->id, world_rank(c, source), tag, unknown};
  uint8_t bytes[kMaxRaceFactBytes];
  append_bytes(kRaceFactStream, block, bytes, static_cast<size_t>(put_race_fact(bytes, fact, last) - bytes));
  last = p.order;
}

}  // namespace ana::mpi
