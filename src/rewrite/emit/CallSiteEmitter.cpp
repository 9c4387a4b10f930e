// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/emit/CallSiteEmitter.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "rewrite/emit/ArgumentMoves.h"

using namespace llvm;

namespace luthier {
namespace {

/// One call site being written.
class CallSiteEmitter {
public:
  CallSiteEmitter(const HookPlan &Hooks, const PlannedCallSite &Planned,
                  amdgpu::MachineEncoder &Encoder, CallSiteCode &Code)
      : Encoder(Encoder), Code(Code), Plan(Hooks.Registers), ABI(Plan.ABI),
        P(Hooks.Payloads[Planned.Site->Variant]), Site(*Planned.Site),
        S(*Planned.Spills), Facts(Hooks.Facts) {
    for (const ArgumentMove &Move : Site.Moves)
      ReadsVectors |= Move.Slot.IsVector;
  }

  size_t emit() {
    awaitApplication();
    if (S.State.IsNeeded)
      Plan.State->acquire(Code, Plan.Stack, S.State);
    saveScalars(Code, Plan, S);
    saveFlags();
    if (S.hasVectors() || S.WorkItemIds)
      enterStack();
    Code.append(argumentMoves());
    prepare();
    size_t Begin = Code.size();
    if (P.SkipsWithoutLanes)
      Code.whereLanesAreActive([&] {
        Begin = Code.size();
        Code.append(P.codeWith(Site.Literals));
      });
    else
      Code.append(P.codeWith(Site.Literals));
    restore();
    return Begin;
  }

private:
  void awaitApplication();
  void saveFlags();
  void enterStack();
  SmallVector<uint8_t, 64> argumentMoves() const;
  void prepare();
  void restore();
  bool readsScalarsByVectors() const;
  /// Pairs of SGPRs, by their numbers.
  void renewMasks(const BitVector &Registers);
  BitVector borrowedScalars() const;

