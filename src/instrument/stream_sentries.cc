#include "instrument/stream_sentries.h"

#include "llvm/IR/Module.h"

namespace ana {
namespace {

bool is_sentry(llvm::StringRef name) {
  for (llvm::StringRef stream : {"_ZNSo", "_ZNSt13basic_ostreamIwSt11char_traitsIwEE"}) {
    llvm::StringRef rest = name;
    if (!rest.consume_front(stream) || !rest.consume_front("6sentry")) continue;
    if (rest.starts_with("C1E") || rest.starts_with("C2E") || rest == "D1Ev" || rest == "D2Ev") return true;
  }
  return false;
}

}  // namespace

llvm::PreservedAnalyses StreamSentries::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  bool changed = false;
  for (llvm::Function& function : module) {
    if (function.isDeclaration() || !function.isWeakForLinker() || !is_sentry(function.getName())) continue;
    function.deleteBody();
    function.setComdat(nullptr);
    function.setLinkage(llvm::GlobalValue::ExternalLinkage);
    changed = true;
  }
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

}  // namespace ana
