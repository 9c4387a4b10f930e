// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/emit/PointerDispatch.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"

using namespace llvm;

namespace luthier {

static MCOperand reg(MCRegister R) { return MCOperand::createReg(R); }
static MCOperand imm(int64_t I) { return MCOperand::createImm(I); }

void PointerDispatch::op(unsigned Opcode, ArrayRef<MCOperand> Operands) const {
  SmallVector<uint8_t, 8> Code;
  Encoder.encode(Opcode, Operands, Code);
  Layout.append(Code);
}

void PointerDispatch::setSCC(bool Value) const {
  op(Value ? AMDGPU::S_CMP_EQ_U32 : AMDGPU::S_CMP_LG_U32, {imm(0), imm(0)});
}

/// Goes to \p Next unless \p Half holds that half of where \p Original is.
void PointerDispatch::skipUnless(
    MCRegister Half, bool IsHigh, uint64_t Original, Label Next,
    std::vector<OriginalAddress> &Addresses) const {
  // One that does not fit an inline constant makes room for a literal.
  constexpr uint64_t Placeholder = 0x12345678'12345678;
  const uint64_t Address = LoadBias ? Original + *LoadBias : Placeholder;
  op(AMDGPU::S_CMP_LG_U32,
     {reg(Half), imm(int32_t(IsHigh ? Address >> 32 : Address))});
  if (!LoadBias)
    Addresses.push_back({Layout.size() - 4, IsHigh, Original});
  Layout.branch(Encoder.branchWord(AMDGPU::S_CBRANCH_SCC1), Next);
}

void PointerDispatch::writeChain(
    MCRegister Pointer, bool SCC, std::optional<Label> Leave,
    std::vector<OriginalAddress> &Addresses) const {
  const MCRegisterInfo &MRI = Encoder.target().registers();
  for (const PointerTarget &Target : Targets) {
    const Label Next = Layout.createLabel();
    for (bool IsHigh : {false, true})
      skipUnless(MRI.getSubReg(Pointer, IsHigh ? AMDGPU::sub1 : AMDGPU::sub0),
                 IsHigh, Target.Original, Next, Addresses);
    setSCC(SCC);
    Layout.branch(Encoder.branchWord(AMDGPU::S_BRANCH), Target.Copy);
    Layout.bind(Next);
    Layout.allowIslands(false);
  }
  setSCC(SCC);
  if (Leave)
    Layout.branch(Encoder.branchWord(AMDGPU::S_BRANCH), *Leave);
  else
    leave(Pointer);
}

void PointerDispatch::leave(MCRegister Pointer) const {
  op(AMDGPU::S_SETPC_B64, reg(Pointer));
}

void PointerDispatch::write(MCRegister Pointer, Label Start,
                            std::optional<Label> Leave,
                            std::vector<OriginalAddress> &Addresses) const {
  const Label One = Layout.createLabel();
  Layout.bind(Start);
  Layout.branch(Encoder.branchWord(AMDGPU::S_CBRANCH_SCC1), One);
  writeChain(Pointer, false, Leave, Addresses);
  Layout.bind(One);
  writeChain(Pointer, true, Leave, Addresses);
}

} // namespace luthier
