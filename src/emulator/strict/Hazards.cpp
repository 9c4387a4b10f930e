// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/strict/Hazards.h"
#include "SIDefines.h"
#include "emulator/strict/HazardClasses.h"
#include "emulator/strict/MatrixRows.h"
#include "emulator/strict/Overlap.h"
#include <algorithm>
#include <utility>

namespace luthier::emulator::strict {

namespace {

using namespace hazard;

/// What of the producer the consumer must touch.
enum class Relation : uint8_t {
  None,
  Scalar,           ///< A scalar result is a scalar source.
  ScalarData,       ///< The same, but not as a mask or a carry.
  Vector,           ///< A vector result is a vector source.
  Source0,          ///< A vector result is source 0.
  LaneSelect,       ///< A scalar result is source 1.
  Vcc,              ///< VCC is a result.
  HardwareRegister, ///< Both name the same one.
  StoredData,       ///< A vector result overwrites stored data.
};

struct Row {
  uint32_t Families, Producer, Consumer;
  Relation How;
  unsigned States;
  const char *Text;
};
constexpr Row Rows[] = {
#define HAZARD(Families, Producer, Consumer, How, States, Text)                \
  {Families, Producer, Consumer, Relation::How, States, Text},
#include "emulator/strict/Hazards.def"
};
constexpr unsigned MaxStates = 5;

} // namespace

uint32_t hazard::producersOf(uint32_t Family, uint32_t Consumer) {
  uint32_t Producers = 0;
  for (const Row &H : Rows)
    if ((H.Families & Family) && (H.Consumer & Consumer))
      Producers |= H.Producer;
  return Producers;
}

void HazardTracker::report(Wave &W, const Inst &I, Reporter &R,
                           const Issued &First, RegisterFile File, unsigned Reg,
                           std::string Text) {
  R.report(W, I,
           {Rule::Hazard, nameOf(File, Reg), std::nullopt, std::move(Text),
            First.PC});
}
void HazardTracker::report(Wave &W, const Inst &I, Reporter &R,
                           const Issued &First, unsigned Distance, Conflict C) {
  report(W, I, R, First, C.File, C.Reg,
         std::string(C.Text) + " needs " + std::to_string(C.Needed) +
             " wait states and has " + std::to_string(Distance));
}

const HazardTracker::Issued *HazardTracker::latest(uint32_t Classes) const {
  for (unsigned Age = 0; Age != RingSize; ++Age) {
    const Issued &P = before(Age);
    if (!P.Facts || (P.Classes & hazard::Call))
      return nullptr;
    if (P.Classes & Classes)
      return &P;
  }
  return nullptr;
}

void HazardTracker::checkTable(Wave &W, const Inst &I, const InstFacts &Facts,
                               Reporter &R) {
  for (unsigned Age = 0; Age != RingSize; ++Age) {
    const Issued &P = before(Age);
    if (!P.Facts || Now - P.End >= MaxStates)
      return;
    if (!(P.Classes & Facts.HazardProducers))
      continue;
    auto Distance = unsigned(Now - P.End);
    for (const Row &H : Rows) {
      if (!(H.Producer & P.Classes) || !(H.Consumer & Facts.HazardClasses) ||
          !(H.Families & Facts.HazardFamily) || Distance >= H.States)
        continue;
      int Reg = 0;
      RegisterFile File = RegisterFile::Scalar;
      switch (H.How) {
      case Relation::None:
        Reg = H.Producer == SaluToM0 ? int(sreg::M0) : int(sreg::Exec);
        break;
      case Relation::Scalar:
        Reg = shared(P.Facts->ScalarWrites, Facts.ScalarReads);
        break;
      case Relation::ScalarData:
        // What reads a mask can read no other scalar register.
        Reg = Facts.Op.has(trait::ReadsMask)
                  ? -1
                  : shared(P.Facts->ScalarWrites, Facts.ScalarReads);
        break;
      case Relation::Vector:
        File = RegisterFile::Vector;
        Reg = shared(P.Facts->VectorWrites, Facts.VectorReads);
        break;
      case Relation::Source0:
        File = RegisterFile::Vector;
        Reg = I.Src[0].Kind == Source::Vgpr
                  ? sharedWith(P.Facts->VectorWrites, I.Src[0].Reg,
                               numRegs(I.Src[0]))
                  : -1;
        break;
      case Relation::LaneSelect:
        Reg = I.Src[1].Kind == Source::Sgpr
                  ? sharedWith(P.Facts->ScalarWrites, I.Src[1].Reg, 1)
                  : -1;
        break;
      case Relation::Vcc:
        Reg = sharedWith(P.Facts->ScalarWrites, sreg::Vcc, 2);
        break;
      case Relation::HardwareRegister:
        Reg = (P.Immediate & 0x3f) == (I.Immediate & 0x3f) ? int(sreg::M0) : -1;
        break;
      case Relation::StoredData:
        File = RegisterFile::Vector;
        Reg = sharedWith(Facts.VectorWrites, P.DataReg, P.NumData);
        break;
      }
      if (Reg >= 0)
        return report(W, I, R, P, Distance,
                      {H.Text, H.States, File, unsigned(Reg)});
    }
  }
}

/// Results of dot products go on without delay only as the addend of the same
/// operation (since MI200).
bool HazardTracker::checkDot(Wave &W, const Inst &I, const InstFacts &Facts,
                             Reporter &R) {
  constexpr unsigned Needed = 3;
  for (unsigned Age = 0; Age != RingSize; ++Age) {
    const Issued &P = before(Age);
    if (!P.Facts || Now - P.End >= Needed)
      return false;
    if (!(P.Classes & Dot))
      continue;
    const auto &Results = P.Facts->VectorWrites;
    const bool IsSame = P.Facts->Info.Opcode == Facts.Info.Opcode;
    int Reg = IsSame ? sharedWith(Results, I.Src[0])
                     : shared(Results, Facts.VectorReads);
    if (Reg < 0)
      Reg = IsSame ? sharedWith(Results, I.Src[1])
                   : shared(Results, Facts.VectorWrites);
    if (Reg < 0)
      continue;
    report(W, I, R, P, unsigned(Now - P.End),
           {"result of a dot product", Needed, RegisterFile::Vector,
            unsigned(Reg)});
    return true;
  }
  return false;
}

/// Vector memory is one unit however it is addressed, and so is LDS when it
/// only moves values between lanes.
static Shape unitOf(const InstFacts &Facts) {
  if (Facts.Form == Shape::Buffer)
    return Shape::Flat;
  if (Facts.Form == Shape::Matrix)
    return Shape::Vector;
  if (Facts.Form == Shape::Vector &&
      (Facts.Info.Flags & llvm::SIInstrFlags::DS))
    return Shape::Lds;
  return Facts.Form;
}

/// All instructions of a clause use the same unit. Waits and the like may stand
/// between them.
void HazardTracker::checkClause(Wave &W, const Inst &I, const InstFacts &Facts,
                                Reporter &R) {
  --LeftInClause;
  const Shape Form = unitOf(Facts);
  if (Form == Shape::Nothing)
    return;
  const bool MayBegin =
      Form != Shape::Scalar && Form != Shape::Branch && Form != Shape::Message;
  if (MayBegin && ClauseForm == Shape::Nothing)
    ClauseForm = Form;
  if (Form == ClauseForm)
    return;
  LeftInClause = 0;
  R.report(W, I, {Rule::Clause, "", std::nullopt, "", ClausePC});
}

/// Whether all stores are done behind it, and so have read their data. From
/// generation 10 on, hardware keeps wide data apart anyway.
static bool endsStores(const Target &T, const Inst &I, const InstFacts &Facts) {
  constexpr int64_t Memory = 0xc00f;
  return T.Waits == WaitLayout::Gfx9 &&
         Facts.Info.Operation->Waits == WaitKind::Combined &&
         (I.Immediate & Memory) == 0;
}

void HazardTracker::start() {
  for (Issued &Each : Ring) {
    Each.Facts = nullptr;
    Each.Classes = 0;
  }
  Recent = Older = Next = NumMatrix = 0;
  Now = RecentEnd = 0;
  LeftInClause = 0;
}

void HazardTracker::step(Wave &W, const Inst &I, const InstFacts &Facts,
                         Reporter &R) {
  if (LeftInClause)
    checkClause(W, I, Facts, R);
  if (Facts.BeginsClause) {
    LeftInClause = (I.Immediate & 0x3f) + 1;
    ClauseForm = Shape::Nothing;
    ClausePC = W.PC - I.Dwords * 4u;
  }
  const uint32_t Classes = Facts.HazardClasses;
  if ((Classes & Matrix) && hasMatrixHazards(Facts.HazardFamily) &&
      !Facts.Matrix)
    return W.fault(ExecutionFault::Kind::UnknownOperation,
                   "no row in MatrixRows.def says how late its result is");
  if (Now >= RecentEnd) {
    Older = std::exchange(Recent, 0);
    RecentEnd = Now + MaxStates;
  }
  // Most of the time none of them was issued lately.
  if (Facts.HazardProducers & (Recent | Older))
    checkTable(W, I, Facts, R);
  constexpr uint32_t VectorOrMemory = Valu | Vmem | Lds;
  if (hasMatrixHazards(Facts.HazardFamily)) {
    bool Reported = false;
    if ((Classes & Matrix) || (NumMatrix && (Classes & VectorOrMemory)))
      Reported = checkMatrix(W, I, Facts, R);
    if (!Reported && ((Recent | Older) & Dot) && Facts.HazardFamily != Mi100 &&
        (Classes & VectorOrMemory))
      checkDot(W, I, Facts, R);
  } else if (Facts.HazardFamily != Vega) {
    checkRdna(W, I, Facts, R);
  }
  if (Facts.IsWait && ((Recent | Older) & WideStore) &&
      endsStores(*W.T, I, Facts))
    for (Issued &Each : Ring)
      if (Each.Classes & WideStore)
        Each.NumData = 0;
  Issued &New = Ring[Next++ % RingSize];
  NumMatrix -= (New.Classes & Matrix) != 0;
  NumMatrix += (Classes & Matrix) != 0;
  Now += Classes & Nop ? unsigned(I.Immediate & 0xf) + 1 : 1;
  Recent |= Classes;
  New.Facts = &Facts;
  New.PC = W.PC - I.Dwords * 4u;
  New.End = Now;
  New.Classes = Classes;
  New.DstReg = I.Dst.Reg;
  New.Immediate = I.Immediate;
  New.NumData = New.NumAddend = 0;
  if (Classes & Matrix) {
    New.NumData = uint8_t(numRegs(I.Dst));
    // Some units have taken the addend at once.
    if (I.Src[2].Kind == Source::Vgpr && Facts.Matrix &&
        Facts.Matrix->AddendOverwrite) {
      New.AddendReg = I.Src[2].Reg;
      New.NumAddend = uint8_t(numRegs(I.Src[2]));
    }
  }
  if (Classes & WideStore) {
    const Operand &Data = Facts.Form == Shape::Flat ? I.Src[1] : I.Dst;
    bool HasScalarOffset =
        Facts.Form == Shape::Buffer && I.Src[2].Kind == Source::Sgpr;
    New.DataReg = Data.Reg;
    New.NumData =
        Data.Kind == Source::Vgpr && Data.NumRegs > 2 && !HasScalarOffset
            ? Data.NumRegs
            : 0;
  }
}

} // namespace luthier::emulator::strict
