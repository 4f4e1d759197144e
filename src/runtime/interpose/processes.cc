// Starting other processes. They are not recorded, so what a library function does to start one is not either: in
// record it runs outside of the recording, in replay not at all. What they print is (spawn_actions.h). popen is made of
// pipe, posix_spawn and fdopen here, since its FILE has to exist in replay, too. vfork is fork: its child would run the
// program's code in the recorded memory.
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/interpose/libc_access.h"
#include "runtime/interpose/run_command.h"
#include "runtime/interpose/runtime.h"
#include "runtime/interpose/spawn_actions.h"

extern char** environ;

namespace {

using namespace ana;

struct Started {
  int error;
  pid_t process;
};

template <class Real>
int outside(Real real, Started& started) {
  Operation operation;
  if (replaying()) return static_cast<int>(g_host->get(kOpLibrary, &started, sizeof started));
  int result;
  {
    Blocking blocking;
    g_host->outside_begin(true);
    result = real();
    started.error = errno;
    g_host->outside_end();
  }
  g_host->put(kOpLibrary, result, &started, sizeof started);
  return result;
}

template <class Real>
int spawn_with(pid_t* process, const posix_spawn_file_actions_t* own, Real real) {
  Started started{};
  SpawnActions actions;
  auto run = [&](const posix_spawn_file_actions_t* all) { return real(&started.process, all); };
  int result = outside([&] { return actions.run(own, run); }, started);
  if (result || !process) return result;
  access::write(process, sizeof *process);
  *process = started.process;
  return 0;
}

void child_ended() {
  Operation operation;
  g_host->child_ended();
}

// Streams of popen, in the section kLibc.
struct Child {
  FILE* stream;
  pid_t process;
  Child* next;
};
Child* g_children;

Child* take_child(FILE* stream) {
  KnownSection section(WellKnown::kLibc);
  for (Child** at = &g_children; *at; at = &(*at)->next) {
    if ((*at)->stream != stream) continue;
    Child* found = *at;
    *at = found->next;
    return found;
  }
  return nullptr;
}

// The command with `end` of a pipe as its descriptor `as`, and without the ends of other streams.
int spawn_shell(const char* command, int end, int as, pid_t* process) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  int result = posix_spawn_file_actions_adddup2(&actions, end, as);
  {
    KnownSection section(WellKnown::kLibc);
    for (Child* child = g_children; child && !result; child = child->next)
      if (fileno(child->stream) != as) result = posix_spawn_file_actions_addclose(&actions, fileno(child->stream));
  }
  char shell[] = "sh", option[] = "-c";
  char* arguments[] = {shell, option, const_cast<char*>(command), nullptr};
  if (!result) result = posix_spawn(process, "/bin/sh", &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  return result;
}

FILE* open_child(const char* command, bool reads, bool closes_on_exec, const char* mode) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return nullptr;
  int mine = ends[!reads], its = ends[reads];
  pid_t process = 0;
  auto* child = static_cast<Child*>(malloc(sizeof(Child)));
  int error = child ? spawn_shell(command, its, reads ? 1 : 0, &process) : ENOMEM;
  close(its);
  FILE* stream = error ? nullptr : fdopen(mine, mode);
  if (!stream) {
    if (!error) error = errno;
    close(mine);
    free(child);
    errno = error;
    return nullptr;
  }
  if (!closes_on_exec) fcntl(mine, F_SETFD, 0);
  KnownSection section(WellKnown::kLibc);
  *child = {stream, process, g_children};
  g_children = child;
  return stream;
}

}  // namespace

ANA_EXPORT int posix_spawn(pid_t* process, const char* path, const posix_spawn_file_actions_t* actions,
                           const posix_spawnattr_t* attributes, char* const arguments[], char* const environment[]) {
  auto real = [=](pid_t* to, const posix_spawn_file_actions_t* all) {
    return ANA_REAL(posix_spawn)(to, path, all, attributes, arguments, environment);
  };
  return passive() ? real(process, actions) : spawn_with(process, actions, real);
}

ANA_EXPORT int posix_spawnp(pid_t* process, const char* file, const posix_spawn_file_actions_t* actions,
                            const posix_spawnattr_t* attributes, char* const arguments[], char* const environment[]) {
  auto real = [=](pid_t* to, const posix_spawn_file_actions_t* all) {
    return ANA_REAL(posix_spawnp)(to, file, all, attributes, arguments, environment);
  };
  return passive() ? real(process, actions) : spawn_with(process, actions, real);
}

ANA_EXPORT int system(const char* command) {
  if (passive()) return ANA_REAL(system)(command);
  Started started{};
  SpawnActions actions;
  int result = outside([&] { return command ? run_command(command, actions) : ANA_REAL(system)(command); }, started);
  if (result == -1) errno = started.error;
  child_ended();
  return result;
}

ANA_EXPORT FILE* popen(const char* command, const char* mode) {
  if (passive()) return ANA_REAL(popen)(command, mode);
  bool closes = mode[1] == 'e' || (mode[1] && mode[2] == 'e');
  if (mode[0] == 'r' || mode[0] == 'w') return open_child(command, mode[0] == 'r', closes, mode[0] == 'r' ? "r" : "w");
  errno = EINVAL;
  return nullptr;
}

ANA_EXPORT int pclose(FILE* stream) {
  Child* child = take_child(stream);
  if (!child) {
    if (passive()) return ANA_REAL(pclose)(stream);
    errno = ECHILD;
    return -1;
  }
  pid_t process = child->process;
  free(child);
  fclose(stream);
  int status = -1;
  while (waitpid(process, &status, 0) < 0)
    if (errno != EINTR) return -1;
  return status;
}

ANA_EXPORT pid_t vfork() { return fork(); }
