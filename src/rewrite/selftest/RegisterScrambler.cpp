// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/selftest/RegisterScrambler.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "SIInstrInfo.h"
#include "amdgpu/OpcodeMap.h"
#include "amdgpu/RegisterFiles.h"
#include "analysis/KernelFacts.h"
#include "analysis/Occupancy.h"
#include "analysis/RegisterEffects.h"
#include "analysis/RegisterUse.h"
#include "analysis/WaveModes.h"
#include "codeobject/CodeObjectWriter.h"
#include "codeobject/ResourceGrowth.h"
#include "lift/LiftedImpl.h"
#include "rewrite/emit/CodeWriter.h"
#include "rewrite/emit/Prologue.h"
#include "rewrite/resolve/KernelCheck.h"
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

/// What the code names, but for state of the wave rather than values, and what
/// is hardware's own.
static RegisterSet namedRegisters(const LiftedRepresentation &LR) {
  const EffectsContext Context = effectsContextOf(LR);
  RegisterSet Named;
  for (const auto &[Symbol, MF] : LR.functions())
    for (const MachineBasicBlock &MBB : *MF)
      for (const MachineInstr &MI : MBB)
        for (const RegisterEffect &E : effectsOf(MI, Context).Registers)
          Named.add(E.Units);
  Named.add(S::SCC);
  Named = withoutMissing(Named, LR);
  for (unsigned Unit : {S::EXECLo, S::EXECHi, S::MODE, S::FlatScratchLo,
                        S::FlatScratchHi, S::XnackMaskLo, S::XnackMaskHi})
    Named.remove({uint16_t(Unit), 1, false});
  return Named;
}

