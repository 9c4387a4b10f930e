// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hook/PassPipeline.h"
#include "hook/codegen/EarlyPlaceholders.h"
#include "hook/codegen/ExecWriteLowering.h"
#include "hook/codegen/PartCopies.h"
#include "hook/codegen/PayloadExtractor.h"
#include "hook/codegen/PayloadRegisters.h"
#include "hook/codegen/PlaceholderLowering.h"
#include "hook/codegen/ScalarConditions.h"
#include "hook/codegen/WaveOperands.h"
#include "hook/ir/AllocaLowering.h"
#include "hook/ir/EmptyExecGuards.h"
#include "hook/ir/ExecWriteCalls.h"
#include "hook/ir/ExecWriteCheck.h"
#include "hook/ir/Features.h"
#include "hook/ir/FreeValues.h"
#include "hook/ir/ImplicitLoads.h"
#include "hook/ir/IntrinsicLowering.h"
#include "hook/ir/KeptNumberCalls.h"
#include "hook/ir/LaunchState.h"
#include "hook/ir/LiteralAddresses.h"
#include "hook/ir/ScalarLowering.h"
#include "hook/ir/SupportCheck.h"
#include "hook/ir/UserIntrinsics.h"
#include "hook/ir/Variables.h"
#include "hook/ir/WaveSize.h"
#include "luthier/Refusal.h"
#include "llvm/CodeGen/MachineModuleInfo.h"
#include "llvm/CodeGen/Passes.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/Pass.h"
#include "llvm/Transforms/Scalar.h"
#include "llvm/Transforms/Utils.h"

using namespace llvm;

