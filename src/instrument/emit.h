// Emits the code of checks and polls: the only part that knows the layout of the control block (runtime_abi.h) in terms
// of instructions. It splits blocks at the places it is given and knows nothing about why they were chosen.
//
// A check of one line compiles to
//     mov address, r ; shr 6, r ; and 0x7fffffff, r
//     mov gs:epoch, e ; cmp e, gs:[permissions + 8*r + 4*write] ; jb cold
// and one of a range to a call of a function that looks at all its lines, and says by the carry flag whether one is missing.
// Cold calls are assembly, and so are their arguments: instructions without effect behind the call, which the runtime reads
// (runtime_abi.h). The compiler only has to say where the addresses are.
//
// Epoch loads are volatile, because cold calls change it; the loads of permissions are not, because instruction
// selection folds only plain loads into the comparison. Nothing that could move them runs after this pass, and every
// call in between clobbers them.
//
// Whoever plans several insertions into one block makes them from its end to its beginning: each split moves the rest
// of the block, and only this order keeps the whole linear.
#pragma once
#include "instrument/access.h"
#include "instrument/counter.h"
#include "instrument/sites.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

namespace ana {

class Emitter {
 public:
  Emitter(llvm::Module& module, SiteTable& sites);

  // Makes `own` valid before `before`: one comparison per line, one cold call for all of them, which also gets `held`.
  // `counter`, if there is one, holds the count here. Invariant: own.size() + held.size() <= ANA_MAX_RANGES.
  void check(llvm::Instruction* before, llvm::ArrayRef<Check> own, llvm::ArrayRef<Range> held,
             const llvm::DebugLoc& where, const Counter* counter = nullptr);
  // Counts; the cold call keeps `held` valid.
  void poll(llvm::Instruction* before, llvm::ArrayRef<Range> held, const llvm::DebugLoc& where,
            const Counter* counter = nullptr, bool is_prologue = false);
  // Tells the runtime before and after an access to `ranges`. A load may then have to be repeated.
  void bracket(llvm::Instruction* access, llvm::ArrayRef<Range> ranges);
  // From the control block into the counter, and back.
  void load_count(llvm::IRBuilder<>& builder, const Counter& counter);
  void store_count(llvm::IRBuilder<>& builder, const Counter& counter);

 private:
  // The hooks around accesses are functions; the cold calls are names.
  enum class Hook : uint8_t { kCheck, kPoll };

  llvm::Value* address(llvm::IRBuilder<>& builder, const Place& place);
  llvm::Value* line_of(llvm::IRBuilder<>& builder, llvm::Value* address);
  llvm::Value* table_offset(llvm::IRBuilder<>& builder, llvm::Value* line, bool write);
  llvm::Value* permission(llvm::IRBuilder<>& builder, llvm::Value* table_offset);
  llvm::Constant* control(uint64_t offset);
  llvm::Value* site_address(llvm::IRBuilder<>& builder, llvm::Constant* site);
  uint64_t pass_range(llvm::IRBuilder<>& builder, const Range& range, uint64_t slot);
  void call_hook(llvm::IRBuilder<>& builder, llvm::FunctionCallee callee, uint64_t count, const llvm::DebugLoc& where,
                 uint32_t site_flags = 0);
  void call_cold(llvm::IRBuilder<>& builder, Hook hook, llvm::ArrayRef<Range> ranges, const llvm::DebugLoc& where,
                 uint32_t site_flags);
  llvm::Value* mark_write(llvm::IRBuilder<>& builder, llvm::Value* address);
  llvm::BasicBlock* cold_block(llvm::BasicBlock* next, Hook hook, llvm::ArrayRef<Check> own, llvm::ArrayRef<Range> held,
                               const llvm::DebugLoc& where, const Counter* counter, uint32_t site_flags = 0);
  void go_on_unless(llvm::IRBuilder<>& builder, llvm::Value* missing, llvm::BasicBlock* cold);
  void test_lines(llvm::IRBuilder<>& builder, const Check& check, llvm::Value* epoch, llvm::BasicBlock* cold);
  void scan_lines(llvm::IRBuilder<>& builder, const Range& range, llvm::BasicBlock* cold);

  llvm::Module& module_;
  SiteTable& sites_;
  llvm::Type* i32_;
  llvm::Type* i64_;
  llvm::PointerType* gs_pointer_;
  llvm::FunctionCallee begin_;
  llvm::FunctionCallee end_;
  llvm::MDNode* unlikely_;
};

}  // namespace ana
