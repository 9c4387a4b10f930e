// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/exec/InstBuilder.h"
#include "SIDefines.h"
#include "emulator/core/Wave.h"
#include "emulator/isa/AddressMode.h"
#include "llvm/MC/MCExpr.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

namespace luthier::emulator {

namespace {
using N = OperandName;
namespace flags = llvm::SIInstrFlags;
} // namespace

const llvm::MCOperand *InstBuilder::operand(OperandName Name) const {
  int Index = namedOperand(opcode(), Name);
  if (Index < 0 || unsigned(Index) >= MI.getNumOperands())
    return nullptr;
  return &MI.getOperand(Index);
}

const llvm::MCOperand *
InstBuilder::operand(std::initializer_list<OperandName> Names) const {
  for (OperandName Name : Names)
    if (const llvm::MCOperand *O = operand(Name))
      return O;
  return nullptr;
}

static std::optional<int64_t> constantOf(const llvm::MCOperand &O) {
  int64_t Value;
  if (O.isImm())
    return O.getImm();
  if (O.isExpr() && O.getExpr()->evaluateAsAbsolute(Value))
    return Value;
  return std::nullopt;
}

std::optional<int64_t> InstBuilder::immediate(OperandName Name) const {
  const llvm::MCOperand *O = operand(Name);
  return O ? constantOf(*O) : std::nullopt;
}

void InstBuilder::setRegister(Operand &To, unsigned Reg) {
  namespace hw = llvm::AMDGPU::HWEncoding;
  unsigned Encoding = Registers.getEncodingValue(Reg);
  unsigned First = Encoding & hw::REG_IDX_MASK, Last = First;
  for (llvm::MCPhysReg Sub : Registers.subregs(Reg)) {
    unsigned Index = Registers.getEncodingValue(Sub) & hw::REG_IDX_MASK;
    Last = std::max(Last, Index);
  }
  To.NumRegs = uint8_t(Last - First + 1);
  // Register banks of 64 bits make tuples of vectors begin even.
  if (T.HasUnifiedFile && (Encoding & (hw::IS_AGPR | hw::IS_VGPR)))
    Valid &= To.NumRegs == 1 || First % 2 == 0;
  if (Encoding & hw::IS_HI16)
    To.Select = Part::Word1;
  if (Encoding & hw::IS_AGPR) {
    To.Kind = Source::Vgpr;
    To.Reg = uint16_t(NumArchVgprs + First);
    NumAgprs = std::max(NumAgprs, Last + 1);
    return;
  }
  if (Encoding & hw::IS_VGPR) {
    To.Kind = Source::Vgpr;
    To.Reg = uint16_t(First);
    NumVgprs = std::max(NumVgprs, Last + 1);
    return;
  }
  setScalarRegister(To, First, Last);
}

/// One dword, as the first source of what takes its first source as it is.
bool InstBuilder::canReadLdsDirect(const Operand &To) const {
  const uint64_t Flags = Instructions.get(opcode()).TSFlags;
  return &To == &I.Src[0] && (Flags & flags::VALU) &&
         !(Flags & (flags::SDWA | flags::DPP | flags::IsMAI)) &&
         !isPair(To.Type) && To.Type != ValueType::Wide &&
         !Facts.has(trait::Reversed) && !Facts.has(trait::NoLdsSource);
}

void InstBuilder::setScalarRegister(Operand &To, unsigned First,
                                    unsigned Last) {
  constexpr uint64_t ApertureSize = uint64_t(1) << 32;
  auto SetConstant = [&](uint64_t Value) {
    To.Kind = Source::Constant;
    To.Value = Value;
  };
  To.Kind = Source::Sgpr;
  To.Reg = uint16_t(T.scalarIndex(First));
  switch (T.scalarOperand(First)) {
  case ScalarOperand::None:
  case ScalarOperand::PopsExitingWaveId:
    Valid = false;
    return;
  case ScalarOperand::SharedBase:
    return SetConstant(LdsApertureBase);
  case ScalarOperand::SharedLimit:
    return SetConstant(LdsApertureBase + ApertureSize - 1);
  case ScalarOperand::PrivateBase:
    return SetConstant(ScratchApertureBase);
  case ScalarOperand::PrivateLimit:
    return SetConstant(ScratchApertureBase + ApertureSize - 1);
  case ScalarOperand::VccZero:
  case ScalarOperand::ExecZero:
    To.Kind = Source::Special;
    return;
  case ScalarOperand::LdsDirect:
    To.Kind = Source::Special;
    Valid &= canReadLdsDirect(To);
    return;
  case ScalarOperand::Sgpr:
    NumSgprs = std::max(NumSgprs, Last + 1);
    return;
  case ScalarOperand::FlatScratch:
  case ScalarOperand::XnackMask:
  case ScalarOperand::Vcc:
  case ScalarOperand::TrapTemp:
  case ScalarOperand::M0:
  case ScalarOperand::Null:
  case ScalarOperand::Exec:
  case ScalarOperand::Scc:
    return;
  }
}

/// A write to NULL must not change what reading it gives.
void InstBuilder::redirectNullResults() {
  if (I.Dst.Kind == Source::Sgpr && I.Dst.Reg == sreg::Null)
    I.Dst.Reg = sreg::Sink;
  if (I.ScalarDst == sreg::Null)
    I.ScalarDst = sreg::Sink;
}

void InstBuilder::setOperand(Operand &To, const llvm::MCOperand *From,
                             ValueType Type) {
  To.Type = Type;
  if (!From)
    return;
  if (From->isReg()) {
    if (From->getReg())
      setRegister(To, From->getReg());
  } else if (auto Value = constantOf(*From)) {
    To.Kind = Source::Constant;
    To.Value = uint64_t(*Value);
    // A literal is 32 bits; signed operations extend its sign.
    if (Type == ValueType::I64 && llvm::isUInt<32>(*Value))
      To.Value = uint64_t(int64_t(int32_t(*Value)));
  } else {
    Valid = false;
  }
  To.Slow = To.Kind != Source::Vgpr;
}

bool InstBuilder::build() {
  const llvm::MCInstrDesc &Desc = Instructions.get(opcode());
  uint64_t Flags = Desc.TSFlags;
  I.Counted = 1;
  I.Flow = Facts.Flow;
  I.IsVector = !(Flags & (flags::SALU | flags::SMRD)) && !Op.LaneAccess;
  I.ScalarLanes = I.IsVector ? 0 : 1;
  if (auto Value = immediate(N::simm16))
    I.Immediate = int32_t(*Value);
  if (Flags & flags::SMRD)
    buildScalarMemory();
  else if (Flags & flags::SOP1)
    buildScalarUnary(Desc);
  else if (Flags & flags::SALU)
    buildScalar();
  else if (Flags & flags::DS)
    buildLds();
  else if (Flags & flags::LDSDIR)
    buildLdsDirect();
  else if (Flags & flags::FLAT)
    buildFlat(Flags);
  else if (Flags & (flags::MUBUF | flags::MTBUF))
    buildBuffer();
  else
    buildVector(Flags);
  // Some compare or write elsewhere, with the "destination" as their source.
  if (Desc.getNumDefs())
    redirectNullResults();
  noteFloatMode();
  noteNeeds();
  return Valid;
}

bool InstBuilder::buildDualPart(unsigned Part, unsigned &Next) {
  I.Counted = 1;
  I.IsVector = true;
  I.ScalarDst = I.MaskSrc = sreg::Vcc;
  setOperand(I.Dst, &MI.getOperand(Part), Op.Dst);
  for (unsigned S = 0; S != 3 && Op.Src[S] != ValueType::None; ++S) {
    if (Next == MI.getNumOperands())
      return false;
    // The disassembler leaves tied operands of pairs unset.
    int Tied = Instructions.get(opcode()).getOperandConstraint(
        Next, llvm::MCOI::TIED_TO);
    setOperand(I.Src[S], &MI.getOperand(Tied >= 0 ? unsigned(Tied) : Next),
               Op.Src[S]);
    ++Next;
  }
  buildModifiers(0);
  noteFloatMode();
  noteNeeds();
  return Valid;
}

void InstBuilder::noteNeeds() {
  I.Needs = NumVgprs | uint64_t(NumAgprs) << 16 | uint64_t(NumSgprs) << 32;
}

static bool reads(const Inst &Reader, const Inst &Writer) {
  return std::ranges::any_of(Reader.Src, [&](const Operand &O) {
    return O.Kind == Source::Vgpr && O.Reg == Writer.Dst.Reg;
  });
}

void joinDual(DualInst &Dual, Inst &I) {
  const Inst &First = Dual.Parts[0].I, &Second = Dual.Parts[1].I;
  Dual.SecondReadsFirst = reads(Second, First);
  Dual.FirstReadsSecond = reads(First, Second);
  I.Counted = 1;
  I.IsVector = true;
  I.FloatMode = First.FloatMode ? First.FloatMode : Second.FloatMode;
  for (unsigned Shift : {0, 16, 32}) {
    uint64_t Field = uint64_t(0xffff) << Shift;
    I.Needs |= std::max(First.Needs & Field, Second.Needs & Field);
  }
}

void InstBuilder::buildScalar() {
  setOperand(I.Dst, operand(N::sdst), Op.Dst);
  setOperand(I.Src[0], operand({N::src0, N::imm}), Op.Src[0]);
  // The literal of s_fmamk is the second factor, that of s_fmaak the addend.
  bool LiteralSecond =
      Op.Src[2] != ValueType::None &&
      namedOperand(opcode(), N::imm) < namedOperand(opcode(), N::src1);
  setOperand(I.Src[1], operand(LiteralSecond ? N::imm : N::src1), Op.Src[1]);
  if (Op.Src[2] != ValueType::None)
    setOperand(I.Src[2], operand(LiteralSecond ? N::src1 : N::imm), Op.Src[2]);
  // s_set_gpr_idx_on keeps its operand bits in the second source field.
  if (Op.Src[1] == ValueType::None && I.Src[1].Kind == Source::Constant)
    I.Immediate = int32_t(I.Src[1].Value);
}

/// LLVM names no operands of these: an optional destination, then a source.
void InstBuilder::buildScalarUnary(const llvm::MCInstrDesc &Desc) {
  unsigned Next = 0;
  if (Desc.getNumDefs() || MI.getNumOperands() > 1)
    setOperand(I.Dst, &MI.getOperand(Next++), Op.Dst);
  if (Next < MI.getNumOperands())
    setOperand(I.Src[0], &MI.getOperand(Next), Op.Src[0]);
}

void InstBuilder::buildScalarMemory() {
  setOperand(I.Dst, operand({N::sdst, N::sdata}), Op.Dst);
  setOperand(I.Src[0], operand(N::sbase), Op.Src[0]);
  setOperand(I.Src[1], operand(N::soffset), Op.Src[1]);
  I.Offset = int32_t(immediate(N::offset).value_or(0));
  I.Glc = immediate(N::cpol).value_or(0) & llvm::AMDGPU::CPol::GLC;
}

void InstBuilder::buildLds() {
  setOperand(I.Dst, operand(N::vdst), ValueType::Wide);
  setOperand(I.Src[0], operand(N::addr), ValueType::U32);
  setOperand(I.Src[1], operand(N::data0), ValueType::Wide);
  setOperand(I.Src[2], operand(N::data1), ValueType::Wide);
  I.Offset =
      int32_t(immediate(N::offset0).value_or(immediate(N::offset).value_or(0)));
  I.Immediate = int32_t(immediate(N::offset1).value_or(0));
  // There is no global data share.
  Valid &= immediate(N::gds).value_or(0) == 0;
}

/// Immediate is how many VALU operations may be outstanding, and 16 more where
/// memory operations may not have read their registers yet.
void InstBuilder::buildLdsDirect() {
  setOperand(I.Dst, operand(N::vdst), ValueType::U32);
  I.Immediate = int32_t(immediate(N::waitvdst).value_or(0) |
                        immediate(N::waitvsrc).value_or(1) << 4);
}

/// Which bits loads of the device's and the system's scope have is in LLVM's
/// memory model (AMDGPUUsage).
void InstBuilder::setCachePolicy() {
  namespace Policy = llvm::AMDGPU::CPol;
  const int64_t Bits = immediate(N::cpol).value_or(0);
  I.Glc = Bits & Policy::GLC;
  I.IsCoherent = T.HasCacheScopes ? (Bits & Policy::SCOPE) >= Policy::SCOPE_DEV
                                  : Bits & (Policy::GLC | Policy::SC1);
}

void InstBuilder::buildFlat(uint64_t Flags) {
  setOperand(I.Dst, operand(N::vdst), ValueType::Wide);
  setOperand(I.Src[0], operand(N::vaddr), ValueType::Wide);
  setOperand(I.Src[1], operand(N::vdata), ValueType::Wide);
  setOperand(I.Src[2], operand(N::saddr), ValueType::Wide);
  int64_t Offset = immediate(N::offset).value_or(0);
  if (Flags & flags::FlatGlobal)
    I.AddressMode = address::Global;
  else if (Flags & flags::FlatScratch)
    I.AddressMode = address::Scratch;
  unsigned Bits = T.FlatOffsetBits;
  bool Unsigned = !I.AddressMode && T.FlatOffsetIsUnsigned;
  I.Offset = Unsigned ? int32_t(Offset & ((1 << (Bits - 1)) - 1))
                      : int32_t(llvm::SignExtend64(uint64_t(Offset), Bits));
  setCachePolicy();
}

void InstBuilder::buildBuffer() {
  setOperand(I.Dst, operand(N::vdata), ValueType::Wide);
  setOperand(I.Src[0], operand(N::vaddr), ValueType::Wide);
  setOperand(I.Src[1], operand(N::srsrc), ValueType::Wide);
  setOperand(I.Src[2], operand(N::soffset), ValueType::U32);
  I.Offset = int32_t(immediate(N::offset).value_or(0));
  I.Immediate = int32_t(immediate(N::format).value_or(0));
  setCachePolicy();
  llvm::StringRef Name = Instructions.getName(opcode());
  bool Both = Name.contains("_BOTHEN");
  if (Both || Name.contains("_OFFEN"))
    I.AddressMode |= address::OffsetEnable;
  if (Both || Name.contains("_IDXEN"))
    I.AddressMode |= address::IndexEnable;
  Valid &= immediate(N::tfe).value_or(0) == 0;
}

/// True for vector comparisons whose result is a new EXEC.
bool InstBuilder::writesExec() const {
  for (llvm::MCPhysReg Reg : Instructions.get(opcode()).implicit_defs())
    if ((Registers.getEncodingValue(Reg) &
         llvm::AMDGPU::HWEncoding::REG_IDX_MASK) == sreg::Exec)
      return true;
  return false;
}

void InstBuilder::setScalarMasks() {
  // The short encodings use VCC.
  I.ScalarDst = I.MaskSrc = sreg::Vcc;
  if (T.CmpxWritesOnlyExec && writesExec())
    I.ScalarDst = sreg::Exec;
  if (const llvm::MCOperand *Mask = operand(N::sdst)) {
    Operand Pair;
    setOperand(Pair, Mask, ValueType::U64);
    I.ScalarDst = Pair.Reg;
  }
  if (Op.Src[2] != ValueType::None)
    return;
  if (const llvm::MCOperand *Mask = operand(N::src2)) {
    Operand Pair;
    setOperand(Pair, Mask, ValueType::U64);
    Valid &= Pair.Kind == Source::Sgpr;
    I.MaskSrc = Pair.Reg;
  }
}

void InstBuilder::buildVector(uint64_t Flags) {
  I.IsValu = T.HasGprIndexMode;
  I.IsDpp = Flags & flags::DPP;
  setOperand(I.Dst, operand({N::vdst, N::sdst}), Op.Dst);
  setOperand(I.Src[0], operand(N::src0), Op.Src[0]);
  // The literal of v_madmk is its second source, that of v_madak its third.
  int Imm = namedOperand(opcode(), N::imm);
  if (Imm >= 0 && Imm < namedOperand(opcode(), N::src1)) {
    setOperand(I.Src[1], operand(N::imm), Op.Src[1]);
    setOperand(I.Src[2], operand(N::src1), Op.Src[2]);
  } else {
    setOperand(I.Src[1], operand(N::src1), Op.Src[1]);
    if (Op.Src[2] != ValueType::None)
      setOperand(I.Src[2], operand({N::src2, N::imm}), Op.Src[2]);
  }
  setScalarMasks();
  buildModifiers(Flags);
  if (auto TruthTable = immediate(N::bitop3))
    I.Immediate = int32_t(*TruthTable);
  if (auto Byte = immediate(N::byte_sel))
    I.Immediate = int32_t(*Byte);
  if (Flags & (flags::IsMAI | flags::IsWMMA | flags::IsSWMMAC))
    buildMatrix();
}

/// cbsz is kept in AddressMode, abid or the index key in Offset, blgp in
/// Immediate.
void InstBuilder::buildMatrix() {
  I.AddressMode = uint16_t(immediate(N::cbsz).value_or(0));
  I.Immediate = int32_t(immediate(N::blgp).value_or(0));
  for (OperandName Name : {N::abid, N::index_key_8bit, N::index_key_16bit})
    if (auto Value = immediate(Name))
      I.Offset = int32_t(*Value);
  // Of a sparse operation with a tied accumulator, the third source is the
  // index.
  if (const llvm::MCOperand *Index = operand(N::idx))
    setOperand(I.Src[2], Index, ValueType::Wide);
  static constexpr OperandName ScaleNames[] = {N::scale_src0, N::scale_src1};
  for (unsigned S = 0; S != 2; ++S) {
    const llvm::MCOperand *From = operand(ScaleNames[S]);
    if (!From)
      continue;
    Operand Scale;
    setOperand(Scale, From, ValueType::U32);
    Valid &= Scale.Kind == Source::Vgpr;
    I.ScaleReg[S] = Scale.Reg;
    I.ScaleByte[S] = uint8_t((I.Src[S].Modifiers & OpSel ? 1 : 0) |
                             (I.Src[S].Modifiers & OpSelHi ? 2 : 0));
  }
}

/// LLVM decodes reserved controls, too.
bool InstBuilder::hasDppControl() const {
  if (operand(N::dpp8))
    return true;
  auto IsPairRegister = [](const Operand &O) {
    return O.Kind == Source::Vgpr && isPair(O.Type);
  };
  const bool IsWide =
      T.Dpp == DppControls::Cdna &&
      (IsPairRegister(I.Dst) || std::ranges::any_of(I.Src, IsPairRegister));
  const unsigned Control = I.DppControl, Amount = Control & 15;
  if (Control < 0x100) // quad_perm
    return !IsWide;
  switch (Control >> 4) {
  case 0x10: // row_shl
  case 0x11: // row_shr
  case 0x12: // row_ror
    return Amount && !IsWide;
  case 0x13: // wave_shl, wave_rol, wave_shr and wave_ror, by one
    return Amount % 4 == 0 && !IsWide && T.Dpp != DppControls::Rdna;
  case 0x14: // mirrors, then row_bcast
    return !IsWide && Amount < (T.Dpp == DppControls::Rdna ? 2 : 4);
  case 0x15: // row_newbcast or row_share
    return T.Dpp != DppControls::Gcn;
  case 0x16: // row_xmask
    return T.Dpp == DppControls::Rdna;
  default:
    return false;
  }
}

/// Its handler looks at signs and selectors itself.
static bool isPacked(ValueType T) {
  return T == ValueType::Pk16 || T == ValueType::Pk32 || T == ValueType::Wide;
}

void InstBuilder::buildModifiers(uint64_t Flags) {
  static constexpr OperandName ModifierNames[] = {
      N::src0_modifiers, N::src1_modifiers, N::src2_modifiers};
  static constexpr OperandName SelectNames[] = {N::src0_sel, N::src1_sel};
  bool HighResult = false;
  for (unsigned S = 0; S != 3; ++S) {
    Operand &O = I.Src[S];
    unsigned Bits = unsigned(immediate(ModifierNames[S]).value_or(0));
    O.Modifiers = uint8_t(Bits);
    if (S < 2 && (Flags & flags::SDWA))
      O.Select = Part(immediate(SelectNames[S]).value_or(int(Part::Dword)));
    if (!isPacked(O.Type) && !(Flags & flags::SDWA) && !Op.OwnSelect) {
      HighResult |= S == 0 && (Bits & OpSelHi) && !(Flags & flags::VOP3P);
      if (isNarrow(O.Type) && (Bits & OpSel))
        O.Select = Part::Word1;
      // Such an operation's handler does not look at selectors and signs.
      if (Flags & flags::VOP3P)
        Valid &= (Bits & ~unsigned(OpSelHi)) == 0;
      bool IsFloat = O.Type == ValueType::F16 || O.Type == ValueType::F32 ||
                     O.Type == ValueType::F64 || O.Type == ValueType::B32;
      if (!IsFloat)
        O.Modifiers = 0;
    }
    bool Modified =
        !isPacked(O.Type) && !Op.OwnSelect &&
        ((O.Modifiers & (Negate | Absolute)) || O.Select != Part::Dword);
    O.Slow |= Modified || (I.IsDpp && S == 0);
    O.Plain = !Modified && !(I.IsDpp && S == 0) &&
              (O.Kind == Source::Sgpr || O.Kind == Source::Constant);
  }

  I.Clamp = immediate(N::clamp).value_or(0) != 0;
  I.OutputModifier = uint8_t(immediate(N::omod).value_or(0));
  if (Flags & flags::SDWA) {
    I.DstSelect = Part(immediate(N::dst_sel).value_or(int(Part::Dword)));
    I.DstUnused = Unused(immediate(N::dst_unused).value_or(0));
  } else if (I.Dst.Select == Part::Word1) {
    // The upper half of a register is an operand of its own.
    I.DstSelect = Part::Word1;
    I.DstUnused = Unused::Preserve;
  } else if (isNarrow(I.Dst.Type) &&
             (HighResult || Op.KeepsHigh || T.NarrowResultsKeepHigh)) {
    I.DstSelect = HighResult ? Part::Word1 : Part::Word0;
    I.DstUnused = Unused::Preserve;
  }
  if (I.IsDpp) {
    I.DppControl = uint16_t(immediate(N::dpp_ctrl).value_or(0));
    Valid &= hasDppControl();
    constexpr int64_t Dpp16FetchInactive = 1, Dpp8FetchInactive = 0xea;
    int64_t Fetch = immediate(N::fi).value_or(0);
    I.FetchInactive = Fetch == Dpp16FetchInactive || Fetch == Dpp8FetchInactive;
    I.RowMask = uint8_t(immediate(N::row_mask).value_or(0xf));
    I.BankMask = uint8_t(immediate(N::bank_mask).value_or(0xf));
    I.BoundControl = immediate(N::bound_ctrl).value_or(0) != 0;
    if (auto Select = immediate(N::dpp8)) {
      I.IsDpp8 = true;
      I.Offset = int32_t(*Select);
      // Lanes without a source read zero: there is no bound_ctrl.
      I.BoundControl = true;
    }
  }
  // Saturating handlers do their own clamping.
  I.SlowResult = (I.Clamp && !Op.Saturating) || I.OutputModifier || I.IsDpp ||
                 I.DstSelect != Part::Dword;
}

void InstBuilder::noteFloatMode() {
  auto ModeOf = [](ValueType T) -> uint8_t {
    if (T == ValueType::F32)
      return 1;
    return T == ValueType::F64 || T == ValueType::F16 ? 2 : 0;
  };
  I.FloatMode = Op.FloatMode;
  if (!I.FloatMode)
    I.FloatMode = ModeOf(Op.Dst);
  for (ValueType T : Op.Src)
    if (!I.FloatMode)
      I.FloatMode = ModeOf(T);
}

} // namespace luthier::emulator
