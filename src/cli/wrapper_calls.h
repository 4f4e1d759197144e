// The names of library functions at calls of their wrappers, which are linked into the program.
#pragma once
#include <stdint.h>

#include <map>
#include <optional>
#include <string>

#include "trace/elf_file.h"

namespace ana {

class WrapperCalls {
 public:
  // A program that cannot be opened has none.
  explicit WrapperCalls(const std::string& program);

  // Of a call by the address that it returns to: "memcpy". Empty if it is no direct call of a wrapper.
  std::string function(uint64_t return_address) const;
  // A place in the program's file that is not code: as a site, one of the wrappers' own.
  bool is_data(uint64_t address) const;

 private:
  std::optional<ElfFile> elf_;
  uint64_t base_ = 0;
  std::map<uint64_t, std::string> wrappers_;  // by address in the file
};

}  // namespace ana
