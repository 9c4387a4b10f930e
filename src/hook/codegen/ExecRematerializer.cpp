// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hook/codegen/ExecRematerializer.h"
#include "GCNSubtarget.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "SIInstrInfo.h"
#include "SIRegisterInfo.h"
#include "amdgpu/OpcodeFacts.h"
#include "llvm/CodeGen/MachineDominators.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace luthier {
namespace {

/// Scalar instructions that make masks of masks, lane by lane.
bool isMaskLogic(const MachineInstr &MI) {
  switch (MI.getOpcode()) {
  case AMDGPU::COPY:
  case AMDGPU::S_AND_B32:
  case AMDGPU::S_AND_B64:
  case AMDGPU::S_OR_B32:
  case AMDGPU::S_OR_B64:
  case AMDGPU::S_XOR_B32:
  case AMDGPU::S_XOR_B64:
  case AMDGPU::S_ANDN2_B32:
  case AMDGPU::S_ANDN2_B64:
  case AMDGPU::S_ORN2_B32:
  case AMDGPU::S_ORN2_B64:
  case AMDGPU::S_NAND_B32:
  case AMDGPU::S_NAND_B64:
  case AMDGPU::S_NOR_B32:
  case AMDGPU::S_NOR_B64:
  case AMDGPU::S_XNOR_B32:
  case AMDGPU::S_XNOR_B64:
  case AMDGPU::S_NOT_B32:
  case AMDGPU::S_NOT_B64:
  case AMDGPU::S_CSELECT_B32:
  case AMDGPU::S_CSELECT_B64:
    return true;
  default:
    return false;
  }
}

/// Flags, which live within a block here: registers are still to be allocated.
bool isFlag(MCRegister Reg) {
  return Reg == AMDGPU::SCC || Reg == AMDGPU::VCC || Reg == AMDGPU::VCC_LO ||
         Reg == AMDGPU::VCC_HI;
}

bool isCopyOfFlag(const MachineInstr &MI) {
  return MI.isCopy() && MI.getOperand(1).getReg().isPhysical() &&
         isFlag(MI.getOperand(1).getReg().asMCReg());
}

} // namespace

ExecRematerializer::ExecRematerializer(MachineFunction &MF,
                                       const PayloadABI &ABI)
    : MF(MF), ABI(ABI), TII(*MF.getSubtarget<GCNSubtarget>().getInstrInfo()),
      MRI(MF.getRegInfo()) {
  findMasks();
}

bool ExecRematerializer::isVector(Register Reg) const {
  return Reg.isVirtual() &&
         SIRegisterInfo::hasVectorRegisters(MRI.getRegClass(Reg));
}

/// Vector instructions write masks as the result of a comparison, or as carries
/// beside another result. (What else they write to scalar registers is the
/// wave's.)
bool ExecRematerializer::beginsMask(MachineInstr &Def, Register Reg) const {
  if (TII.isVALU(Def))
    return Def.isCompare() || Def.getOperand(0).getReg() != Reg;
  if (!isCopyOfFlag(Def))
    return false;
  const MachineInstr *Setter =
      setterOf(Def.getOperand(1).getReg().asMCReg(), Def);
  return Setter && TII.isVALU(*Setter);
}

void ExecRematerializer::findMasks() {
  SmallVector<Register, 16> Work;
  auto add = [&](Register Reg) {
    if (Reg.isVirtual() && !isVector(Reg) && Masks.insert(Reg).second)
      Work.push_back(Reg);
  };
  for (MachineBasicBlock &MBB : MF)
    for (MachineInstr &MI : MBB)
      for (const MachineOperand &MO : MI.all_defs())
        if (MO.getReg().isVirtual() && beginsMask(MI, MO.getReg()))
          add(MO.getReg());
  while (!Work.empty())
    for (const MachineInstr &User :
         MRI.use_nodbg_instructions(Work.pop_back_val()))
      if (isMaskLogic(User) || User.isPHI())
        add(User.getOperand(0).getReg());
}

bool ExecRematerializer::hasOtherLanes(const MachineBasicBlock &MBB) const {
  return any_of(MBB.predecessors(), [&](const MachineBasicBlock *Before) {
    return Others->contains(Before);
  });
}

