// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hook/ExecOrder.h"
#include "GCNSubtarget.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "SIInstrInfo.h"
#include "SIRegisterInfo.h"
#include "Utils/AMDGPUBaseInfo.h"
#include "hook/ExecMarkers.h"
#include "hook/IntrinsicLowering.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"

using namespace llvm;

namespace luthier {
namespace {

class ExecOrder : public MachineFunctionPass {
public:
  static char ID;
  explicit ExecOrder(const PayloadFrame &Frame)
      : MachineFunctionPass(ID), Frame(Frame),
        Exec(Frame.WaveSize == 64 ? AMDGPU::EXEC : AMDGPU::EXEC_LO) {}
  StringRef getPassName() const override {
    return "Luthier EXEC definition ordering";
  }
  bool runOnMachineFunction(MachineFunction &MF) override;

private:
  bool bringsExecBack(const MachineInstr &Marker) const;
  void makeRoomForJoin(MachineBasicBlock &Marked);
  bool joinsOtherLanes(const MachineFunction &MF) const;
  bool crossesMarker(const MachineInstr &Def,
                     const MachineBasicBlock &Use) const;
  bool isVector(Register Reg) const;
  bool dependsOnLanes(Register Reg) const;
  bool isGiven(const MachineInstr &Def) const;
  MachineInstr *setterOf(MCRegister Reg, const MachineInstr &User) const;
  bool canRecompute(MachineInstr &Def,
                    SmallVectorImpl<MachineInstr *> &Needed) const;
  void renewOperands(MachineInstr &Copy, MachineBasicBlock &UseBlock);
  Register renew(Register Reg, MachineBasicBlock &UseBlock);
  void renewUses(MachineInstr &User);
  bool restoresExec(const MachineFunction &MF,
                    const MachineInstr &LastMarker) const;

  bool isHarmlessRead(MCRegister Reg) const;

