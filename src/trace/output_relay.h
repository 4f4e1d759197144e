// What other processes print, seen by the recorder: makes the channels before the program starts, and the relay
// (relay_process.h) when the program is about to start the first process. Used by RecordSession, from one thread.
#pragma once
#include <sys/types.h>

#include <string>
#include <vector>

#include "trace/host_process.h"
#include "trace/relay_process.h"

namespace ana {

class OutputRelay {
 public:
  // For those of stdout and stderr that lead somewhere. What fails is a problem, and then processes print as if there
  // were no recording.
  OutputRelay(SharedSession& session, int directory);

  // The host gets the ends that processes will print to. Then, when it has them: they are nobody else's.
  void hand_over(HostCommand& command);
  void handed_over();
  // Answers the program. Often; after the look at the doorbell.
  void serve();
  // The program has ended: returns when all that was printed until then is where it belongs.
  void finish();
  uint64_t stored_bytes() const;
  // What the user should know.
  const std::vector<std::string>& problems() const { return problems_; }

 private:
  struct Channel {
    UniqueFd reading, writing;
    bool is_terminal = false;
  };
  Status open(int real, Channel& channel);
  bool start();
  bool has_died();
  void free_lock();
  RelayControl& control() const { return session_.header().relay; }

  SharedSession& session_;
  int directory_;
  Channel channels_[kChannels];
  UniqueFd recording_;  // the relay has the other end
  pid_t pid_ = -1;      // of the relay
  std::vector<std::string> problems_;
};

}  // namespace ana
