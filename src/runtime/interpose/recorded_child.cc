// A program that was executed by a recorded one (record --children): it runs itself again under the tool, which saves its
// execution beside that of the other. The names of the variables are those of trace/child_traces.h.
#include "runtime/interpose/recorded_child.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/interpose/runtime.h"

namespace ana {
namespace {

constexpr int kWordsBefore = 7;
constexpr size_t kPathBytes = 4096;
constexpr int kMaxArguments = 4096;
constexpr int kMaxPrograms = 1000;  // that a process becomes, one after the other

const char* find(char** environment, const char* name) {
  size_t n = strlen(name);
  for (; *environment; ++environment)
    if (!strncmp(*environment, name, n) && (*environment)[n] == '=') return *environment + n + 1;
  return nullptr;
}

// A process that has executed another program before has a trace of that one.
bool choose_trace(char* to, const char* directory) {
  for (int n = 1; n <= kMaxPrograms; ++n) {
    int bytes = n == 1 ? snprintf(to, kPathBytes, "%s/%d", directory, getpid())
                       : snprintf(to, kPathBytes, "%s/%d-%d", directory, getpid(), n);
    if (bytes >= static_cast<int>(kPathBytes)) return false;
    if (access(to, F_OK) != 0) return true;
  }
  return false;
}

}  // namespace

void record_if_child(int count, char** arguments, char** environment) {
  const char* directory = find(environment, "ANAPHORA_CHILDREN");
  const char* tool = find(environment, "ANAPHORA_TOOL");
  if (!directory || !tool || count > kMaxArguments) return;
  static char trace[kPathBytes], program[kPathBytes];
  static char* words[kMaxArguments + kWordsBefore + 1];
  ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
  if (length <= 0 || access(directory, W_OK) != 0 || !choose_trace(trace, directory)) return;
  const char* before[kWordsBefore] = {"anaphora", "record", "-q", "-o", trace, "--", program};
  for (int i = 0; i < kWordsBefore; ++i) words[i] = const_cast<char*>(before[i]);
  for (int i = 1; i < count; ++i) words[kWordsBefore + i - 1] = arguments[i];
  execve(tool, words, environment);
}

}  // namespace ana
