#include "instrument/instrument.h"

#include <functional>
#include <optional>

#include "instrument/counter.h"
#include "instrument/emit.h"
#include "instrument/group.h"
#include "instrument/hoist.h"
#include "instrument/options.h"
#include "instrument/polls.h"
#include "instrument/recursion.h"
#include "instrument/rewrite.h"
#include "instrument/segments.h"
#include "instrument/select.h"
#include "instrument/sites.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace ana {
namespace {

// Scalar evolution is not for functions beyond this: compile time would no longer be linear in practice.
constexpr size_t kMaxAnalysedAccesses = 20000;

bool is_instrumentable(const Function& function) {
  return !function.isDeclaration() && !function.hasAvailableExternallyLinkage() &&
         !function.hasFnAttribute(Attribute::Naked) &&
         !function.hasFnAttribute(Attribute::DisableSanitizerInstrumentation) &&
         !function.hasFnAttribute("no-anaphora") && !function.getName().starts_with("__ana_");
}

class FunctionInstrumenter {
 public:
  FunctionInstrumenter(Function& function, FunctionAnalysisManager& analyses, Emitter& emitter, SiteTable& sites,
                       PrivateMemory& memory, const Recursion& recursion)
      : function_(function), analyses_(analyses), emitter_(emitter), sites_(sites), memory_(memory),
        recursion_(recursion) {}

  void run() {
    prepare();
    memory_.start_function();
    rewrite_calls(function_, memory_, sites_);
    memory_.start_function();
    analyses_.invalidate(function_, PreservedAnalyses::none());
    std::vector<Access> accesses = select_accesses(function_, memory_);
    if (opt_every_access) return bracket_all(accesses);
    ScalarEvolution* evolution = nullptr;
    if (!function_.hasOptNone() && accesses.size() <= kMaxAnalysedAccesses) {
      evolution = &analyses_.getResult<ScalarEvolutionAnalysis>(function_);
    }
    assign_keys(accesses, evolution, function_.getParent()->getDataLayout());
    std::optional<LoopPlans> loops;
    std::optional<LoopCounters> counters;
    if (evolution) {
      auto& found = analyses_.getResult<LoopAnalysis>(function_);
      if (opt_count_in_registers) counters.emplace(function_, found);
      loops.emplace(function_, found, analyses_.getResult<DominatorTreeAnalysis>(function_), *evolution);
      loops->plan(accesses);
    }
    PollPlan polls = plan_polls(function_);
    if (loops) loops->remove_polls(polls);
    remove_superfluous(polls);
    auto held_in = [&](const BasicBlock* block) { return loops ? loops->held_in(block) : ArrayRef<Range>(); };
    std::vector<Insertion> insertions = plan_segments(function_, accesses, polls, held_in);
    std::vector<Insertion> before_loops = loops ? loops->insertions() : std::vector<Insertion>();
    if (insertions.empty() && before_loops.empty() && polls.calls.empty() && !calls_anything()) return;

    std::vector<Instruction*> returns =
        plan_return_polls(function_, polls, recursion_, sites_of(insertions, before_loops));

    if (counters) count_in_registers(*loops, *counters, insertions, before_loops);

    // Those before loops stand at the ends of their blocks.
    for (const Insertion& insertion : before_loops) emit(insertion);
    for (const Insertion& insertion : reverse(insertions)) emit(insertion);
    for (CallBase* call : polls.calls) poll_after(*call);
    for (Instruction* inst : returns) {
      Instruction* before = isa<LandingPadInst>(inst) ? &*inst->getParent()->getFirstInsertionPt() : inst;
      emitter_.poll(before, {}, inst->getDebugLoc());
    }
    poll_at_entry();
    if (counters) counters->finish(emitter_);
    forget_attributes();
  }

 private:
  // Unreachable code has no dominators; static allocas must stay in the entry block, whatever is split.
  void prepare() {
    EliminateUnreachableBlocks(function_);
    BasicBlock& entry = function_.getEntryBlock();
    SmallVector<AllocaInst*, 16> allocas;
    for (Instruction& inst : entry) {
      auto* alloca = dyn_cast<AllocaInst>(&inst);
      if (alloca && alloca->isStaticAlloca()) allocas.push_back(alloca);
    }
    BasicBlock::iterator at = entry.begin();
    for (AllocaInst* alloca : allocas) {
      if (&*at == alloca) ++at;
      else alloca->moveBefore(entry, at);
    }
    simplify_loops();
  }

