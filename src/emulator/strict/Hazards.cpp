// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/strict/Hazards.h"
#include "SIDefines.h"
#include "emulator/strict/HazardClasses.h"
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

bool readsZeroFlag(const Inst &I) {
  return std::any_of(std::begin(I.Src), std::end(I.Src), [](const Operand &O) {
    return O.Kind == Source::Special && O.Reg != sreg::LdsDirect;
  });
}

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
                               uint32_t Classes, uint32_t Producers,
                               Reporter &R) {
  for (unsigned Age = 0; Age != RingSize; ++Age) {
    const Issued &P = before(Age);
    if (!P.Facts || Now - P.End >= MaxStates)
      return;
    if (!(P.Classes & Producers))
      continue;
    auto Distance = unsigned(Now - P.End);
    for (const Row &H : Rows) {
      if (!(H.Producer & P.Classes) || !(H.Consumer & Classes) ||
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

namespace {

/// Wait states until a matrix result may be used.
struct MatrixLatency {
  unsigned Factor, Valu, Memory, Overwrite;
};

/// Wait states of an addend that \p First's result overlaps.
unsigned addendLatency(const InstFacts &First, const InstFacts &Second,
                       uint32_t Family) {
  const unsigned P = First.Passes;
  if (Family == Mi100)
    return 2;
  const bool IsLate = Family & SinceMi300;
  const bool OtherUnitWaits = IsLate ? Second.IsXdl : !Second.IsDoubleMatrix;
  if (First.IsDoubleMatrix)
    return OtherUnitWaits ? 0 : P == 4 ? 4 : Family == Mi350 ? 17 : 9;
  if (!IsLate)
    return P + Second.IsDoubleMatrix;
  if (!First.IsXdl)
    return Second.IsXdl ? 0 : P;
  return P + 1 + (Family == Mi350 && (Second.IsXdl || P != 2));
}

/// The same where exactly the same registers go on, mostly without delay.
unsigned forwardLatency(const InstFacts &First, const InstFacts &Second,
                        uint32_t Family) {
  if (First.IsDoubleMatrix)
    return Second.IsDoubleMatrix && First.Passes == 4 && Second.Passes == 4 ? 4
                                                                            : 0;
  return (Family & SinceMi300) && First.Passes == 2 ? 2 : 0;
}

MatrixLatency latencyOf(const InstFacts &Facts, uint32_t Family) {
  const unsigned P = Facts.Passes;
  if (Facts.IsDoubleMatrix && P == 4)
    return {6, 6, 9, 6};
  if (Facts.IsDoubleMatrix)
    return Family == Mi350 ? MatrixLatency{19, 19, 18, 11}
                           : MatrixLatency{11, 11, 18, 11};
  if (Family == Mi100)
    return {4, P + 2, P + 2, P + 2};
  if ((Family & SinceMi300) && !Facts.IsXdl)
    return {P + 2, P + 2, P + 2, P + 2};
  const unsigned All = P + 3 + (Family == Mi350 && P != 2);
  return {All, All, All, All};
}

} // namespace

/// Matrix operations take a number of passes, and their result is late by as
/// many wait states and some.
bool HazardTracker::checkMatrix(Wave &W, const Inst &I, const InstFacts &Facts,
                                Reporter &R) {
  constexpr unsigned LongestMatrixWait = 20;
  const uint32_t Family = Facts.HazardFamily;
  const bool IsMatrix = Facts.HazardClasses & Matrix;
  const bool IsMemory = Facts.HazardClasses & (Vmem | Lds);
  const bool IsDoubleFma = Facts.Op.has(trait::DoubleFma);
  for (unsigned Age = 0; Age != RingSize; ++Age) {
    const Issued &P = before(Age);
    if (!P.Facts || Now - P.End >= LongestMatrixWait)
      return false;
    auto Distance = unsigned(Now - P.End);
    auto Check = [&](int Reg, unsigned Needed, const char *Text) {
      if (Reg < 0 || Distance >= Needed)
        return false;
      report(W, I, R, P, Distance,
             {Text, Needed, RegisterFile::Vector, unsigned(Reg)});
      return true;
    };
    const auto &Results = P.Facts->VectorWrites;
    if (!(P.Classes & Matrix)) {
      if (!IsMatrix)
        continue;
      if ((P.Classes & ValuToExec) &&
          Check(0, 4, "EXEC written by VALU before a matrix operation"))
        return true;
      bool IsWrite = P.Facts->Op.has(trait::ToAgpr);
      // Since MI200, results of dot products are not late for these.
      bool IsDot = (P.Classes & Dot) && Family != Mi100;
      if ((P.Classes & ValuToVector) && !IsWrite && !IsDot &&
          Check(shared(Results, Facts.VectorReads), 2,
                "a VALU result as input of a matrix operation"))
        return true;
      if (Family == Mi100 && IsWrite) {
        int C = I.Src[2].Kind == Source::Vgpr
                    ? sharedWith(Results, I.Src[2].Reg, numRegs(I.Src[2]))
                    : -1;
        if (Check(C, 1, "an AGPR just written as addend"))
          return true;
        if (C < 0 && Check(shared(Results, Facts.VectorReads), 3,
                           "an AGPR just written as factor"))
          return true;
      }
      continue;
    }
    const MatrixLatency Late = latencyOf(*P.Facts, Family);
    if (IsMatrix) {
      auto Source = [&](unsigned N) {
        return I.Src[N].Kind == Source::Vgpr
                   ? sharedWith(Results, I.Src[N].Reg, numRegs(I.Src[N]))
                   : -1;
      };
      bool IsForwarded = I.Src[2].Kind == Source::Vgpr &&
                         I.Src[2].Reg == P.DstReg &&
                         numRegs(I.Src[2]) == P.NumData;
      unsigned Addend = IsForwarded ? forwardLatency(*P.Facts, Facts, Family)
                                    : addendLatency(*P.Facts, Facts, Family);
      if (Check(Source(2), Addend, "a matrix result as addend") ||
          Check(Source(0), Late.Factor, "a matrix result as factor") ||
          Check(Source(1), Late.Factor, "a matrix result as factor"))
        return true;
      continue;
    }
    if (Family == Mi100) {
      // Only these reach AGPRs.
      if (Facts.Op.has(trait::AccessesAgpr) &&
          (Check(shared(Results, Facts.VectorReads), Late.Valu,
                 "a matrix result read") ||
           Check(shared(Results, Facts.VectorWrites), P.Facts->Passes - 1,
                 "a matrix result overwritten") ||
           Check(sharedWith(Facts.VectorWrites, P.AddendReg, P.NumAddend),
                 std::max(P.Facts->Passes, 3u) - 3, "an addend overwritten")))
        return true;
      continue;
    }
    if (Check(shared(Results, Facts.VectorReads),
              IsMemory ? Late.Memory : Late.Valu, "a matrix result read") ||
        Check(shared(Results, Facts.VectorWrites), Late.Overwrite,
              "a matrix result overwritten") ||
        Check(sharedWith(Facts.VectorWrites, P.AddendReg, P.NumAddend),
              P.Facts->Passes - 1, "an addend overwritten") ||
        (P.Facts->IsDoubleMatrix && IsDoubleFma &&
         Check(I.Dst.Reg, 2, "v_fma_f64 after a matrix operation on f64")))
      return true;
  }
  return false;
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
  uint32_t Classes = Facts.HazardClasses;
  uint32_t Producers = Facts.HazardProducers;
  if ((Classes & Valu) && readsZeroFlag(I)) {
    Classes |= ZeroFlag;
    Producers = producersOf(Facts.HazardFamily, Classes);
  }
  // Half results that leave the upper half alone are forwarded as they are.
  const bool IsPartial =
      Facts.IsSdwa ? I.DstSelect != Part::Dword : I.DstSelect == Part::Word1;
  if ((Classes & Valu) && IsPartial)
    Classes |= PartialResult;
  if (Now >= RecentEnd) {
    Older = std::exchange(Recent, 0);
    RecentEnd = Now + MaxStates;
  }
  // Most of the time none of them was issued lately.
  if (Producers & (Recent | Older))
    checkTable(W, I, Facts, Classes, Producers, R);
  constexpr uint32_t VectorOrMemory = Valu | Vmem | Lds;
  if (Facts.HazardFamily & (Mi100 | Mi200 | SinceMi300)) {
    bool Reported = false;
    if ((Classes & Matrix) || (NumMatrix && (Classes & VectorOrMemory)))
      Reported = checkMatrix(W, I, Facts, R);
    if (!Reported && ((Recent | Older) & Dot) && Facts.HazardFamily != Mi100 &&
        (Classes & VectorOrMemory))
      checkDot(W, I, Facts, R);
  } else if (Facts.HazardFamily != Vega) {
    checkRdna(W, I, Facts, R);
  }
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
    // Slower units have taken the addend at once.
    if (I.Src[2].Kind == Source::Vgpr && !Facts.IsDoubleMatrix &&
        (Facts.IsXdl || !(Facts.HazardFamily & SinceMi300))) {
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
