// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/OwnHooks.h"
#include "amdgpu/MCTarget.h"
#include "lift/LiftedImpl.h"
#include "lift/Lifter.h"
#include "luthier/InstrumentationTask.h"
#include "luthier/RegisterSet.h"
#include "rewrite/Instrumenter.h"
#include "runtime/Log.h"
#include "runtime/PayloadCache.h"
#include "runtime/Settings.h"

using namespace llvm;

namespace luthier::runtime {
namespace {

/// Values that no compiler can fold, where a hook does not want constants.
HookArgument argumentFor(const HookParameter &Parameter) {
  if (Parameter.IsPointer)
    return HookArgument(nullptr);
  if (Parameter.Float)
    return HookArgument(0.0);
  if (Parameter.MustBeConstant)
    return HookArgument(0);
  return HookArgument::activeLanes();
}

bool isLarge(const HookParameter &Parameter) { return Parameter.IsContinued; }

/// Whether that took LLVM's code generator, or what it has made earlier.
Expected<bool> instrument(const OwnHooks &Tool, const OwnHooks::Hook &Hook,
                          HookCompilers &Compilers) {
  const KernelInfo *Kernel = Tool.Code->findKernel(Hook.Kernel);
  if (!Kernel)
    return false;
  auto LR = liftKernel(Tool.Code, *Kernel);
  if (!LR)
    return LR.takeError();
  auto Compiler =
      Compilers.find(*(*LR)->impl().Target, Tool.Module,
                     Kernel->Descriptor.usesWave32() ? 32 : 64, payloadCache());
  if (!Compiler)
    return Compiler.takeError();
  if ((*Compiler)->hasIntrinsicsOfTool())
    return false;
  auto Parameters = (*Compiler)->parametersOf(Hook.Name);
  if (!Parameters)
    return Parameters.takeError();
  if (any_of(*Parameters, isLarge))
    return false;
  SmallVector<HookArgument, 4> Arguments(map_range(*Parameters, argumentFor));
  InstrumentationTask Task;
  Task.insertHookAtKernelEntry(static_cast<const void *>(&Hook), Arguments);
  InstrumenterOptions Options = settings();
  Options.Compilers = &Compilers;
  Options.Payloads = payloadCache();
  Options.OriginalWillDo = true;
  auto Resolve = [&](const void *) -> Expected<HookReference> {
    return HookReference{&Tool.Module, Hook.Name};
  };
  auto Result = instrumentKernel(**LR, Task, Resolve, Options);
  if (!Result)
    return Result.takeError();
  return Result->Report.Compiled + Result->Report.Found != 0;
}

} // namespace

void instrumentForNothing(const OwnHooks &Tool, HookCompilers &ForKernels,
                          function_ref<bool()> IsWanted) {
  // Code without instructions does not ask for this table.
  (void)unitsOf(MCRegister());
  // One will do, but some come to nothing in a kernel that does nothing.
  constexpr size_t Tries = 8;
  HookCompilers Compilers;
  for (const OwnHooks::Hook &Hook : ArrayRef(Tool.All).take_front(Tries)) {
    if (IsWanted())
      break;
    Expected<bool> IsCompiled = instrument(Tool, Hook, Compilers);
    if (!IsCompiled) {
      logDebug("hook " + Hook.Name + " does not prepare the engine: " +
               toString(IsCompiled.takeError()));
    } else if (*IsCompiled) {
      logDebug("prepared the engine for " + Tool.Code->target().str() +
               " with hook " + Hook.Name);
      break;
    }
  }
  ForKernels.takeParsed(std::move(Compilers));
}

} // namespace luthier::runtime
