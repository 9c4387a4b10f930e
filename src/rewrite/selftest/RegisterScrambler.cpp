// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/selftest/RegisterScrambler.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "amdgpu/RegisterFiles.h"
#include "analysis/KernelFacts.h"
#include "analysis/Occupancy.h"
#include "analysis/RegisterEffects.h"
#include "analysis/RegisterUse.h"
#include "lift/LiftedImpl.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace luthier {

using S = RegisterSet;

static MCOperand reg(MCRegister R) { return MCOperand::createReg(R); }
static MCOperand imm(int64_t I) { return MCOperand::createImm(I); }

namespace {

/// Instructions with an index name whole files, of which the kernel has a part,
/// and code that never runs may name anything.
RegisterSet withoutMissing(RegisterSet Named, const LiftedRepresentation &LR) {
  const RegisterUse Use = registerUse(LR);
  auto removeFrom = [&](unsigned First, unsigned End) {
    for (unsigned Unit = First; Unit < End; ++Unit)
      Named.remove({uint16_t(Unit), 1, false});
  };
  removeFrom(Use.SGPRs, S::NumSGPRs);
  removeFrom(S::FirstVGPR + Use.VGPRs, S::FirstAGPR);
  removeFrom(S::FirstAGPR + Use.AGPRs, S::NumUnits);
  return Named;
}

/// What the code names, but for state of the wave rather than values, and what
/// is hardware's own.
RegisterSet namedRegisters(const LiftedRepresentation &LR) {
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

/// Registers above those that the code uses, and how many there are with them.
struct RegistersAbove {
  RegisterSet Units;
  RegisterUse Ends;
};

RegistersAbove registersAbove(const LiftedRepresentation &LR,
                              RegisterPolicy Policy) {
  constexpr unsigned Scalars = 8, Vectors = 6, Accumulators = 4;
  const KernelInfo &Kernel = *LR.impl().Kernel;
  const RegisterFileTraits &Traits =
      *registerFileTraits(LR.impl().Object->target().Processor);
  const RegisterUse Use = registerUse(LR);
  const RegisterLimits Limits =
      registerLimits(Kernel, Use.AGPRs, Traits, Policy);
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

/// What the garbage must leave alone: registers of the engine's own that hold
/// something while the application runs, and whatever a hook reads or writes of
/// the application, which may do so where the application itself does not care.
RegisterSet keptBetweenCallSites(const HookPlan &Hooks) {
  const RegisterPlan &Plan = Hooks.Registers;
  RegisterSet Kept;
  if (Plan.State) {
    if (Plan.State->Form == StateValueArrayForm::Vgpr)
      Kept.add(Plan.State->State);
    for (MCRegister Reg : {Plan.State->Home, Plan.State->Aside,
                           Plan.State->Exec, Plan.State->Address})
      if (Reg)
        Kept.add(Reg);
  }
  if (!Plan.ABI.CountersOnStack)
    for (unsigned N = 0; N < Plan.ABI.NumCounterVGPRs; ++N)
      Kept.add(Plan.Files->vgpr(Plan.ABI.FirstCounterVGPR + N));
  for (unsigned N = 0; N < 2 * Plan.ABI.NumLaneCounters; ++N)
    Kept.add(Plan.Files->vgpr(Plan.ABI.FirstLaneVGPR + N));
  if (Plan.ABI.WorkItemIds && !Plan.SpillsWorkItemIds)
    Kept.add(Plan.ABI.WorkItemIds);
  if (Hooks.Late)
    Kept.add(Hooks.Late->Arguments);
  for (unsigned Number : Hooks.Needs.Named)
    Kept.add(MCRegister(Number));
  for (const CallSite &Site : Hooks.Variants.CallSites)
    Kept |= Hooks.readsOf(Site);
  return Kept;
}

} // namespace

RegisterScrambler::RegisterScrambler(const LiftedRepresentation &LR,
                                     const HookPlan &Hooks,
                                     amdgpu::MachineEncoder &Encoder,
                                     RegisterPolicy Policy,
                                     const SelfTestOptions &Options,
                                     SharedFacts &Facts)
    : Encoder(Encoder), WaveSize(Hooks.Registers.ABI.WaveSize),
      AwaitsMatrixOps(Hooks.Facts.MatrixOps),
      Random(uint32_t(*Options.ScrambleSeed ^ *Options.ScrambleSeed >> 32)) {
  ScramblePlan::Options How;
  How.Universe = namedRegisters(LR);
  if (Hooks.Variants.CallSites.empty()) {
    const RegistersAbove Above = registersAbove(LR, Policy);
    How.Universe |= Above.Units;
    Ends = Above.Ends;
  }
  How.Universe -= keptBetweenCallSites(Hooks);
  for (unsigned Unit : Options.Planted)
    How.Planted.addUnit(Unit);
  How.Max = Options.MaxScrambled ? Options.MaxScrambled : S::NumUnits;
  How.Seed = uint32_t(Random());
  Plan.emplace(LR, Facts, How);
}

void RegisterScrambler::vector(unsigned Unit, CallSiteCode &Code) {
  if (Unit < S::FirstAGPR)
    return Code.op(AMDGPU::V_MOV_B32_e32,
                   {reg(Code.vgpr(Unit - S::FirstVGPR)), imm(garbage())});
  // No literals here.
  Code.op(AMDGPU::V_ACCVGPR_WRITE_B32_e64, {reg(Code.agpr(Unit - S::FirstAGPR)),
                                            imm(int64_t(Random() % 81) - 16)});
}

/// One lane, active or not.
void RegisterScrambler::oneLane(unsigned Unit, CallSiteCode &Code) {
  if (Unit >= S::FirstAGPR)
    return;
  const MCOperand Value = imm(int64_t(Random() % 81) - 16);
  Code.writeLane(Code.vgpr(Unit - S::FirstVGPR), Random() % WaveSize, Value);
}

/// In all lanes, if there is a way. Returns scalars that were needed for that
/// and hold no garbage.
RegisterSet RegisterScrambler::vectors(const ScramblePoint &Point,
                                       CallSiteCode &Code) {
  RegisterSet Used;
  // Few points write many.
  if ((Point.Write & S::allVectors()).empty())
    return Used;
  SmallVector<unsigned, 64> Units;
  for (unsigned U = S::FirstVGPR; U != S::NumUnits; ++U)
    if (Point.Write.unit(U))
      Units.push_back(U);
  auto all = [&] {
    for (unsigned U : Units)
      vector(U, Code);
  };
  if (std::optional<unsigned> Pair = freePair(Point.Free, WaveSize == 32)) {
    const MCRegister Save = Code.sgprPair(*Pair);
    Code.moveMask(Save, AMDGPU::EXEC);
    Code.awaitALU(); // Vector instructions may still read the old value.
    Code.activateAll();
    all();
    Code.moveMask(AMDGPU::EXEC, Save);
    Used.addSGPR(*Pair);
    if (WaveSize == 64)
      Used.addSGPR(*Pair + 1);
    return Used;
  }
  all();
  if (Point.Free.has(S::SCC)) {
    Code.invertExec();
    all();
    Code.invertExec();
    Used.add(S::SCC);
    return Used;
  }
  for (unsigned U : Units)
    oneLane(U, Code);
  return Used;
}

void RegisterScrambler::scalars(const RegisterSet &Units, CallSiteCode &Code) {
  for (unsigned N = 0; N != S::SCC; ++N)
    if (Units.sgpr(N))
      Code.set(Code.sgpr(N), garbage());
  if (Units.has(S::VCCLo))
    Code.set(AMDGPU::VCC_LO, garbage());
  if (Units.has(S::VCCHi))
    Code.set(AMDGPU::VCC_HI, garbage());
  if (Units.has(S::M0))
    Code.set(AMDGPU::M0, garbage());
  if (Units.has(S::SCC))
    Code.setSCC(Random() & 1);
}

void RegisterScrambler::insert(const InsertionPoint &Where,
                               amdgpu::CodeLayout &Layout) {
  const ScramblePoint *Point = Plan->at(Where);
  if (!Point)
    return;
  CallSiteCode Code(Encoder, WaveSize, Layout);
  // What was issued before must have left its results, and read its operands.
  Code.awaitALU();
  Code.waitStates(AwaitsMatrixOps ? Code.waits().MatrixStates
                                  : Code.waits().EnterStates);
  const RegisterSet Used = vectors(*Point, Code);
  scalars(Point->Write | Used, Code);
  Code.awaitALU();
  Code.waitStates(Code.waits().LeaveStates);
  ++Points;
}

} // namespace luthier