namespace luthier {

template <typename... Passes> static IRPasses listOf() {
  IRPasses Result;
  (Result.push_back(std::make_unique<Passes>()), ...);
  return Result;
}

// clang-format off
IRPasses preparationPasses() {
  return listOf<
      // What they emit may contain all that the passes below look at.
      UserIntrinsicPass,
      // While conditions are as they were written.
      ExecWriteCheckPass,
      // Before the scan of what hooks need, which has to see which of the
      // implicit arguments they read.
      ImplicitLoadPass,
      // Before that scan, too: whether there is a stack does not depend on the
      // ABI.
      AllocaPass>();
}

IRPasses loweringPasses() {
  return listOf<
      // LLVM's analyses below ask for the wave size.
      FeaturePass,
      // While calls are still those that the hook's compiler made: the passes
      // below emit others, for the kernel's wave size.
      WaveSizePass,
      // While it shows what nothing but a number is computed from.
      KeptNumberPass,
      // While arguments that are literals still show.
      LiteralAddressPass,
      // Before launch state and variables, since lowerings may ask for both.
      IntrinsicPass,
      LaunchStatePass,
      VariablePass,
      // What is a scalar shows only now that nothing of Luthier's is left:
      // every leaf is a register, a placeholder, or an intrinsic of LLVM.
      ScalarPass,
      // Behind all that lower calls, which need not have been supported.
      SupportCheckPass,
      // Last: branches that the passes above made scalar need no guard, and
      // its own must not be taken for the hook's.
      EmptyExecGuardPass>();
}

ArrayRef<CodegenPass> codegenPasses() {
  static constexpr CodegenPass Passes[] = {
      // The structurizer is about to move what costs nothing.
      {"pin-free-values", CodegenPass::BeforeStructurizer, createPinFreeValuesPass},
      // It knows no terminator but br and would drop these.
      {"exec-writes-to-calls", CodegenPass::BeforeStructurizer, createExecWritesToCallsPass},
      // At once, before any pass takes the calls for something to be moved.
      {"calls-to-exec-writes", CodegenPass::AfterStructurizer, createCallsToExecWritesPass},
      // The structurizer's own conditions are logic on those of the hook.
      {"scalar-branches", CodegenPass::AfterStructurizer, createScalarBranchPass},
      // Before anything else in machine code: the set of reserved registers is
      // frozen from here on.
      {"payload-registers", CodegenPass::AfterSelection, createPayloadRegisterPass},
      // While placeholders show what is to be scalar.
      {"wave-operands", CodegenPass::AfterSelection, createWaveOperandPass},
      // Before LLVM optimises machine code: it folds constants into additions,
      // and literals into whatever takes them.
      {"early-placeholders", CodegenPass::AfterSelection, createEarlyPlaceholderPass},
      // Before LLVM optimises machine code: a comparison has to be right before
      // its branch for the result to stay in SCC.
      {"scalar-conditions", CodegenPass::AfterSelection, createScalarConditionPass},
      // As late as SSA form lasts: until here, LLVM's optimisations know nothing
      // about the state value array and cannot copy it.
      {"placeholders", CodegenPass::EndOfSSA, createPlaceholderPass},
      // Behind the placeholders, since work-item ids in a register can be read
      // again and inline assembly cannot. As late, too: nothing moves across an
      // EXEC write what has been computed again.
      {"exec-writes", CodegenPass::EndOfSSA, createExecWritePass},
      // Last, since LLVM's optimisations make such copies, too.
      {"part-copies", CodegenPass::EndOfSSA, createPartCopyPass},
      // What the assembly printer would print.
      {"collect", CodegenPass::AtEnd, createCollectionPass},
  };
  return Passes;
}
// clang-format on

Error runPasses(const IRPasses &Passes, Function &F, PassContext &C) {
  for (const std::unique_ptr<IRPass> &P : Passes)
    if (Error E = P->run(F, C))
      return E;
  return Error::success();
}

/// One can only add passes behind those of LLVM.
static AnalysisID anchorOf(CodegenPass::Position Where) {
  auto idOf = [](Pass *P) { return std::unique_ptr<Pass>(P)->getPassID(); };
  switch (Where) {
  case CodegenPass::BeforeStructurizer:
    return idOf(createUnifyLoopExitsPass());
  case CodegenPass::AfterStructurizer:
    return idOf(createStructurizeCFGPass());
  case CodegenPass::AfterSelection:
    return &FinalizeISelID;
  case CodegenPass::EndOfSSA:
    return &ProcessImplicitDefsID;
  case CodegenPass::AtEnd:
    break;
  }
  return nullptr;
}

Error addCodegen(legacy::PassManagerBase &PM, PassContext &C,
                 function_ref<Pass *(const CodegenPass &)> Behind) {
  auto *Config = static_cast<TargetPassConfig *>(C.TM.createPassConfig(PM));
  Config->setDisableVerify(true);
  // In waves of 32, LLVM 22's scheduler moves one half of a register pair in
  // front of the other's definition, which still says that it begins the pair,
  // and later passes take the first half for dead.
  Config->disablePass(&MachineSchedulerID);
  PM.add(Config);
  PM.add(new MachineModuleInfoWrapperPass(&C.TM));
  auto forEach = [&](function_ref<void(CodegenPass::Position, Pass *)> Add) {
    for (const CodegenPass &P : codegenPasses()) {
      Add(P.Where, P.Create(C));
      if (Pass *Next = Behind ? Behind(P) : nullptr)
        Add(P.Where, Next);
    }
  };
  SmallVector<Pass *, 2> AtEnd;
  forEach([&](CodegenPass::Position Where, Pass *P) {
    if (const AnalysisID Anchor = anchorOf(Where))
      Config->insertPass(Anchor, IdentifyingPassPtr(P));
    else
      AtEnd.push_back(P);
  });
  if (Config->addISelPasses())
    return refuse(RefusalReason::UnsupportedHook,
                  "LLVM cannot select instructions for this processor");
  Config->addMachinePasses();
  Config->setInitialized();
  for (Pass *P : AtEnd)
    PM.add(P);
  // The next module that runs through it may have functions where this one's
  // were.
  PM.add(createFreeMachineFunctionPass());
  return Error::success();
}

} // namespace luthier
