// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lift/FunctionLifter.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "amdgpu/OpcodeFacts.h"
#include "amdgpu/OpcodeMap.h"
#include "luthier/Refusal.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetRegisterInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include <map>
#include <optional>
#include <set>

using namespace llvm;

namespace luthier {
namespace {

/// Control goes to or comes from where the lifted code does not show.
bool leavesFunction(const MachineInstr &MI) {
  switch (MI.getOpcode()) {
  case AMDGPU::S_ENDPGM:
  case AMDGPU::S_ENDPGM_SAVED:
    return false;
  case AMDGPU::S_SETPC_B64:
  case AMDGPU::S_SWAPPC_B64:
  case AMDGPU::S_CALL_B64:
  case AMDGPU::S_RFE_B64:
  case AMDGPU::S_CBRANCH_I_FORK:
  case AMDGPU::S_CBRANCH_G_FORK:
  case AMDGPU::S_CBRANCH_JOIN:
    return true;
  default:
    return MI.isCall() || MI.isIndirectBranch() || MI.isReturn();
  }
}

class FunctionLifter {
public:
  FunctionLifter(ArrayRef<DecodedInstruction> Code, uint64_t Entry,
                 const KnownJumps &Jumps, MachineFunction &MF,
                 LiftedRepresentation::Impl &Impl)
      : Code(Code), Entry(Entry), Jumps(Jumps), MF(MF), Impl(Impl),
        TII(*MF.getSubtarget().getInstrInfo()),
        Opcodes(Impl.Target->opcodes()) {}

  Error run() {
    createBlocks();
    Impl.Origins.reserve(Impl.Origins.size() + Code.size());
    NextBlock = Blocks.begin();
    for (const DecodedInstruction &D : Code)
      if (Error E = lift(D))
        return E;
    linkBlocks();
    MF.getProperties().setNoVRegs().setNoPHIs();
    return Error::success();
  }

private:
  /// The pseudo opcode for \p D, or the real one where the pseudo cannot hold
  /// the operands (a modifier that only the real form has, and that is set).
  unsigned opcodeOf(const DecodedInstruction &D) const {
    const unsigned Pseudo = Opcodes.pseudoOpcode(D.Inst.getOpcode());
    const MCInstrDesc &Desc = TII.get(Pseudo);
    for (unsigned I = Desc.getNumOperands(); I < D.Inst.getNumOperands(); ++I)
      if (!D.Inst.getOperand(I).isImm() || D.Inst.getOperand(I).getImm() != 0)
        return D.Inst.getOpcode();
    for (unsigned I = D.Inst.getNumOperands(); I < Desc.getNumOperands(); ++I)
      if (!impliedOperand(D, Desc, I))
        return D.Inst.getOpcode();
    return Pseudo;
  }

  /// The decoder leaves out operands at the end: registers that are read
  /// because they are written in part (tied), and modifiers that other operands
  /// hold.
  static std::optional<MCOperand> impliedOperand(const DecodedInstruction &D,
                                                 const MCInstrDesc &Desc,
                                                 unsigned Index) {
    const int Tied = Desc.getOperandConstraint(Index, MCOI::TIED_TO);
    if (Tied >= 0 && D.Inst.getOperand(Tied).isReg())
      return D.Inst.getOperand(Tied);
    if (Tied < 0 && Desc.operands()[Index].RegClass < 0)
      return MCOperand::createImm(0);
    return std::nullopt;
  }

  /// A SOPP branch.
  static bool isDirectBranch(const DecodedInstruction &D,
                             const MCInstrDesc &Desc) {
    return Desc.isBranch() && !Desc.isIndirectBranch() &&
           D.Inst.getNumOperands() == 1 && D.Inst.getOperand(0).isImm();
  }

  /// Where control runs on to from the end of \p MBB, as lifted.
  uint64_t endOf(const MachineBasicBlock &MBB) const {
    const Origin &Last = Impl.Origins.find(&MBB.back())->second;
    return Last.Address + Last.Size;
  }

  MachineBasicBlock *blockAt(uint64_t Address) {
    auto It = Blocks.find(Address);
    return It == Blocks.end() ? nullptr : It->second;
  }

  void createBlocks();
  Error lift(const DecodedInstruction &D);
  void noteTransfer(const DecodedInstruction &D, MachineInstr &MI);
  void linkBlocks();