Poisoner::Poisoner(const LiftedRepresentation &LR,
                   amdgpu::MachineEncoder &Encoder,
                   const InstrumenterOptions &Options, const RegisterSet &Above,
                   const RegisterSet &Kept)
    : Encoder(Encoder), IsWave32(effectsContextOf(LR).IsWave32),
      HasMatrixOps(mayRunMatrixOps(LR)),
      // Generation 9 has wait states; later ones wait for the units themselves.
      WaitsForAlu(Encoder.target()
                      .opcodes()
                      .realOpcode(AMDGPU::S_WAITCNT_DEPCTR)
                      .has_value()),
      Random(uint32_t(Options.PoisonSeed ^ Options.PoisonSeed >> 32)) {
  PoisonPlan::Options How;
  How.Universe = (namedRegisters(LR) | Above) - Kept;
  for (unsigned Unit : Options.PoisonPlanted)
    How.Planted.addUnit(Unit);
  How.Most = Options.PoisonMost ? Options.PoisonMost : S::NumUnits;
  How.Seed = uint32_t(Random());
  Plan = PoisonPlan::run(LR, How);
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

/// In all lanes, if there is a way. Returns scalars that were needed for that
/// and hold no garbage.
RegisterSet Poisoner::vectors(const PoisonPlace &Place, Code &To) {
  SmallVector<unsigned, 64> Units;
  for (unsigned U = S::FirstVGPR; U != S::NumUnits; ++U)
    if (Place.Write.unit(U))
      Units.push_back(U);
  RegisterSet Used;
  if (Units.empty())
    return Used;
  auto all = [&] {
    for (unsigned U : Units)
      vector(U, To);
  };
  const MCOperand Exec = reg(IsWave32 ? AMDGPU::EXEC_LO : AMDGPU::EXEC);
  if (std::optional<unsigned> Pair = freePair(Place.Free, IsWave32)) {
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
    Used.addSGPR(*Pair);
    if (!IsWave32)
      Used.addSGPR(*Pair + 1);
    return Used;
  }
  all();
  if (Place.Free.has(S::SCC)) {
    const unsigned Not = IsWave32 ? AMDGPU::S_NOT_B32 : AMDGPU::S_NOT_B64;
    Encoder.encode(Not, {Exec, Exec}, To);
    all();
    Encoder.encode(Not, {Exec, Exec}, To);
    Used.add(S::SCC);
    return Used;
  }
  for (unsigned U : Units)
    oneLane(U, To);
  return Used;
}

void Poisoner::scalars(const RegisterSet &Units, Code &To) {
  auto move = [&](MCRegister To32) {
    return SmallVector<MCOperand, 2>{reg(To32), imm(garbage())};
  };
  for (unsigned N = 0; N != S::SCC; ++N)
    if (Units.sgpr(N))
      Encoder.encode(AMDGPU::S_MOV_B32,
                     move(Encoder.target().registerFiles().sgpr(N)), To);
  if (Units.has(S::VCCLo))
    Encoder.encode(AMDGPU::S_MOV_B32, move(AMDGPU::VCC_LO), To);
  if (Units.has(S::VCCHi))
    Encoder.encode(AMDGPU::S_MOV_B32, move(AMDGPU::VCC_HI), To);
  if (Units.has(S::M0))
    Encoder.encode(AMDGPU::S_MOV_B32, move(AMDGPU::M0), To);
  if (Units.has(S::SCC))
    Encoder.encode(Random() & 1 ? AMDGPU::S_CMP_EQ_U32 : AMDGPU::S_CMP_LG_U32,
                   {imm(0), imm(0)}, To);
}

void Poisoner::write(const PoisonPlace *Place, amdgpu::CodeLayout &Layout) {
  if (!Place)
    return;
  SmallVector<uint8_t, 256> Bytes;
  settle(Bytes);
  const RegisterSet Used = vectors(*Place, Bytes);
  scalars(Place->Write | Used, Bytes);
  settle(Bytes);
  Layout.append(Bytes);
  ++Places;
}

namespace {

/// Registers above those that the code uses, and how many there are with them.
struct RegistersAbove {
  RegisterSet Units;
  RegisterUse Ends;
};

RegistersAbove registersAbove(const LiftedRepresentation &LR,
                              const InstrumenterOptions &Options) {
  constexpr unsigned Scalars = 8, Vectors = 6, Accumulators = 4;
  const KernelInfo &Kernel = *LR.impl().Kernel;
  const RegisterFileTraits &Traits =
      *registerFileTraits(LR.impl().Object->target().Processor);
  const RegisterUse Use = registerUse(LR);
  const RegisterLimits Limits =
      registerLimits(Kernel, Use.AGPRs, Traits, Options.Policy);
  RegistersAbove Result{{}, Use};
  auto take = [&](unsigned &End, unsigned Count, unsigned Limit, unsigned First,
                  unsigned FileSize) {
    for (Limit = std::min(Limit, FileSize); Count && End < Limit; --Count)
      Result.Units.addUnit(First + End++);
  };
  take(Result.Ends.SGPRs, Scalars, Limits.SGPRs, 0, S::NumSGPRs);
  take(Result.Ends.VGPRs, Vectors, Limits.VGPRs, S::FirstVGPR, 256);
  const bool HasAGPRs =
      LR.impl().Target->subtarget().hasFeature(AMDGPU::FeatureMAIInsts);
  const unsigned VGPRs = alignTo(
      std::max(Result.Ends.VGPRs, Kernel.Descriptor.vgprLimit(Traits)), 4);
  if (HasAGPRs)
    take(Result.Ends.AGPRs, Accumulators,
         Traits.UnifiedAGPRs
             ? Limits.VectorTotal - std::min(Limits.VectorTotal, VGPRs)
             : std::min(Limits.VectorTotal, Traits.AddressableVGPRs),
         S::FirstAGPR, 256);
  return Result;
}

} // namespace

Expected<InstrumentedKernel> poisonKernel(const LiftedRepresentation &LR,
                                          const InstrumenterOptions &Options) {
  if (Error E = checkKernel(LR))
    return std::move(E);
  amdgpu::MachineEncoder Encoder(*LR.impl().Target);
  const RegistersAbove Above = registersAbove(LR, Options);
  Poisoner P(LR, Encoder, Options, Above.Units, /*Kept=*/{});
  auto seamIn = [&](amdgpu::CodeLayout &Layout) {
    return SeamCode(Encoder, *seamTraits(LR.impl().Object->target().Processor),
                    LR.impl().Kernel->Descriptor.usesWave32() ? 32 : 64,
                    Layout);
  };
  auto Before = [&](const MachineInstr &MI, amdgpu::CodeLayout &Layout) {
    const size_t Begin = Layout.size();
    P.before(MI, Layout);
    if (Layout.size() != Begin && deallocatesVGPRs(MI))
      seamIn(Layout).beforeDeallocation(/*UsesStack=*/false);
  };
  auto OnEdge = [&](const MachineBasicBlock &From, const MachineBasicBlock &To,
                    amdgpu::CodeLayout &Layout) { P.onEdge(From, To, Layout); };
  const KernelInfo &Kernel = *LR.impl().Kernel;
  const StringRef Processor = LR.impl().Object->target().Processor;
  KernelDescriptor Descriptor = Kernel.Descriptor;
  PrologueNeeds Needs;
  Needs.PreloadsArguments = LR.impl().preloadsArguments();
  const Prologue Start(Needs, Descriptor, *launchTraits(Processor));
  auto AtEntry = [&](const MachineFunction &MF, amdgpu::CodeLayout &Layout) {
    if (&MF == LR.functions().front().second) {
      SeamCode Seam = seamIn(Layout);
      Start.write(Seam);
    }
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
  KernelImage Image{Kernel.Name, Code->Code, 0, Descriptor};
  KernelMetadata Metadata = Kernel.Metadata;
  RegisterUse Needed = Above.Ends;
  Needed.SGPRs = std::max(Needed.SGPRs, Start.sgprEnd());
  growRegisters(registerAllocation(LR), Needed, *registerFileTraits(Processor),
                Image.Descriptor, Metadata);
  if (Options.Offline) {
    Result.Image.emplace(
        OfflineImage{Code->Code, Image.Descriptor, Metadata, {}});
  } else {
    Expected<std::vector<uint8_t>> Linked =
        writeCodeObject(*LR.impl().Object, Image, Metadata);
    if (!Linked)
      return refuse(RefusalReason::LinkFailed, toString(Linked.takeError()));
    Result.CodeObject = std::move(*Linked);
  }
  Result.Report.Points = P.places();
  Result.Report.BytesBefore = LR.impl().codeSize();
  Result.Report.BytesAfter = Code->Code.size();
  return Result;
}

} // namespace luthier
