// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/UniformAddresses.h"
#include "analysis/CallGraph.h"
#include "analysis/ExecMasks.h"
#include "analysis/MemoryOperands.h"
#include "analysis/RegisterEffects.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"

using namespace llvm;

namespace luthier {
namespace {

/// What addresses are made by. None of them reads a mask, such as a carry, in
/// which lanes differ although it is a scalar.
constexpr StringRef Arithmetic[] = {
    "V_MOV_B32",      "V_MOV_B64",
    "V_PK_MOV_B32",   "V_ADD_U32",
    "V_SUB_U32",      "V_SUBREV_U32",
    "V_ADD_CO_U32",   "V_SUB_CO_U32",
    "V_ADD3_U32",     "V_AND_B32",
    "V_OR_B32",       "V_XOR_B32",
    "V_AND_OR_B32",   "V_OR3_B32",
    "V_LSHLREV_B32",  "V_LSHRREV_B32",
    "V_ASHRREV_I32",  "V_LSHLREV_B64",
    "V_LSHL_OR_B32",  "V_LSHL_ADD_U32",
    "V_ADD_LSHL_U32", "V_LSHL_ADD_U64",
    "V_MUL_LO_U32",   "V_MUL_HI_U32",
    "V_MUL_U32_U24",  "V_MUL_I32_I24",
    "V_MAD_U32_U24",  "V_MAD_I32_I24",
    "V_MAD_U64_U32",  "V_BFE_U32",
    "V_BFE_I32",      "V_DUAL_MOV_B32_e32_X_MOV_B32"};

bool isArithmetic(const MachineInstr &MI) {
  StringRef Name =
      MI.getMF()->getSubtarget().getInstrInfo()->getName(MI.getOpcode());
  for (StringRef Suffix : {"_gfx11", "_gfx12"})
    Name.consume_back(Suffix);
  if (!Name.consume_back("_e32"))
    Name.consume_back("_e64");
  return is_contained(Arithmetic, Name);
}

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
  const bool IsSame = isArithmetic(MI) && !E.MayBeSkipped &&
                      all_of(E.Registers, [&](const RegisterEffect &R) {
                        return !isVector(R.Units) ||
                               R.Access == RegisterAccess::Overwrite ||
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
      for (const auto &[MI, E] : zip(MBB, Effects.of(MBB))) {
        const ExecSet Lanes = Masks.before(MI);
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