  ArrayRef<DecodedInstruction> Code;
  const uint64_t Entry;
  const KnownJumps &Jumps;
  MachineFunction &MF;
  LiftedRepresentation::Impl &Impl;
  const TargetInstrInfo &TII;
  const amdgpu::OpcodeMap &Opcodes;
  std::map<uint64_t, MachineBasicBlock *> Blocks;
  std::map<uint64_t, MachineBasicBlock *>::iterator NextBlock;
  MachineBasicBlock *Current = nullptr;
};

/// Blocks begin at the entry, at branch targets, after terminators, and where
/// the code has a gap or overlaps.
void FunctionLifter::createBlocks() {
  std::set<uint64_t> Starts = {Entry};
  uint64_t End = 0;
  for (const DecodedInstruction &D : Code) {
    if (D.Address != End)
      Starts.insert(D.Address);
    End = D.end();
    const MCInstrDesc &Desc = TII.get(Opcodes.pseudoOpcode(D.Inst.getOpcode()));
    if (isDirectBranch(D, Desc))
      Starts.insert(D.target(0));
    if (auto Jump = Jumps.find(D.Address); Jump != Jumps.end())
      Starts.insert(Jump->second);
    if (Desc.isTerminator())
      Starts.insert(End);
  }
  // What runs on into the middle of a stretch.
  for (const DecodedInstruction &D : Code)
    if (&D != &Code.back() && D.end() != std::next(&D)->Address)
      Starts.insert(D.end());
  SmallVector<MachineBasicBlock *> BeforeEntry;
  auto Start = Starts.begin();
  for (const DecodedInstruction &D : Code) {
    while (Start != Starts.end() && *Start < D.Address)
      ++Start;
    if (Start == Starts.end() || *Start != D.Address)
      continue;
    MachineBasicBlock *MBB = MF.CreateMachineBasicBlock();
    Blocks.emplace_hint(Blocks.end(), D.Address, MBB);
    if (D.Address < Entry)
      BeforeEntry.push_back(MBB);
    else
      MF.push_back(MBB);
  }
  for (MachineBasicBlock *MBB : BeforeEntry)
    MF.push_back(MBB);
}

Error FunctionLifter::lift(const DecodedInstruction &D) {
  if (NextBlock != Blocks.end() && NextBlock->first == D.Address)
    Current = (NextBlock++)->second;
  const unsigned Opcode = opcodeOf(D);
  const MCInstrDesc &Desc = TII.get(Opcode);
  if (!amdgpu::opcodeFacts(TII, Opcode).IsKnown)
    return refuse(RefusalReason::UndecodableInstruction,
                  "nothing is known about " + TII.getName(Opcode) + " at 0x" +
                      utohexstr(D.Address));
  // Implicit operands behind the others, which would push them on, and lists of
  // a register's operands when all are there.
  MachineInstr &MI =
      *MF.CreateMachineInstr(Desc, DebugLoc(), /*NoImplicit=*/true);
  MachineInstrBuilder MIB(MF, MI);
  if (isDirectBranch(D, Desc)) {
    MIB.addMBB(blockAt(D.target(0)));
  } else {
    for (unsigned I = 0; I < Desc.getNumOperands(); ++I) {
      std::optional<MCOperand> Op = I < D.Inst.getNumOperands()
                                        ? D.Inst.getOperand(I)
                                        : impliedOperand(D, Desc, I);
      if (!Op) // A real opcode of which the decoder leaves out the same.
        break;
      if (Op->isReg())
        MIB.addReg(Opcodes.pseudoRegister(Op->getReg()),
                   getDefRegState(I < Desc.getNumDefs()));
      else if (Op->isImm())
        MIB.addImm(Op->getImm());
      else
        return refuse(RefusalReason::UndecodableInstruction,
                      "operand " + Twine(I) + " of " + TII.getName(Opcode) +
                          " at 0x" + utohexstr(D.Address));
    }
  }
  MI.addImplicitDefUseOperands(MF);
  Current->push_back(&MI);
  Impl.Origins[&MI] = {D.Address, D.Size, D.HasNeedlessLiteral,
                       fingerprint(MI)};
  // Code that nothing leads to does not run here: a jump through a register
  // that is not understood goes to the original.
  if (D.IsReached && leavesFunction(MI))
    noteTransfer(D, MI);
  if (Opcode == AMDGPU::S_GETPC_B64)
    Impl.References.push_back({&MI, nullptr, nullptr, D.end()});
  return Error::success();
}

/// Where calls go is found out once all functions are there.
void FunctionLifter::noteTransfer(const DecodedInstruction &D,
                                  MachineInstr &MI) {
  ControlTransfer Transfer;
  Transfer.Kind = MI.isCall() ? ControlTransfer::UnresolvedCall
                              : ControlTransfer::UnresolvedJump;
  Transfer.MI = &MI;
  Transfer.Address = D.Address;
  if (auto Jump = Jumps.find(D.Address); Jump != Jumps.end())
    Transfer.Target = blockAt(Jump->second);
  Impl.addTransfer(Transfer);
}

void FunctionLifter::linkBlocks() {
  for (MachineBasicBlock &MBB : MF) {
    const bool FallsThrough = !MBB.back().isBarrier();
    for (const MachineInstr &MI : MBB.terminators()) {
      for (const MachineOperand &MO : MI.operands())
        if (MO.isMBB() && !MBB.isSuccessor(MO.getMBB()))
          MBB.addSuccessor(MO.getMBB());
      if (const auto It = Impl.TransferOf.find(&MI);
          It != Impl.TransferOf.end())
        if (MachineBasicBlock *Target = Impl.Transfers[It->second].Target)
          MBB.addSuccessor(Target);
    }
    MachineBasicBlock *Next = blockAt(endOf(MBB));
    if (!FallsThrough || !Next)
      continue;
    if (!MBB.isSuccessor(Next))
      MBB.addSuccessor(Next);
    if (std::next(MBB.getIterator()) != Next->getIterator())
      BuildMI(MBB, MBB.end(), DebugLoc(), TII.get(AMDGPU::S_BRANCH))
          .addMBB(Next);
  }
}

/// Finds `s_add_u32 lo, lo, imm` and `s_addc_u32 hi, hi, imm` after a getpc:
///   s_getpc_b64    s[4:5]
///   s_sext_i32_i16 s5, s5                      gfx12
///   s_add_u32      s4, s4, data@rel32@lo+4
///   s_addc_u32     s5, s5, data@rel32@hi+12
void recogniseAdditions(PCRelativeReference &Ref,
                        const TargetRegisterInfo &TRI) {
  MachineInstr &GetPC = *Ref.GetPC;
  const Register Pair = GetPC.getOperand(0).getReg();
  const MCRegister Low = TRI.getSubReg(Pair, AMDGPU::sub0);
  const MCRegister High = TRI.getSubReg(Pair, AMDGPU::sub1);
  auto adds = [](const MachineInstr &MI, unsigned Opcode, MCRegister Reg) {
    return MI.getOpcode() == Opcode && MI.getOperand(0).getReg() == Reg &&
           MI.getOperand(1).isReg() && MI.getOperand(1).getReg() == Reg &&
           MI.getOperand(2).isImm();
  };
  MachineInstr *Add = nullptr;
  for (auto It = std::next(GetPC.getIterator()); It != GetPC.getParent()->end();
       ++It) {
    if (!Add && adds(*It, AMDGPU::S_ADD_U32, Low)) {
      Add = &*It;
    } else if (Add && adds(*It, AMDGPU::S_ADDC_U32, High)) {
      uint64_t Offset = static_cast<uint32_t>(Add->getOperand(2).getImm()) |
                        static_cast<uint64_t>(It->getOperand(2).getImm()) << 32;
      Ref.AddLow = Add;
      Ref.AddHigh = &*It;
      Ref.Target += Offset;
      return;
    } else if (!Add && It->getOpcode() == AMDGPU::S_SEXT_I32_I16 &&
               It->getOperand(0).getReg() == High &&
               It->getOperand(1).isReg() &&
               It->getOperand(1).getReg() == High) {
      continue;
    } else if (It->modifiesRegister(Pair, &TRI) ||
               It->readsRegister(Pair, &TRI) ||
               (Add && It->modifiesRegister(AMDGPU::SCC, &TRI))) {
      return;
    }
  }
}

} // namespace

Error liftFunction(ArrayRef<DecodedInstruction> Code, uint64_t Entry,
                   const KnownJumps &Jumps, MachineFunction &MF,
                   LiftedRepresentation::Impl &Impl) {
  const size_t OfOthers = Impl.References.size();
  if (Error E = FunctionLifter(Code, Entry, Jumps, MF, Impl).run())
    return E;
  for (PCRelativeReference &Ref : drop_begin(Impl.References, OfOthers))
    recogniseAdditions(Ref, *MF.getSubtarget().getRegisterInfo());
  return Error::success();
}

} // namespace luthier
