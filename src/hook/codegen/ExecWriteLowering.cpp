// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hook/codegen/ExecWriteLowering.h"
#include "GCNSubtarget.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "SIInstrInfo.h"
#include "Utils/AMDGPUBaseInfo.h"
#include "hook/codegen/ExecRematerializer.h"
#include "hook/codegen/PlaceholderOperands.h"
#include "hook/ir/ExecWriteCalls.h"
#include "hook/ir/PayloadIR.h"
#include "hook/ir/Placeholders.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"

using namespace llvm;

namespace luthier {
namespace {

class ExecWriteLowering : public MachineFunctionPass {
public:
  static char ID;
  explicit ExecWriteLowering(const PayloadABI &ABI)
      : MachineFunctionPass(ID), ABI(ABI) {}
  StringRef getPassName() const override {
    return "Luthier EXEC write lowering";
  }
  bool runOnMachineFunction(MachineFunction &MF) override;

private:
  bool bringsExecBack(const MachineInstr &Write) const;
  void makeRoomForJoin(MachineBasicBlock &Before);
  void findOtherLanes(const MachineFunction &MF);
  bool joinsOtherLanes(const MachineFunction &MF) const;
  bool restoresExec(const MachineFunction &MF,
                    const MachineInstr &LastWrite) const;
  void drop(MachineInstr &LastWrite);
  void define(MachineInstr &Write);

