// The files that a packed trace brings along: the program, its loader and the libraries, so that it replays where these
// are missing, or others. They lie in `files/<n>/<name>` in the trace; the table `files.json` says which is which. Used
// by the tools.
//
// Nothing in a trace is trusted: names and sizes are bounded, no link is followed, contents are compared with their
// hashes before they are used. The program itself is, by whoever replays it.
#pragma once
#include <stdint.h>

#include <string>
#include <vector>

#include "trace/result.h"

namespace ana {

constexpr const char* kFilesName = "files";
constexpr const char* kFileTableName = "files.json";

struct PackedFile {
  std::string path;  // where it was when the program was recorded
  uint64_t bytes = 0;
  std::string hash;  // XXH64, 16 hexadecimal digits
};

class PackedFiles {
 public:
  // Of a trace that is not packed: empty.
  static Result<PackedFiles> open(const std::string& trace);

  bool empty() const { return files_.empty(); }
  const std::vector<PackedFile>& files() const { return files_; }
  uint64_t bytes() const;
  // Where the file that was at `path` is now: in the trace, or, if it is not there, at `path`.
  std::string find(const std::string& path) const;
  // All of them are there and are what was packed.
  Status check() const;

 private:
  std::string place(size_t i) const;
  std::string trace_;
  std::vector<PackedFile> files_;
};

// Copies these files into the trace. What an interrupted attempt has left is replaced. Programs that the kernel is to start
// have to be executable; the host maps others itself.
Status pack_files(const std::string& trace, const std::vector<std::string>& paths, bool executable = false);
// The copies and the table; nothing if there are none.
Status remove_packed_files(const std::string& trace);

}  // namespace ana