  amdgpu::MachineEncoder &Encoder;
  CallSiteCode &Code;
  const RegisterPlan &Plan;
  const PayloadABI &ABI;
  const Payload &P;
  const CallSite &Site;
  const CallSiteSpills &S;
  const KernelFacts &Facts;
  bool ReadsVectors = false;
};

/// Until what is read or overwritten below is what the program shows.
void CallSiteEmitter::awaitApplication() {
  // Scalar registers are read below, by either unit.
  if (!Site.Moves.empty() || S.VCC || !S.Scalars.empty())
    Code.awaitALU();
  if (S.Borrows && Facts.ReadsLate)
    Code.awaitMemory();
  else
    Code.await(S.Waits);
  if (ReadsVectors || P.ReadsApplication || S.Borrows)
    Code.waitStates(Facts.MatrixOps ? Code.waits().MatrixStates
                                    : Code.waits().EnterStates);
}

void CallSiteEmitter::saveFlags() {
  if (S.SCC)
    Code.saveSCC(ABI.SccSave);
  if (S.VCC)
    Code.moveMask(ABI.VccSave, AMDGPU::VCC);
  if (S.EXEC)
    Code.moveMask(ABI.ExecSave, AMDGPU::EXEC);
  if (S.M0)
    Code.move(ABI.M0Save, AMDGPU::M0);
}

void CallSiteEmitter::enterStack() {
  Code.activateAll();
  Code.set(ABI.StackPointer, Plan.Stack.Base);
  Code.awaitALU();
  saveVectors(Code, Plan, S);
  if (S.WorkItemIds) {
    Code.load(ABI.WorkItemIds, ABI.StackPointer, StackPlan::WorkItemIds);
    Code.awaitStack();
  }
  Code.moveMask(AMDGPU::EXEC, ABI.ExecSave);
}

SmallVector<uint8_t, 64> CallSiteEmitter::argumentMoves() const {
  SmallVector<uint8_t, 64> Bytes;
  encodeMoves(Site.Moves, ABI, Encoder, Bytes, Plan.stackPointer());
  return Bytes;
}

void CallSiteEmitter::renewMasks(const BitVector &Registers) {
  for (unsigned N = 0; N + 1 < Registers.size(); N += 2)
    if (Registers.test(N) || Registers.test(N + 1))
      Code.renewMask(Code.sgprPair(N));
}

/// The application may just have read them as masks.
BitVector CallSiteEmitter::borrowedScalars() const {
  BitVector Result(P.SGPRs.size());
  for (unsigned N : P.SGPRs.set_bits())
    if (Plan.isApplicationSGPR(N))
      Result.set(N);
  return Result;
}

/// What the payload itself relies on.
void CallSiteEmitter::prepare() {
  const HazardTraits &Waits = Code.waits();
  if (S.MODE) {
    Code.waitStates(Waits.ModeStates);
    Code.readMode(ABI.ModeSave);
  }
  if (P.UsesFloat)
    Code.setDefaultMode();
  if (P.StackSize)
    Code.set(ABI.StackPointer, Plan.Stack.frame());
  if (P.ClobbersVCC)
    Code.renewMask(AMDGPU::VCC);
  if (const BitVector Borrowed = borrowedScalars(); Borrowed.any()) {
    // Arguments may be in them by now.
    Code.awaitScalarsOfMasks();
    renewMasks(Borrowed);
  }
  if (P.NeedsDistance || P.ReadsApplication || S.State.IsNeeded)
    Code.waitStates(Waits.EnterStates);
  Code.awaitALU();
}

/// Whether vector instructions read scalar registers that the application may
/// write next.
bool CallSiteEmitter::readsScalarsByVectors() const {
  if (!S.Scalars.empty() || P.VectorsReadVCC)
    return true;
  const int First = P.ReadByVectors.find_first();
  if (First >= 0 && unsigned(First) < ABI.ApplicationSGPRs)
    return true;
  return any_of(Site.Moves, [&](const ArgumentMove &Move) {
    return Move.Slot.IsVector && !Plan.Files->rangeOf(Move.From).isVector();
  });
}

void CallSiteEmitter::restore() {
  const HazardTraits &Waits = Code.waits();
  // The next payload, and what is restored below, overwrite its data.
  if (P.StoresWide)
    Code.waitStates(Waits.StoreStates);
  if (S.hasVectors()) {
    Code.activateAll();
    Code.set(ABI.StackPointer, Plan.Stack.Base);
    Code.awaitALU();
    restoreVectors(Code, Plan, S);
  }
  if (S.EXEC)
    Code.moveMask(AMDGPU::EXEC, ABI.ExecSave);
  if (S.TouchesVectors)
    Code.operateOnVectors(ABI.ExecSave);
  if (S.VCC)
    Code.moveMask(AMDGPU::VCC, ABI.VccSave);
  else if (P.ClobbersVCC)
    Code.renewMask(AMDGPU::VCC);
  // Other payloads write them without knowing of this one.
  renewMasks(P.Masks);
  if (S.M0)
    Code.move(AMDGPU::M0, ABI.M0Save);
  if (S.MODE) {
    Code.waitStates(Waits.ModeStates);
    Code.writeMode(ABI.ModeSave);
    Code.waitStates(Waits.ModeStates);
  }
  if (S.SCC)
    Code.restoreSCC(ABI.SccSave);
  if (!S.Scalars.empty()) {
    // From the payload's last instruction to what reads lanes.
    Code.waitStates(Waits.EnterStates);
    restoreScalars(Code, Plan, S);
  }
  if (S.State.IsNeeded)
    Plan.State->release(Code, Plan.Stack, S.State);
  if (P.WritesApplication || S.Borrows || (Facts.DividesByVCC && P.ClobbersVCC))
    Code.waitStates(Waits.LeaveStates);
  else if (S.M0) // Before LDS, GDS, s_sendmsg and s_movrel read it.
    Code.waitStates(Waits.M0States);
  Code.awaitALU();
  if (readsScalarsByVectors())
    Code.forgetReads();
}

} // namespace

size_t emitCallSite(const HookPlan &Plan, const PlannedCallSite &Site,
                    amdgpu::MachineEncoder &Encoder,
                    amdgpu::CodeLayout &Layout) {
  CallSiteCode Code(Encoder, Plan.Registers.ABI.WaveSize, Layout);
  return CallSiteEmitter(Plan, Site, Encoder, Code).emit();
}

} // namespace luthier
