// posix_spawn's file actions with others in front of them: what a process prints has to go where a replay will find it
// (trace/relay_control.h), and the program's own actions, done afterwards, work on that.
//
// The C library keeps actions in an array of a kind of its own. What an element looks like is found out by asking for
// two.
#pragma once
#include <spawn.h>
#include <stddef.h>

namespace ana {

class SpawnActions {
 public:
  // Allocates and frees, so in record and replay alike.
  SpawnActions();

  // Record, outside of the recording: calls `then` with all actions.
  template <class Then>
  int run(const posix_spawn_file_actions_t* own, Then then) const {
    alignas(16) char room[kRoom];
    posix_spawn_file_actions_t all;
    return then(join(own, all, room) ? &all : own);
  }

 private:
  static constexpr size_t kRoom = 16 * 1024, kMostBytes = 64;

  bool is_copied(const posix_spawn_file_actions_t* own, int fd) const;
  bool join(const posix_spawn_file_actions_t* own, posix_spawn_file_actions_t& all, char* room) const;

  size_t bytes_ = 0;              // of an element; 0: not known
  size_t numbers_ = 0;            // where the two descriptors of a dup2 are in it
  alignas(16) char dup2_[kMostBytes];  // such a one
};

}  // namespace ana
