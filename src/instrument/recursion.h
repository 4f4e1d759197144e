// Which functions may be entered again before they have returned. Their sites after such a call may run once per return
// with no function entry in between, so they need polls of their own (polls.h).
#pragma once
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"

namespace ana {

class Recursion {
 public:
  Recursion(llvm::Module& module, const llvm::TargetLibraryInfo& library);

  bool may_be_reentered(const llvm::Function& function) const { return recursive_.contains(&function); }
  // true unless the callee is known to call nothing of the program's.
  bool may_call_back(const llvm::CallBase& call) const;

 private:
  bool is_harmless(const llvm::Function& callee) const;

  llvm::TargetLibraryInfo library_;
  llvm::SmallPtrSet<const llvm::Function*, 32> recursive_;
};

}  // namespace ana
