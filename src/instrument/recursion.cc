#include "instrument/recursion.h"

#include "instrument/select.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SCCIterator.h"
#include "llvm/Analysis/CallGraph.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace ana {
namespace {

using FunctionSet = SmallPtrSet<const Function*, 32>;
using Edges = DenseMap<const Function*, SmallVector<const Function*, 4>>;

FunctionSet reach(const FunctionSet& from, const Edges& edges) {
  FunctionSet reached = from;
  SmallVector<const Function*, 32> work(from.begin(), from.end());
  while (!work.empty()) {
    auto found = edges.find(work.pop_back_val());
    if (found == edges.end()) continue;
    for (const Function* next : found->second) {
      if (reached.insert(next).second) work.push_back(next);
    }
  }
  return reached;
}

}  // namespace

bool Recursion::is_harmless(const Function& callee) const {
  if (!callee.isDeclaration()) return false;
  LibFunc known;
  return callee.getName().starts_with("__ana_") ||
         (library_.getLibFunc(callee, known) && known != LibFunc_qsort);
}

bool Recursion::may_call_back(const CallBase& call) const {
  if (!may_yield(call) || call.isInlineAsm()) return false;
  const Function* callee = call.getCalledFunction();
  return !callee || !is_harmless(*callee);
}

// Recursive are the functions in cycles of direct calls, and those that unknown code can call and that call unknown
// code.
Recursion::Recursion(Module& module, const TargetLibraryInfo& library) : library_(library) {
  Edges calls, callers;
  FunctionSet enterable, leaving;
  for (const Function& function : module) {
    if (function.isDeclaration()) continue;
    if (!function.hasLocalLinkage() || function.hasAddressTaken()) enterable.insert(&function);
    for (const Instruction& inst : instructions(function)) {
      auto* call = dyn_cast<CallBase>(&inst);
      if (!call || !may_call_back(*call)) continue;
      const Function* callee = call->getCalledFunction();
      if (!callee || callee->isDeclaration() || callee->isInterposable()) leaving.insert(&function);
      if (!callee || callee->isDeclaration()) continue;
      calls[&function].push_back(callee);
      callers[callee].push_back(&function);
    }
  }
  FunctionSet can_leave = reach(leaving, callers);
  for (const Function* function : reach(enterable, calls)) {
    if (can_leave.contains(function)) recursive_.insert(function);
  }
  CallGraph graph(module);
  for (auto component = scc_begin(&graph); !component.isAtEnd(); ++component) {
    if (!component.hasCycle()) continue;
    for (const CallGraphNode* node : *component) {
      if (node->getFunction()) recursive_.insert(node->getFunction());
    }
  }
}

}  // namespace ana
