// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/lockstep/StateComparison.h"
#include <bit>
#include <cstring>

namespace luthier::emulator::lockstep {

namespace {

/// As assembly spells it; \p Reg as in InstInfo.h.
std::string vectorName(unsigned Reg) {
  return Reg < NumArchVgprs ? "v" + std::to_string(Reg)
                            : "a" + std::to_string(Reg - NumArchVgprs);
}

Difference registerDifference(std::string Name, uint64_t Original,
                              uint64_t Instrumented, uint64_t Writer) {
  Difference D{Difference::Kind::Register};
  D.Register = std::move(Name);
  D.Original = Original;
  D.Instrumented = Instrumented;
  D.WriterPC = Writer;
  return D;
}

} // namespace

StateComparison::StateComparison(const Options &O) : O(O) {}

bool StateComparison::isAllowed(uint64_t PC, RegisterFile File,
                                unsigned Reg) const {
  for (const Options::Allowance &A : O.Allowed)
    if (PC >= A.FirstPC && PC <= A.LastPC && A.Registers.File == File &&
        Reg >= A.Registers.First &&
        Reg < unsigned(A.Registers.First + A.Registers.Count))
      return true;
  return false;
}

std::optional<uint64_t> StateComparison::translate(uint64_t Address) const {
  if (O.TranslateAddress)
    return O.TranslateAddress(Address);
  // Payload leads to the mapped instruction that follows.
  auto Next = O.ToOriginal.lower_bound(Address);
  if (Next == O.ToOriginal.end())
    return std::nullopt;
  return Next->second;
}

/// Whether the pair around an SGPR holds corresponding code addresses. Their
/// halves may from then on turn up anywhere.
bool StateComparison::isCodeAddress(const Pair &P, unsigned Reg) {
  const uint64_t A = P.Original.s64(Reg & ~1u);
  const uint64_t B = P.Instrumented.s64(Reg & ~1u);
  if (translate(B) != A)
    return false;
  Halves.insert({uint32_t(A), uint32_t(B)});
  Halves.insert({uint32_t(A >> 32), uint32_t(B >> 32)});
  return true;
}

void StateComparison::noteCodeAddresses(const Pair &P, const InstInfo &Info) {
  for (const RegisterRange &R : Info.Writes)
    if (R.File == RegisterFile::Scalar && R.Count == 2)
      isCodeAddress(P, R.First);
}

std::optional<Difference> StateComparison::compare(const Pair &P,
                                                   bool Everything) {
  if (auto D = compareScalars(P))
    return D;
  if (auto D = compareVectors(P, Everything))
    return D;
  return compareLds(P);
}

std::optional<Difference> StateComparison::compareScalars(const Pair &P) {
  const Wave &A = P.Original, &B = P.Instrumented;
  const uint64_t PC = A.PC;
  if (A.exec() != B.exec() && !isAllowed(PC, RegisterFile::Scalar, sreg::Exec))
    return registerDifference("exec", A.exec(), B.exec(),
                              P.InstrumentedTrace.ScalarWriter[sreg::Exec]);
  if (A.Mode != B.Mode)
    return registerDifference("mode", A.Mode, B.Mode, 0);
  auto Compare = [&](unsigned Reg, const char *Name,
                     uint32_t Mask = ~0u) -> std::optional<Difference> {
    uint32_t Differing = (A.S[Reg] ^ B.S[Reg]) & Mask;
    if (P.Uninitialised)
      Differing &= ~P.Uninitialised->S[Reg];
    if (!Differing || isAllowed(PC, RegisterFile::Scalar, Reg) ||
        isTranslated(A.S[Reg], B.S[Reg]) ||
        (Reg < sreg::FlatScratch && isCodeAddress(P, Reg)))
      return std::nullopt;
    return registerDifference(Name ? Name : "s" + std::to_string(Reg), A.S[Reg],
                              B.S[Reg], P.InstrumentedTrace.ScalarWriter[Reg]);
  };
  if (auto D = Compare(sreg::Scc, "scc", 1))
    return D;
  if (auto D = Compare(sreg::M0, "m0"))
    return D;
  if (auto D = Compare(sreg::Vcc, "vcc_lo"))
    return D;
  if (auto D = Compare(sreg::Vcc + 1, "vcc_hi"))
    return D;
  const unsigned NumSgprs = A.Limits >> 32 & 0xffff;
  for (unsigned Reg = 0; Reg != NumSgprs; ++Reg)
    if (A.S[Reg] != B.S[Reg])
      if (auto D = Compare(Reg, nullptr))
        return D;
  if (A.T->FlatScratch >= NumSgprs) {
    if (auto D = Compare(A.T->FlatScratch, "flat_scratch_lo"))
      return D;
    if (auto D = Compare(A.T->FlatScratch + 1, "flat_scratch_hi"))
      return D;
  }
  return std::nullopt;
}

std::optional<Difference> StateComparison::compareVectors(const Pair &P,
                                                          bool Everything) {
  const unsigned NumVgprs = P.Original.Limits & 0xffff;
  const unsigned NumAgprs = P.Original.Limits >> 16 & 0xffff;
  auto Touched = P.OriginalTrace.Vectors | P.InstrumentedTrace.Vectors;
  P.OriginalTrace.Vectors.reset();
  P.InstrumentedTrace.Vectors.reset();
  auto CompareFile = [&](unsigned First,
                         unsigned Count) -> std::optional<Difference> {
    for (unsigned Reg = First; Reg != First + Count; ++Reg)
      if (Everything || Touched[Reg])
        if (auto D = compareRow(P, Reg))
          return D;
    return std::nullopt;
  };
  if (auto D = CompareFile(0, NumVgprs))
    return D;
  return CompareFile(NumArchVgprs, NumAgprs);
}

std::optional<Difference> StateComparison::compareRow(const Pair &P,
                                                      unsigned Reg) {
  const uint32_t *A = P.Original.vgpr(Reg), *B = P.Instrumented.vgpr(Reg);
  const unsigned WaveSize = P.Original.WaveSize;
  if (std::memcmp(A, B, WaveSize * sizeof(*A)) == 0 ||
      isAllowed(P.Original.PC, RegisterFile::Vector, Reg))
    return std::nullopt;
  const uint32_t *Unset =
      P.Uninitialised ? P.Uninitialised->V + Reg * NumLanes : nullptr;
  for (unsigned L = 0; L != WaveSize; ++L) {
    uint32_t Differing = (A[L] ^ B[L]) & (Unset ? ~Unset[L] : ~0u);
    if (!Differing || isTranslated(A[L], B[L]))
      continue;
    Difference D = registerDifference(vectorName(Reg), A[L], B[L],
                                      P.InstrumentedTrace.VectorWriter[Reg]);
    D.Lane = L;
    return D;
  }
  return std::nullopt;
}

std::optional<Difference> StateComparison::compareLds(const Pair &P) {
  if (!P.OriginalTrace.Lds && !P.InstrumentedTrace.Lds)
    return std::nullopt;
  P.OriginalTrace.Lds = P.InstrumentedTrace.Lds = false;
  const Wave &A = P.Original, &B = P.Instrumented;
  if (B.LdsSize < A.LdsSize) {
    Difference D{Difference::Kind::Lds};
    D.Address = B.LdsSize;
    D.Original = A.LdsSize;
    D.Instrumented = B.LdsSize;
    D.Detail = "the instrumented version has less LDS";
    return D;
  }
  if (!A.LdsSize || std::memcmp(A.Lds, B.Lds, A.LdsSize) == 0)
    return std::nullopt;
  const uint8_t *Unset = P.Uninitialised ? P.Uninitialised->Lds : nullptr;
  for (uint32_t N = 0; N != A.LdsSize; ++N) {
    if (!((A.Lds[N] ^ B.Lds[N]) & (Unset ? ~Unset[N] : 0xff)))
      continue;
    Difference D{Difference::Kind::Lds};
    D.Address = N;
    D.Original = A.Lds[N];
    D.Instrumented = B.Lds[N];
    return D;
  }
  return std::nullopt;
}

} // namespace luthier::emulator::lockstep
