// The recorders of children that a recorded program forks (record --children): for each a process of its own, a copy of
// the tool, so that the child can outlive its parent and the parent's recorder. Used by RecordSession, from one thread.
#pragma once
#include <sys/types.h>

#include <functional>
#include <list>

#include "trace/host_process.h"

namespace ana {

class ForkRecorders {
 public:
  // In the new process, which ends when it returns. The program has not forked yet: SessionHeader.process.
  using Record = std::function<void(SharedSession)>;

  // Answers the program if it wants to fork. Often; after the look at the doorbell.
  void serve(SessionHeader& header, pid_t program, const Record& record);
  // The program has ended: returns when the recorders of dead children have written their traces. The number of children
  // that live on, which are recorded further.
  size_t finish();

 private:
  struct Recorder {
    pid_t pid;
    SharedSession session;  // of its child
  };
  void forget_ended();

  std::list<Recorder> recorders_;
};

// A forked child, seen by its recorder, which is not its parent. `parents` is the session of the process that forked it.
Result<HostProcess> adopt_forked(SharedSession& session, const SessionHeader& parents);

}  // namespace ana