  void simplify_loops() {
    analyses_.invalidate(function_, PreservedAnalyses::none());
    auto& loops = analyses_.getResult<LoopAnalysis>(function_);
    if (loops.empty()) return;
    auto& dominators = analyses_.getResult<DominatorTreeAnalysis>(function_);
    auto& assumptions = analyses_.getResult<AssumptionAnalysis>(function_);
    for (Loop* loop : SmallVector<Loop*, 8>(loops.begin(), loops.end())) {
      simplifyLoop(loop, &dominators, &loops, nullptr, &assumptions, nullptr, false);
    }
  }

  bool calls_anything() const {
    return any_of(instructions(function_), [](const Instruction& inst) { return may_yield(inst); });
  }

  // true for instructions at which a site may be waited for: with a check before them, or hooks with a site.
  static std::function<bool(const Instruction&)> sites_of(ArrayRef<Insertion> insertions,
                                                          ArrayRef<Insertion> before_loops) {
    SmallPtrSet<const Instruction*, 32> checked;
    for (const Insertion& insertion : concat<const Insertion>(insertions, before_loops)) {
      if (!insertion.own.empty()) checked.insert(insertion.before);
    }
    return [checked = std::move(checked)](const Instruction& inst) {
      auto* call = dyn_cast<CallBase>(&inst);
      const Function* callee = call ? call->getCalledFunction() : nullptr;
      return checked.contains(&inst) || (callee && callee->getName().starts_with("__ana_"));
    };
  }

  // Only loops that poll: in others the count does not change.
  static void count_in_registers(const LoopPlans& loops, LoopCounters& counters, MutableArrayRef<Insertion> insertions,
                                 MutableArrayRef<Insertion> before_loops) {
    for (const Insertion& insertion : insertions) {
      const Loop* loop = loops.quiet_loop_around(insertion.before->getParent());
      if (loop && insertion.own.empty()) counters.use(*loop);
    }
    for (Insertion& insertion : concat<Insertion>(insertions, before_loops)) {
      insertion.counter = counters.of(loops.quiet_loop_around(insertion.before->getParent()));
    }
  }

  // Each access by itself, and polls in memory.
  void bracket_all(ArrayRef<Access> accesses) {
    PollPlan polls = plan_polls(function_);
    for (BasicBlock* block : polls.blocks) emitter_.poll(block->getTerminator(), {}, block->getTerminator()->getDebugLoc());
    for (CallBase* call : polls.calls) poll_after(*call);
    while (!accesses.empty()) {
      // Backwards: each split moves the rest of its block.
      Instruction* inst = accesses.back().inst;
      SmallVector<Range, 4> ranges;
      while (!accesses.empty() && accesses.back().inst == inst) {
        const Access& access = accesses.back();
        int64_t last = access.offset + static_cast<int64_t>(access.size) - 1;
        ranges.push_back(range_at(access.pointer, access.offset, last, access.write));
        accesses = accesses.drop_back();
      }
      emitter_.bracket(inst, ranges);
    }
    poll_at_entry();
    forget_attributes();
  }

  void emit(const Insertion& insertion) {
    if (insertion.own.empty()) emitter_.poll(insertion.before, insertion.held, insertion.where, insertion.counter);
    else emitter_.check(insertion.before, insertion.own, insertion.held, insertion.where, insertion.counter);
  }

  void poll_after(CallBase& call) {
    if (call.isMustTailCall()) return;
    Instruction* before = nullptr;
    if (auto* invoke = dyn_cast<InvokeInst>(&call)) {
      BasicBlock* normal = invoke->getNormalDest();
      if (!normal->getSinglePredecessor()) normal = SplitEdge(invoke->getParent(), normal);
      before = &*normal->getFirstInsertionPt();
    } else {
      before = call.getNextNode();
    }
    emitter_.poll(before, {}, call.getDebugLoc());
  }

