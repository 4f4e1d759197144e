// Replay with --control-messages (Netzer and Miller, Fig. 4): messages arrive in the recorded order, and of each channel at
// most one waits in a buffer for its receive.
//
// A message that raced is not sent before the receive ahead of the one that gets it is complete (or posted, if it does
// not block). The receiver gives a permit, a small message on a communicator of ours, which names the channel. One that
// did not race is not sent before the last one of its channel was received; a copy of it is sent synchronously to know.
//
// The sender waits, but not for ever. MPI lets a message that was sent early arrive after one that its sender has caused
// (A sends to B, then to C, and C to B), and programs may rely on buffers. Then the receiver waits for what the sender does
// next, so after a while it sends without.
#pragma once
#include "mpi/channels.h"
#include "mpi/communicators.h"
#include "mpi/library.h"

namespace ana::mpi {

void start_permits();
// To the senders of the messages that are due, as far as the thread has come.
void give_permits(Thread* t);
void await_permit(Channel* channel);
// While the next send waits, this receive, the thread's last, may complete: then those after it are due.
void receive_meanwhile(Thread* t, MPI_Request request);
// A standard send of a message that did not race. `request` is complete.
int send_copy(const Outgoing& message, MPI_Comm comm, MPI_Request* request);
// Takes the permits that came too late.
void drain_permits();

}  // namespace ana::mpi
