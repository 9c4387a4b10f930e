// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/RegisterUse.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "amdgpu/IndexedOperands.h"
#include "amdgpu/RegisterFiles.h"
#include "lift/LiftedImpl.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"

using namespace llvm;

namespace luthier {

RegisterUse registerAllocation(const LiftedRepresentation &LR) {
  // Lifting refuses processors without a row.
  const RegisterFileTraits &Traits =
      *registerFileTraits(LR.impl().Object->target().Processor);
  const KernelInfo &Kernel = *LR.impl().Kernel;
  const unsigned Allocated = Kernel.Descriptor.allocatedVGPRs(Traits);
  RegisterUse Result;
  Result.SGPRs = std::min(Traits.AddressableSGPRs,
                          Kernel.Descriptor.allocatedSGPRs(Traits));
  Result.VGPRs = Kernel.Descriptor.vgprLimit(Traits);
  Result.AGPRs = Kernel.Metadata.AGPRs;
  const MachineFunction &MF = *LR.functions().front().second;
  if (MF.getSubtarget().hasFeature(AMDGPU::FeatureMAIInsts))
    // In a file of their own there are as many as of the others.
    Result.AGPRs = std::max(
        Result.AGPRs,
        std::min(Traits.AddressableVGPRs,
                 Traits.UnifiedAGPRs ? Allocated - Result.VGPRs : Allocated));
  return Result;
}

/// Calls \p Visit for each instruction.
static void forEachInstruction(const LiftedRepresentation &LR,
                               function_ref<void(const MachineInstr &)> Visit) {
  for (const auto &[Symbol, MF] : LR.functions())
    for (const MachineBasicBlock &MBB : *MF)
      for (const MachineInstr &MI : MBB)
        Visit(MI);
}

static RegisterUse maximum(RegisterUse A, RegisterUse B) {
  return {std::max(A.SGPRs, B.SGPRs), std::max(A.VGPRs, B.VGPRs),
          std::max(A.AGPRs, B.AGPRs)};
}

NamedRegisters registersInCode(const LiftedRepresentation &LR) {
  NamedRegisters Result;
  const amdgpu::RegisterFiles &Files = LR.impl().Target->registerFiles();
  forEachInstruction(LR, [&](const MachineInstr &MI) {
    RegisterUse &Use = LR.impl().isChanged(MI) ? Result.Edited : Result.Own;
    for (const MachineOperand &MO : MI.operands()) {
      if (!MO.isReg())
        continue;
      amdgpu::RegisterRange Range = Files.rangeOf(MO.getReg().asMCReg());
      if (Range.File == amdgpu::RegisterFile::SGPR)
        Use.SGPRs = std::max(Use.SGPRs, Range.end());
      else if (Range.File == amdgpu::RegisterFile::VGPR)
        Use.VGPRs = std::max(Use.VGPRs, Range.end());
      else if (Range.File == amdgpu::RegisterFile::AGPR)
        Use.AGPRs = std::max(Use.AGPRs, Range.end());
    }
  });
  return Result;
}

RegisterUse registerUse(const LiftedRepresentation &LR) {
  return registerUse(LR, registersInCode(LR));
}

RegisterUse registerUse(const LiftedRepresentation &LR,
                        const NamedRegisters &Named) {
  const KernelInfo &Kernel = *LR.impl().Kernel;
  const RegisterUse Allocation = registerAllocation(LR);
  // Data that was taken for code may name anything.
  const auto &[Own, Edited] = Named;
  RegisterUse Use = maximum(Edited, {std::min(Own.SGPRs, Allocation.SGPRs),
                                     std::min(Own.VGPRs, Allocation.VGPRs),
                                     std::min(Own.AGPRs, Allocation.AGPRs)});
  // User SGPRs, then up to five of the system; up to three work-item ids.
  // Accumulation registers that the code does not name may be reserved all the
  // same, and share the file with the others.
  Use.SGPRs = std::max(Use.SGPRs, Kernel.Descriptor.userSGPRCount() + 5);
  Use.VGPRs = std::max(Use.VGPRs, 3u);
  Use.AGPRs = std::max(Use.AGPRs, Kernel.Metadata.AGPRs);
  IndexedOperands Indexed;
  forEachInstruction(LR, [&](const MachineInstr &MI) {
    const IndexedOperands Now = indexedOperandsOf(MI);
    Indexed.Scalars |= Now.Scalars;
    Indexed.Vectors |=
        Now.Vectors || vectorModeAfter(MI, VectorMode::Index).value_or(false);
  });
  const bool RunsUnknownCode = LR.hasUnresolvedTransfers();
  if (Indexed.Scalars || RunsUnknownCode)
    Use.SGPRs = std::max(Use.SGPRs, Allocation.SGPRs);
  if (Indexed.Vectors || RunsUnknownCode)
    Use.VGPRs = std::max(Use.VGPRs, Allocation.VGPRs);
  if (RunsUnknownCode)
    Use.AGPRs = std::max(Use.AGPRs, Allocation.AGPRs);
  return Use;
}

} // namespace luthier
