// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/plan/LateNumbers.h"
#include "amdgpu/IndexedOperands.h"
#include "amdgpu/OpcodeFacts.h"
#include "analysis/InsertionLegality.h"
#include "codeobject/LaunchLayout.h"
#include "lift/LiftedImpl.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"

using namespace llvm;

namespace luthier {

/// The numbers have scalar registers, those that payloads find reserved are not
/// the application's, and nothing but the ids of work-items has to be put aside
/// until then.
static bool mayBeLate(const LiftedRepresentation &LR, const HookPlan &Plan,
                      const InstrumenterOptions &Options) {
  const PayloadABI &ABI = Plan.Registers.ABI;
  return !ABI.Numbers.empty() && !ABI.Numbers.needsBlock() &&
         ABI.Numbers.size() <= ABI.NumScalarCounters &&
         ABI.FirstArgumentSGPR >= ABI.FirstCounterSGPR + NumReservedSGPRs &&
         ABI.FirstCounterSGPR >= Plan.Registers.Use.SGPRs &&
         Options.Workgroups.isAll() && !Options.SavesAll &&
         !LR.impl().preloadsArguments();
}

/// In front of the kernel's first wait, or of the first hook if that comes
/// before. \p Arguments, a pair, still has the address of the kernel's
/// arguments there.
static std::optional<InsertionPoint> firstWait(const LiftedRepresentation &LR,
                                               const HookPlan &Plan,
                                               MCRegister Arguments) {
  const MachineFunction &Kernel = *LR.functions().front().second;
  const MachineBasicBlock &Entry = Kernel.front();
  const auto *TRI = Kernel.getSubtarget().getRegisterInfo();
  if (!Entry.pred_empty() || Entry.empty() ||
      Plan.CallSites.contains(InsertionPoint::entry(Kernel).key()) ||
      Plan.CallSites.contains(InsertionPoint::before(Entry.front()).key()))
    return std::nullopt;
  for (const MachineInstr &MI : Entry) {
    const InsertionPoint Here = InsertionPoint::before(MI);
    if (amdgpu::opcodeFacts(MI).has(amdgpu::Waits) ||
        Plan.CallSites.contains(Here.key()))
      return Here;
    if (MI.isTerminator() || LR.transferOf(MI) ||
        MI.modifiesRegister(Arguments, TRI) || indexedOperandsOf(MI).Written)
      break;
  }
  return std::nullopt;
}

std::optional<LateNumbers> planLateNumbers(const LiftedRepresentation &LR,
                                           const HookPlan &Plan,
                                           LivenessOnDemand &Lives,
                                           const InstrumenterOptions &Options) {
  if (!mayBeLate(LR, Plan, Options))
    return std::nullopt;
  const LaunchLayout Launch(LR.impl().Kernel->Descriptor,
                            LR.impl().Target->traits().Launch);
  const std::optional<unsigned> First = Launch.at(LaunchValue::KernargPtr);
  if (!First)
    return std::nullopt;
  const MCRegister Arguments = Plan.Registers.Files->sgprPair(*First);
  const std::optional<InsertionPoint> At = firstWait(LR, Plan, Arguments);
  if (!At || !InsertionLegality::run(LR).isLegal(*At))
    return std::nullopt;
  const bool KeepsSCC = Lives.at(*At).has(RegisterSet::SCC) ||
                        any_of(Plan.Variants.CallSites, [&](const auto &Site) {
                          return Plan.readsOf(Site).has(RegisterSet::SCC);
                        });
  return LateNumbers{*At, Arguments, KeepsSCC};
}

} // namespace luthier
