// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the lanes of a wave may part.
#ifndef BRANCH_DIVERGENCE_BRANCHES_H
#define BRANCH_DIVERGENCE_BRANCHES_H

#include "ActiveLanes.h"
#include "luthier/MachineIR.h"
#include "luthier/luthier.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SCCIterator.h"
#include "llvm/CodeGen/MachineFunction.h"
#include <optional>
#include <string>
#include <vector>

/// A conditional branch, or an instruction that takes lanes out of EXEC.
struct Branch {
  enum KindType {
    Mask,    ///< Active lanes that are in Condition go on, or jump.
    NotMask, ///< Those that are not.
    All,     ///< All active lanes jump where Condition is not zero.
    NotAll,  ///< Where it is.
    NoLane,  ///< Jumps where no lane is active, so none does.
    AnyLane, ///< Jumps where some are, so all do.
    Compare, ///< What it leaves in EXEC goes on.
    Kept,    ///< Likewise; the lanes before are in Condition behind it.
  };
  llvm::MachineInstr *MI;
  KindType Kind;
  std::optional<luthier::HookArgument> Condition = std::nullopt;
  /// No wave executes it twice.
  bool IsOnce = false;
  /// Lanes always agree about it, and each time it is executed by those that
  /// there are at the beginning of this region.
  std::optional<unsigned> Region = std::nullopt;
  /// Then, where it goes less often, and whether it jumps there.
  llvm::MachineBasicBlock *Side = nullptr;
  bool SideIsTaken = false;
  /// How often the wave is going to execute it, where it comes to the block.
  std::optional<luthier::TripCount> Trips = std::nullopt;
};

struct Branches {
  std::vector<Branch> All;
  std::vector<luthier::ExecRegion> Regions;
};

/// The register in which \p MI, an s_*_saveexec, keeps the lanes before. It is
/// cheaper to look there, and at EXEC, than at the mask before.
inline std::optional<luthier::HookArgument>
keptLanes(const llvm::MachineInstr &MI) {
  using namespace llvm;
  const MachineOperand &Kept = MI.getOperand(0);
  if (!Kept.isReg())
    return std::nullopt;
  const MCRegister Reg = Kept.getReg().asMCReg();
  const bool IsScalar =
      Reg == AMDGPU::VCC || Reg == AMDGPU::VCC_LO ||
      StringRef(MI.getMF()->getSubtarget().getRegisterInfo()->getName(Reg))
          .starts_with("SGPR");
  return IsScalar ? std::optional(luthier::HookArgument(Reg)) : std::nullopt;
}

/// Of an operation on EXEC that leaves some of the active lanes there.
inline std::optional<Branch> splitOf(llvm::MachineInstr &MI,
                                     const ActiveLanes &Active) {
  using luthier::HookArgument;
  if (!MI.getNumExplicitOperands() || !isExec(MI.getOperand(0)))
    return std::nullopt;
  auto isAll = [&](unsigned I) { return Active.isAll(MI.getOperand(I), MI); };
  if (Active.is(MI, "s_and") && isAll(1))
    return Branch{&MI, Branch::Mask, HookArgument::operand(2)};
  if (Active.is(MI, "s_and") && isAll(2))
    return Branch{&MI, Branch::Mask, HookArgument::operand(1)};
  if (Active.isAndNot(MI) && isAll(1))
    return Branch{&MI, Branch::NotMask, HookArgument::operand(2)};
  if (Active.is(MI, "s_mov") && Active.isPart(MI.getOperand(1), MI))
    return Branch{&MI, Branch::Mask, HookArgument::operand(1)};
  return std::nullopt;
}

