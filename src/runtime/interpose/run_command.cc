#include "runtime/interpose/run_command.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "runtime/interpose/runtime.h"

extern char** environ;

namespace ana {
namespace {

template <class... Args>
long call(long number, Args... args) {
  long a[6] = {(long)(args)...};
  return g_host->raw_call(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

// As the kernel takes it.
struct Action {
  uint64_t handler, flags, restorer, mask;
};
constexpr int kIgnored[2] = {SIGINT, SIGQUIT};

// Both signals are ignored as long as a command runs, by whichever thread.
struct Users {
  bool locked;
  uint32_t count;
  Action saved[2];

  void lock() {
    while (__atomic_test_and_set(&locked, __ATOMIC_ACQUIRE)) call(SYS_sched_yield);
  }
  void unlock() { __atomic_clear(&locked, __ATOMIC_RELEASE); }
} g_users;

// Those that the command shall get.
sigset_t begin_ignoring() {
  Action ignore{};
  ignore.handler = reinterpret_cast<uint64_t>(SIG_IGN);
  sigset_t wanted;
  sigemptyset(&wanted);
  g_users.lock();
  for (int i = 0; i < 2; ++i) {
    if (!g_users.count) call(SYS_rt_sigaction, kIgnored[i], &ignore, &g_users.saved[i], sizeof(uint64_t));
    if (g_users.saved[i].handler != ignore.handler) sigaddset(&wanted, kIgnored[i]);
  }
  ++g_users.count;
  g_users.unlock();
  return wanted;
}

void end_ignoring() {
  g_users.lock();
  --g_users.count;
  for (int i = 0; i < 2; ++i)
    if (!g_users.count) call(SYS_rt_sigaction, kIgnored[i], &g_users.saved[i], nullptr, sizeof(uint64_t));
  g_users.unlock();
}

int spawn_shell(const char* command, const SpawnActions& actions, const sigset_t& wanted, const sigset_t& mask,
                pid_t* process) {
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigdefault(&attributes, &wanted);
  posix_spawnattr_setsigmask(&attributes, &mask);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  char shell[] = "sh", option[] = "-c";
  char* arguments[] = {shell, option, const_cast<char*>(command), nullptr};
  int result = actions.run(nullptr, [&](const posix_spawn_file_actions_t* all) {
    return ANA_REAL(posix_spawn)(process, "/bin/sh", all, &attributes, arguments, environ);
  });
  posix_spawnattr_destroy(&attributes);
  return result;
}

}  // namespace

int run_command(const char* command, const SpawnActions& actions) {
  constexpr uint64_t kChild = 1ull << (SIGCHLD - 1);
  constexpr int kNotFound = 127;
  sigset_t mask;
  sigemptyset(&mask);
  sigset_t wanted = begin_ignoring();
  call(SYS_rt_sigprocmask, SIG_BLOCK, &kChild, &mask, sizeof(kChild));
  pid_t process = 0;
  int status = 0;
  int error = spawn_shell(command, actions, wanted, mask, &process);
  if (error) {
    status = kNotFound << 8;
  } else {
    long result;
    do result = call(SYS_wait4, process, &status, 0, nullptr);
    while (result == -EINTR);
    if (result != process) status = -1, error = static_cast<int>(-result);
  }
  call(SYS_rt_sigprocmask, SIG_SETMASK, &mask, nullptr, sizeof(kChild));
  end_ignoring();
  if (error) errno = error;
  return status;
}

}  // namespace ana
