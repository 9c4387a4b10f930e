// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/Poison.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "SIInstrInfo.h"
#include "amdgpu/OpcodeMap.h"
#include "amdgpu/RegisterFiles.h"
#include "analysis/RegisterEffects.h"
#include "analysis/RegisterUse.h"
#include "codeobject/CodeObjectWriter.h"
#include "lift/LiftedImpl.h"
#include "rewrite/CodeWriter.h"
#include "llvm/CodeGen/MachineFunction.h"

using namespace llvm;

namespace luthier {

using S = RegisterSet;

static MCOperand reg(MCRegister R) { return MCOperand::createReg(R); }
static MCOperand imm(int64_t I) { return MCOperand::createImm(I); }

/// Instructions with an index name whole files, of which the kernel has a part.
static RegisterSet withoutMissing(RegisterSet Named,
                                  const LiftedRepresentation &LR) {
  const RegisterUse Use = registerUse(LR);
  for (unsigned N = Use.VGPRs; N < S::FirstAGPR - S::FirstVGPR; ++N)
    Named.remove({uint16_t(S::FirstVGPR + N), 1, false});
  return Named;
}

Poisoner::Poisoner(const LiftedRepresentation &LR,
                   amdgpu::MachineEncoder &Encoder,
                   const InstrumenterOptions &Options, const RegisterSet &Kept)
    : Encoder(Encoder), Lives(Liveness::run(LR)), Loads(LoadsInFlight::run(LR)),
      Legal(InsertionPoints::run(LR)),
      Most(Options.PoisonMost ? Options.PoisonMost : S::NumUnits),
      Random(uint32_t(Options.PoisonSeed ^ Options.PoisonSeed >> 32)) {
  const EffectsContext Context = effectsContextOf(LR);
  IsWave32 = Context.IsWave32;
  // Generation 9 has wait states; later ones wait for the units themselves.
  WaitsForAlu = Encoder.target()
                    .opcodes()
                    .realOpcode(AMDGPU::S_WAITCNT_DEPCTR)
                    .has_value();
  for (const auto &[Symbol, MF] : LR.functions())
    for (const MachineBasicBlock &MBB : *MF)
      for (const MachineInstr &MI : MBB) {
        HasMatrixOps |= SIInstrInfo::isMFMA(MI);
        for (const RegisterEffect &E : effectsOf(MI, Context).Registers)
          Universe.add(E.Units);
      }
  Universe.add(S::SCC);
  Universe = withoutMissing(Universe, LR) - Kept;
  // State of the wave rather than values, or hardware's own.
  for (unsigned Unit : {S::EXECLo, S::EXECHi, S::MODE, S::FlatScratchLo,
                        S::FlatScratchHi, S::XnackMaskLo, S::XnackMaskHi})
    Universe.remove({uint16_t(Unit), 1, false});
}

void Poisoner::before(const MachineInstr &MI, amdgpu::CodeLayout &Layout) {
  Expected<const MachineInstr *> Anchor = Legal.anchorOf(MI);
  if (!Anchor)
    return consumeError(Anchor.takeError());
  if (*Anchor == &MI)
    write(Universe - Lives.before(MI) - Loads.before(MI),
          /*WithVectors=*/!Legal.deallocatesVGPRs(MI), Layout);
}

void Poisoner::onEdge(const MachineBasicBlock &From,
                      const MachineBasicBlock &To, amdgpu::CodeLayout &Layout) {
  if (Legal.isLegalBehind(From) && !Legal.isEnteredDeallocated(To))
    write(Universe - Lives.onEdge(From, To) - Loads.onEdge(From, To),
          /*WithVectors=*/true, Layout);
}

void Poisoner::atEntry(const MachineFunction &MF, amdgpu::CodeLayout &Layout) {
  write(Universe - Lives.atEntry(MF) - Loads.atEntry(MF), /*WithVectors=*/true,
        Layout);
}

/// Leaves at most so many as one place may have, by chance.
void Poisoner::choose(RegisterSet &Free) {
  SmallVector<unsigned, 64> Units;
  for (unsigned U = 0; U != S::NumUnits; ++U)
    if (Free.unit(U))
      Units.push_back(U);
  if (Units.size() <= Most)
    return;
  RegisterSet Chosen;
  for (unsigned N = 0; N != Most; ++N) {
    std::swap(Units[N], Units[N + Random() % (Units.size() - N)]);
    Chosen.addUnit(Units[N]);
  }
  Free = Chosen;
}

/// What was issued before must have left its results, and read its operands.
void Poisoner::settle(Code &To) {
  if (WaitsForAlu)
    Encoder.encode(AMDGPU::S_WAITCNT_DEPCTR, imm(0), To);
  // The longest matrix operation has 16 passes; others need five states.
  const unsigned MostPerNop = 8;
  for (unsigned Left = HasMatrixOps ? 20 : WaitsForAlu ? 1 : 5; Left;) {
    const unsigned States = std::min(Left, MostPerNop);
    Encoder.encode(AMDGPU::S_NOP, imm(States - 1), To);
    Left -= States;
  }
}

/// An aligned pair (in wave32, one register) to keep EXEC in.
std::optional<unsigned> Poisoner::freePair(const RegisterSet &Free) const {
  for (unsigned N = 0; N + 1 < S::SCC; N += 2)
    if (Free.sgpr(N) && (IsWave32 || Free.sgpr(N + 1)))
      return N;
  return std::nullopt;
}

void Poisoner::vector(unsigned Unit, Code &To) {
  const amdgpu::RegisterFiles &Files = Encoder.target().registerFiles();
  if (Unit < S::FirstAGPR)
    return Encoder.encode(
        AMDGPU::V_MOV_B32_e32,
        {reg(Files.vgpr(Unit - S::FirstVGPR)), imm(garbage())}, To);
  // No literals here.
  Encoder.encode(
      AMDGPU::V_ACCVGPR_WRITE_B32_e64,
      {reg(Files.agpr(Unit - S::FirstAGPR)), imm(int64_t(Random() % 81) - 16)},
      To);
}

/// One lane, active or not.
void Poisoner::oneLane(unsigned Unit, Code &To) {
  if (Unit >= S::FirstAGPR)
    return;
  const MCOperand Reg =
      reg(Encoder.target().registerFiles().vgpr(Unit - S::FirstVGPR));
  Encoder.encode(AMDGPU::V_WRITELANE_B32,
                 {Reg, imm(int64_t(Random() % 81) - 16),
                  imm(int64_t(Random() % (IsWave32 ? 32 : 64))), Reg},
                 To);
}

/// Active lanes first, then, by whatever means are free, the others.
void Poisoner::vectors(const RegisterSet &Free, Code &To) {
  SmallVector<unsigned, 64> Units;
  for (unsigned U = S::FirstVGPR; U != S::NumUnits; ++U)
    if (Free.unit(U))
      Units.push_back(U);
  if (Units.empty())
    return;
  auto all = [&] {
    for (unsigned U : Units)
      vector(U, To);
  };
  const MCOperand Exec = reg(IsWave32 ? AMDGPU::EXEC_LO : AMDGPU::EXEC);
  if (std::optional<unsigned> Pair = freePair(Free)) {
    const amdgpu::RegisterFiles &Files = Encoder.target().registerFiles();
    const MCOperand Save =
        reg(IsWave32 ? Files.sgpr(*Pair) : Files.sgprPair(*Pair));
    const unsigned Move = IsWave32 ? AMDGPU::S_MOV_B32 : AMDGPU::S_MOV_B64;
    Encoder.encode(Move, {Save, Exec}, To);
    if (WaitsForAlu) // Vector instructions may still read the old value.
      Encoder.encode(AMDGPU::S_WAITCNT_DEPCTR, imm(0), To);
    Encoder.encode(Move, {Exec, imm(-1)}, To);
    all();
    Encoder.encode(Move, {Exec, Save}, To);
    return;
  }
  all();
  if (Free.has(S::SCC)) {
    const unsigned Not = IsWave32 ? AMDGPU::S_NOT_B32 : AMDGPU::S_NOT_B64;
    Encoder.encode(Not, {Exec, Exec}, To);
    all();
    Encoder.encode(Not, {Exec, Exec}, To);
    return;
  }
  for (unsigned U : Units)
    oneLane(U, To);
}

void Poisoner::scalars(const RegisterSet &Free, Code &To) {
  auto move = [&](MCRegister To32) {
    return SmallVector<MCOperand, 2>{reg(To32), imm(garbage())};
  };
  for (unsigned N = 0; N != S::SCC; ++N)
    if (Free.sgpr(N))
      Encoder.encode(AMDGPU::S_MOV_B32,
                     move(Encoder.target().registerFiles().sgpr(N)), To);
  if (Free.has(S::VCCLo))
    Encoder.encode(AMDGPU::S_MOV_B32, move(AMDGPU::VCC_LO), To);
  if (Free.has(S::VCCHi))
    Encoder.encode(AMDGPU::S_MOV_B32, move(AMDGPU::VCC_HI), To);
  if (Free.has(S::M0))
    Encoder.encode(AMDGPU::S_MOV_B32, move(AMDGPU::M0), To);
  if (Free.has(S::SCC))
    Encoder.encode(Random() & 1 ? AMDGPU::S_CMP_EQ_U32 : AMDGPU::S_CMP_LG_U32,
                   {imm(0), imm(0)}, To);
}

void Poisoner::write(RegisterSet Free, bool WithVectors,
                     amdgpu::CodeLayout &Layout) {
  if (!WithVectors)
    Free -= S::allVectors();
  choose(Free);
  if (Free.empty())
    return;
  SmallVector<uint8_t, 256> Bytes;
  settle(Bytes);
  vectors(Free, Bytes);
  // These include the registers that the vectors needed.
  scalars(Free, Bytes);
  settle(Bytes);
  Layout.append(Bytes);
  ++Places;
}

Expected<InstrumentedKernel> poisonKernel(const LiftedRepresentation &LR,
                                          const InstrumenterOptions &Options) {
  amdgpu::MachineEncoder Encoder(*LR.impl().Target);
  Poisoner P(LR, Encoder, Options);
  auto Before = [&](const MachineInstr &MI, amdgpu::CodeLayout &Layout) {
    P.before(MI, Layout);
  };
  auto OnEdge = [&](const MachineBasicBlock &From, const MachineBasicBlock &To,
                    amdgpu::CodeLayout &Layout) { P.onEdge(From, To, Layout); };
  auto AtEntry = [&](const MachineFunction &MF, amdgpu::CodeLayout &Layout) {
    P.atEntry(MF, Layout);
  };
  CodeWriterOptions How{.Before = Before, .OnEdge = OnEdge, .AtEntry = AtEntry};
  (Options.Offline ? How.LinkedAt : How.LoadBias) =
      Options.Offline ? Options.LinkedAt : Options.LoadBias;
  Expected<WrittenCode> Code = writeCode(LR, Encoder, How);
  if (!Code)
    return Code.takeError();
  InstrumentedKernel Result;
  for (const KeptInstruction &Kept : Code->Map)
    Result.Map.push_back({Kept.Offset, Kept.Original});
  const KernelInfo &Kernel = *LR.impl().Kernel;
  KernelImage Image{Kernel.Name, Code->Code, 0, Kernel.Descriptor};
  // Without it control enters at the beginning, where the kernel loads its
  // arguments itself.
  Image.Descriptor.raw().kernarg_preload = 0;
  if (Options.Offline) {
    Result.Image.emplace(
        OfflineImage{Code->Code, Image.Descriptor, Kernel.Metadata, {}});
  } else {
    Expected<std::vector<uint8_t>> Linked =
        writeCodeObject(*LR.impl().Object, Image, Kernel.Metadata);
    if (!Linked)
      return refuse(RefusalReason::LinkFailed, toString(Linked.takeError()));
    Result.CodeObject = std::move(*Linked);
  }
  Result.Report.Points = P.places();
  Result.Report.BytesBefore = Kernel.CodeSize;
  Result.Report.BytesAfter = Code->Code.size();
  return Result;
}

} // namespace luthier
