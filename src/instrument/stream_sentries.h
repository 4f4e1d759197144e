// Leaves the sentries of std::ostream to libstdc++. User code instantiates them (driver/include/instantiate.h) and the
// optimiser would inline them; the runtime wants to see every call, because what a stream does between the construction
// and the destruction of its sentry is one ordered section (runtime/interpose/iostream.cc). Runs first of all passes.
#pragma once
#include "llvm/IR/PassManager.h"

namespace ana {

class StreamSentries : public llvm::PassInfoMixin<StreamSentries> {
 public:
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
  static bool isRequired() { return true; }
};

}  // namespace ana