  // Debuggers set breakpoints of functions where the second line of code begins, and take that for the end of the prologue.
  // So the poll comes behind the stores of arguments, if the code is not optimised, and has no line of its own.
  void poll_at_entry() {
    Instruction* first = &*function_.getEntryBlock().getFirstNonPHIOrDbgOrAlloca();
    while (isa<StoreInst>(first) && !first->getDebugLoc() && isa<AllocaInst>(cast<StoreInst>(first)->getPointerOperand()))
      first = first->getNextNonDebugInstruction();
    emitter_.poll(first, {}, entry_location(), nullptr, first->getDebugLoc() != DebugLoc());
  }

  DebugLoc entry_location() const {
    DISubprogram* subprogram = function_.getSubprogram();
    if (!subprogram) return {};
    return DILocation::get(function_.getContext(), subprogram->getLine(), 0, subprogram);
  }

  // Instrumented code reads and writes the control block, whatever the function did before.
  void forget_attributes() {
    function_.removeFnAttr(Attribute::Memory);
    function_.removeFnAttr(Attribute::NoSync);
    function_.removeFnAttr(Attribute::Speculatable);
    for (Instruction& inst : instructions(function_)) {
      auto* call = dyn_cast<CallBase>(&inst);
      if (!call) continue;
      // With a cold call before it, the code generator would like to have it twice; labels must not be.
      if (call->isInlineAsm()) call->setConvergent();
      else if (may_yield(*call)) call->removeFnAttr(Attribute::Memory);
    }
  }

  Function& function_;
  FunctionAnalysisManager& analyses_;
  Emitter& emitter_;
  SiteTable& sites_;
  PrivateMemory& memory_;
  const Recursion& recursion_;
};

// The tool sees by the section that algorithms can trace the program.
void mark_every_access(Module& module) {
  Type* byte = Type::getInt8Ty(module.getContext());
  auto* mark = new GlobalVariable(module, byte, true, GlobalValue::PrivateLinkage, ConstantInt::get(byte, 1), "ana.mark");
  mark->setSection("ana_every_access");
  appendToUsed(module, {mark});
}

// In a program the linker will refuse it, and only say that there are two; in a shared library nobody calls it.
void warn_of_allocators(Module& module) {
  for (const char* name : {"malloc", "calloc", "realloc", "free"}) {
    const GlobalValue* own = module.getNamedValue(name);
    if (!own || own->isDeclaration() || own->hasLocalLinkage()) continue;
    auto* function = dyn_cast_or_null<Function>(own->getAliaseeObject());
    if (!function) continue;
    std::string text = (Twine("anaphora: this file defines ") + name + ", but the memory of a recorded program comes from "
                        "the recorder's allocator: build the program without its own").str();
    module.getContext().diagnose(DiagnosticInfoUnsupported(*function, text, DiagnosticLocation(), DS_Warning));
  }
}

}  // namespace

PreservedAnalyses InstrumentPass::run(Module& module, ModuleAnalysisManager& analyses) {
  auto& function_analyses = analyses.getResult<FunctionAnalysisManagerModuleProxy>(module).getManager();
  warn_of_allocators(module);
  // The loader calls resolvers before there is a control block to find.
  SmallPtrSet<const Function*, 4> resolvers;
  for (const GlobalIFunc& ifunc : module.ifuncs()) resolvers.insert(ifunc.getResolverFunction());
  SmallVector<Function*, 64> functions;
  for (Function& function : module) {
    if (is_instrumentable(function) && !resolvers.contains(&function)) functions.push_back(&function);
  }
  if (functions.empty()) return PreservedAnalyses::all();
  if (opt_every_access) mark_every_access(module);
  SiteTable sites(module);
  Emitter emitter(module, sites);
  PrivateMemory memory;
  Recursion recursion(module, function_analyses.getResult<TargetLibraryAnalysis>(*functions.front()));
  for (Function* function : functions) {
    FunctionInstrumenter(*function, function_analyses, emitter, sites, memory, recursion).run();
    function_analyses.clear(*function, function->getName());
  }
  return PreservedAnalyses::none();
}

}  // namespace ana
