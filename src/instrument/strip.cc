#include "instrument/strip.h"

#include "llvm/IR/IRBuilder.h"

using namespace llvm;

namespace ana {

bool can_be_stripped(const Loop& loop) {
  BasicBlock* latch = loop.getLoopLatch();
  if (!loop.getLoopPreheader() || !latch || loop.getExitingBlock() != latch) return false;
  auto* branch = dyn_cast<BranchInst>(latch->getTerminator());
  return branch && branch->isConditional() && branch->getSuccessor(0) != branch->getSuccessor(1) &&
         loop.getExitBlock() && isa<BranchInst>(loop.getLoopPreheader()->getTerminator());
}

// The header's values now come from `strip` when a strip begins; there they come from the preheader or the last strip.
static void move_phis(BasicBlock& header, BasicBlock& preheader, BasicBlock& latch, BasicBlock& strip,
                      BasicBlock& next) {
  for (PHINode& phi : header.phis()) {
    PHINode* outer = PHINode::Create(phi.getType(), 2, phi.getName() + ".strip");
    outer->insertInto(&strip, strip.end());
    outer->setDebugLoc(phi.getDebugLoc());
    outer->addIncoming(phi.getIncomingValueForBlock(&preheader), &preheader);
    outer->addIncoming(phi.getIncomingValueForBlock(&latch), &next);
    int index = phi.getBasicBlockIndex(&preheader);
    phi.setIncomingBlock(index, &strip);
    phi.setIncomingValue(index, outer);
  }
}

Strips make_strips(Loop& loop, Value* back_edges, uint64_t limit) {
  BasicBlock* preheader = loop.getLoopPreheader();
  BasicBlock* header = loop.getHeader();
  BasicBlock* latch = loop.getLoopLatch();
  BasicBlock* exit = loop.getExitBlock();
  Function* function = header->getParent();
  LLVMContext& context = function->getContext();
  Type* i64 = Type::getInt64Ty(context);
  DebugLoc where = latch->getTerminator()->getDebugLoc();
  BasicBlock* strip = BasicBlock::Create(context, "ana.strip", function, header);
  BasicBlock* test = BasicBlock::Create(context, "ana.test", function, latch->getNextNode());
  BasicBlock* next = BasicBlock::Create(context, "ana.more", function, test->getNextNode());
  move_phis(*header, *preheader, *latch, *strip, *next);
  preheader->getTerminator()->replaceSuccessorWith(header, strip);

  IRBuilder<> builder(strip);
  builder.SetCurrentDebugLocation(where);
  PHINode* done = builder.CreatePHI(i64, 2, "ana.done");
  Value* left = builder.CreateSub(back_edges, done);
  Value* longest = ConstantInt::get(i64, limit - 1);
  // Frozen, so that strength reduction takes it as it is: it would work out the minimum again, in other terms.
  Value* more = builder.CreateFreeze(builder.CreateSelect(builder.CreateICmpULT(left, longest), left, longest));
  Value* last = builder.CreateAdd(done, more, "ana.last");
  builder.CreateBr(header);

  builder.SetInsertPoint(header, header->begin());
  PHINode* countdown = builder.CreatePHI(i64, 2, "ana.countdown");
  auto* old = cast<BranchInst>(latch->getTerminator());
  builder.SetInsertPoint(old);
  countdown->addIncoming(more, strip);
  countdown->addIncoming(builder.CreateSub(countdown, ConstantInt::get(i64, 1)), latch);
  builder.CreateCondBr(builder.CreateICmpEQ(countdown, ConstantInt::get(i64, 0)), test, header);
  old->removeFromParent();
  old->insertInto(test, test->end());
  old->replaceSuccessorWith(header, next);
  old->setMetadata(LLVMContext::MD_loop, nullptr);
  exit->replacePhiUsesWith(latch, test);
  // Which iteration it is, by the strips' own number: what the loop counted for its end alone is not needed any more.
  builder.SetInsertPoint(old);
  auto* condition = dyn_cast<ICmpInst>(old->getCondition());
  CmpInst::Predicate when = old->getSuccessor(0) == exit ? CmpInst::ICMP_EQ : CmpInst::ICMP_NE;
  old->setCondition(builder.CreateICmp(when, last, back_edges));
  if (condition && condition->use_empty()) condition->eraseFromParent();

  builder.SetInsertPoint(next);
  done->addIncoming(ConstantInt::get(i64, 0), preheader);
  done->addIncoming(builder.CreateAdd(last, ConstantInt::get(i64, 1)), next);
  builder.CreateBr(strip);
  return {strip, next, done, last};
}

}  // namespace ana
