// The instructions of a program's file that access memory, for replays that follow its code.
#pragma once
#include <vector>

#include "trace/elf_file.h"
#include "trace/result.h"
#include "trace/step_table.h"

namespace ana {

// The program's own code: not that of the runtime or of the dynamic loader.
struct StepCode {
  struct Section {
    uint64_t address, bytes;
    const uint8_t* contents;  // in the file, which has to stay open
  };
  uint64_t begin;
  std::vector<uint32_t> index;  // of each byte what begins there (step_table.h)
  std::vector<StepOperand> operands;
  std::vector<Section> sections;

  uint64_t end() const { return begin + index.size(); }
};

// Of a program or library that is loaded at `base` if it is position independent.
Result<StepCode> read_step_code(const ElfFile& program, uint64_t base);
// Its bytes start with a StepTable.
std::vector<uint8_t> make_step_table(const StepCode& code);
// Only these are to be told: sorted, apart from each other.
void set_places(std::vector<uint8_t>& table, const std::vector<StepPlace>& places);

}  // namespace ana
