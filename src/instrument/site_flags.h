// What an access is, for those who look at a replay: ANA_SITE_ of runtime_abi.h.
#pragma once
#include <cstdint>

#include "llvm/IR/Instruction.h"

namespace ana {

// Of a fence, too.
uint32_t site_flags(const llvm::Instruction& inst);
// The same if the access is atomic or a fence, else 0: a check of others stands for more than one access.
uint32_t atomic_site_flags(const llvm::Instruction& inst);

}  // namespace ana
