// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Scrambled.h"
#include "lift/Lifter.h"
#include "luthier/InstrumentationTask.h"

using namespace llvm;

namespace luthier::hip {

static InstrumentedKernel instrument(Function &F, uint32_t ApplicationStack) {
  InstrumenterOptions How;
  How.LoadBias = F.Owner->bias();
  How.ApplicationStack = ApplicationStack;
  auto Lifted = liftKernel(F.Owner->object(), *F.Kernel);
  Expected<InstrumentedKernel> New = [&]() -> Expected<InstrumentedKernel> {
    if (!Lifted)
      return Lifted.takeError();
    InstrumentationTask Task;
    luthier::detail::contentsOf(Task).Test.RegisterSeed = settings().Seed;
    if (settings().ScrambleStack)
      luthier::detail::contentsOf(Task).Test.StackSeed = settings().Seed;
    return instrumentKernel(
        **Lifted, Task,
        [](const void *) -> Expected<HookReference> {
          return createStringError("there are no hooks");
        },
        How);
  }();
  if (!New)
    fail("kernel " + F.Name + ": " + toString(New.takeError()));
  return std::move(*New);
}

static Scrambled make(Function &F, uint32_t ApplicationStack) {
  Scrambled P;
  P.Kernel = instrument(F, ApplicationStack);
  Device &D = device();
  D.check(luthier_emu_load(D.handle(), P.Kernel.CodeObject.data(),
                           P.Kernel.CodeObject.size(), &P.Code),
          "loading a scrambled kernel");
  P.Info = sized<luthier_emu_kernel_info>();
  D.check(luthier_emu_kernel(P.Code, F.Name.c_str(), &P.Info), F.Name.c_str());
  for (const PCPair &Pair : P.Kernel.Map)
    P.Map.push_back(
        {P.Info.entry_address + Pair.Offset, Pair.Original + F.Owner->bias()});
  return P;
}

const Scrambled &scrambled(Function &F, uint32_t ApplicationStack) {
  static std::map<std::pair<Function *, uint32_t>, Scrambled> All;
  auto [Entry, IsNew] = All.try_emplace({&F, ApplicationStack});
  if (IsNew)
    Entry->second = make(F, ApplicationStack);
  return Entry->second;
}

} // namespace luthier::hip