  const PayloadFrame &Frame;
  const MCRegister Exec; ///< As the wave's size has it.
  const SIInstrInfo *TII = nullptr;
  MachineRegisterInfo *MRI = nullptr;
  /// Blocks that end in a marker.
  SmallPtrSet<const MachineBasicBlock *, 4> Marked;
  /// Copies already made: (register, block) to the new register.
  DenseMap<std::pair<Register, MachineBasicBlock *>, Register> Renewed;
  /// A value that crosses a marker cannot be computed again.
  bool IsLost = false;
  /// The first instruction of each block that was there before us.
  DenseMap<MachineBasicBlock *, MachineBasicBlock::iterator> InsertAt;
};

char ExecOrder::ID = 0;

bool isMarker(const MachineInstr &MI) {
  return MI.getOpcode() == AMDGPU::INLINEASM_BR &&
         MI.getOperand(InlineAsm::MIOp_AsmString).getSymbolName() ==
             WriteExecMarker;
}

/// A mask that needs no register to get into EXEC.
bool isConstantMask(const MachineInstr &Def) {
  return (Def.getOpcode() == AMDGPU::S_MOV_B64 ||
          Def.getOpcode() == AMDGPU::S_MOV_B32 ||
          Def.getOpcode() == AMDGPU::S_MOV_B64_IMM_PSEUDO) &&
         Def.getOperand(1).isImm() &&
         AMDGPU::isInlinableIntLiteral(Def.getOperand(1).getImm());
}

/// The scalar register that a marker takes as its only input.
Register markerInput(const MachineInstr &MI) {
  for (const MachineOperand &MO : drop_begin(MI.operands(), 2))
    if (MO.isReg() && MO.isUse() && !MO.isImplicit())
      return MO.getReg();
  llvm_unreachable("writeExec without its operand");
}

/// Is there a way from \p Def to the block of its use on which EXEC is defined,
/// and which does not run through \p Def again?
bool ExecOrder::crossesMarker(const MachineInstr &Def,
                              const MachineBasicBlock &Use) const {
  const MachineBasicBlock *Start = Def.getParent();
  if (Start == &Use)
    return false; // Markers end their block.
  // Blocks seen before and after a marker was passed.
  SmallPtrSet<const MachineBasicBlock *, 8> Seen[2];
  SmallVector<std::pair<const MachineBasicBlock *, bool>, 8> Work;
  Work.emplace_back(Start, false);
  while (!Work.empty()) {
    auto [MBB, Crossed] = Work.pop_back_val();
    bool Leaving = Crossed || Marked.contains(MBB);
    for (const MachineBasicBlock *Next : MBB->successors()) {
      if (Next == &Use && Leaving)
        return true;
      if (Next != Start && Next != &Use && Seen[Leaving].insert(Next).second)
        Work.emplace_back(Next, Leaving);
    }
  }
  return false;
}

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

/// The instruction of its block that gives \p User register \p Reg.
MachineInstr *ExecOrder::setterOf(MCRegister Reg,
                                  const MachineInstr &User) const {
  for (const MachineInstr *MI = User.getPrevNode(); MI; MI = MI->getPrevNode())
    if (MI->modifiesRegister(Reg, &TII->getRegisterInfo()))
      return const_cast<MachineInstr *>(MI);
  return nullptr;
}

bool ExecOrder::isVector(Register Reg) const {
  return Reg.isVirtual() &&
         SIRegisterInfo::hasVectorRegisters(MRI->getRegClass(Reg));
}

/// A value lane by lane: in a vector register, or a mask in scalar registers
/// that vector instructions wrote, or logic on such masks.
bool ExecOrder::dependsOnLanes(Register Reg) const {
  if (!Reg.isVirtual())
    return false;
  if (isVector(Reg))
    return true;
  const MachineInstr *Def = MRI->getUniqueVRegDef(Reg);
  if (!Def)
    return false;
  // Carries are second results, or in VCC.
  if (TII->isVALU(*Def))
    return Def->isCompare() || Def->getOperand(0).getReg() != Reg;
  if (isCopyOfFlag(*Def)) {
    const MachineInstr *Setter =
        setterOf(Def->getOperand(1).getReg().asMCReg(), *Def);
    return Setter && TII->isVALU(*Setter);
  }
  return isMaskLogic(*Def) && any_of(Def->uses(), [&](const auto &MO) {
           return MO.isReg() && !isVector(MO.getReg()) &&
                  dependsOnLanes(MO.getReg());
         });
}

/// Registers that do not change while the payload runs, or only as lanes go.
bool ExecOrder::isHarmlessRead(MCRegister Reg) const {
  return Reg == AMDGPU::EXEC || Reg == AMDGPU::EXEC_LO || Reg == AMDGPU::MODE ||
         Reg == Frame.WorkItemIds || MRI->isConstantPhysReg(Reg);
}

/// What the hook got from elsewhere: from memory, from other lanes, from the
/// application, by the way that it took. There it stays as it is.
bool ExecOrder::isGiven(const MachineInstr &Def) const {
  if (Def.mayLoadOrStore() || Def.isCall() || Def.isPHI() ||
      Def.isInlineAsm() || Def.isConvergent())
    return true;
  return Def.isCopy() && Def.getOperand(1).getReg().isPhysical() &&
         !isHarmlessRead(Def.getOperand(1).getReg().asMCReg()) &&
         !isCopyOfFlag(Def);
}

/// Adds to \p Needed what computes \p Def again: itself, behind those that set
/// flags for it. False if that cannot be done.
bool ExecOrder::canRecompute(MachineInstr &Def,
                             SmallVectorImpl<MachineInstr *> &Needed) const {
  const bool IsPlain = Def.isCopy() || Def.isRegSequence() ||
                       Def.isImplicitDef() || Def.isSubregToReg() ||
                       Def.isInsertSubreg() || TII->isVALU(Def) ||
                       isMaskLogic(Def);
  if (!IsPlain || isGiven(Def) || Def.hasUnmodeledSideEffects())
    return false;
  for (const MachineOperand &MO : Def.operands()) {
    if (!MO.isReg() || !MO.getReg().isPhysical())
      continue;
    const MCRegister Reg = MO.getReg().asMCReg();
    if (MRI->isConstantPhysReg(Reg) || (MO.isUse() && isHarmlessRead(Reg)))
      continue;
    if (!isFlag(Reg))
      return false;
    MachineInstr *Setter = MO.isUse() ? setterOf(Reg, Def) : nullptr;
    if (MO.isUse() && (!Setter || !canRecompute(*Setter, Needed)))
      return false;
  }
  Needed.push_back(&Def);
  return true;
}

/// Has \p Copy, made for \p UseBlock, read what is right there.
void ExecOrder::renewOperands(MachineInstr &Copy, MachineBasicBlock &UseBlock) {
  for (MachineOperand &MO : Copy.operands())
    if (MO.isReg() && MO.isUse() && MO.getReg().isVirtual()) {
      MO.setReg(renew(MO.getReg(), UseBlock));
      MO.setIsKill(false);
      MRI->clearKillFlags(MO.getReg());
    }
}

/// The register to use in \p UseBlock instead of \p Reg: a copy of its
/// computation, or \p Reg itself where nothing needs to change.
Register ExecOrder::renew(Register Reg, MachineBasicBlock &UseBlock) {
  if (!dependsOnLanes(Reg))
    return Reg;
  if (auto It = Renewed.find({Reg, &UseBlock}); It != Renewed.end())
    return It->second;
  MachineInstr *Def = MRI->getUniqueVRegDef(Reg);
  if (!Def || isGiven(*Def) || !crossesMarker(*Def, UseBlock))
    return Reg;
  SmallVector<MachineInstr *, 2> Needed, Copies;
  if (!canRecompute(*Def, Needed)) {
    IsLost = true;
    return Reg;
  }
  for (MachineInstr *MI : Needed)
    Copies.push_back(UseBlock.getParent()->CloneMachineInstr(MI));
  // What they read comes first.
  for (MachineInstr *Copy : Copies)
    renewOperands(*Copy, UseBlock);
  // At the start of the block, so that all uses in it share the copy; in the
  // order of these calls.
  auto &Where = InsertAt[&UseBlock];
  if (!Where.isValid())
    Where = UseBlock.SkipPHIsAndLabels(UseBlock.begin());
  for (MachineInstr *Copy : Copies) {
    for (MachineOperand &MO : Copy->all_defs())
      if (const Register Old = MO.getReg(); Old.isVirtual()) {
        MO.setReg(MRI->cloneVirtualRegister(Old));
        Renewed[{Old, &UseBlock}] = MO.getReg();
      }
    UseBlock.insert(Where, Copy);
  }
  return Renewed.at({Reg, &UseBlock});
}

void ExecOrder::renewUses(MachineInstr &User) {
  for (unsigned I = 0; I < User.getNumOperands(); ++I) {
    MachineOperand &MO = User.getOperand(I);
    if (!MO.isReg() || !MO.isUse() || !MO.getReg().isVirtual())
      continue;
    // A PHI reads its operand at the end of the block it comes from.
    MachineBasicBlock &UseBlock =
        User.isPHI() ? *User.getOperand(I + 1).getMBB() : *User.getParent();
    if (Register New = renew(MO.getReg(), UseBlock); New != MO.getReg()) {
      MO.setReg(New);
      MO.setIsKill(false);
    }
  }
}

/// Straight-line code that ends with EXEC as it was at the start: the usual
///   Mask = read_exec(); writeExec(1); ...; writeExec(Mask);
bool ExecOrder::restoresExec(const MachineFunction &MF,
                             const MachineInstr &LastMarker) const {
  for (const MachineBasicBlock &MBB : MF)
    if (MBB.succ_size() > 1 || MBB.pred_size() > 1)
      return false;
  Register Mask = markerInput(LastMarker);
  const MachineInstr *Def = MRI->getUniqueVRegDef(Mask);
  while (Def && Def->isCopy() && Def->getOperand(1).getReg().isVirtual())
    Def = MRI->getUniqueVRegDef(Def->getOperand(1).getReg());
  return Def && Def->getParent() == &MF.front() &&
         (Def->isCopy() || Def->getOpcode() == AMDGPU::S_MOV_B64 ||
          Def->getOpcode() == AMDGPU::S_MOV_B32) &&
         Def->getOperand(1).isReg() && Def->getOperand(1).getReg() == Exec;
}

/// \p Marker sets EXEC to what it has been before, and nothing else but such
/// markers has set it in between.
bool ExecOrder::bringsExecBack(const MachineInstr &Marker) const {
  auto maskDef = [&](const MachineInstr &Of) {
    const MachineInstr *Def = MRI->getUniqueVRegDef(markerInput(Of));
    while (Def && Def->isCopy() && Def->getOperand(1).getReg().isVirtual()) {
      const unsigned Half = Def->getOperand(1).getSubReg();
      Def = MRI->getUniqueVRegDef(Def->getOperand(1).getReg());
      // Waves of 32 lanes have masks of 64 bits, too.
      if (Def && Def->isRegSequence() && Half)
        for (unsigned I = 1; I + 1 < Def->getNumOperands(); I += 2)
          if (Def->getOperand(I + 1).getImm() == Half) {
            Def = MRI->getUniqueVRegDef(Def->getOperand(I).getReg());
            break;
          }
    }
    const bool IsRead = Def && Def->getNumOperands() > 1 &&
                        Def->getOperand(1).isReg() &&
                        Def->getOperand(1).getReg() == Exec;
    return IsRead ? Def : nullptr;
  };
  const MachineInstr *Read = maskDef(Marker);
  if (!Read)
    return false;
  // Backwards from where it was read.
  SmallPtrSet<const MachineBasicBlock *, 8> Seen;
  SmallVector<const MachineBasicBlock *, 8> Work = {Read->getParent()};
  while (!Work.empty())
    for (const MachineBasicBlock *Before :
         Work.pop_back_val()->predecessors()) {
      if (!Seen.insert(Before).second)
        continue;
      if (!Marked.contains(Before)) {
        Work.push_back(Before);
        continue;
      }
      const auto Last = find_if(*Before, isMarker);
      if (Last == Before->end() || !maskDef(*Last))
        return false;
    }
  return true;
}

/// Values that paths bring along are copied at the end of the last block on
/// each: where that is one with a marker, in one of its own behind it.
void ExecOrder::makeRoomForJoin(MachineBasicBlock &Marked) {
  assert(Marked.succ_size() == 1 && "markers do not decide where to go");
  MachineBasicBlock *Join = *Marked.succ_begin();
  if (none_of(Join->phis(), [&](const MachineInstr &Phi) {
        return dependsOnLanes(Phi.getOperand(0).getReg());
      }))
    return;
  MachineFunction &MF = *Marked.getParent();
  MachineBasicBlock *Room = MF.CreateMachineBasicBlock(Marked.getBasicBlock());
  MF.insert(std::next(Marked.getIterator()), Room);
  Marked.ReplaceUsesOfBlockWith(Join, Room);
  Room->addSuccessor(Join);
  BuildMI(Room, DebugLoc(), TII->get(AMDGPU::S_BRANCH)).addMBB(Join);
  Join->replacePhiUsesWith(&Marked, Room);
}

static bool isReachable(const MachineBasicBlock &From,
                        const MachineBasicBlock &To) {
  SmallPtrSet<const MachineBasicBlock *, 8> Seen;
  SmallVector<const MachineBasicBlock *, 8> Work = {&From};
  while (!Work.empty())
    for (const MachineBasicBlock *Next : Work.pop_back_val()->successors()) {
      if (Next == &To)
        return true;
      if (Seen.insert(Next).second)
        Work.push_back(Next);
    }
  return false;
}

/// Whether a value for each lane comes to some place with other lanes on one
/// path than on another, which copies would leave out. (A loop comes back with
/// those that it has.)
bool ExecOrder::joinsOtherLanes(const MachineFunction &MF) const {
  // Blocks that end with other lanes than the hook began with.
  SmallPtrSet<const MachineBasicBlock *, 8> Others;
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (const MachineBasicBlock &MBB : MF) {
      const auto Marker = find_if(MBB, isMarker);
      const bool HasOthers =
          Marker != MBB.end()
              ? !bringsExecBack(*Marker)
              : any_of(MBB.predecessors(), [&](const auto *Before) {
                  return Others.contains(Before);
                });
      Changed |= HasOthers && Others.insert(&MBB).second;
    }
  }
  for (const MachineBasicBlock &Join : MF) {
    if (none_of(Join.phis(), [&](const MachineInstr &Phi) {
          return dependsOnLanes(Phi.getOperand(0).getReg());
        }))
      continue;
    unsigned Same = 0, Other = 0;
    for (const MachineBasicBlock *Before : Join.predecessors())
      if (!isReachable(Join, *Before))
        ++(Others.contains(Before) ? Other : Same);
    if (Same && Other)
      return true;
  }
  return false;
}

bool ExecOrder::runOnMachineFunction(MachineFunction &MF) {
  TII = MF.getSubtarget<GCNSubtarget>().getInstrInfo();
  MRI = &MF.getRegInfo();
  Marked.clear();
  Renewed.clear();
  InsertAt.clear();
  IsLost = false;
  SmallVector<MachineInstr *, 4> Markers, Users;
  for (MachineBasicBlock &MBB : MF)
    for (MachineInstr &MI : MBB) {
      Users.push_back(&MI);
      if (!isMarker(MI))
        continue;
      Markers.push_back(&MI);
      Marked.insert(&MBB);
    }
  const uint64_t Expected =
      MF.getFunction().getFnAttributeAsParsedInteger(ExecMarkersAttribute);
  if (Markers.size() < Expected)
    MF.getFunction().getContext().emitError(
        "a luthier::writeExec got lost in code generation");
  if (Markers.empty())
    return false;
  for (MachineInstr *Marker : Markers)
    makeRoomForJoin(*Marker->getParent());
  if (joinsOtherLanes(MF))
    MF.getFunction().getContext().emitError(
        "values of lanes join behind a luthier::writeExec of other lanes");
  for (MachineInstr *User : Users)
    renewUses(*User);
  if (IsLost)
    MF.getFunction().getContext().emitError(
        "a value of lanes is used behind a luthier::writeExec, where it cannot "
        "be computed again");
  if (restoresExec(MF, *Markers.back()))
    MF.getFunction().addFnAttr(RestoresExecAttribute);
  for (MachineInstr *Marker : Markers) {
    auto Write = BuildMI(
        *Marker->getParent(), Marker, Marker->getDebugLoc(),
        TII->get(Frame.WaveSize == 64 ? AMDGPU::S_MOV_B64 : AMDGPU::S_MOV_B32),
        Exec);
    Register Mask = markerInput(*Marker);
    MachineInstr *Def = MRI->getUniqueVRegDef(Mask);
    const bool IsConstant = Def && isConstantMask(*Def);
    if (IsConstant)
      Write.addImm(Def->getOperand(1).getImm());
    else
      Write.addReg(Mask);
    Marker->eraseFromParent();
    if (IsConstant && MRI->use_nodbg_empty(Mask))
      Def->eraseFromParent();
  }
  return true;
}

} // namespace

MachineFunctionPass *createExecOrderPass(const PayloadFrame &Frame) {
  return new ExecOrder(Frame);
}

} // namespace luthier