/// Is there a way from \p Def to the block of its use on which EXEC is defined,
/// and which does not run through \p Def again?
bool ExecRematerializer::crossesExecWrite(const MachineInstr &Def,
                                          const MachineBasicBlock &Use) const {
  const MachineBasicBlock *Start = Def.getParent();
  if (Start == &Use)
    return false; // Writes end their block.
  // Blocks seen before and after a write was passed.
  SmallPtrSet<const MachineBasicBlock *, 8> Seen[2];
  SmallVector<std::pair<const MachineBasicBlock *, bool>, 8> Work;
  Work.emplace_back(Start, false);
  while (!Work.empty()) {
    auto [MBB, Crossed] = Work.pop_back_val();
    bool Leaving = Crossed || WriteBlocks->contains(MBB);
    for (const MachineBasicBlock *Next : MBB->successors()) {
      if (Next == &Use && Leaving)
        return true;
      if (Next != Start && Seen[Leaving].insert(Next).second)
        Work.emplace_back(Next, Leaving);
    }
  }
  return false;
}

/// \p Use lies behind a loop that lanes leave at different times, each with the
/// value that it had then.
bool ExecRematerializer::leavesDivergentLoop(
    const MachineInstr &Def, const MachineBasicBlock &Use) const {
  for (const MachineLoop *L = Loops->getLoopFor(Def.getParent());
       L && !L->contains(&Use); L = L->getParentLoop())
    for (const MachineBasicBlock *MBB : L->blocks())
      if (any_of(MBB->terminators(), [](const MachineInstr &End) {
            return End.getOpcode() == AMDGPU::SI_LOOP;
          }))
        return true;
  return false;
}

/// Registers that do not change while the payload runs, or only as lanes go.
bool ExecRematerializer::isHarmlessRead(MCRegister Reg) const {
  return Reg == AMDGPU::EXEC || Reg == AMDGPU::EXEC_LO || Reg == AMDGPU::MODE ||
         Reg == ABI.WorkItemIds || MRI.isConstantPhysReg(Reg);
}

/// What the hook got from memory, from other lanes, or from the application.
/// LLVM takes some exchanges between lanes for independent of EXEC.
bool ExecRematerializer::isIncoming(const MachineInstr &Def) const {
  if (Def.mayLoadOrStore() || Def.isCall() || Def.isInlineAsm() ||
      Def.isConvergent() || TII.isDPP(Def) ||
      amdgpu::opcodeFacts(Def).has(amdgpu::Permutes))
    return true;
  return Def.isCopy() && Def.getOperand(1).getReg().isPhysical() &&
         !isHarmlessRead(Def.getOperand(1).getReg().asMCReg()) &&
         !isCopyOfFlag(Def);
}

/// Or is the same in all lanes.
bool ExecRematerializer::joinsIncomingValues(const MachineInstr &Phi) const {
  return all_of(Phi.uses(), [&](const MachineOperand &MO) {
    if (!MO.isReg() || !dependsOnLanes(MO.getReg()))
      return true;
    const MachineInstr *Def = MRI.getUniqueVRegDef(MO.getReg());
    return Def && isIncoming(*Def);
  });
}

/// The instruction of its block that gives \p User register \p Reg.
MachineInstr *ExecRematerializer::setterOf(MCRegister Reg,
                                           MachineInstr &User) const {
  for (MachineInstr *MI = User.getPrevNode(); MI; MI = MI->getPrevNode())
    if (MI->modifiesRegister(Reg, &TII.getRegisterInfo()))
      return MI;
  return nullptr;
}

/// What computes \p Def again: itself, behind those that set flags for it.
/// Nothing if that cannot be done.
std::optional<ExecRematerializer::Chain>
ExecRematerializer::computationOf(MachineInstr &Def) const {
  const bool IsPlain = Def.isCopy() || Def.isRegSequence() ||
                       Def.isImplicitDef() || Def.isSubregToReg() ||
                       Def.isInsertSubreg() || Def.isCompare() ||
                       TII.isVALU(Def) || isMaskLogic(Def);
  if (!IsPlain || isIncoming(Def) || Def.hasUnmodeledSideEffects())
    return std::nullopt;
  Chain Result;
  for (const MachineOperand &MO : Def.operands()) {
    if (!MO.isReg() || !MO.getReg().isPhysical())
      continue;
    const MCRegister Reg = MO.getReg().asMCReg();
    if (MRI.isConstantPhysReg(Reg) || (MO.isUse() && isHarmlessRead(Reg)))
      continue;
    if (!isFlag(Reg))
      return std::nullopt;
    if (MO.isDef())
      continue;
    MachineInstr *Setter = setterOf(Reg, Def);
    // Two of them would have to set their flags side by side.
    auto Before =
        Setter && Result.empty() ? computationOf(*Setter) : std::nullopt;
    if (!Before)
      return std::nullopt;
    Result = std::move(*Before);
  }
  Result.push_back(&Def);
  return Result;
}

