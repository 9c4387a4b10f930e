// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pgo/KernelLoads.h"
#include "analysis/UniformAddresses.h"
#include "lift/Lifter.h"
#include "luthier/Instructions.h"
#include "luthier/Mnemonic.h"

using namespace llvm;
using namespace luthier;
using namespace luthier::pgo;

Uniformity CountedLoad::classify() const {
  if (!Waves && !(Count && Count->Executed))
    return Uniformity::NotExecuted;
  if (IsUniform)
    return Uniformity::Always;
  if (!Count)
    return Uniformity::Unknown;
  // Waves without active lanes load nothing.
  if (!Count->Executed)
    return Uniformity::NotExecuted;
  return Count->Agreed == Count->Executed ? Uniformity::SoFar
                                          : Uniformity::Divergent;
}

/// None if \p MI loads nothing.
static MemorySpace loadedSpace(const MachineInstr &MI) {
  for (unsigned N = 0; N != countMemoryAccesses(MI); ++N)
    if (const uint32_t Kind = memoryAccessKind(MI, N);
        readsMemory(Kind) && !isAtomic(Kind))
      return spaceOf(Kind);
  return MemorySpace::None;
}

Expected<std::vector<CountedLoad>>
pgo::loadsOf(const std::shared_ptr<const CodeObject> &Object,
             const KernelInfo &Kernel, const CodeCounts &Executed,
             const LoadCounts &Loads) {
  auto Lifted = liftKernel(Object, Kernel);
  if (!Lifted)
    return Lifted.takeError();
  const LiftedRepresentation &LR = **Lifted;
  const auto Uniform = uniformAddresses(LR);
  std::vector<CountedLoad> Result;
  for (const MachineInstr &MI : LR.instructions()) {
    const MemorySpace Space = loadedSpace(MI);
    const auto Address = LR.originalAddress(MI);
    if (Space == MemorySpace::None || !Address)
      continue;
    CountedLoad &L = Result.emplace_back();
    L.Address = *Address;
    L.Instruction = mnemonicOf(MI);
    L.Space = Space;
    L.Source = LR.sourceLine(MI);
    L.IsUniform = Uniform.contains(&MI);
    if (const auto At = Executed.find(*Address); At != Executed.end())
      L.Waves = At->second.Waves;
    if (const auto At = Loads.find(*Address); At != Loads.end())
      L.Count = At->second;
  }
  return Result;
}
