// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/strict/SgprHazards.h"
#include "SIDefines.h"
#include "emulator/strict/HazardClasses.h"

namespace luthier::emulator::strict {

namespace {

namespace flags = llvm::SIInstrFlags;

/// Fields of s_waitcnt_depctr and s_wait_alu; zero is a wait.
constexpr unsigned ScalarResults = 1, VccResults = 2, VectorResults = 0xe00;

bool isVcc(unsigned Reg) { return Reg / 2 == sreg::Vcc / 2; }

/// Those that can be at risk, and with them those that cannot, of trap
/// handlers.
constexpr unsigned AtRisk = sreg::Vcc + 2, All = sreg::TrapTemp + 16;

/// Calls \p Fn for the registers below \p End.
template <class List, class F>
void forEachReg(const List &Spans, F Fn, unsigned End = AtRisk) {
  for (Span S : Spans)
    for (unsigned Reg = S.First; Reg != unsigned(S.First) + S.Count; ++Reg)
      if (Reg < End)
        Fn(Reg);
}

/// The scalar registers that the mask may be in: all but plain sources.
bool isMask(const Inst &I, const InstFacts &Facts, unsigned Reg) {
  if (Facts.Op.has(trait::MaskIsVcc))
    return isVcc(Reg);
  for (unsigned N : {0u, 1u})
    if (I.Src[N].Kind == Source::Sgpr && I.Src[N].Reg == Reg)
      return false;
  return true;
}

} // namespace

void SgprHazards::await(unsigned Fields) {
  Set Vcc;
  Vcc.set(sreg::Vcc).set(sreg::Vcc + 1);
  if (!(Fields & ScalarResults))
    FromScalar.reset();
  if (!(Fields & VccResults))
    FromVector &= ~Vcc;
  if (!(Fields & VectorResults))
    FromVector &= Vcc;
}

bool SgprHazards::check(Wave &W, const Inst &I, const InstFacts &Facts,
                        Reporter &R) {
  const bool IsVector = Facts.HazardClasses & (hazard::Valu | hazard::Matrix);
  int First = -1;
  forEachReg(Facts.ScalarReads, [&](unsigned Reg) {
    if (First < 0 && (FromScalar[Reg] || (IsVector && FromVector[Reg])))
      First = int(Reg);
  });
  if (First < 0)
    return false;
  const bool IsScalar = FromScalar[unsigned(First)];
  R.report(W, I,
           {Rule::Hazard, nameOf(RegisterFile::Scalar, unsigned(First)),
            std::nullopt,
            std::string("written by ") + (IsScalar ? "SALU" : "VALU") +
                " after VALU read it" +
                (W.T->Waits == WaitLayout::Gfx12
                     ? ", needs s_wait_alu "
                     : " as a mask, needs s_waitcnt_depctr ") +
                (IsScalar                 ? "sa_sdst(0)"
                 : isVcc(unsigned(First)) ? "va_vcc(0)"
                                          : "va_sdst(0)"),
            Writer[First]});
  FromScalar.reset();
  FromVector.reset();
  return true;
}

void SgprHazards::update(const Wave &W, const Inst &I, const InstFacts &Facts) {
  const bool IsVector = Facts.HazardClasses & (hazard::Valu | hazard::Matrix);
  const bool IsScalar = Facts.Info.Flags & flags::SALU;
  const bool AllReads = Facts.HazardFamily == hazard::Gfx12;
  if (AllReads && IsScalar) {
    // The scalar unit waits for all that VALU writes when it reads anything.
    bool Vcc = false, Other = false;
    forEachReg(
        Facts.ScalarReads,
        [&](unsigned Reg) { (isVcc(Reg) ? Vcc : Other) = true; }, All);
    await(ScalarResults | (Vcc ? 0 : VccResults) | (Other ? 0 : VectorResults));
  }
  auto AddReads = [&] {
    if (!IsVector || (!AllReads && !Facts.Op.has(trait::ReadsMask)))
      return;
    forEachReg(Facts.ScalarReads, [&](unsigned Reg) {
      if (AllReads)
        // Pairs count as one.
        Read.set(Reg & ~1u).set(Reg | 1u);
      else if (isMask(I, Facts, Reg))
        Read.set(Reg);
    });
  };
  if (AllReads)
    AddReads();
  forEachReg(Facts.ScalarWrites, [&](unsigned Reg) {
    FromScalar[Reg] = Read[Reg] && IsScalar;
    FromVector[Reg] = Read[Reg] && IsVector;
    Writer[Reg] = W.PC - I.Dwords * 4u;
    // What was written once more has had its wait.
    if (!AllReads)
      Read.reset(Reg);
  });
  if (!AllReads)
    AddReads();
}

void SgprHazards::step(Wave &W, const Inst &I, const InstFacts &Facts,
                       Reporter &R) {
  const bool AllReads = Facts.HazardFamily == hazard::Gfx12;
  if (!AllReads && W.WaveSize == 32)
    return;
  if (AllReads && Facts.Op.Access == MemoryAccess::Nothing) {
    // After so many, no vector instruction is reading any more.
    if (++Nops == (W.WaveSize == 32 ? 4u : 8u))
      Read.reset();
    return;
  }
  Nops = 0;
  if (Facts.Op.Waits == WaitKind::Alu)
    return await(unsigned(I.Immediate));
  constexpr uint64_t NotFlat = flags::SMRD | flags::MUBUF | flags::MTBUF;
  if (AllReads && (Facts.Info.Flags & NotFlat))
    return await(0);
  const bool IsCall =
      Facts.Op.leavesFunction() ||
      (!AllReads && !KnowsFunctions && I.Flow == ControlFlow::Branch);
  const bool Runs = Facts.HazardClasses & (hazard::Valu | hazard::Matrix) ||
                    (Facts.Info.Flags & flags::SALU);
  if (Runs && !IsCall && (FromScalar.any() || FromVector.any()))
    check(W, I, Facts, R);
  update(W, I, Facts);
  if (IsCall)
    leaveFunction(*W.T);
}

void SgprHazards::leaveFunction(const Target &T) {
  await(0);
  if (T.Waits != WaitLayout::Gfx12)
    Read.reset();
}

} // namespace luthier::emulator::strict
