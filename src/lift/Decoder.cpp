// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lift/Decoder.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "codeobject/CodeObject.h"
#include "luthier/Refusal.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/MC/MCExpr.h"
#include "llvm/Support/Endian.h"
#include <array>

using namespace llvm;

namespace luthier {

/// The longest encoding: two dwords, or one and a literal, or an image
/// instruction with three further dwords of addresses.
static constexpr uint64_t LongestInstruction = 20;

/// LLVM tells needless literals from inline constants by wrapping them in an
/// expression, which lives no longer than its context.
static void unwrapLiterals(DecodedInstruction &D) {
  for (MCOperand &Op : D.Inst)
    if (int64_t Value; Op.isExpr() && Op.getExpr()->evaluateAsAbsolute(Value)) {
      Op = MCOperand::createImm(Value);
      D.HasNeedlessLiteral = true;
    }
}

Decoder::Decoder(const amdgpu::MCTarget &Target)
    : Target(Target), Context(Target.triple(), &Target.asmInfo(),
                              &Target.registers(), &Target.subtarget()),
      Disassembler(
          Target.target().createMCDisassembler(Target.subtarget(), Context)) {}

/// v_readfirstlane has a scalar destination, operations on barriers a number or
/// M0 for a source. Before gfx10 the long operations have no room for a literal
/// either. LLVM 22 does not survive one there.
static bool hasImpossibleLiteral(const MCSubtargetInfo &STI,
                                 ArrayRef<uint8_t> Code) {
  constexpr uint32_t Literal = 255;
  constexpr uint32_t Vector = 0x34, Buffer = 0x38, TypedBuffer = 0x3a;
  const uint32_t First = support::endian::read32le(&Code[0]);
  const uint32_t Second = support::endian::read32le(&Code[4]);
  constexpr uint32_t VOP1ReadFirstLane = 0x7e000400;
  if ((First & 0xfe01fe00) == VOP1ReadFirstLane)
    return (First >> 17 & 0xff) == Literal;
  constexpr uint32_t SOP1 = 0x17d, FirstOnBarriers = 0x4e,
                     LastOnBarriers = 0x54, AllocVgpr = 0x53;
  if (First >> 23 == SOP1 && (First >> 8 & 0xff) >= FirstOnBarriers &&
      (First >> 8 & 0xff) <= LastOnBarriers &&
      (First >> 8 & 0xff) != AllocVgpr &&
      targetTraits(STI).Instructions.HasNamedBarriers)
    return (First & 0xff) == Literal;
  if (STI.hasFeature(AMDGPU::FeatureVOP3Literal))
    return false;
  if (First >> 26 == Buffer || First >> 26 == TypedBuffer)
    return Second >> 24 == Literal;
  if (First >> 26 != Vector)
    return false;
  const uint32_t Opcode = First >> 16 & 0x3ff;
  constexpr uint32_t FirstNoComparison = 0x100, ReadFirstLane = 0x142,
                     ReadLane = 0x289;
  if ((Opcode < FirstNoComparison || Opcode == ReadFirstLane ||
       Opcode == ReadLane) &&
      (First & 0xff) == Literal)
    return true;
  return any_of(std::array{0, 9, 18}, [&](unsigned Shift) {
    return (Second >> Shift & 0x1ff) == Literal;
  });
}

/// v_madmk_f16 and v_madak_f16, or v_fmamk_f16 and v_fmaak_f16, with a constant
/// of 255, which LLVM 22 takes for the mark of a literal and does not survive.
/// It has 16 bits, so that with one more set it is another one to LLVM only.
static constexpr uint32_t MistakenConstant = 255;
static constexpr uint32_t DisguisedConstant = MistakenConstant | 1 << 16;

static bool hasMistakenConstant(const MCSubtargetInfo &STI,
                                ArrayRef<uint8_t> Code) {
  const uint32_t Opcode = support::endian::read32le(&Code[0]) >> 25;
  const uint32_t FirstOfTwo =
      STI.hasFeature(AMDGPU::FeatureVOP3Literal) ? 0x37 : 0x24;
  return (Opcode == FirstOfTwo || Opcode == FirstOfTwo + 1) &&
         support::endian::read32le(&Code[4]) == MistakenConstant;
}

/// Whether the instruction at \p Code has four bytes for sure. LLVM looks
/// through all encodings of eight first, where it is shown so many bytes.
static bool isShort(const MCSubtargetInfo &STI, ArrayRef<uint8_t> Code) {
  // Later processors have further long forms of these.
  if (STI.hasFeature(AMDGPU::FeatureVOP3Literal))
    return false;
  const uint32_t First = support::endian::read32le(Code.data());
  constexpr uint32_t Literal = 255, WithLanes = 250, WithParts = 249;
  constexpr uint32_t SOP1 = 0x17d, SOPC = 0x17e, SOPP = 0x17f, SOPK = 0xb;
  const uint32_t LastScalar = First & 0xff, FirstScalar = First >> 8 & 0xff;
  if (First >> 30 == 2) {
    if (First >> 23 == SOPP)
      return true;
    if (First >> 23 == SOP1)
      return LastScalar != Literal;
    return (First >> 23 == SOPC || First >> 28 != SOPK) &&
           LastScalar != Literal && FirstScalar != Literal;
  }
  if (First >> 31)
    return false;
  // With a constant behind them: v_madmk, v_madak.
  constexpr uint32_t OfSingle = 0x17, OfHalf = 0x24;
  const uint32_t Opcode = First >> 25, Source = First & 0x1ff;
  return Opcode != OfSingle && Opcode != OfSingle + 1 && Opcode != OfHalf &&
         Opcode != OfHalf + 1 && Source != Literal && Source != WithLanes &&
         Source != WithParts;
}

/// LLVM 22 decodes constants in fields that only hold registers, and does not
/// survive encoding them again.
static bool hasImpossibleConstant(const MCInst &Inst, const MCInstrInfo &MCII) {
  const MCInstrDesc &Desc = MCII.get(Inst.getOpcode());
  for (unsigned I = 0; I < Inst.getNumOperands(); ++I)
    if (I < Desc.getNumOperands() && Inst.getOperand(I).isImm() &&
        Desc.operands()[I].OperandType == MCOI::OPERAND_REGISTER)
      return true;
  return false;
}

Expected<DecodedInstruction> Decoder::first(ArrayRef<uint8_t> Code,
                                            uint64_t Address) {
  DecodedInstruction D;
  uint64_t Size = 0;
  // LLVM crashes where a literal is cut off by the end of the code.
  std::array<uint8_t, LongestInstruction> Padded{};
  ArrayRef<uint8_t> Whole = Code;
  if (Code.size() < Padded.size()) {
    copy(Code, Padded.begin());
    Whole = Padded;
  }
  const MCSubtargetInfo &STI = Disassembler->getSubtargetInfo();
  const bool IsDisguised = hasMistakenConstant(STI, Whole);
  if (IsDisguised) {
    copy(Whole.take_front(LongestInstruction), Padded.begin());
    support::endian::write32le(&Padded[4], DisguisedConstant);
    Whole = Padded;
  }
  MCDisassembler::DecodeStatus Status = MCDisassembler::Fail;
  if (!hasImpossibleLiteral(STI, Whole))
    Status = Disassembler->getInstruction(
        D.Inst, Size, isShort(STI, Whole) ? Whole.take_front(4) : Whole,
        Address, nulls());
  if (Status == MCDisassembler::Fail || Size == 0 || Size > Code.size() ||
      hasImpossibleConstant(D.Inst, Target.instructions()))
    return refuse(RefusalReason::UndecodableInstruction,
                  "at 0x" + utohexstr(Address) + ": " +
                      toHex(Code.take_front(8)));
  unwrapLiterals(D);
  if (IsDisguised)
    for (MCOperand &Op : D.Inst)
      if (Op.isImm() && Op.getImm() == DisguisedConstant)
        Op.setImm(MistakenConstant);
  D.Address = Address;
  D.Size = Size;
  return D;
}

Expected<DecodedInstruction> Decoder::at(const CodeObject &Object,
                                         uint64_t Address) {
  std::optional<ArrayRef<uint8_t>> Code = Object.code(Address);
  if (!Code || Address % 4)
    return refuse(RefusalReason::UndecodableInstruction,
                  "at 0x" + utohexstr(Address) + ": there is no code");
  return first(Code->take_front(LongestInstruction), Address);
}

Expected<std::vector<DecodedInstruction>> decode(const amdgpu::MCTarget &Target,
                                                 ArrayRef<uint8_t> Code,
                                                 uint64_t Address) {
  Decoder Decode(Target);
  std::vector<DecodedInstruction> Result;
  Result.reserve(Code.size() / 6);
  for (uint64_t Offset = 0; Offset < Code.size();) {
    Expected<DecodedInstruction> D =
        Decode.first(Code.drop_front(Offset), Address + Offset);
    if (!D)
      return D.takeError();
    Offset += D->Size;
    Result.push_back(std::move(*D));
  }
  return Result;
}

} // namespace luthier
