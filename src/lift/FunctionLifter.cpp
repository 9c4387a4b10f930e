// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lift/FunctionLifter.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "amdgpu/OpcodeMap.h"
#include "luthier/Refusal.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetRegisterInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include <map>

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
  FunctionLifter(ArrayRef<DecodedInstruction> Code, MachineFunction &MF,
                 LiftedRepresentation::Impl &Impl)
      : Code(Code), MF(MF), Impl(Impl), TII(*MF.getSubtarget().getInstrInfo()),
        Opcodes(Impl.Target->opcodes()) {}

  Error run() {
    if (Error E = findBlocks())
      return E;
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
    unsigned Pseudo = Opcodes.pseudoOpcode(D.Inst.getOpcode());
    unsigned Expected = TII.get(Pseudo).getNumOperands();
    for (unsigned I = Expected; I < D.Inst.getNumOperands(); ++I)
      if (!D.Inst.getOperand(I).isImm() || D.Inst.getOperand(I).getImm() != 0)
        return D.Inst.getOpcode();
    return D.Inst.getNumOperands() < Expected ? D.Inst.getOpcode() : Pseudo;
  }

  static bool isDirectBranch(const MCInstrDesc &Desc) {
    return Desc.isBranch() && !Desc.isIndirectBranch();
  }

  /// SOPP branches count dwords from the next instruction.
  static uint64_t branchTarget(const DecodedInstruction &D) {
    return D.Address + D.Size +
           4 * int64_t(static_cast<int16_t>(D.Inst.getOperand(0).getImm()));
  }

  MachineBasicBlock *blockAt(uint64_t Address) {
    auto It = Blocks.find(Address);
    return It == Blocks.end() ? nullptr : It->second;
  }

  /// Blocks begin at the entry, at branch targets and after terminators.
  Error findBlocks() {
    DenseMap<uint64_t, bool> Starts;
    for (const DecodedInstruction &D : Code)
      Starts[D.Address] = false;
    Starts[Code.front().Address] = true;
    const uint64_t Begin = Code.front().Address;
    const uint64_t End = Code.back().Address + Code.back().Size;
    for (const DecodedInstruction &D : Code) {
      const MCInstrDesc &Desc = TII.get(opcodeOf(D));
      if (isDirectBranch(Desc)) {
        uint64_t Target = branchTarget(D);
        if (Target < Begin || Target >= End)
          return refuse(RefusalReason::CallsFunctions,
                        "branch at 0x" + utohexstr(D.Address) +
                            " leaves the function");
        auto It = Starts.find(Target);
        if (It == Starts.end())
          return refuse(RefusalReason::MalformedCodeObject,
                        "branch at 0x" + utohexstr(D.Address) +
                            " goes into the middle of an instruction");
        It->second = true;
      }
      if (Desc.isTerminator())
        if (auto It = Starts.find(D.Address + D.Size); It != Starts.end())
          It->second = true;
    }
    for (const DecodedInstruction &D : Code)
      if (Starts[D.Address]) {
        MachineBasicBlock *MBB = MF.CreateMachineBasicBlock();
        MF.push_back(MBB);
        Blocks[D.Address] = MBB;
      }
    return Error::success();
  }

  Error lift(const DecodedInstruction &D) {
    if (MachineBasicBlock *Start = blockAt(D.Address))
      Current = Start;
    const unsigned Opcode = opcodeOf(D);
    const MCInstrDesc &Desc = TII.get(Opcode);
    MachineInstrBuilder MIB =
        BuildMI(*Current, Current->end(), DebugLoc(), Desc);
    Impl.Addresses[MIB] = D.Address;
    if (D.HasNeedlessLiteral)
      Impl.NeedlessLiterals.push_back(MIB);
    if (isDirectBranch(Desc)) {
      MIB.addMBB(blockAt(branchTarget(D)));
      return Error::success();
    }
    for (unsigned I = 0;
         I < std::min<unsigned>(D.Inst.getNumOperands(), Desc.getNumOperands());
         ++I) {
      const MCOperand &Op = D.Inst.getOperand(I);
      if (Op.isReg())
        MIB.addReg(Opcodes.pseudoRegister(Op.getReg()),
                   getDefRegState(I < Desc.getNumDefs()));
      else if (Op.isImm())
        MIB.addImm(Op.getImm());
      else
        return refuse(RefusalReason::UndecodableInstruction,
                      "operand " + Twine(I) + " of " + TII.getName(Opcode) +
                          " at 0x" + utohexstr(D.Address));
    }
    if (leavesFunction(*MIB)) {
      Impl.TransferOf[MIB] = Impl.Transfers.size();
      Impl.Transfers.push_back({Desc.isCall() ? ControlTransfer::UnresolvedCall
                                              : ControlTransfer::UnresolvedJump,
                                &*MIB, nullptr, D.Address});
    }
    if (Opcode == AMDGPU::S_GETPC_B64)
      Impl.References.push_back({&*MIB, nullptr, nullptr, D.Address + D.Size});
    return Error::success();
  }

  void linkBlocks() {
    for (MachineBasicBlock &MBB : MF) {
      bool FallsThrough = true;
      for (const MachineInstr &MI : MBB.terminators()) {
        for (const MachineOperand &MO : MI.operands())
          if (MO.isMBB() && !MBB.isSuccessor(MO.getMBB()))
            MBB.addSuccessor(MO.getMBB());
        FallsThrough &= !MI.isBarrier();
      }
      auto Next = std::next(MBB.getIterator());
      if (FallsThrough && Next != MF.end() && !MBB.isSuccessor(&*Next))
        MBB.addSuccessor(&*Next);
    }
  }

  ArrayRef<DecodedInstruction> Code;
  MachineFunction &MF;
  LiftedRepresentation::Impl &Impl;
  const TargetInstrInfo &TII;
  const amdgpu::OpcodeMap &Opcodes;
  std::map<uint64_t, MachineBasicBlock *> Blocks;
  MachineBasicBlock *Current = nullptr;
};

/// Finds `s_add_u32 lo, lo, imm` and `s_addc_u32 hi, hi, imm` after a getpc:
///   s_getpc_b64 s[4:5]
///   s_add_u32   s4, s4, data@rel32@lo+4
///   s_addc_u32  s5, s5, data@rel32@hi+12
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
    } else if (It->modifiesRegister(Pair, &TRI) ||
               It->readsRegister(Pair, &TRI) ||
               (Add && It->modifiesRegister(AMDGPU::SCC, &TRI))) {
      return;
    }
  }
}

} // namespace

Error liftFunction(ArrayRef<DecodedInstruction> Code, MachineFunction &MF,
                   LiftedRepresentation::Impl &Impl) {
  if (Code.empty())
    return refuse(RefusalReason::MalformedCodeObject, "the kernel is empty");
  if (Error E = FunctionLifter(Code, MF, Impl).run())
    return E;
  for (PCRelativeReference &Ref : Impl.References)
    if (Ref.GetPC->getMF() == &MF)
      recogniseAdditions(Ref, *MF.getSubtarget().getRegisterInfo());
  return Error::success();
}

} // namespace luthier
