// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lift/TransferResolver.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "lift/CalleeSaved.h"
#include "llvm/ADT/STLExtras.h"
#include <set>

using namespace llvm;

namespace luthier {

static RegisterSet writtenIn(const MachineFunction &MF) {
  RegisterSet Result;
  for (const MachineBasicBlock &MBB : MF)
    for (const MachineInstr &MI : MBB)
      for (const MachineOperand &MO : MI.operands())
        if (MO.isReg() && MO.isDef() && MO.getReg())
          Result.add(MO.getReg().asMCReg());
  return Result - calleeSavedVGPRs(MF);
}

TransferResolver::TransferResolver(const LiftedRepresentation::Impl &Impl,
                                   bool FollowsPointers, OfFunctions &Known)
    : Impl(Impl), FollowsPointers(FollowsPointers), Known(Known) {
  DenseMap<const MachineFunction *, Function *> ByFunction;
  for (const auto &[Symbol, MF] : Impl.Functions) {
    Function &F = Functions[Symbol.Address];
    F.Symbol = &Symbol;
    F.MF = MF;
    auto [It, IsNew] = Known.try_emplace(MF);
    if (IsNew)
      It->second.Named = writtenIn(*MF);
    F.Named = It->second.Named;
    ByFunction[MF] = &F;
  }
  for (const ControlTransfer &Transfer : Impl.Transfers) {
    Function *F = ByFunction[Transfer.MI->getMF()];
    F->Transfers.push_back(&Transfer);
    FunctionOf[Transfer.MI] = F;
  }
}

/// Functions not lifted yet change nothing: once they are, everything is looked
/// at again, and what is known only ever gets less.
RegisterSet TransferResolver::changedBy(std::optional<uint64_t> Callee) const {
  if (!Callee)
    return RegisterSet::all() - calleeSavedVGPRs();
  auto It = Functions.find(*Callee);
  return It == Functions.end() ? RegisterSet() : It->second.Changed;
}

std::optional<uint64_t>
TransferResolver::targetOf(const ControlTransfer &Transfer) const {
  if (!ScalarConstants::isTransfer(*Transfer.MI))
    return std::nullopt;
  auto Target = FunctionOf.at(Transfer.MI)->Constants.targetOf(*Transfer.MI);
  // An address outside the file may well be that of something else. The kernel
  // itself begins with launch state, not like a function.
  if (!Target || !Impl.Object->code(*Target) ||
      (Transfer.MI->isCall() &&
       (*Target == Impl.Kernel->EntryAddress || *Target == Impl.Entry)))
    return std::nullopt;
  return Target;
}

std::optional<unsigned>
TransferResolver::linkOf(const ControlTransfer &Call) const {
  RegisterUnits Units = unitsOf(Call.MI->getOperand(0).getReg().asMCReg());
  return Units.Count == 2 ? std::optional<unsigned>(Units.First) : std::nullopt;
}

bool TransferResolver::isReturn(const ControlTransfer &Transfer) const {
  if (!Link || Transfer.MI->getOpcode() != AMDGPU::S_SETPC_B64)
    return false;
  const Function &F = *FunctionOf.at(Transfer.MI);
  return !F.Symbol->IsKernel && F.Constants.entryPairOf(*Transfer.MI) == Link;
}

bool TransferResolver::goesThroughPointer(
    const ControlTransfer &Transfer) const {
  const MachineInstr &MI = *Transfer.MI;
  const bool IsCall = MI.getOpcode() == AMDGPU::S_SWAPPC_B64;
  if ((!IsCall && MI.getOpcode() != AMDGPU::S_SETPC_B64) || Transfer.Target ||
      targetOf(Transfer) || !MI.getOperand(IsCall).isReg())
    return false;
  const RegisterUnits Pointer =
      unitsOf(MI.getOperand(IsCall).getReg().asMCReg());
  if (Pointer.Count != 2 || Pointer.IsPartial)
    return false;
  if (IsCall) {
    const std::optional<unsigned> Own = linkOf(Transfer);
    return Own && (*Own + 2 <= Pointer.First || *Own >= Pointer.First + 2);
  }
  // Else it may be a jump within the function: a switch, say.
  const Function &F = *FunctionOf.at(&MI);
  const RegisterSet Kept = F.Constants.keptAt(MI);
  return Link && !F.Symbol->IsKernel && !isReturn(Transfer) &&
         Kept.sgpr(*Link) && Kept.sgpr(*Link + 1);
}

/// A tail call must hand on its own caller's return address.
void TransferResolver::findLink() {
  Link = std::nullopt;
  for (const ControlTransfer &T : Impl.Transfers) {
    if (!T.MI->isCall() || !(targetOf(T) || FollowsPointers))
      continue;
    std::optional<unsigned> Own = linkOf(T);
    if (!Own || (Link && Link != Own)) {
      Link = std::nullopt;
      return;
    }
    Link = Own;
  }
  if (!Link)
    return;
  for (const ControlTransfer &T : Impl.Transfers) {
    if (T.MI->isCall() || !targetOf(T) || !Functions.contains(*targetOf(T)))
      continue;
    const Function &F = *FunctionOf.at(T.MI);
    const RegisterSet Kept = F.Constants.keptAt(*T.MI);
    if (F.Symbol->IsKernel || !Kept.sgpr(*Link) || !Kept.sgpr(*Link + 1)) {
      Link = std::nullopt;
      return;
    }
  }
}

RegisterSet TransferResolver::changes(const Function &F) const {
  RegisterSet Touched = F.Named, Kept = RegisterSet::all();
  for (const ControlTransfer *T : F.Transfers) {
    std::optional<uint64_t> Target = targetOf(*T);
    if (isReturn(*T)) {
      Kept &= F.Constants.keptAt(*T->MI);
      continue;
    }
    const RegisterSet Changed = changedBy(Target);
    Touched |= Changed;
    if (!T->MI->isCall())
      Kept &= F.Constants.keptAt(*T->MI) - Changed;
  }
  return Touched - Kept;
}

/// From what is known of its callees by now.
void TransferResolver::findConstants(Function &F) {
  auto addressOf = [&](const MachineInstr &MI) -> std::optional<uint64_t> {
    auto It = Impl.Origins.find(&MI);
    if (It == Impl.Origins.end())
      return std::nullopt;
    return It->second.Address;
  };
  auto pointerAt = [&](uint64_t Address) {
    return Impl.Object->constantPointer(Address);
  };
  auto changedBy = [&](std::optional<uint64_t> Callee) {
    return this->changedBy(Callee);
  };
  F.Constants = ScalarConstants::run(*F.MF, {addressOf, pointerAt, changedBy});
}

void TransferResolver::run() {
  // At first nothing is changed by any.
  for (auto &[Entry, F] : Functions) {
    if (F.Transfers.empty())
      continue;
    std::optional<ScalarConstants> &First = Known.find(F.MF)->second.Constants;
    if (!First) {
      findConstants(F);
      First = F.Constants;
    } else {
      F.Constants = *First;
    }
  }
  // Of what a function is computed from, only what its callees change can grow:
  // those with these entries in the last round.
  for (std::set<uint64_t> Grown;;) {
    findLink();
    Grown.clear();
    for (auto &[Entry, F] : Functions) {
      const RegisterSet Now = F.Changed | changes(F);
      if (Now != F.Changed)
        Grown.insert(Entry);
      F.Changed = Now;
    }
    if (Grown.empty())
      return;
    for (auto &[Entry, F] : Functions)
      if (any_of(F.Transfers, [&](const ControlTransfer *T) {
            const auto Target = F.Constants.targetOf(*T->MI);
            return Target && Grown.contains(*Target);
          }))
        findConstants(F);
  }
}

} // namespace luthier
