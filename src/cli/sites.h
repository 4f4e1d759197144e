// From the address of a site (AnaSite in runtime_abi.h) in a recorded process to its place in the source.
#pragma once
#include <stdint.h>

#include <map>
#include <optional>
#include <string>

#include "trace/elf_file.h"

namespace ana {

// A name of C++ as its source has it; others are left as they are.
std::string demangled(const std::string& name);

struct SourcePlace {
  std::string file;
  std::string function;
  uint32_t line = 0;
  uint32_t column = 0;
};

class SiteResolver {
 public:
  // A program that cannot be opened gives a resolver that knows nothing: places are then shown as addresses.
  explicit SiteResolver(const std::string& program);

  std::optional<SourcePlace> find(uint64_t site) const;
  // "queue.c:41 (pop)", or the address; remembered, since a trace names few sites many times.
  const std::string& describe(uint64_t site);

 private:
  std::optional<ElfFile> elf_;
  uint64_t load_bias_ = 0;
  ElfFile::Section sites_{};
  std::map<uint64_t, std::string> described_;
};

}  // namespace ana
