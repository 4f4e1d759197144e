// Replaces calls and instructions whose effects the runtime must see: copies of memory, string functions, clocks and
// random numbers of the processor. Runs before accesses are selected; what it leaves are ordinary calls.
#pragma once
#include "instrument/select.h"
#include "instrument/sites.h"
#include "llvm/IR/Function.h"

namespace ana {

void rewrite_calls(llvm::Function& function, PrivateMemory& memory, SiteTable& sites);

// The parts of it, each for one call. True if `call` was replaced; it is erased then.
bool rewrite_memory(llvm::CallBase& call, PrivateMemory& memory, SiteTable& sites);
bool rewrite_input(llvm::CallBase& call);

}  // namespace ana
