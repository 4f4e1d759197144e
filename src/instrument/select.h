// Which accesses of a function may touch memory that other threads see, and which calls may let another thread run.
#pragma once
#include <vector>

#include "instrument/access.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstrTypes.h"

namespace ana {

// Answers for one module; remembers what it found out about each object.
class PrivateMemory {
 public:
  // Before each function: values of the last one may be gone.
  void start_function() { locals_.clear(); }
  // true if no other thread can reach what `pointer` points to, or nobody writes it.
  bool contains(const llvm::Value* pointer);

 private:
  bool is_private(const llvm::Value* object);
  bool is_private_tls(const llvm::GlobalVariable& variable);

  llvm::DenseMap<const llvm::Value*, bool> globals_;
  llvm::DenseMap<const llvm::Value*, bool> locals_;
};

// The accesses of `function` in program order. Gathers and scatters get an extractelement per lane, which is why the
// function is not const.
std::vector<Access> select_accesses(llvm::Function& function, PrivateMemory& memory);

// The memory operation is small and of constant size, so that checks of its ranges replace a call of the runtime.
bool is_small_memory_operation(const llvm::Instruction& inst);

// true if a permission that was checked before `inst` may be lost in it.
bool may_yield(const llvm::Instruction& inst);

// true if a segment ends at `inst`: what may_yield(), and atomic and volatile accesses and fences.
bool ends_segment(const llvm::Instruction& inst);

}  // namespace ana
