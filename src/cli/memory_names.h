// Names for places in code and in memory of a recorded program, for reports.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "cli/sites.h"
#include "cli/wrapper_calls.h"
#include "trace/elf_file.h"

namespace ana {

class MemoryNames {
 public:
  // A program that cannot be opened gives addresses only. The reader must outlive it.
  explicit MemoryNames(const TraceReader& reader) : sites_(reader), calls_(reader.program_file()) {}

  // Of a site, of an instruction, or of a call of a library function (kCalledFrom). Without debug information the file is
  // empty.
  const SourcePlace& place(uint64_t site);
  // An address of the program's code, or of its own libraries'.
  bool is_code(uint64_t site) const;
  // The function that an instruction is in, and those that it was inlined into, innermost first.
  std::vector<SourcePlace> frames(uint64_t address) const;
  // "queue.c:41 (pop)", "memcpy, called at queue.c:41 (pop)", or what else is known of it.
  std::string text(uint64_t site);
  // Of a call, by the address that it returns to.
  std::string caller_text(uint64_t return_address) { return text(return_address - 1); }
  // "counter", "table+16", "the stack of thread 3"; empty: unknown.
  std::string variable(uint64_t address) const;

 private:
  SourcePlace find(uint64_t site) const;
  const std::vector<ElfFile::Symbol>& variables_of(const ProgramFiles::File& file) const;

  SiteResolver sites_;
  WrapperCalls calls_;
  mutable std::map<const ProgramFiles::File*, std::vector<ElfFile::Symbol>> variables_;
  std::map<uint64_t, SourcePlace> known_;
};

}  // namespace ana