  const PayloadABI &ABI;
  MCRegister Exec; ///< As the wave's size has it.
  const SIInstrInfo *TII = nullptr;
  MachineRegisterInfo *MRI = nullptr;
  ExecRematerializer *Values = nullptr;
  /// Blocks that end by defining EXEC.
  ExecRematerializer::Blocks WriteBlocks;
  /// Blocks that end with other lanes than the hook began with.
  ExecRematerializer::Blocks Others;
};

char ExecWriteLowering::ID = 0;

/// A mask that needs no register to get into EXEC.
bool isConstantMask(const MachineInstr &Def) {
  return (Def.getOpcode() == AMDGPU::S_MOV_B64 ||
          Def.getOpcode() == AMDGPU::S_MOV_B32 ||
          Def.getOpcode() == AMDGPU::S_MOV_B64_IMM_PSEUDO) &&
         Def.getOperand(1).isImm() &&
         AMDGPU::isInlinableIntLiteral(Def.getOperand(1).getImm());
}

/// The scalar register that a write takes as its only input.
Register maskOf(const MachineInstr &MI) {
  for (const MachineOperand &MO : drop_begin(MI.operands(), 2))
    if (MO.isReg() && MO.isUse() && !MO.isImplicit())
      return MO.getReg();
  llvm_unreachable("writeExec without its operand");
}

/// Straight-line code that ends with EXEC as it was at the start: the usual
///   Mask = read_exec(); writeExec(1); ...; writeExec(Mask);
bool ExecWriteLowering::restoresExec(const MachineFunction &MF,
                                     const MachineInstr &LastWrite) const {
  for (const MachineBasicBlock &MBB : MF)
    if (MBB.succ_size() > 1 || MBB.pred_size() > 1)
      return false;
  Register Mask = maskOf(LastWrite);
  const MachineInstr *Def = MRI->getUniqueVRegDef(Mask);
  // In waves of 32 lanes, a mask may be the low half of what was read.
  MCRegister Read = Exec;
  while (Def && Def->isCopy() && Def->getOperand(1).getReg().isVirtual()) {
    const unsigned Half = Def->getOperand(1).getSubReg();
    if (Half && (Half != AMDGPU::sub0 || ABI.WaveSize == 64))
      return false;
    if (Half)
      Read = AMDGPU::EXEC;
    Def = MRI->getUniqueVRegDef(Def->getOperand(1).getReg());
  }
  return Def && Def->getParent() == &MF.front() &&
         (Def->isCopy() || Def->getOpcode() == AMDGPU::S_MOV_B64 ||
          Def->getOpcode() == AMDGPU::S_MOV_B32) &&
         Def->getOperand(1).isReg() && Def->getOperand(1).getReg() == Read;
}

/// \p Write sets EXEC to what it has been before, and nothing else but such
/// writes has set it in between.
bool ExecWriteLowering::bringsExecBack(const MachineInstr &Write) const {
  auto maskDef = [&](const MachineInstr &Of) {
    const MachineInstr *Def = MRI->getUniqueVRegDef(maskOf(Of));
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
  const MachineInstr *Read = maskDef(Write);
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
      if (!WriteBlocks.contains(Before)) {
        Work.push_back(Before);
        continue;
      }
      const auto Last = find_if(*Before, isExecWrite);
      if (Last == Before->end() || !maskDef(*Last))
        return false;
    }
  return true;
}

/// Values that paths bring along are copied at the end of the last block on
/// each: where that is one with a write, in one of its own behind it.
void ExecWriteLowering::makeRoomForJoin(MachineBasicBlock &Before) {
  assert(Before.succ_size() == 1 && "writes do not decide where to go");
  MachineBasicBlock *Join = *Before.succ_begin();
  if (none_of(Join->phis(), [&](const MachineInstr &Phi) {
        return Values->dependsOnLanes(Phi.getOperand(0).getReg());
      }))
    return;
  MachineFunction &MF = *Before.getParent();
  MachineBasicBlock *Room = MF.CreateMachineBasicBlock(Before.getBasicBlock());
  MF.insert(std::next(Before.getIterator()), Room);
  Before.ReplaceUsesOfBlockWith(Join, Room);
  Room->addSuccessor(Join);
  BuildMI(Room, DebugLoc(), TII->get(AMDGPU::S_BRANCH)).addMBB(Join);
  Join->replacePhiUsesWith(&Before, Room);
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

void ExecWriteLowering::findOtherLanes(const MachineFunction &MF) {
  Others.clear();
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (const MachineBasicBlock &MBB : MF) {
      const auto Write = find_if(MBB, isExecWrite);
      const bool HasOthers =
          Write != MBB.end()
              ? !bringsExecBack(*Write)
              : any_of(MBB.predecessors(), [&](const auto *Before) {
                  return Others.contains(Before);
                });
      Changed |= HasOthers && Others.insert(&MBB).second;
    }
  }
}

/// Whether a value for each lane comes to some place with other lanes on one
/// path than on another, which copies would leave out. (A loop comes back with
/// those that it has; copies of masks leave nothing out.)
bool ExecWriteLowering::joinsOtherLanes(const MachineFunction &MF) const {
  for (const MachineBasicBlock &Join : MF) {
    if (none_of(Join.phis(), [&](const MachineInstr &Phi) {
          return Values->isVector(Phi.getOperand(0).getReg());
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

/// Nothing of the hook runs behind it.
static bool isAtEnd(const MachineInstr &Write) {
  const MachineBasicBlock *MBB = Write.getParent();
  MachineBasicBlock::const_instr_iterator MI = std::next(Write.getIterator());
  for (;;) {
    for (; MI != MBB->instr_end(); ++MI)
      if (!MI->isMetaInstruction() && !MI->isBranch() && !MI->isReturn())
        return false;
    if (MBB->succ_empty())
      return true;
    MBB = *MBB->succ_begin();
    MI = MBB->instr_begin();
  }
}

/// Nobody needs what EXEC was, nor the copy of it.
void ExecWriteLowering::drop(MachineInstr &LastWrite) {
  Register Mask = maskOf(LastWrite);
  LastWrite.eraseFromParent();
  while (Mask.isVirtual() && MRI->use_nodbg_empty(Mask)) {
    MachineInstr *Def = MRI->getUniqueVRegDef(Mask);
    if (!Def || !Def->getOperand(1).isReg())
      return;
    Mask = Def->getOperand(1).getReg();
    Def->eraseFromParent();
  }
}

/// As a terminator, before which all that the block computes has to be. (A
/// later pass makes the usual instruction of it.)
void ExecWriteLowering::define(MachineInstr &Write) {
  auto Definition =
      BuildMI(*Write.getParent(), Write, Write.getDebugLoc(),
              TII->get(ABI.WaveSize == 64 ? AMDGPU::S_MOV_B64_term
                                          : AMDGPU::S_MOV_B32_term),
              Exec);
  Register Mask = maskOf(Write);
  MachineInstr *Def = MRI->getUniqueVRegDef(Mask);
  const bool IsConstant = Def && isConstantMask(*Def);
  if (IsConstant)
    Definition.addImm(Def->getOperand(1).getImm());
  else
    Definition.addReg(Mask);
  Write.eraseFromParent();
  if (IsConstant && MRI->use_nodbg_empty(Mask))
    Def->eraseFromParent();
}

bool ExecWriteLowering::runOnMachineFunction(MachineFunction &MF) {
  TII = MF.getSubtarget<GCNSubtarget>().getInstrInfo();
  MRI = &MF.getRegInfo();
  Exec = ABI.WaveSize == 64 ? AMDGPU::EXEC : AMDGPU::EXEC_LO;
  WriteBlocks.clear();
  SmallVector<MachineInstr *, 4> Writes;
  for (MachineBasicBlock &MBB : MF)
    for (MachineInstr &MI : MBB)
      if (isExecWrite(MI)) {
        Writes.push_back(&MI);
        WriteBlocks.insert(&MBB);
      }
  LLVMContext &Context = MF.getFunction().getContext();
  const uint64_t Expected =
      MF.getFunction().getFnAttributeAsParsedInteger(ExecWritesAttribute);
  if (Writes.size() < Expected)
    Context.emitError(MF.getName() +
                      ": a luthier::writeExec got lost in code generation");
  if (Writes.empty())
    return false;
  ExecRematerializer Rematerializer(MF, ABI);
  Values = &Rematerializer;
  for (MachineInstr *Write : Writes)
    makeRoomForJoin(*Write->getParent());
  findOtherLanes(MF);
  if (joinsOtherLanes(MF))
    Context.emitError(
        MF.getName() +
        ": "
        "values of lanes join behind a luthier::writeExec of other lanes");
  if (std::string Loss = Rematerializer.rematerializeUses(WriteBlocks, Others);
      !Loss.empty())
    Context.emitError(MF.getName() + ": " + Loss);
  if (restoresExec(MF, *Writes.back())) {
    MF.getFunction().addFnAttr(RestoresExecAttribute);
    if (MF.getFunction().hasFnAttribute(EndsWaveAttribute) &&
        isAtEnd(*Writes.back()))
      drop(*Writes.pop_back_val());
  }
  for (MachineInstr *Write : Writes)
    define(*Write);
  return true;
}

} // namespace

Pass *createExecWritePass(PassContext &C) {
  return new ExecWriteLowering(C.ABI);
}

} // namespace luthier