/// Instructions that put lanes back, or go over to the other ones (s_or,
/// s_xor, other s_mov, s_or_saveexec, s_andn2_saveexec), decide nothing.
inline std::optional<Branch> branchOf(llvm::MachineInstr &MI,
                                      const ActiveLanes &Active) {
  using llvm::AMDGPU::SCC;
  using luthier::HookArgument;
  const std::string Mnemonic = luthier::mnemonicOf(MI);
  llvm::StringRef Name = Mnemonic;
  const llvm::MCRegister Vcc = Name.starts_with("s_cbranch_vcc")
                                   ? llvm::MCRegister(llvm::AMDGPU::VCC)
                                   : llvm::MCRegister();
  if (Name == "s_cbranch_scc0")
    return Branch{&MI, Branch::NotAll, HookArgument(llvm::MCRegister(SCC))};
  if (Name == "s_cbranch_scc1")
    return Branch{&MI, Branch::All, HookArgument(llvm::MCRegister(SCC))};
  if (Name == "s_cbranch_vccz")
    return Branch{&MI, Branch::NotMask, HookArgument(Vcc)};
  if (Name == "s_cbranch_vccnz")
    return Branch{&MI, Branch::Mask, HookArgument(Vcc)};
  if (Name == "s_cbranch_execz")
    return Branch{&MI, Branch::NoLane};
  if (Name == "s_cbranch_execnz")
    return Branch{&MI, Branch::AnyLane};
  if (Name.starts_with("v_cmpx_"))
    return Branch{&MI, Branch::Compare};
  if (!Name.consume_back("_b64") && !Name.consume_back("_b32"))
    return std::nullopt;
  if (Name == "s_and_saveexec" || Name == "s_andn1_saveexec" ||
      Name == "s_and_not0_saveexec")
    if (auto Lanes = keptLanes(MI))
      return Branch{&MI, Branch::Kept, Lanes};
  if (Name == "s_and_saveexec")
    return Branch{&MI, Branch::Mask, HookArgument::operand(1)};
  if (Name == "s_andn1_saveexec" || Name == "s_and_not0_saveexec" ||
      Name == "s_andn1_wrexec" || Name == "s_and_not0_wrexec")
    return Branch{&MI, Branch::NotMask, HookArgument::operand(1)};
  return splitOf(MI, Active);
}

/// Blocks of \p MF that a wave may come to again without leaving it.
inline llvm::DenseSet<const llvm::MachineBasicBlock *>
blocksInLoops(llvm::MachineFunction &MF) {
  llvm::DenseSet<const llvm::MachineBasicBlock *> Result;
  for (auto Part = llvm::scc_begin(&MF); !Part.isAtEnd(); ++Part)
    if (Part.hasCycle())
      Result.insert(Part->begin(), Part->end());
  return Result;
}

/// Finds the region and sides of \p B, if it is a branch by a scalar condition
/// with two sides. Jumps backwards are loops, which go on more often than not.
inline void findUniformity(Branch &B,
                           llvm::ArrayRef<luthier::ExecRegion> Regions) {
  llvm::MachineBasicBlock &MBB = *B.MI->getParent();
  if ((B.Kind != Branch::All && B.Kind != Branch::NotAll) ||
      MBB.succ_size() != 2 || !B.MI->getOperand(0).isMBB())
    return;
  llvm::MachineBasicBlock *Taken = B.MI->getOperand(0).getMBB(),
                          *Other = *MBB.succ_begin();
  if (Other == Taken)
    Other = *std::next(MBB.succ_begin());
  if (Other == Taken || !MBB.isSuccessor(Taken))
    return;
  const auto *Region = llvm::find_if(
      Regions, [&](const luthier::ExecRegion &R) { return R.contains(*B.MI); });
  if (Region == Regions.end())
    return;
  B.Region = Region - Regions.begin();
  B.SideIsTaken = Taken->getNumber() > MBB.getNumber();
  B.Side = B.SideIsTaken ? Taken : Other;
}

/// All of \p LR. A branch that looks whether any lane is left, in the block of
/// the split that took the others, is a part of that split.
inline Branches branchesOf(const luthier::LiftedRepresentation &LR) {
  Branches Result;
  Result.Regions = luthier::execRegions(LR);
  const ActiveLanes Active(LR.waveSize());
  for (auto &[Symbol, MF] : LR.functions()) {
    const bool IsKernel = MF == LR.functions().front().second;
    const auto InLoops = blocksInLoops(*MF);
    for (llvm::MachineBasicBlock &MBB : *MF) {
      bool HasSplit = false;
      for (llvm::MachineInstr &MI : MBB) {
        std::optional<Branch> B = branchOf(MI, Active);
        if (B) {
          // Functions are called again, and nobody knows what comes back from
          // code that is not lifted.
          B->IsOnce = IsKernel && !LR.hasUnresolvedTransfers() &&
                      !InLoops.contains(&MBB);
          if (!B->IsOnce)
            findUniformity(*B, Result.Regions);
        }
        if (B && B->Region && !B->SideIsTaken)
          B->Trips = luthier::tripCountOf(LR, MBB);
        if (B && B->Kind != Branch::NoLane && B->Kind != Branch::AnyLane) {
          HasSplit |= !MI.isBranch();
          Result.All.push_back(*B);
        } else if (B && !HasSplit) {
          Result.All.push_back(*B);
        }
      }
    }
  }
  return Result;
}

#endif // BRANCH_DIVERGENCE_BRANCHES_H
