// Registration: at the end of every optimisation pipeline (stream sentries: at its start), and as `-passes=anaphora` of
// opt.
#include "instrument/instrument.h"
#include "instrument/stream_sentries.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Passes/PassPlugin.h"

using namespace llvm;

static void register_passes(PassBuilder& builder) {
  builder.registerPipelineStartEPCallback(
      [](ModulePassManager& manager, OptimizationLevel) { manager.addPass(ana::StreamSentries()); });
  builder.registerOptimizerLastEPCallback(
      [](ModulePassManager& manager, OptimizationLevel) { manager.addPass(ana::InstrumentPass()); });
  builder.registerPipelineParsingCallback(
      [](StringRef name, ModulePassManager& manager, ArrayRef<PassBuilder::PipelineElement>) {
        if (name != "anaphora") return false;
        manager.addPass(ana::InstrumentPass());
        return true;
      });
}

extern "C" LLVM_ATTRIBUTE_WEAK __attribute__((visibility("default"))) PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "Anaphora", "0.1", register_passes};
}
