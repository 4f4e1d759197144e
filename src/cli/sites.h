// From the address of a site (AnaSite in runtime_abi.h) in a recorded process to its place in the source.
#pragma once
#include <stdint.h>

#include <map>
#include <optional>
#include <string>

#include "cli/program_files.h"

namespace ana {

// A name of C++ as its source has it; others are left as they are.
std::string demangled(const std::string& name);

struct SourcePlace {
  std::string file;
  std::string function;
  uint32_t line = 0;
  uint32_t column = 0;
};

// The runtime uses smaller numbers for places that are not in the program.
constexpr uint64_t kFirstAddress = 4096;

class SiteResolver {
 public:
  // Of a program that cannot be opened nothing is known: places are then shown as addresses. The reader must outlive it.
  explicit SiteResolver(const TraceReader& reader) : files_(reader) {}
  explicit SiteResolver(const std::string& program) : files_(program) {}

  const ProgramFiles& files() const { return files_; }

  std::optional<SourcePlace> find(uint64_t site) const;
  // "queue.c:41 (pop)", or the address; remembered, since a trace names few sites many times.
  const std::string& describe(uint64_t site);

 private:
  ProgramFiles files_;
  std::map<uint64_t, std::string> described_;
};

}  // namespace ana
