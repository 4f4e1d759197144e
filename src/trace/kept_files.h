// Large files that a recorded program reads are not copied through its streams: the streams refer to them, and when the
// program has ended the part that was read is copied into the trace, as `kept-<number>` (a file with holes).
//
// Until then the file must stay as it is. The recorder holds a lease on it (F_SETLEASE), which the kernel grants if
// nobody has it open for writing. Who opens it for writing then has to wait until the recorder has made the copy and
// given the lease back; from then on the program's reads of it are logged as any others. Where no lease is to be had
// (others' files, network file systems), everything is logged.
//
// If the recorder is killed there is no copy; then a replay reads the file itself, if it is still the same.
#pragma once
#include <sys/types.h>

#include <chrono>
#include <string>
#include <vector>

#include "trace/actions.h"
#include "trace/host_process.h"
#include "trace/result.h"

namespace ana {

// The recorder's side. One thread.
class KeptFiles {
 public:
  KeptFiles(SharedSession& session, int directory) : session_(session), directory_(directory) {}

  // Answers the program, and gives back leases that others want. Often.
  void serve(pid_t program);
  // Copies all.
  void finish();
  const std::vector<KeptCopy>& copies() const { return copies_; }
  // What could not be copied; the trace refers to the file itself then.
  const std::vector<std::string>& problems() const { return problems_; }
  // Of the copies that there will be.
  uint64_t bytes();

 private:
  void copy(uint32_t number);
  void answer(uint32_t number, pid_t program);
  void give_back_wanted();

  SharedSession& session_;
  int directory_;
  std::vector<UniqueFd> held_;  // by number; with the lease
  std::vector<KeptCopy> copies_;
  std::vector<std::string> problems_;
  std::chrono::steady_clock::time_point looked_;
};

// What a stream says of one.
struct KeptInput {
  uint32_t number = 0;
  std::string path;
  uint64_t bytes = 0;
  int64_t modified_seconds = 0, modified_nanoseconds = 0;

  // Of a kOpKeptFile.
  static Result<KeptInput> from(const Value& value);
};

std::string kept_name(uint32_t number);
// In a trace; also what an interrupted copy left.
std::vector<std::string> kept_names(const std::string& trace);

// The copy in the trace, which must be what the manifest says if that knows it; or else the file itself.
Result<UniqueFd> open_kept(int directory, const KeptInput& input, const Manifest& manifest);
// Makes a copy of the whole file if the trace has none.
Status bring_kept(int directory, const KeptInput& input, const Manifest& manifest);

}  // namespace ana
