// AnaSite constants: one per cold call, in the section ana_sites, with their strings. One SiteTable per module.
#pragma once
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/DebugLoc.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Module.h"

namespace ana {

class SiteTable {
 public:
  explicit SiteTable(llvm::Module& module) : module_(module) {}

  // A new site: at the innermost inlined place of `where`, or only the name of `function` if nothing is known.
  // `flags`: ANA_SITE_ of runtime_abi.h.
  llvm::Constant* create(const llvm::Function& function, const llvm::DebugLoc& where, uint32_t flags = 0);

 private:
  llvm::Constant* text(llvm::StringRef string);

  llvm::Module& module_;
  llvm::StringMap<llvm::GlobalVariable*> texts_;
};

}  // namespace ana
