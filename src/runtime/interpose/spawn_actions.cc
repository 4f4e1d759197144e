#include "runtime/interpose/spawn_actions.h"

#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>

#include "runtime/interpose/runtime.h"

namespace ana {
namespace {

constexpr int kFirst[2] = {3, 5}, kSecond[2] = {7, 11};
constexpr uint32_t kMostCopies = 64;

size_t find_numbers(const char* in, size_t from, size_t limit, size_t step, const int (&numbers)[2]) {
  while (from < limit && memcmp(in + from, numbers, sizeof numbers) != 0) from += step;
  return from;
}

bool closes_on_exec(int fd) { return g_host->raw_call(SYS_fcntl, fd, F_GETFD, 0, 0, 0, 0) & FD_CLOEXEC; }

}  // namespace

SpawnActions::SpawnActions() {
  posix_spawn_file_actions_t two;
  if (posix_spawn_file_actions_init(&two)) return;
  if (!posix_spawn_file_actions_adddup2(&two, kFirst[0], kFirst[1]) &&
      !posix_spawn_file_actions_adddup2(&two, kSecond[0], kSecond[1]) && two.__used == 2) {
    auto* elements = reinterpret_cast<const char*>(two.__actions);
    size_t first = find_numbers(elements, 0, kMostBytes / 2, sizeof(int), kFirst);
    size_t second = find_numbers(elements, first + 8, first + kMostBytes, 8, kSecond);
    if (first < kMostBytes / 2 && second < first + kMostBytes) {
      bytes_ = second - first;
      numbers_ = first;
      memcpy(dup2_, elements, bytes_);
    }
  }
  posix_spawn_file_actions_destroy(&two);
}

// A dup2 clears the flag, so a copy that the child shall not have is made only if an action needs it.
bool SpawnActions::is_copied(const posix_spawn_file_actions_t* own, int fd) const {
  for (int i = 0; own && i < own->__used; ++i) {
    const char* element = reinterpret_cast<const char*>(own->__actions) + i * bytes_;
    if (!memcmp(element, dup2_, sizeof(int)) && !memcmp(element + numbers_, &fd, sizeof fd)) return true;
  }
  return false;
}

bool SpawnActions::join(const posix_spawn_file_actions_t* own, posix_spawn_file_actions_t& all, char* room) const {
  int pairs[kMostCopies][2];
  uint32_t most = bytes_ ? g_host->outside_copies(pairs, kMostCopies) : 0, n = 0;
  size_t others = own ? static_cast<size_t>(own->__used) : 0;
  if ((most + others) * bytes_ > kRoom) return false;
  for (uint32_t i = 0; i < most; ++i) {
    if (closes_on_exec(pairs[i][1]) && !is_copied(own, pairs[i][1])) continue;
    memcpy(room + n * bytes_, dup2_, bytes_);
    memcpy(room + n++ * bytes_ + numbers_, pairs[i], sizeof pairs[i]);
  }
  if (!n) return false;
  if (others) memcpy(room + n * bytes_, own->__actions, others * bytes_);
  memset(&all, 0, sizeof all);
  all.__actions = reinterpret_cast<decltype(all.__actions)>(room);
  all.__allocated = all.__used = static_cast<int>(n + others);
  return true;
}

}  // namespace ana
