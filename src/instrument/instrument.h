// The pass: instruments every function that is defined in a module. It must be the last to change the code, since the
// code it makes relies on permissions that change behind the compiler's back.
//
// Order, for each function: simplify loops, rewrite calls, select accesses, plan loops, polls and segments, and only
// then change the control flow; plans name instructions, which stay where they are relative to each other.
#pragma once
#include "llvm/IR/PassManager.h"

namespace ana {

class InstrumentPass : public llvm::PassInfoMixin<InstrumentPass> {
 public:
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
  // Also at -O0.
  static bool isRequired() { return true; }
};

}  // namespace ana
