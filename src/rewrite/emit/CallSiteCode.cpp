// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/emit/CallSiteCode.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "amdgpu/RegisterFiles.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace luthier {

CallSiteCode::CallSiteCode(amdgpu::MachineEncoder &Encoder, unsigned WaveSize,
                           amdgpu::CodeLayout &Layout)
    : Encoder(Encoder), Traits(Encoder.target().traits()), WaveSize(WaveSize),
      Layout(Layout) {}

MCRegister CallSiteCode::sgpr(unsigned N) const {
  return Encoder.target().registerFiles().sgpr(N);
}

MCRegister CallSiteCode::sgprPair(unsigned N) const {
  return Encoder.target().registerFiles().sgprPair(N);
}

MCRegister CallSiteCode::vgpr(unsigned N) const {
  return Encoder.target().registerFiles().vgpr(N);
}

MCRegister CallSiteCode::agpr(unsigned N) const {
  return Encoder.target().registerFiles().agpr(N);
}

MCRegister CallSiteCode::half(MCRegister Pair, unsigned I) const {
  return Encoder.target().registers().getSubReg(Pair, I ? AMDGPU::sub1
                                                        : AMDGPU::sub0);
}

MCRegister CallSiteCode::mask(MCRegister Pair) const {
  return WaveSize == 64 ? Pair : half(Pair, 0);
}

void CallSiteCode::op(unsigned Opcode, ArrayRef<MCOperand> Operands) {
  SmallVector<uint8_t, 16> Code;
  Encoder.encode(Opcode, Operands, Code);
  Layout.append(Code);
}

void CallSiteCode::move(MCRegister To, MCRegister From) {
  op(AMDGPU::S_MOV_B32, {reg(To), reg(From)});
}

void CallSiteCode::set(MCRegister To, uint32_t Value) {
  op(AMDGPU::S_MOV_B32, {reg(To), imm(int32_t(Value))});
}

/// Of those that operands hold as they are.
static constexpr int64_t LeastInlineNumber = -16;

void CallSiteCode::setPair(MCRegister To, uint64_t Value) {
  // Whether a literal of 32 bits is extended with zeros depends on the target.
  if (isInt<32>(int64_t(Value)) && int64_t(Value) >= LeastInlineNumber)
    return op(AMDGPU::S_MOV_B64, {reg(To), imm(int64_t(Value))});
  set(half(To, 0), Lo_32(Value));
  set(half(To, 1), Hi_32(Value));
}

void CallSiteCode::moveMask(MCRegister To, MCRegister From) {
  op(WaveSize == 64 ? AMDGPU::S_MOV_B64 : AMDGPU::S_MOV_B32,
     {reg(mask(To)), reg(mask(From))});
}

void CallSiteCode::activateAll() {
  op(WaveSize == 64 ? AMDGPU::S_MOV_B64 : AMDGPU::S_MOV_B32,
     {reg(mask(AMDGPU::EXEC)), imm(-1)});
}

void CallSiteCode::invertExec() {
  op(WaveSize == 64 ? AMDGPU::S_NOT_B64 : AMDGPU::S_NOT_B32,
     {reg(mask(AMDGPU::EXEC)), reg(mask(AMDGPU::EXEC))});
}

void CallSiteCode::moveVector(MCRegister To, MCRegister From) {
  const amdgpu::RegisterFiles &Files = Encoder.target().registerFiles();
  auto isAccumulation = [&](MCRegister R) {
    return Files.rangeOf(R).File == amdgpu::RegisterFile::AGPR;
  };
  unsigned Opcode = AMDGPU::V_MOV_B32_e32;
  if (isAccumulation(From))
    Opcode = AMDGPU::V_ACCVGPR_READ_B32_e64;
  else if (isAccumulation(To))
    Opcode = AMDGPU::V_ACCVGPR_WRITE_B32_e64;
  op(Opcode, {reg(To), reg(From)});
}

void CallSiteCode::readLane(MCRegister To, MCRegister State, unsigned Lane) {
  op(AMDGPU::V_READLANE_B32, {reg(To), reg(State), imm(Lane)});
}

