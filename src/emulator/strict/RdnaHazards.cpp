// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hazards that end with the kind of what comes between, not with wait states.
#include "SIDefines.h"
#include "emulator/strict/HazardClasses.h"
#include "emulator/strict/Hazards.h"
#include "emulator/strict/Overlap.h"

namespace luthier::emulator::strict {

using namespace hazard;
namespace flags = llvm::SIInstrFlags;

namespace {

constexpr uint32_t AnyVector = Valu | Matrix;

/// Waits until all VALU results are written.
bool awaitsVectorResults(const InstFacts &Facts, int32_t Immediate) {
  constexpr unsigned VectorResultBits = 0xf000;
  if (Facts.HazardClasses & (Vmem | Lds))
    return true;
  return Facts.Op.Waits == WaitKind::Alu &&
         !(unsigned(Immediate) & VectorResultBits);
}

} // namespace

/// A VALU operation must not read the result of a transcendental one while at
/// most five VALU operations, at most one of them transcendental, came between,
/// unless something waited for VALU results (RDNA 3).
bool HazardTracker::checkTrans(Wave &W, const Inst &I, const InstFacts &Facts,
                               Reporter &R) {
  unsigned NumValu = 0, NumTrans = 0;
  for (unsigned Age = 0; Age != RingSize; ++Age) {
    const Issued &P = before(Age);
    if (!P.Facts || (P.Classes & Call) ||
        awaitsVectorResults(*P.Facts, P.Immediate))
      return false;
    if (P.Classes & Trans) {
      int Reg = shared(P.Facts->VectorWrites, Facts.VectorReads);
      if (Reg >= 0) {
        report(W, I, R, P, RegisterFile::Vector, unsigned(Reg),
               "result of a transcendental operation needs a wait for VALU "
               "results (s_waitcnt_depctr)");
        return true;
      }
      ++NumTrans;
    }
    NumValu += (P.Classes & AnyVector) != 0;
    if (NumValu > 5 || NumTrans > 1)
      return false;
  }
  return false;
}

/// A VALU operation must not read one VGPR written shortly before a scalar
/// operation changed EXEC and one written shortly after it (RDNA 3 in wave64).
bool HazardTracker::checkPartialExec(Wave &W, const Inst &I, Reporter &R) {
  constexpr unsigned None = ~0u, MaxAround = 2, MaxAfter = 4, MaxValu = 8;
  struct {
    const Operand *O = nullptr;
    /// VALU operations between the latest write and the reader.
    unsigned Valu = None;
    const Issued *Writer = nullptr;
    unsigned Reg = 0;
  } Sources[3];
  unsigned NumSources = 0;
  for (const Operand &O : I.Src) {
    bool IsNew = O.Kind == Source::Vgpr;
    for (unsigned N = 0; N != NumSources; ++N)
      IsNew &= Sources[N].O->Reg != O.Reg;
    if (IsNew)
      Sources[NumSources++].O = &O;
  }
  if (NumSources < 2)
    return false;
  unsigned NumValu = 0, NumFound = 0, Exec = None;
  for (unsigned Age = 0; Age != RingSize; ++Age) {
    const Issued &P = before(Age);
    if (!P.Facts || NumValu > MaxValu || (P.Classes & Call) ||
        awaitsVectorResults(*P.Facts, P.Immediate))
      return false;
    const bool IsVector = P.Classes & AnyVector;
    bool Changed = false;
    if (IsVector) {
      for (unsigned N = 0; N != NumSources; ++N) {
        auto &S = Sources[N];
        int Reg = S.Writer ? -1 : sharedWith(P.Facts->VectorWrites, *S.O);
        if (Reg < 0)
          continue;
        S.Valu = NumValu;
        S.Writer = &P;
        S.Reg = unsigned(Reg);
        ++NumFound;
        Changed = true;
      }
    } else if (NumFound && Exec == None && P.Facts->WritesExec &&
               (P.Facts->Info.Flags & flags::SALU)) {
      Exec = NumValu;
      Changed = true;
    }
    if (NumValu > MaxAfter && !NumFound)
      return false;
    NumValu += IsVector;
    if (!Changed || Exec == None)
      continue;
    unsigned After = None, Before = None;
    unsigned First = 0;
    for (unsigned N = 0; N != NumSources; ++N) {
      unsigned Valu = Sources[N].Valu;
      if (Valu == None)
        continue;
      if (Valu < Exec) {
        After = std::min(After, Valu);
      } else if (Valu < Before) {
        Before = Valu;
        First = N;
      }
    }
    if (After == None)
      continue;
    const unsigned Behind = Exec - After - 1;
    if (After > MaxAfter || Behind > MaxAround)
      return false;
    if (Before == None)
      continue;
    if (Before - Exec + Behind > MaxAround)
      return false;
    report(W, I, R, *Sources[First].Writer, RegisterFile::Vector,
           Sources[First].Reg,
           "written shortly before EXEC changed and read with a result of "
           "after it, needs s_waitcnt_depctr va_vdst(0)");
    return true;
  }
  return false;
}

/// A matrix operation's factors, and what says where a sparse one's zeros are,
/// must not come from the one before; any VALU operation between is enough.
bool HazardTracker::checkWmma(Wave &W, const Inst &I, const InstFacts &Facts,
                              Reporter &R) {
  const Issued *P = latest(AnyVector);
  if (!P || !(P->Classes & Matrix))
    return false;
  const auto &Results = P->Facts->VectorWrites;
  int Reg = sharedWith(Results, I.Src[0]);
  if (Reg < 0)
    Reg = sharedWith(Results, I.Src[1]);
  if (Reg < 0 && Facts.HazardFamily == Gfx12 &&
      (Facts.Info.Flags & flags::IsSWMMAC))
    Reg = sharedWith(Results, I.Src[2]);
  if (Reg < 0)
    return false;
  report(W, I, R, *P, RegisterFile::Vector, unsigned(Reg),
         "a matrix result as input of the next matrix operation needs a VALU "
         "operation between");
  return true;
}

/// A load of LDS-direct does not wait for VALU operations and memory operations
/// to be done with the register that it writes, unless it says so. VALU results
/// are counted, but for transcendental ones, which overtake the others.
void HazardTracker::checkLdsDirect(Wave &W, const Inst &I,
                                   const InstFacts &Facts, Reporter &R) {
  constexpr unsigned MaxValu = 15, ReadBits = 0x1c, ResultBits = 0xf000;
  const unsigned Outstanding = unsigned(I.Immediate) & 15;
  bool ValuMayGoOn = Outstanding != 0, MemoryMayRead = I.Immediate >> 4 & 1;
  unsigned NumValu = 0;
  bool AnyTrans = false;
  auto Report = [&](const Issued &P, const char *Text) {
    report(W, I, R, P, RegisterFile::Vector, I.Dst.Reg, Text);
  };
  for (unsigned Age = 0; Age != RingSize && (ValuMayGoOn || MemoryMayRead);
       ++Age) {
    const Issued &P = before(Age);
    if (!P.Facts || (P.Classes & Call))
      return;
    const bool Reads = shared(P.Facts->VectorReads, Facts.VectorWrites) >= 0;
    const bool Writes = shared(P.Facts->VectorWrites, Facts.VectorWrites) >= 0;
    const auto Bits = unsigned(P.Immediate);
    if (P.Classes & AnyVector) {
      AnyTrans |= (P.Classes & Trans) != 0;
      if (ValuMayGoOn && (Reads || Writes) &&
          Outstanding > (AnyTrans ? 0 : NumValu))
        return Report(P, "an LDS-direct load writes a register that a VALU "
                         "operation may not be done with, needs a smaller "
                         "wait for VALU operations");
      ValuMayGoOn &= ++NumValu < MaxValu;
      MemoryMayRead = false;
    } else if (P.Classes & (Vmem | Lds)) {
      if (MemoryMayRead && Reads)
        return Report(P, "an LDS-direct load writes a register that a memory "
                         "operation may not have read, needs a wait for that "
                         "(vm_vsrc)");
      ValuMayGoOn = false;
    } else if (P.Facts->Op.Waits == WaitKind::Alu) {
      ValuMayGoOn &= (Bits & ResultBits) != 0;
      MemoryMayRead &= (Bits & ReadBits) != 0;
    } else if (P.Facts->IsLdsDirect) {
      ValuMayGoOn &= (Bits & 15) != 0;
      MemoryMayRead &= (Bits >> 4 & 1) != 0;
    } else if (P.Facts->IsWait && Bits == 0) {
      // What has come back was read before.
      MemoryMayRead = false;
    }
  }
}

/// v_cmpx must not be the latest VALU operation before v_permlane.
void HazardTracker::checkPermutation(Wave &W, const Inst &I, Reporter &R) {
  for (unsigned Age = 0; Age != RingSize; ++Age) {
    const Issued &P = before(Age);
    if (!P.Facts || (P.Classes & Call))
      return;
    if (!(P.Classes & AnyVector) || P.Facts->Op.has(trait::VectorNop))
      continue;
    if (P.Classes & ValuToExec)
      report(W, I, R, P, RegisterFile::Scalar, sreg::Exec,
             "EXEC written by v_cmpx before v_permlane needs a VALU operation "
             "between");
    return;
  }
}

/// An atomic operation on floating-point values must have its denormal mode
/// for three wait states, or until a VALU operation or a wait (RDNA 2).
void HazardTracker::checkDenormMode(Wave &W, const Inst &I, Reporter &R) {
  constexpr unsigned Needed = 3;
  for (unsigned Age = 0; Age != RingSize; ++Age) {
    const Issued &P = before(Age);
    if (!P.Facts || Now - P.End >= Needed || (P.Classes & (AnyVector | Call)) ||
        P.Facts->IsWait)
      return;
    if ((P.Classes & Vmem) && (P.Facts->Info.Flags & flags::FPAtomic))
      return report(W, I, R, P, unsigned(Now - P.End),
                    {"denormal mode set after a floating-point atomic "
                     "operation",
                     Needed, RegisterFile::Scalar, sreg::M0});
  }
}

void HazardTracker::checkRdna(Wave &W, const Inst &I, const InstFacts &Facts,
                              Reporter &R) {
  const uint32_t Family = Facts.HazardFamily;
  const uint32_t Classes = Facts.HazardClasses;
  if (Family == Gfx10) {
    if (Facts.Op.has(trait::SetDenormals))
      checkDenormMode(W, I, R);
    return;
  }
  if (Classes & hazard::LdsDirect)
    checkLdsDirect(W, I, Facts, R);
  if (!(Classes & AnyVector))
    return;
  if (Family == Gfx11) {
    if ((Classes & ValuNotTrans) && checkTrans(W, I, Facts, R))
      return;
    if (W.WaveSize == 64 && checkPartialExec(W, I, R))
      return;
  }
  if ((Classes & Matrix) && checkWmma(W, I, Facts, R))
    return;
  if (Facts.Op.has(trait::PermutesRows))
    checkPermutation(W, I, R);
}

} // namespace luthier::emulator::strict
