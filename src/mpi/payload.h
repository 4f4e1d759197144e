// The data of messages and collectives, whatever their datatype: saved as the bytes that they hold, without the gaps
// between them, and put back in the same way (contents.h). Also the statuses of messages.
#pragma once
#include <mpi.h>
#include <stdint.h>

#include "mpi/library.h"

namespace ana::mpi {

// Bytes that so many items hold.
uint64_t payload_bytes(uint64_t count, MPI_Datatype type);
// The first `bytes` of what items of this type hold at `buffer`, as a part of the present record.
void put_payload(Thread* t, const void* buffer, MPI_Datatype type, uint64_t bytes);
void take_payload(Thread* t, void* buffer, MPI_Datatype type, uint64_t bytes);

// Record: what a receive, a probe (count 0) or the completion of a receive has got. `status` is not MPI_STATUS_IGNORE.
// Statuses of calls that cannot be cancelled need not say that they were not.
void keep_message(Thread* t, int result, const void* buffer, int count, MPI_Datatype type, const MPI_Status* status,
                  bool cancelled = false);
// Alone: the same again. Gives the result; errors go through the handler of the communicator.
int take_message(Thread* t, void* buffer, int count, MPI_Datatype type, MPI_Comm comm, MPI_Status* status);

// With --check=full: what is sent is compared.
void pass_sent(Thread* t, const void* buffer, int count, MPI_Datatype type);

inline void check_sent(Thread* t, const void* buffer, int count, MPI_Datatype type, int destination) {
  if (g.contents && g.full_check && destination != MPI_PROC_NULL) pass_sent(t, buffer, count, type);
}

}  // namespace ana::mpi
