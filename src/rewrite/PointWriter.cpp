// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/PointWriter.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "rewrite/ArgumentMoves.h"

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
  encodeMoves(Point.Moves, Frame, Encoder, Code);
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
