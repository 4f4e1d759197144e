// Makes a StepTable (step_table.h) of a program's file.
#pragma once
#include <vector>

#include "trace/elf_file.h"
#include "trace/result.h"
#include "trace/step_table.h"

namespace ana {

// Of a program that is loaded at `base` if it is position independent. Its bytes start with a StepTable.
Result<std::vector<uint8_t>> make_step_table(const ElfFile& program, uint64_t base);
// Only these are to be told: sorted, apart from each other.
void set_places(std::vector<uint8_t>& table, const std::vector<StepPlace>& places);

}  // namespace ana
