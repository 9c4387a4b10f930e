// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/emit/CallSiteEmitter.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "rewrite/emit/ArgumentMoves.h"

using namespace llvm;

namespace luthier {
namespace {

/// One point being written.
class PointCode {
public:
  PointCode(amdgpu::MachineEncoder &Encoder, SeamCode &Code,
            const FramePlan &Plan, const Payload &P, const PlannedPoint &Point,
            const PointSaves &S, KernelHazards Hazards)
      : Encoder(Encoder), Code(Code), Plan(Plan), Frame(Plan.Frame), P(P),
        Point(Point), S(S), Hazards(Hazards) {
    for (const ArgumentMove &Move : Point.Moves) {
      ReadsRegisters |= std::holds_alternative<MCRegister>(Move.Value);
      ReadsVectors |= Move.Slot.IsVector;
    }
  }

  size_t write() {
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
        Code.append(P.Code);
      });
    else
      Code.append(P.Code);
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
  SeamCode &Code;
  const FramePlan &Plan;
  const PayloadFrame &Frame;
  const Payload &P;
  const PlannedPoint &Point;
  const PointSaves &S;
  KernelHazards Hazards;
  bool ReadsRegisters = false, ReadsVectors = false;
};

/// Until what is read or overwritten below is what the program shows.
void PointCode::awaitApplication() {
  // Scalar registers are read below, by either unit.
  if (ReadsRegisters || S.VCC || !S.Scalars.empty())
    Code.awaitALU();
  if (S.Borrows && Hazards.ReadsLate)
    Code.awaitMemory();
  else
    Code.await(S.Waits);
  if (ReadsVectors || P.ReadsApplication || S.Borrows)
    Code.waitStates(Hazards.MatrixOps ? Code.waits().MatrixStates
                                      : Code.waits().EnterStates);
}

void PointCode::saveFlags() {
  if (S.SCC)
    Code.saveSCC(Frame.SccSave);
  if (S.VCC)
    Code.moveMask(Frame.VccSave, AMDGPU::VCC);
  if (S.EXEC)
    Code.moveMask(Frame.ExecSave, AMDGPU::EXEC);
  if (S.M0)
    Code.move(Frame.M0Save, AMDGPU::M0);
}

void PointCode::enterStack() {
  Code.activateAll();
  Code.set(Frame.StackPointer, Plan.Stack.Base);
  Code.awaitALU();
  saveVectors(Code, Plan, S);
  if (S.WorkItemIds) {
    Code.load(Frame.WorkItemIds, Frame.StackPointer, StackPlan::WorkItemIds);
    Code.awaitStack();
  }
  Code.moveMask(AMDGPU::EXEC, Frame.ExecSave);
}

SmallVector<uint8_t, 64> PointCode::argumentMoves() const {
  SmallVector<uint8_t, 64> Bytes;
  encodeMoves(Point.Moves, Frame, Encoder, Bytes, Plan.stackPointer());
  return Bytes;
}

void PointCode::renewMasks(const BitVector &Registers) {
  for (unsigned N = 0; N + 1 < Registers.size(); N += 2)
    if (Registers.test(N) || Registers.test(N + 1))
      Code.renewMask(Code.sgprPair(N));
}

/// The application may just have read them as masks.
BitVector PointCode::borrowedScalars() const {
  BitVector Result(P.SGPRs.size());
  for (unsigned N : P.SGPRs.set_bits())
    if (Plan.isApplicationSGPR(N))
      Result.set(N);
  return Result;
}

/// What the payload itself relies on.
void PointCode::prepare() {
  const HazardTraits &Waits = Code.waits();
  if (S.MODE) {
    Code.waitStates(Waits.ModeStates);
    Code.readMode(Frame.ModeSave);
  }
  if (P.UsesFloat)
    Code.setDefaultMode();
  if (P.StackSize)
    Code.set(Frame.StackPointer, Plan.Stack.frame());
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
bool PointCode::readsScalarsByVectors() const {
  if (!S.Scalars.empty() || P.VectorsReadVCC)
    return true;
  const int First = P.ReadByVectors.find_first();
  if (First >= 0 && unsigned(First) < Frame.ApplicationSGPRs)
    return true;
  return any_of(Point.Moves, [&](const ArgumentMove &Move) {
    const auto *Reg = std::get_if<MCRegister>(&Move.Value);
    return Move.Slot.IsVector && Reg && !Plan.Files->rangeOf(*Reg).isVector();
  });
}

void PointCode::restore() {
  const HazardTraits &Waits = Code.waits();
  // The next payload, and what is restored below, overwrite its data.
  if (P.StoresWide)
    Code.waitStates(Waits.StoreStates);
  if (S.hasVectors()) {
    Code.activateAll();
    Code.set(Frame.StackPointer, Plan.Stack.Base);
    Code.awaitALU();
    restoreVectors(Code, Plan, S);
  }
  if (S.EXEC)
    Code.moveMask(AMDGPU::EXEC, Frame.ExecSave);
  if (S.TouchesVectors)
    Code.operateOnVectors(Frame.ExecSave);
  if (S.VCC)
    Code.moveMask(AMDGPU::VCC, Frame.VccSave);
  else if (P.ClobbersVCC)
    Code.renewMask(AMDGPU::VCC);
  // Other payloads write them without knowing of this one.
  renewMasks(P.Masks);
  if (S.M0)
    Code.move(AMDGPU::M0, Frame.M0Save);
  if (S.MODE) {
    Code.waitStates(Waits.ModeStates);
    Code.writeMode(Frame.ModeSave);
    Code.waitStates(Waits.ModeStates);
  }
  if (S.SCC)
    Code.restoreSCC(Frame.SccSave);
  if (!S.Scalars.empty()) {
    // From the payload's last instruction to what reads lanes.
    Code.waitStates(Waits.EnterStates);
    restoreScalars(Code, Plan, S);
  }
  if (S.State.IsNeeded)
    Plan.State->release(Code, Plan.Stack, S.State);
  if (P.WritesApplication || S.Borrows ||
      (Hazards.DividesByVCC && P.ClobbersVCC))
    Code.waitStates(Waits.LeaveStates);
  else if (S.M0) // Before LDS, GDS, s_sendmsg and s_movrel read it.
    Code.waitStates(Waits.M0States);
  Code.awaitALU();
  if (readsScalarsByVectors())
    Code.forgetReads();
}

} // namespace

Expected<PointSaves> PointWriter::plan(const PlannedPoint &Point,
                                       const RegisterSet &Live) const {
  const Payload &P = Payloads[Point.Variant];
  Expected<PointSaves> Saves =
      planSaves(Encoder.target(), Waits, Plan, Hazards, P, Point, Live);
  if (Saves && Hazards.LoadsVCC && (P.ClobbersVCC || P.UsesVCC))
    Saves->Touched.add(AMDGPU::VCC);
  return Saves;
}

size_t PointWriter::write(const PlannedPoint &Point, const PointSaves &Saves,
                          amdgpu::CodeLayout &Layout) const {
  SeamCode Code(Encoder, Waits, Plan.Frame.WaveSize, Layout);
  return PointCode(Encoder, Code, Plan, Payloads[Point.Variant], Point, Saves,
                   Hazards)
      .write();
}

} // namespace luthier
