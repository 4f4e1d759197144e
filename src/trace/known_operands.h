// What the operands of a program's code access, for those who get them by number (CompactReference).
#pragma once
#include <stdint.h>

#include <vector>

namespace ana {

struct KnownOperand {
  uint64_t site;   // address of the instruction
  uint32_t flags;  // ANA_SITE_
  uint32_t bytes;
  bool write;
};

struct StepCode;
std::vector<KnownOperand> known_operands(const StepCode& code);

}  // namespace ana
