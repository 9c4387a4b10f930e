// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/UniformAddresses.h"
#include "amdgpu/OpcodeFacts.h"
#include "analysis/CallGraph.h"
#include "analysis/ExecMasks.h"
#include "analysis/MemoryOperands.h"
#include "analysis/RegisterEffects.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/CodeGen/MachineFunction.h"

using namespace llvm;

namespace luthier {
namespace {

bool isVector(RegisterUnits Units) {
  return Units.First >= RegisterSet::FirstVGPR;
}

bool containsAll(const RegisterSet &Set, RegisterUnits Units) {
  for (unsigned U = Units.First; U != Units.First + Units.Count; ++U)
    if (!Set.unit(U))
      return false;
  return true;
}

/// Of lanes that are active now, all were before.
bool keepsLanes(ExecChange Change) {
  return Change == ExecChange::None || Change == ExecChange::Shrinks ||
         Change == ExecChange::Nothing;
}

class Finder {
public:
  explicit Finder(const LiftedRepresentation &LR)
      : LR(LR), Effects(EffectsTable::run(LR)),
        Masks(ExecMasks::run(LR, CallGraph::run(LR), Effects)),
        FromEntry(findFromEntry()) {}

  DenseSet<const MachineInstr *> run() const;

private:
  RegisterSet findFromEntry() const;
  void step(const MachineInstr &MI, const InstructionEffects &E,
            RegisterSet &Uniform) const;
  bool isReached(const MachineInstr &MI, const RegisterSet &Uniform) const;

  const LiftedRepresentation &LR;
  const EffectsTable Effects;
  const ExecMasks Masks;
  /// Written once, with all lanes that the kernel began with, before anything
  /// that may be repeated: the same wherever no other lanes are active.
  const RegisterSet FromEntry;
};

/// Brings \p Uniform, the vector registers that are the same in all active
/// lanes, from before \p MI to behind it.
void Finder::step(const MachineInstr &MI, const InstructionEffects &E,
                  RegisterSet &Uniform) const {
  const bool IsSame =
      amdgpu::opcodeFacts(MI).has(amdgpu::WithinLane) && !E.MayBeSkipped &&
      all_of(E.Registers, [&](const RegisterEffect &R) {
        return !isVector(R.Units) || R.Access == RegisterAccess::Overwrite ||
               (R.Access == RegisterAccess::Read &&
                containsAll(Uniform, R.Units));
      });
  if (!keepsLanes(E.Exec) || LR.transferOf(MI))
    Uniform = {};
  for (const RegisterEffect &R : E.Registers)
    if (InstructionEffects::isWrite(R) && isVector(R.Units)) {
      if (IsSame)
        Uniform.add(R.Units);
      else
        Uniform.remove(R.Units);
    }
}

RegisterSet Finder::findFromEntry() const {
  const MachineFunction &Kernel = *LR.functions().front().second;
  const MachineBasicBlock &First = Kernel.front();
  // Functions that are called may write any register.
  if (LR.functions().size() != 1 || LR.hasUnresolvedTransfers() ||
      !First.pred_empty())
    return {};
  RegisterSet Uniform;
  for (const auto &[MI, E] : zip(First, Effects.of(First))) {
    if (E.Exec != ExecChange::None)
      break;
    step(MI, E, Uniform);
  }
  RegisterSet Once, More;
  for (const MachineBasicBlock &MBB : Kernel)
    for (const InstructionEffects &E : Effects.of(MBB))
      for (const RegisterEffect &R : E.Registers)
        if (InstructionEffects::isWrite(R))
          for (unsigned U = R.Units.First; U != R.Units.First + R.Units.Count;
               ++U)
            (Once.unit(U) ? More : Once).addUnit(U);
  return Uniform - More;
}

bool Finder::isReached(const MachineInstr &MI,
                       const RegisterSet &Uniform) const {
  auto Accesses = memoryAccesses(MI);
  if (!Accesses) {
    consumeError(Accesses.takeError());
    return false;
  }
  auto IsSame = [&](const ArgumentInput &Input) {
    const auto *Reg = std::get_if<MCRegister>(&Input);
    const RegisterUnits Units = Reg ? unitsOf(*Reg) : RegisterUnits();
    return !isVector(Units) || containsAll(Uniform, Units);
  };
  return !Accesses->empty() && all_of(*Accesses, [&](const MemoryAccess &A) {
    switch (A.Address.Form.value_or(ArgumentForm::Buffer)) {
    case ArgumentForm::Scalar:
    case ArgumentForm::ScalarBuffer:
    case ArgumentForm::ScalarScratch:
      return true;
    case ArgumentForm::Global:
    case ArgumentForm::Local:
    case ArgumentForm::LocalFirst:
    case ArgumentForm::LocalSecond:
      return all_of(A.Address.Inputs, IsSame);
    case ArgumentForm::LocalByLane:
      return A.Address.Detail == 0;
    default:
      return false;
    }
  });
}

DenseSet<const MachineInstr *> Finder::run() const {
  DenseSet<const MachineInstr *> Result;
  for (const auto &[Symbol, MF] : LR.functions())
    for (const MachineBasicBlock &MBB : *MF) {
      RegisterSet Uniform;
      for (const auto &[MI, E, Lanes] :
           zip(MBB, Effects.of(MBB), Masks.of(MBB))) {
        const bool AreThoseOfEntry =
            Lanes == ExecSet::Entry || Lanes == ExecSet::Within;
        if (isReached(MI, AreThoseOfEntry ? Uniform | FromEntry : Uniform))
          Result.insert(&MI);
        step(MI, E, Uniform);
      }
    }
  return Result;
}

} // namespace

DenseSet<const MachineInstr *>
uniformAddresses(const LiftedRepresentation &LR) {
  return Finder(LR).run();
}

} // namespace luthier
