// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/emit/OriginalPC.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "amdgpu/OpcodeMap.h"
#include "llvm/CodeGen/MachineInstr.h"

using namespace llvm;

namespace luthier {
namespace {

/// The pair that an s_getpc writes.
struct Destination {
  Destination(const MachineInstr &GetPC, const MCRegisterInfo &MRI)
      : Pair(GetPC.getOperand(0).getReg().asMCReg()),
        Low(MRI.getSubReg(Pair, AMDGPU::sub0)),
        High(MRI.getSubReg(Pair, AMDGPU::sub1)) {}
  MCRegister Pair, Low, High;
};

MCOperand reg(MCRegister R) { return MCOperand::createReg(R); }
MCOperand imm(int64_t I) { return MCOperand::createImm(I); }

} // namespace

void writeOriginalPC(const MachineInstr &GetPC, uint64_t PC,
                     amdgpu::MachineEncoder &Encoder,
                     amdgpu::CodeLayout &Layout) {
  const Destination To(GetPC, Encoder.target().registers());
  SmallVector<uint8_t, 16> Code;
  Encoder.encode(AMDGPU::S_MOV_B32, {reg(To.Low), imm(int32_t(PC))}, Code);
  Encoder.encode(AMDGPU::S_MOV_B32, {reg(To.High), imm(int32_t(PC >> 32))},
                 Code);
  Layout.append(Code);
}

void writeDistantPC(const MachineInstr &GetPC, int64_t PC,
                    amdgpu::MachineEncoder &Encoder,
                    amdgpu::CodeLayout &Layout) {
  const Destination To(GetPC, Encoder.target().registers());
  // Any value that does not fit an inline constant makes room for a literal.
  constexpr int64_t Placeholder = 0x12345678;
  // Generation 12 does not hold back readers of what scalar code wrote over
  // operands of vector code.
  const bool Waits = Encoder.target()
                         .opcodes()
                         .realOpcode(AMDGPU::S_WAITCNT_DEPCTR)
                         .has_value();
  auto writeCopy = [&](unsigned Compare) {
    SmallVector<uint8_t, 48> Code;
    auto await = [&] {
      if (Waits)
        Encoder.encode(AMDGPU::S_WAITCNT_DEPCTR, imm(0), Code);
    };
    Encoder.encode(AMDGPU::S_GETPC_B64, {reg(To.Pair)}, Code);
    const size_t From = Code.size();
    await();
    Encoder.encode(AMDGPU::S_ADD_U32,
                   {reg(To.Low), reg(To.Low), imm(Placeholder)}, Code);
    const size_t Low = Code.size() - 4;
    Encoder.encode(AMDGPU::S_ADDC_U32,
                   {reg(To.High), reg(To.High), imm(Placeholder)}, Code);
    const size_t High = Code.size() - 4;
    await();
    Encoder.encode(Compare, {reg(To.Low), reg(To.Low)}, Code);
    const size_t Start = Layout.size();
    Layout.append(Code);
    Layout.distance(Start + Low, Start + High, Start + From, PC);
  };
  const amdgpu::CodeLayout::Label One = Layout.createLabel();
  const amdgpu::CodeLayout::Label Done = Layout.createLabel();
  Layout.branch(Encoder.branchWord(AMDGPU::S_CBRANCH_SCC1), One);
  writeCopy(AMDGPU::S_CMP_LG_U32);
  Layout.branch(Encoder.branchWord(AMDGPU::S_BRANCH), Done);
  Layout.bind(One);
  writeCopy(AMDGPU::S_CMP_EQ_U32);
  Layout.bind(Done);
}

} // namespace luthier
