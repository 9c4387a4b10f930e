// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/PointWriter.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "amdgpu/RegisterFiles.h"

using namespace llvm;

namespace luthier {

static MCOperand reg(MCRegister R) { return MCOperand::createReg(R); }
static MCOperand imm(int64_t I) { return MCOperand::createImm(I); }

/// Enough for every hazard between vector instructions other than matrix ones
/// (VALU write of an SGPR, VCC or EXEC to a reader that does not wait).
static constexpr unsigned VectorWaitStates = 5;
/// The longest matrix operation's result (16 passes) to any reader.
static constexpr unsigned MatrixWaitStates = 20;

void PointWriter::waitStates(unsigned Count, SmallVectorImpl<uint8_t> &Code) {
  constexpr unsigned MaxPerNop = 8; // On the oldest targets.
  for (; Count > 0; Count -= std::min(Count, MaxPerNop))
    Encoder.encode(AMDGPU::S_NOP, imm(std::min(Count, MaxPerNop) - 1), Code);
}

void PointWriter::move(const ArgumentMove &Move,
                       SmallVectorImpl<uint8_t> &Code) {
  const MCRegisterInfo &MRI = Encoder.target().registers();
  const amdgpu::RegisterFiles &Files = Encoder.target().registerFiles();
  const unsigned First =
      Move.Slot.Index +
      (Move.Slot.IsVector ? Frame.FirstArgumentVGPR : Frame.FirstArgumentSGPR);
  const MCRegister Source = std::holds_alternative<MCRegister>(Move.Value)
                                ? std::get<MCRegister>(Move.Value)
                                : MCRegister();
  if (Source == AMDGPU::SCC) {
    Encoder.encode(AMDGPU::S_CSELECT_B32,
                   {reg(Files.sgpr(First)), imm(1), imm(0)}, Code);
    return;
  }
  for (unsigned I = 0; I < Move.Slot.Dwords; ++I) {
    MCRegister To =
        Move.Slot.IsVector ? Files.vgpr(First + I) : Files.sgpr(First + I);
    if (!Source) {
      uint32_t Bits = std::get<uint64_t>(Move.Value) >> (32 * I);
      Encoder.encode(AMDGPU::S_MOV_B32, {reg(To), imm(int32_t(Bits))}, Code);
      continue;
    }
    MCRegister From =
        Move.Slot.Dwords == 1
            ? Source
            : MRI.getSubReg(Source, I ? AMDGPU::sub1 : AMDGPU::sub0);
    unsigned Opcode = AMDGPU::S_MOV_B32;
    if (Files.rangeOf(From).File == amdgpu::RegisterFile::AGPR)
      Opcode = AMDGPU::V_ACCVGPR_READ_B32_e64;
    else if (Move.Slot.IsVector)
      Opcode = AMDGPU::V_MOV_B32_e32;
    Encoder.encode(Opcode, {reg(To), reg(From)}, Code);
  }
}

void PointWriter::write(const PlannedPoint &Point, LiveFlags Live,
                        amdgpu::CodeLayout &Layout) {
  const Payload &P = Payloads[Point.Variant];
  const bool SaveSCC = P.UsesSCC || (P.ClobbersSCC && Live.SCC);
  const bool SaveVCC = P.UsesVCC || (P.ClobbersVCC && Live.VCC);
  const bool SaveEXEC = P.UsesEXEC || P.WritesEXEC;
  const bool SaveM0 = P.UsesM0 || P.ClobbersM0;
  bool ReadsRegisters = false, ReadsVectors = false;
  for (const ArgumentMove &Move : Point.Moves) {
    ReadsRegisters |= std::holds_alternative<MCRegister>(Move.Value);
    ReadsVectors |= Move.Slot.IsVector;
  }

  SmallVector<uint8_t, 64> Code;
  if (ReadsRegisters || (Hazards.LoadsVCC && (P.ClobbersVCC || P.UsesVCC)))
    Encoder.encode(AMDGPU::S_WAITCNT, imm(0), Code);
  if (SaveSCC)
    Encoder.encode(AMDGPU::S_CSELECT_B32, {reg(Frame.SccSave), imm(1), imm(0)},
                   Code);
  if (SaveVCC)
    Encoder.encode(AMDGPU::S_MOV_B64, {reg(Frame.VccSave), reg(AMDGPU::VCC)},
                   Code);
  if (SaveEXEC)
    Encoder.encode(AMDGPU::S_MOV_B64, {reg(Frame.ExecSave), reg(AMDGPU::EXEC)},
                   Code);
  if (SaveM0)
    Encoder.encode(AMDGPU::S_MOV_B32, {reg(Frame.M0Save), reg(AMDGPU::M0)},
                   Code);
  if (ReadsVectors || P.ReadsApplication)
    waitStates(Hazards.MatrixOps ? MatrixWaitStates : VectorWaitStates, Code);
  for (const ArgumentMove &Move : Point.Moves)
    move(Move, Code);
  if (P.NeedsDistance || P.ReadsApplication)
    waitStates(VectorWaitStates, Code);
  Layout.append(Code);

  Layout.append(P.Code);

  Code.clear();
  if (SaveEXEC)
    Encoder.encode(AMDGPU::S_MOV_B64, {reg(AMDGPU::EXEC), reg(Frame.ExecSave)},
                   Code);
  if (SaveVCC)
    Encoder.encode(AMDGPU::S_MOV_B64, {reg(AMDGPU::VCC), reg(Frame.VccSave)},
                   Code);
  if (SaveM0) {
    Encoder.encode(AMDGPU::S_MOV_B32, {reg(AMDGPU::M0), reg(Frame.M0Save)},
                   Code);
    waitStates(1, Code); // Before LDS, GDS, s_sendmsg and s_movrel read it.
  }
  if (SaveSCC)
    Encoder.encode(AMDGPU::S_CMP_LG_U32, {reg(Frame.SccSave), imm(0)}, Code);
  if (P.WritesApplication)
    waitStates(VectorWaitStates, Code);
  Layout.append(Code);
}

} // namespace luthier
