// Mode `racing`: only messages that raced are recorded (Netzer and Miller, Fig. 3, with its negation).
//
// As in the paper, the second message of a race is traced, and a replay sends it where earlier receives cannot take it:
// by a *shadow* of its communicator. Its sender learns of it from the trace of the receiver (the tools collate), which
// names it by its channel and its place there. A traced receive cannot take a wrong message any more, so later messages
// are not checked against it: less is traced than by the paper's rule (its Fig. 5b).
//
// Where the place of a message in its channel is not known, the *first* receive of the race is recorded instead, with
// its source; that covers the race as well. Until then it is *exposed*. Where messages are seen by other means than the
// completion of a receive (probes), or receives complete unseen (MPI_Request_free), the
// communicator is *closed*: all its receives of any source are recorded.
//
// A message from s races with an earlier posted receive r of any source that would have accepted it, unless
//   - the sender knew, when it sent, that r was complete: its timestamp counts r; or
//   - r got an earlier message from s as well: MPI does not let the later one overtake.
//
// Timestamps are vectors: for each rank, how many of its receives of any source are complete, as far as the owner
// knows; the last component counts the barriers of MPI_COMM_WORLD (collectives that let nobody out before all are in),
// which tells each rank that all before them is known. They travel as *hints*, messages on a communicator of ours, before the
// message that they belong to, which is named by its channel (communicator, tag) and its place there; only what has
// changed since the last hint of the channel is sent, so a program whose ranks learn nothing new sends none. A hint
// that comes late, or not at all, costs a record more, never one too few. That is also how cost is bounded: hints with
// more than kMaxEntries components are not sent.
//
// Not used with MPI_THREAD_MULTIPLE.
#pragma once
#include <mpi.h>

#include "mpi/receive.h"

namespace ana::mpi {

bool racing();  // record, and in one of the modes that use timestamps

void start_racing();
// Takes what is still under way; collective.
void finish_racing();

void racing_send(int destination, int tag, MPI_Comm comm);
void racing_posted(const Posting& posting, MPI_Comm comm);
void racing_received(const Posting& posting, MPI_Comm comm, int source, int tag);
void racing_cancelled(const Posting& posting);
void racing_barrier(bool entering, MPI_Comm comm);
// From now on this rank saves every receive of any source of the communicator, and those that are exposed.
void racing_close(MPI_Comm comm);

// Replay: the communicator that the next message to there goes by.
void start_ways();
MPI_Comm racing_way(int destination, int tag, MPI_Comm comm);
// The program receives nothing any more: takes what comes by the shadows, so that its senders need not wait.
void drain_ways();

}  // namespace ana::mpi