void CallSiteCode::writeLane(MCRegister State, unsigned Lane, MCOperand From) {
  op(AMDGPU::V_WRITELANE_B32, {reg(State), From, imm(Lane), reg(State)});
}

void CallSiteCode::saveSCC(MCRegister To) {
  op(AMDGPU::S_CSELECT_B32, {reg(To), imm(1), imm(0)});
}

void CallSiteCode::restoreSCC(MCRegister From) {
  op(AMDGPU::S_CMP_LG_U32, {reg(From), imm(0)});
}

void CallSiteCode::setSCC(bool Value) {
  op(Value ? AMDGPU::S_CMP_EQ_U32 : AMDGPU::S_CMP_LG_U32, {imm(0), imm(0)});
}

void CallSiteCode::store(MCRegister Vector, MCRegister Base, unsigned Offset) {
  if (Base)
    return op(AMDGPU::SCRATCH_STORE_DWORD_SADDR,
              {reg(Vector), reg(Base), imm(Offset), imm(0)});
  assert(Offset <= Traits.Memory.ScratchReach && "no address");
  op(AMDGPU::SCRATCH_STORE_DWORD_ST, {reg(Vector), imm(Offset), imm(0)});
}

void CallSiteCode::load(MCRegister Vector, MCRegister Base, unsigned Offset) {
  if (Base)
    return op(AMDGPU::SCRATCH_LOAD_DWORD_SADDR,
              {reg(Vector), reg(Base), imm(Offset), imm(0)});
  assert(Offset <= Traits.Memory.ScratchReach && "no address");
  op(AMDGPU::SCRATCH_LOAD_DWORD_ST, {reg(Vector), imm(Offset), imm(0)});
}

/// What the scalar cache would write back later, when the memory may be another
/// wave's, is written back at once.
void CallSiteCode::storeScalar(MCRegister Scalar, unsigned Offset) {
  assert(!Traits.Memory.ScratchReach && Offset < ScalarReach &&
         "not to be reached");
  op(AMDGPU::S_STORE_DWORD_IMM,
     {reg(Scalar), reg(AMDGPU::FLAT_SCR), imm(Offset * WaveSize), imm(0)});
  awaitMemory();
  op(AMDGPU::S_DCACHE_WB, {});
  awaitMemory();
}

void CallSiteCode::loadScalar(MCRegister Scalar, unsigned Offset) {
  assert(!Traits.Memory.ScratchReach && Offset < ScalarReach &&
         "not to be reached");
  op(AMDGPU::S_LOAD_DWORD_IMM,
     {reg(Scalar), reg(AMDGPU::FLAT_SCR), imm(Offset * WaveSize), imm(0)});
  awaitMemory();
}

/// Operand of s_getreg and s_setreg: \p Width bits from \p Offset on of MODE.
static constexpr unsigned modeField(unsigned Offset, unsigned Width) {
  constexpr unsigned Mode = 1;
  return Mode | Offset << 6 | (Width - 1) << 11;
}
/// From rounding up to FP16_OVFL, with exceptions in between; above are bits
/// that are not about arithmetic.
static constexpr unsigned ModeWidth = 24;
/// Nearest, denormals of all sizes, clamps that make zero of NaN,
/// IEEE. The last two do not exist on gfx12, where their bits are not kept.
static constexpr unsigned DefaultMode = 0x3f0;

void CallSiteCode::readMode(MCRegister To) {
  op(AMDGPU::S_GETREG_B32, {reg(To), imm(modeField(0, ModeWidth))});
}

void CallSiteCode::writeMode(MCRegister From) {
  op(AMDGPU::S_SETREG_B32, {reg(From), imm(modeField(0, ModeWidth))});
}

void CallSiteCode::setDefaultMode() {
  op(AMDGPU::S_SETREG_IMM32_B32,
     {imm(Traits.Instructions.HasClampModes ? DefaultMode : DefaultMode & 0xff),
      imm(modeField(0, ModeWidth))});
}

