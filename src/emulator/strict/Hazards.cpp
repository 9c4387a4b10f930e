// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/strict/Hazards.h"
#include "emulator/strict/HazardClasses.h"
#include <algorithm>
#include <bit>

namespace luthier::emulator::strict {

hazard::Family hazard::familyOf(std::string_view Processor) {
  struct Row {
    std::string_view Name;
    Family Is;
  };
  static constexpr Row Rows[] = {
      {"gfx906", Vega},   {"gfx908", Mi100},  {"gfx90a", Mi200},
      {"gfx942", Mi300},  {"gfx950", Mi300},  {"gfx1030", Gfx10},
      {"gfx1100", Gfx11}, {"gfx1201", Gfx12},
  };
  for (const Row &R : Rows)
    if (R.Name == Processor)
      return R.Is;
  return Vega;
}

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
constexpr unsigned MostStates = 5;
constexpr uint32_t AnyProducer = [] {
  uint32_t Classes = 0;
  for (const Row &R : Rows)
    Classes |= R.Producer;
  return Classes;
}();

bool overlaps(Span A, unsigned First, unsigned Count) {
  return Count && A.First < First + Count &&
         First < unsigned(A.First) + A.Count;
}

/// The first register that both lists have, or -1.
template <class List> int shared(const List &A, const List &B) {
  for (Span X : A)
    for (Span Y : B)
      if (overlaps(X, Y.First, Y.Count))
        return std::max(X.First, Y.First);
  return -1;
}
template <class List>
int sharedWith(const List &A, unsigned First, unsigned Count) {
  for (Span X : A)
    if (overlaps(X, First, Count))
      return int(std::max<unsigned>(X.First, First));
  return -1;
}

unsigned numRegs(const Operand &O) {
  return O.Type == ValueType::Wide ? O.NumRegs : isPair(O.Type) ? 2 : 1;
}

bool readsZeroFlag(const Inst &I) {
  return std::any_of(std::begin(I.Src), std::end(I.Src), [](const Operand &O) {
    return O.Kind == Source::Special;
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
                           const Issued &First, unsigned Distance, Conflict C) {
  R.report(W, I,
           {Rule::Hazard, nameOf(C.File, C.Reg), std::nullopt,
            std::string(C.Text) + " needs " + std::to_string(C.Needed) +
                " wait states and has " + std::to_string(Distance),
            First.PC});
}

void HazardTracker::look(Wave &W, const Inst &I, const InstFacts &Facts,
                         uint32_t Classes, uint32_t Producers, Reporter &R) {
  for (unsigned Age = 0; Age != RingSize; ++Age) {
    const Issued &P = before(Age);
    if (!P.Facts || Now - P.End >= MostStates)
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
  unsigned Addend, Factor, Valu, Memory;
};

MatrixLatency latencyOf(const InstFacts &Facts, uint32_t Family) {
  const unsigned P = Facts.Passes;
  if (Facts.IsDoubleMatrix)
    return P == 4 ? MatrixLatency{4, 6, 6, 9} : MatrixLatency{9, 11, 11, 18};
  if (Family == Mi100)
    return {P, P + 2, P + 2, P + 2};
  if (Family == Mi300 && !Facts.IsXdl)
    return {P, P + 2, P + 2, P + 2};
  return {P + (Family == Mi300), P + 3, P + 3, P + 3};
}

} // namespace

/// Matrix operations take a number of passes, and their result is late by as
/// many wait states and some.
bool HazardTracker::lookAtMatrix(Wave &W, const Inst &I, const InstFacts &Facts,
                                 Reporter &R) {
  constexpr unsigned LongestMatrixWait = 19;
  const uint32_t Family = Facts.HazardFamily;
  const bool IsMatrix = Facts.HazardClasses & Matrix;
  const bool IsValu = Facts.HazardClasses & Valu;
  const bool IsMemory = Facts.HazardClasses & (Vmem | Lds);
  llvm::StringRef Name = Facts.Info.Mnemonic;
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
      bool IsWrite = llvm::StringRef(P.Facts->Info.Mnemonic)
                         .starts_with("v_accvgpr_write");
      if ((P.Classes & ValuToVector) && !IsWrite &&
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
      // A result goes on as the same registers' addend without delay.
      bool IsForwarded = I.Src[2].Kind == Source::Vgpr &&
                         I.Src[2].Reg == P.DstReg &&
                         numRegs(I.Src[2]) == P.NumData;
      if ((!IsForwarded &&
           Check(Source(2), Late.Addend, "a matrix result as addend")) ||
          Check(Source(0), Late.Factor, "a matrix result as factor") ||
          Check(Source(1), Late.Factor, "a matrix result as factor"))
        return true;
      continue;
    }
    if (Family == Mi100) {
      // Only these reach AGPRs.
      if (Name.starts_with("v_accvgpr") &&
          (Check(shared(Results, Facts.VectorReads), Late.Valu,
                 "a matrix result read") ||
           Check(shared(Results, Facts.VectorWrites), P.Facts->Passes - 1,
                 "a matrix result overwritten")))
        return true;
      continue;
    }
    if (Check(shared(Results, Facts.VectorReads),
              IsMemory ? Late.Memory : Late.Valu, "a matrix result read") ||
        (IsValu && Check(shared(Results, Facts.VectorWrites), Late.Valu,
                         "a matrix result overwritten")))
      return true;
  }
  return false;
}

/// A VALU operation must not read the result of a transcendental one while at
/// most five VALU operations, at most one of them transcendental, came between,
/// unless something waited for VALU results (RDNA 3).
bool HazardTracker::lookAtTrans(Wave &W, const Inst &I, const InstFacts &Facts,
                                Reporter &R) {
  unsigned NumValu = 0, NumTrans = 0;
  for (unsigned Age = 0; Age != RingSize; ++Age) {
    const Issued &P = before(Age);
    if (!P.Facts)
      return false;
    uint32_t Classes = P.Classes;
    if (Classes & (Vmem | Lds))
      return false;
    constexpr unsigned VectorResultBits = 0xf000;
    if (P.Facts->Info.Mnemonic == "s_waitcnt_depctr" &&
        !(P.Immediate & VectorResultBits))
      return false;
    if (Classes & Trans) {
      int Reg = shared(P.Facts->VectorWrites, Facts.VectorReads);
      if (Reg >= 0) {
        R.report(W, I,
                 {Rule::Hazard, nameOf(RegisterFile::Vector, unsigned(Reg)),
                  std::nullopt,
                  "result of a transcendental operation needs a wait for VALU "
                  "results (s_waitcnt_depctr)",
                  P.PC});
        return true;
      }
      ++NumTrans;
    }
    NumValu += (Classes & (Valu | Matrix)) != 0;
    if (NumValu > 5 || NumTrans > 1)
      return false;
  }
  return false;
}

void HazardTracker::step(Wave &W, const Inst &I, const InstFacts &Facts,
                         Reporter &R) {
  uint32_t Classes = Facts.HazardClasses;
  uint32_t Producers = Facts.HazardProducers;
  if ((Classes & Valu) && readsZeroFlag(I)) {
    Classes |= ZeroFlag;
    Producers = producersOf(Facts.HazardFamily, Classes);
  }
  if ((Classes & Valu) && I.DstSelect != Part::Dword)
    Classes |= PartialResult;
  // Most of the time none of them was issued lately.
  bool IsNear = false;
  for (uint32_t Rest = Producers; Rest; Rest &= Rest - 1) {
    uint64_t End = LatestEnd[std::countr_zero(Rest)];
    IsNear |= End && Now - End < MostStates;
  }
  if (IsNear)
    look(W, I, Facts, Classes, Producers, R);
  if (Facts.HazardFamily & (Mi100 | Mi200 | Mi300)) {
    if (NumMatrix && (Classes & (Valu | Vmem | Lds | Matrix)))
      lookAtMatrix(W, I, Facts, R);
    else if (Classes & Matrix)
      lookAtMatrix(W, I, Facts, R);
  } else if (Facts.HazardFamily == Gfx11 && (Classes & ValuNotTrans)) {
    lookAtTrans(W, I, Facts, R);
  }
  Issued &New = Ring[Next++ % RingSize];
  NumMatrix -= (New.Classes & Matrix) != 0;
  NumMatrix += (Classes & Matrix) != 0;
  Now += Classes & Nop ? unsigned(I.Immediate & 0xf) + 1 : 1;
  for (uint32_t Rest = Classes & AnyProducer; Rest; Rest &= Rest - 1)
    LatestEnd[std::countr_zero(Rest)] = Now;
  New = {&Facts, W.PC - I.Dwords * 4u, Now, Classes, I.Dst.Reg, 0,
         0,      I.Immediate};
  if (Classes & Matrix)
    New.NumData = uint8_t(numRegs(I.Dst));
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
