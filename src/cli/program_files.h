// The files that a recorded program's own code is in: the program and its libraries that were built with Anaphora. Which of them
// an address of its process belongs to.
#pragma once
#include <stdint.h>

#include <deque>
#include <string>

#include "trace/elf_file.h"
#include "trace/trace_reader.h"

namespace ana {

class ProgramFiles {
 public:
  struct File {
    std::string path;
    ElfFile elf;
    uint64_t bias;        // what its addresses are off by
    uint64_t begin, end;  // in the process
  };

  // The reader must outlive it: libraries are looked up when the first address is asked for that may be of one, since that
  // reads the streams. A program that cannot be opened belongs to no address.
  explicit ProgramFiles(const TraceReader& reader);
  // Without its trace: nothing is known of libraries.
  explicit ProgramFiles(const std::string& program);

  // Null if there is none; or if several were there, one after the other: it is not known which is meant.
  const File* find(uint64_t address) const { return look_up(address).file; }
  bool has_several(uint64_t address) const { return look_up(address).several; }

 private:
  struct Found {
    const File* file = nullptr;
    bool several = false;
  };
  Found look_up(uint64_t address) const;
  void add(const std::string& path, uint64_t bias) const;

  const TraceReader* reader_ = nullptr;
  mutable bool knows_libraries_ = false;
  mutable std::deque<File> files_;  // they stay where they are
};

}  // namespace ana
