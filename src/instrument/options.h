// The switches of the pass, for bisecting: -ana-merge, -ana-hoist, -ana-ranges, -ana-skip-polls,
// -ana-count-in-registers; all on by default.
//
// With opt they follow -load-pass-plugin; anaphora-cc accepts them as -mllvm options.
#pragma once
#include "llvm/Support/CommandLine.h"

namespace ana {

extern llvm::cl::opt<bool> opt_merge;
extern llvm::cl::opt<bool> opt_hoist;
extern llvm::cl::opt<bool> opt_ranges;
extern llvm::cl::opt<bool> opt_skip_polls;
extern llvm::cl::opt<bool> opt_count_in_registers;
// Another kind of instrumentation: begin and end around every access, for the tracing algorithms. Off by default.
extern llvm::cl::opt<bool> opt_every_access;

}  // namespace ana