/// Has \p Copy, made for \p UseBlock, read what is right there.
void ExecRematerializer::rematerializeOperands(MachineInstr &Copy,
                                               MachineBasicBlock &UseBlock) {
  for (MachineOperand &MO : Copy.operands())
    if (MO.isReg() && MO.isUse() && MO.getReg().isVirtual()) {
      MO.setReg(rematerialize(MO.getReg(), UseBlock));
      MO.setIsKill(false);
      MRI.clearKillFlags(MO.getReg());
    }
}

/// At the start of the block, so that all uses in it share the copy, and what
/// copies read comes first. No flag lives there.
void ExecRematerializer::copy(const Chain &Computation,
                              MachineBasicBlock &UseBlock) {
  Chain Copies;
  for (MachineInstr *MI : Computation)
    Copies.push_back(MF.CloneMachineInstr(MI));
  for (MachineInstr *Copy : Copies)
    rematerializeOperands(*Copy, UseBlock);
  auto &Where = InsertAt[&UseBlock];
  if (!Where.isValid())
    Where = UseBlock.SkipPHIsAndLabels(UseBlock.begin());
  for (MachineInstr *Copy : Copies) {
    for (MachineOperand &MO : Copy->all_defs()) {
      const Register Old = MO.getReg();
      if (!Old.isVirtual())
        continue;
      MO.setReg(MRI.cloneVirtualRegister(Old));
      if (Masks.contains(Old))
        Masks.insert(MO.getReg());
      Rematerialized[{Old, &UseBlock}] = MO.getReg();
    }
    UseBlock.insert(Where, Copy);
  }
}

/// The register to use in \p UseBlock instead of \p Reg: a copy of its
/// computation, or \p Reg itself where nothing needs to change.
Register ExecRematerializer::rematerialize(Register Reg,
                                           MachineBasicBlock &UseBlock) {
  if (!dependsOnLanes(Reg))
    return Reg;
  if (auto It = Rematerialized.find({Reg, &UseBlock});
      It != Rematerialized.end())
    return It->second;
  MachineInstr *Def = MRI.getUniqueVRegDef(Reg);
  if (!Def || isIncoming(*Def) || !crossesExecWrite(*Def, UseBlock) ||
      leavesDivergentLoop(*Def, UseBlock))
    return Reg;
  if (const std::optional<Chain> Computation = computationOf(*Def)) {
    copy(*Computation, UseBlock);
    return Rematerialized.at({Reg, &UseBlock});
  }
  noteLoss(*Def, UseBlock);
  return Reg;
}

/// Nothing is lost where the same lanes are active as there were.
void ExecRematerializer::noteLoss(const MachineInstr &Def,
                                  const MachineBasicBlock &UseBlock) {
  if (!Loss.empty() ||
      (!hasOtherLanes(*Def.getParent()) && !hasOtherLanes(UseBlock)) ||
      (Def.isPHI() && joinsIncomingValues(Def)))
    return;
  raw_string_ostream OS(Loss);
  OS << "a value of lanes is used behind a luthier::writeExec of other lanes, "
        "where it cannot be computed again ("
     << TII.getName(Def.getOpcode());
  if (const DebugLoc &Line = Def.getDebugLoc()) {
    OS << " of ";
    Line.print(OS);
  }
  OS << ')';
}

void ExecRematerializer::rematerializeUsesIn(MachineInstr &User) {
  for (unsigned I = 0; I < User.getNumOperands(); ++I) {
    MachineOperand &MO = User.getOperand(I);
    if (!MO.isReg() || !MO.isUse() || !MO.getReg().isVirtual())
      continue;
    // A PHI reads its operand at the end of the block it comes from.
    MachineBasicBlock &UseBlock =
        User.isPHI() ? *User.getOperand(I + 1).getMBB() : *User.getParent();
    if (Register New = rematerialize(MO.getReg(), UseBlock);
        New != MO.getReg()) {
      MO.setReg(New);
      MO.setIsKill(false);
    }
  }
}

std::string
ExecRematerializer::rematerializeUses(const Blocks &BlocksWithWrites,
                                      const Blocks &OtherBlocks) {
  WriteBlocks = &BlocksWithWrites;
  Others = &OtherBlocks;
  MachineDominatorTree Dominators(MF);
  MachineLoopInfo AllLoops(Dominators);
  Loops = &AllLoops;
  SmallVector<MachineInstr *, 32> Users;
  for (MachineBasicBlock &MBB : MF)
    for (MachineInstr &MI : MBB)
      if (!MI.isDebugInstr())
        Users.push_back(&MI);
  for (MachineInstr *User : Users)
    rematerializeUsesIn(*User);
  return std::move(Loss);
}

} // namespace luthier
