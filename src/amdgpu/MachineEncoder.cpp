// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "amdgpu/MachineEncoder.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "amdgpu/OpcodeMap.h"
#include "llvm/CodeGen/MachineBasicBlock.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineInstr.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/MC/MCCodeEmitter.h"
#include "llvm/MC/MCExpr.h"
#include "llvm/MC/MCFixup.h"
#include "llvm/Support/Endian.h"

using namespace llvm;

namespace luthier::amdgpu {

MachineEncoder::MachineEncoder(const MCTarget &Target)
    : Target(Target),
      Context(std::make_unique<MCContext>(Target.triple(), &Target.asmInfo(),
                                          &Target.registers(),
                                          &Target.subtarget())),
      Emitter(Target.target().createMCCodeEmitter(Target.instructions(),
                                                  *Context)) {}

MachineEncoder::~MachineEncoder() = default;

static std::string nameOf(const MachineInstr &MI) {
  return MI.getMF()
      ->getSubtarget()
      .getInstrInfo()
      ->getName(MI.getOpcode())
      .str();
}

Expected<MCInst> MachineEncoder::lower(const MachineInstr &MI) const {
  std::optional<unsigned> Opcode = Target.opcodes().realOpcode(MI.getOpcode());
  if (!Opcode)
    return createStringError(nameOf(MI) + " has no encoding for " +
                             Target.subtarget().getCPU());
  MCInst Inst;
  Inst.setOpcode(*Opcode);
  for (const MachineOperand &MO : MI.explicit_operands()) {
    if (MO.isReg())
      Inst.addOperand(
          MCOperand::createReg(Target.opcodes().realRegister(MO.getReg())));
    else if (MO.isImm())
      Inst.addOperand(MCOperand::createImm(MO.getImm()));
    else if (MO.isMBB()) // Filled in by the layout.
      Inst.addOperand(MCOperand::createImm(0));
    else
      return createStringError(nameOf(MI) +
                               " has an operand that needs a relocation");
  }
  // Operands that the real form has and the pseudo lacks are modifiers at the
  // end, such as DPP16's fetch-inactive; zero is their default.
  const unsigned Expected = Target.instructions().get(*Opcode).getNumOperands();
  while (Inst.getNumOperands() < Expected)
    Inst.addOperand(MCOperand::createImm(0));
  return Inst;
}

Error MachineEncoder::encode(
    const MachineInstr &MI, CodeLayout &Layout,
    function_ref<CodeLayout::Label(const MachineBasicBlock &)> LabelOf) {
  // Inline assembly only ever names registers here; it has no text.
  if (MI.isMetaInstruction() || MI.isBundle() || MI.isInlineAsm() ||
      MI.getOpcode() == AMDGPU::WAVE_BARRIER ||
      MI.getOpcode() == AMDGPU::SCHED_BARRIER)
    return Error::success();
  Expected<MCInst> Inst = lower(MI);
  if (!Inst)
    return Inst.takeError();
  SmallVector<char, 16> Code;
  SmallVector<MCFixup, 2> Fixups;
  Emitter->encodeInstruction(*Inst, Code, Fixups, Target.subtarget());
  const MachineOperand *Destination = nullptr;
  for (const MachineOperand &MO : MI.explicit_operands())
    if (MO.isMBB())
      Destination = &MO;
  if (!Destination) {
    Layout.append(
        ArrayRef(reinterpret_cast<uint8_t *>(Code.data()), Code.size()));
    return Error::success();
  }
  if (!MI.isBranch() || Code.size() != sizeof(uint32_t))
    return createStringError(nameOf(MI) + " is not a branch that can be laid "
                                          "out");
  Layout.branch(support::endian::read32le(Code.data()),
                LabelOf(*Destination->getMBB()));
  return Error::success();
}

void MachineEncoder::encode(unsigned Opcode, ArrayRef<MCOperand> Operands,
                            SmallVectorImpl<uint8_t> &Code) {
  MCInst Inst;
  Inst.setOpcode(Target.opcodes().realOpcode(Opcode).value());
  for (const MCOperand &Op : Operands)
    Inst.addOperand(Op.isReg() ? MCOperand::createReg(
                                     Target.opcodes().realRegister(Op.getReg()))
                               : Op);
  SmallVector<char, 16> Bytes;
  SmallVector<MCFixup, 2> Fixups;
  Emitter->encodeInstruction(Inst, Bytes, Fixups, Target.subtarget());
  Code.append(Bytes.begin(), Bytes.end());
}

CodeLayout MachineEncoder::createLayout() {
  return CodeLayout(branchWord(AMDGPU::S_BRANCH));
}

uint32_t MachineEncoder::branchWord(unsigned Opcode) {
  uint32_t &Word = BranchWords[Opcode];
  if (!Word) {
    SmallVector<uint8_t, 4> Code;
    encode(Opcode, MCOperand::createImm(0), Code);
    Word = support::endian::read32le(Code.data());
  }
  return Word;
}

} // namespace luthier::amdgpu