/// Instructions that wait for one counter each, where counters are split.
static constexpr std::pair<WaitCounter, unsigned> SplitWaits[] = {
    {WaitCounter::Vm, AMDGPU::S_WAIT_LOADCNT},
    {WaitCounter::Sample, AMDGPU::S_WAIT_SAMPLECNT},
    {WaitCounter::Bvh, AMDGPU::S_WAIT_BVHCNT},
    {WaitCounter::Lgkm, AMDGPU::S_WAIT_DSCNT},
    {WaitCounter::Km, AMDGPU::S_WAIT_KMCNT},
    {WaitCounter::Exp, AMDGPU::S_WAIT_EXPCNT}};

void CallSiteCode::await(const WaitCounts &Counts) {
  if (Traits.Waits.HasSplitCounters) {
    for (auto [Counter, Opcode] : SplitWaits)
      if (std::optional<unsigned> Count = Counts[unsigned(Counter)])
        op(Opcode, imm(*Count));
    return;
  }
  if (any_of(Counts, [](const auto &Count) { return Count.has_value(); }))
    op(AMDGPU::S_WAITCNT, imm(encodeWaits(Counts, Traits.Waits)));
}

void CallSiteCode::awaitMemory() {
  WaitCounts Counts;
  Counts.fill(0);
  if (Traits.Waits.HasSplitCounters)
    Counts[unsigned(WaitCounter::Exp)].reset();
  await(Counts);
}

void CallSiteCode::awaitStack() {
  WaitCounts Counts;
  Counts[unsigned(WaitCounter::Vm)] = 0;
  await(Counts);
}

void CallSiteCode::awaitScalarLoads() {
  WaitCounts Counts;
  Counts[unsigned(Traits.Waits.HasSplitCounters ? WaitCounter::Km
                                                : WaitCounter::Lgkm)] = 0;
  await(Counts);
}

void CallSiteCode::waitStates(unsigned Count) {
  constexpr unsigned MaxPerNop = 8; // On the oldest targets.
  for (; Count > 0; Count -= std::min(Count, MaxPerNop))
    op(AMDGPU::S_NOP, imm(std::min(Count, MaxPerNop) - 1));
}

void CallSiteCode::awaitALU() {
  if (Traits.Hazards.AwaitsALU)
    op(AMDGPU::S_WAITCNT_DEPCTR, imm(0));
}

void CallSiteCode::operateOnVectors(MCRegister Mask) {
  op(AMDGPU::V_CMP_NE_U32_e64, {reg(mask(Mask)), imm(0), imm(0)});
}

void CallSiteCode::beforeDeallocation(bool UsesStack) {
  if (UsesStack && Traits.Waits.HasSplitCounters)
    op(AMDGPU::S_WAIT_STORECNT, imm(0));
  else if (UsesStack)
    op(AMDGPU::S_WAITCNT_VSCNT, {reg(AMDGPU::SGPR_NULL), imm(0)});
  waitStates(1);
}

void CallSiteCode::awaitScalarsOfMasks() {
  if (Traits.Hazards.HasMaskHazard && WaveSize == 64)
    awaitALU();
}

void CallSiteCode::renewMask(MCRegister Pair) {
  if (Traits.Hazards.HasMaskHazard && WaveSize == 64)
    moveMask(Pair, Pair);
}

/// So many of these let the reads of the wave's vector instructions end.
void CallSiteCode::forgetReads() {
  if (!Traits.Hazards.HasReadHazard)
    return;
  for (unsigned N = WaveSize == 32 ? 4 : 8; N; --N)
    op(AMDGPU::DS_NOP, {});
}

void CallSiteCode::branchWithoutLanes(amdgpu::CodeLayout::Label To) {
  Layout.branch(Encoder.branchWord(AMDGPU::S_CBRANCH_EXECZ), To);
}

void CallSiteCode::branch(bool OnSCC, amdgpu::CodeLayout::Label To) {
  Layout.branch(
      Encoder.branchWord(OnSCC ? AMDGPU::S_CBRANCH_SCC1 : AMDGPU::S_BRANCH),
      To);
}

} // namespace luthier
