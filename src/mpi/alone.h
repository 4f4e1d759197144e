// A rank that is replayed without the others, from what it got in the recording (contents.h). It runs as an MPI job of
// one process. Datatypes, packing, operations, attributes and error handlers are MPI's own; sends do nothing; whatever
// came from other ranks comes from the contents. The schedule and the checks are those of a job's replay.
#pragma once
#include <mpi.h>

#include "mpi/library.h"
#include "mpi/requests.h"

namespace ana::mpi {

// A request that stands for one of the recording, and one that is complete and that nobody need know of.
MPI_Request make_ticket();
MPI_Request make_complete();

// Blocking calls. Each takes as many turns as in the recording.
int alone_send(Thread* t);
int alone_isend(Thread* t, MPI_Request* request);
int alone_receive(Thread* t, void* buffer, int count, MPI_Datatype type, MPI_Comm comm, MPI_Status* status);
int alone_exchange(Thread* t, void* buffer, int count, MPI_Datatype type, int source, MPI_Comm comm,
                   MPI_Status* status);
// `message` may be null.
int alone_probe(Thread* t, MPI_Comm comm, MPI_Message* message, MPI_Status* status);
// Receives what alone_probe() gave.
void drop_message(MPI_Message* message);
int alone_take(Thread* t, void* buffer, int count, MPI_Datatype type, MPI_Message* message, MPI_Status* status);
int alone_wait(Thread* t, Tracked* e, MPI_Request* request, MPI_Status* status);
int alone_look(Thread* t, Tracked* e, MPI_Status* status);

// The request gets, or has got, its data here until it completes.
void hold_buffer(Tracked* e, void* buffer, int count, MPI_Datatype type);
// The program may free its datatype before.
MPI_Datatype hold_type(MPI_Datatype type);
void release_type(MPI_Datatype* type);
// The entry goes.
void release_held(Tracked* e);

// Record: what the request got, if MPI_Request_get_status says so, and when it completes.
void keep_seen(Thread* t, Tracked* e, int result, MPI_Status* status);
void keep_completed(Thread* t, Tracked* e, int result, MPI_Status* status);

// Receives that the program freed while they were active: numbered, and looked after at the end of each call.
uint64_t next_freed_number();
void keep_freed(Thread* t, Tracked* e, MPI_Status* status);
void free_alone(Tracked* e);
void take_freed(Thread* t);

}  // namespace ana::mpi
