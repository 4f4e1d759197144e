#include "instrument/options.h"

namespace ana {

llvm::cl::opt<bool> opt_merge("ana-merge", llvm::cl::init(true),
                              llvm::cl::desc("Let one check serve several accesses of a segment"));
llvm::cl::opt<bool> opt_hoist("ana-hoist", llvm::cl::init(true),
                              llvm::cl::desc("Move checks of loop-invariant addresses before the loop"));
llvm::cl::opt<bool> opt_ranges("ana-ranges", llvm::cl::init(true),
                               llvm::cl::desc("Check strided loops by strips of at most 4 KiB"));
llvm::cl::opt<bool> opt_skip_polls("ana-skip-polls", llvm::cl::init(true),
                                   llvm::cl::desc("Poll once per strip in loops without checks"));
llvm::cl::opt<bool> opt_count_in_registers("ana-count-in-registers", llvm::cl::init(true),
                                           llvm::cl::desc("Count the polls of quiet loops in registers"));
llvm::cl::opt<bool> opt_every_access("ana-every-access", llvm::cl::init(false),
                                     llvm::cl::desc("Tell the runtime of every access, for tracing algorithms"));

}  // namespace ana
