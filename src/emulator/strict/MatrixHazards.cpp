// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix operations on AGPRs, before and after other instructions.
#include "emulator/strict/HazardClasses.h"
#include "emulator/strict/Hazards.h"
#include "emulator/strict/MatrixRows.h"
#include "emulator/strict/Overlap.h"

namespace luthier::emulator::strict {

using namespace hazard;

bool HazardTracker::checkLate(Wave &W, const Inst &I, Reporter &R,
                              const Issued &First, int Reg, unsigned Needed,
                              const char *Text) {
  const auto Distance = unsigned(Now - First.End);
  if (Reg < 0 || Distance >= Needed)
    return false;
  report(W, I, R, First, Distance,
         {Text, Needed, RegisterFile::Vector, unsigned(Reg)});
  return true;
}

/// Another vector instruction, then a matrix operation.
bool HazardTracker::checkBeforeMatrix(Wave &W, const Inst &I,
                                      const InstFacts &Facts, const Issued &P,
                                      Reporter &R) {
  const bool IsMi100 = Facts.HazardFamily == Mi100;
  const auto &Results = P.Facts->VectorWrites;
  if ((P.Classes & ValuToExec) &&
      checkLate(W, I, R, P, 0, 4,
                "EXEC written by VALU before a matrix operation"))
    return true;
  const bool IsWrite = P.Facts->Op.has(trait::ToAgpr);
  // Since MI200, results of dot products are not late for these.
  const bool IsDot = (P.Classes & Dot) && !IsMi100;
  if ((P.Classes & ValuToVector) && !IsWrite && !IsDot &&
      checkLate(W, I, R, P, shared(Results, Facts.VectorReads), 2,
                "a VALU result as input of a matrix operation"))
    return true;
  if (!IsMi100 || !IsWrite)
    return false;
  const int C = I.Src[2].Kind == Source::Vgpr
                    ? sharedWith(Results, I.Src[2].Reg, numRegs(I.Src[2]))
                    : -1;
  return checkLate(W, I, R, P, C, 1, "an AGPR just written as addend") ||
         (C < 0 && checkLate(W, I, R, P, shared(Results, Facts.VectorReads), 3,
                             "an AGPR just written as factor"));
}

/// A matrix operation, then another one.
bool HazardTracker::checkMatrixInputs(Wave &W, const Inst &I,
                                      const InstFacts &Facts, const Issued &P,
                                      Reporter &R) {
  auto Source = [&](unsigned N) {
    return I.Src[N].Kind == Source::Vgpr
               ? sharedWith(P.Facts->VectorWrites, I.Src[N].Reg,
                            numRegs(I.Src[N]))
               : -1;
  };
  const MatrixHazard &Late = *P.Facts->Matrix;
  const bool IsForwarded = I.Src[2].Kind == Source::Vgpr &&
                           I.Src[2].Reg == P.DstReg &&
                           numRegs(I.Src[2]) == P.NumData;
  return checkLate(W, I, R, P, Source(2),
                   Late.addend(*Facts.Matrix, IsForwarded),
                   "a matrix result as addend") ||
         checkLate(W, I, R, P, Source(0), Late.Factor,
                   "a matrix result as factor") ||
         checkLate(W, I, R, P, Source(1), Late.Factor,
                   "a matrix result as factor");
}

/// A matrix operation, then something else.
bool HazardTracker::checkAfterMatrix(Wave &W, const Inst &I,
                                     const InstFacts &Facts, const Issued &P,
                                     Reporter &R) {
  // Only these reach AGPRs.
  if (Facts.HazardFamily == Mi100 && !Facts.Op.has(trait::AccessesAgpr))
    return false;
  const bool IsMemory = Facts.HazardClasses & (Vmem | Lds);
  const MatrixHazard &Late = *P.Facts->Matrix;
  const auto &Results = P.Facts->VectorWrites;
  return checkLate(W, I, R, P, shared(Results, Facts.VectorReads),
                   IsMemory ? Late.Memory : Late.Valu,
                   "a matrix result read") ||
         checkLate(W, I, R, P, shared(Results, Facts.VectorWrites),
                   Late.Overwrite, "a matrix result overwritten") ||
         checkLate(W, I, R, P,
                   sharedWith(Facts.VectorWrites, P.AddendReg, P.NumAddend),
                   Late.AddendOverwrite, "an addend overwritten") ||
         (Late.Unit == MatrixUnit::Double && Facts.Op.has(trait::DoubleFma) &&
          checkLate(W, I, R, P, I.Dst.Reg, 2,
                    "v_fma_f64 after a matrix operation on f64"));
}

/// Matrix operations take a number of passes, and their result is late by as
/// many wait states and some.
bool HazardTracker::checkMatrix(Wave &W, const Inst &I, const InstFacts &Facts,
                                Reporter &R) {
  constexpr unsigned LongestMatrixWait = 20;
  const bool IsMatrix = Facts.HazardClasses & Matrix;
  for (unsigned Age = 0; Age != RingSize; ++Age) {
    const Issued &P = before(Age);
    if (!P.Facts || Now - P.End >= LongestMatrixWait)
      return false;
    const bool AfterMatrix = P.Classes & Matrix;
    if (!AfterMatrix && !IsMatrix)
      continue;
    if (!AfterMatrix ? checkBeforeMatrix(W, I, Facts, P, R)
        : IsMatrix   ? checkMatrixInputs(W, I, Facts, P, R)
                     : checkAfterMatrix(W, I, Facts, P, R))
      return true;
  }
  return false;
}

} // namespace luthier::emulator::strict
