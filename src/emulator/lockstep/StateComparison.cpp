// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/lockstep/StateComparison.h"
#include "SIDefines.h"
#include "emulator/strict/InstFacts.h"
#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

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

bool StateComparison::isLeftOfReturn(uint32_t A, uint32_t B) const {
  constexpr uint32_t Byte = 0xff;
  return std::ranges::any_of(Returns, [&](const auto &Half) {
    if (Half == std::pair(A, B))
      return true;
    unsigned NumLeft = 0;
    for (unsigned Shift = 0; Shift != 32; Shift += 8) {
      if (((A ^ B) >> Shift & Byte) == 0)
        continue;
      if (((A ^ Half.first) | (B ^ Half.second)) >> Shift & Byte)
        return false;
      ++NumLeft;
    }
    return NumLeft >= 2;
  });
}

void StateComparison::noteCodeAddresses(const Pair &P, const InstInfo &Info) {
  for (const RegisterRange &R : Info.Writes)
    if (R.File == RegisterFile::Scalar && R.Count == 2 &&
        isCodeAddress(P, R.First) && !Info.Operation->has(trait::GetPC))
      for (unsigned Half : {0, 1})
        Returns.insert(
            {P.Original.S[R.First + Half], P.Instrumented.S[R.First + Half]});
}

std::optional<Difference>
StateComparison::compare(const Pair &P, bool Everything, bool HasLanes) {
  if (auto D = compareMasks(P, HasLanes))
    return D;
  if (O.OnlyWhatIsRead)
    return compareLds(P);
  if (auto D = compareScalars(P))
    return D;
  if (auto D = compareVectors(P, Everything))
    return D;
  return compareLds(P);
}

/// What is state of the wave whoever reads it.
std::optional<Difference> StateComparison::compareMasks(const Pair &P,
                                                        bool HasLanes) {
  const Wave &A = P.Original, &B = P.Instrumented;
  if (HasLanes && A.exec() != B.exec() &&
      !isAllowed(A.PC, RegisterFile::Scalar, sreg::Exec))
    return registerDifference("exec", A.exec(), B.exec(),
                              P.InstrumentedTrace.ScalarWriter[sreg::Exec]);
  if (A.Mode != B.Mode)
    return registerDifference("mode", A.Mode, B.Mode, 0);
  return std::nullopt;
}

static std::string scalarName(const Target &T, unsigned Reg) {
  switch (Reg) {
  case sreg::Scc:
    return "scc";
  case sreg::M0:
    return "m0";
  case sreg::Vcc:
    return "vcc_lo";
  case sreg::Vcc + 1:
    return "vcc_hi";
  }
  if (Reg == T.FlatScratch)
    return "flat_scratch_lo";
  if (Reg == T.FlatScratch + 1u)
    return "flat_scratch_hi";
  return "s" + std::to_string(Reg);
}

std::optional<Difference>
StateComparison::compareScalar(const Pair &P, unsigned Reg, uint64_t PC) {
  const Wave &A = P.Original, &B = P.Instrumented;
  uint32_t Differing = A.S[Reg] ^ B.S[Reg];
  if (Reg == sreg::Scc)
    Differing &= 1;
  if (P.Uninitialised)
    Differing &= ~P.Uninitialised->S[Reg];
  if (!Differing || isAllowed(PC, RegisterFile::Scalar, Reg))
    return std::nullopt;
  if (isOfCodeAddress(A.S[Reg], B.S[Reg]) ||
      (Reg < sreg::FlatScratch && isCodeAddress(P, Reg))) {
    ReadsCodeAddress = true;
    return std::nullopt;
  }
  return registerDifference(scalarName(*A.T, Reg), A.S[Reg], B.S[Reg],
                            P.InstrumentedTrace.ScalarWriter[Reg]);
}

std::optional<Difference> StateComparison::compareScalars(const Pair &P) {
  const Wave &A = P.Original, &B = P.Instrumented;
  for (unsigned Reg : {sreg::Scc, sreg::M0, sreg::Vcc, sreg::Vcc + 1})
    if (auto D = compareScalar(P, Reg, A.PC))
      return D;
  const unsigned NumSgprs = A.Limits >> 32 & 0xffff;
  for (unsigned Reg = 0; Reg != NumSgprs; ++Reg)
    if (A.S[Reg] != B.S[Reg])
      if (auto D = compareScalar(P, Reg, A.PC))
        return D;
  if (A.T->FlatScratch >= NumSgprs)
    for (unsigned Half : {0, 1})
      if (auto D = compareScalar(P, A.T->FlatScratch + Half, A.PC))
        return D;
  return std::nullopt;
}

void StateComparison::noteOverwrites(const Pair &P,
                                     const strict::InstFacts &Facts) {
  Overwrites.clear();
  if (Halves.empty())
    return;
  for (const strict::Span &S : Facts.VectorWrites)
    for (unsigned Reg = S.First; Reg != unsigned(S.First + S.Count); ++Reg) {
      const uint32_t *A = P.Original.vgpr(Reg), *B = P.Instrumented.vgpr(Reg);
      for (unsigned L = 0; L != P.Original.WaveSize; ++L)
        if (A[L] != B[L] && isTranslated(A[L], B[L]))
          Overwrites.push_back({Reg, L, A[L], B[L]});
    }
}

/// Of what a load of less than a dword takes from memory; 0 for all others.
static unsigned bytesOfNarrowLoad(const InstInfo &Info) {
  const OperationFacts &Op = *Info.Operation;
  const bool IsWhole = !Op.has(trait::LowHalf) && !Op.has(trait::HighHalf);
  return Op.Access == MemoryAccess::Load && Op.Space != MemorySpace::Lds &&
                 IsWhole && Op.Bytes < 4
             ? Op.Bytes
             : 0;
}

bool StateComparison::isPartOfReturn(uint32_t A, uint32_t B,
                                     unsigned Bytes) const {
  const uint32_t Mask = (1u << 8 * Bytes) - 1;
  return std::ranges::any_of(Returns, [&](const auto &Half) {
    for (unsigned Shift = 0; Shift + 8 * Bytes <= 32; Shift += 8)
      if (((A ^ Half.first >> Shift) & Mask) == 0 &&
          ((B ^ Half.second >> Shift) & Mask) == 0)
        return true;
    return false;
  });
}

/// Copies of structures copy their padding, too. A byte says little of where it
/// is from, so all lanes that differ must hold such.
void StateComparison::noteLoadedParts(const Pair &P, const InstInfo &Info,
                                      std::vector<Lost> &Results) {
  const unsigned Bytes = bytesOfNarrowLoad(Info);
  if (!Bytes || Returns.empty() || Info.Writes.empty() ||
      Info.Writes.front().File != RegisterFile::Vector)
    return;
  const unsigned Reg = Info.Writes.front().First;
  const uint32_t *A = P.Original.vgpr(Reg), *B = P.Instrumented.vgpr(Reg);
  std::vector<Lost> Differing;
  for (unsigned L = 0; L != P.Original.WaveSize; ++L) {
    if (!(P.Original.exec() >> L & 1) || A[L] == B[L])
      continue;
    if (!isPartOfReturn(A[L], B[L], Bytes))
      return;
    Differing.push_back({RegisterFile::Vector, Reg, L, A[L] ^ B[L]});
  }
  Results.insert(Results.end(), Differing.begin(), Differing.end());
}

std::vector<StateComparison::Lost>
StateComparison::noteResults(const Pair &P, const InstInfo &Info) {
  std::vector<Lost> Results;
  if (!P.Uninitialised)
    return Results;
  for (const Overwritten &O : Overwrites) {
    const uint32_t A = P.Original.vgpr(O.Reg)[O.Lane],
                   B = P.Instrumented.vgpr(O.Reg)[O.Lane];
    const uint32_t Changed = (A ^ O.Original) | (B ^ O.Instrumented);
    if (Changed)
      Results.push_back(
          {RegisterFile::Vector, O.Reg, O.Lane, (A ^ B) & ~Changed});
  }
  // What is loaded through an address is no result of computing with it.
  if (Info.MayLoad)
    noteLoadedParts(P, Info, Results);
  if (!std::exchange(ReadsCodeAddress, false) || Info.MayLoad)
    return Results;
  const bool IsOneLane = Info.Operation->has(trait::ScalarToLane);
  const uint64_t Lanes = IsOneLane ? ~uint64_t(0) : P.Original.exec();
  auto Note = [&](RegisterFile File, unsigned Reg, unsigned Lane, uint32_t A,
                  uint32_t B) {
    if (A != B && !isOfCodeAddress(A, B))
      Results.push_back({File, Reg, Lane, A ^ B});
  };
  for (const RegisterRange &R : Info.Writes)
    for (unsigned Reg = R.First; Reg != unsigned(R.First + R.Count); ++Reg) {
      if (R.File == RegisterFile::Vector)
        for (unsigned L = 0; L != P.Original.WaveSize; ++L) {
          if (Lanes >> L & 1)
            Note(R.File, Reg, L, P.Original.vgpr(Reg)[L],
                 P.Instrumented.vgpr(Reg)[L]);
        }
      else if (Reg < 256)
        Note(R.File, Reg, 0, P.Original.S[Reg], P.Instrumented.S[Reg]);
    }
  return Results;
}

/// Whether an instruction reads lanes that are not active.
static bool readsAllLanes(const strict::InstFacts &Facts) {
  return Facts.Form == strict::Shape::Matrix ||
         (Facts.Info.Flags & llvm::SIInstrFlags::DPP) ||
         Facts.Op.has(trait::ReadsInactive);
}

std::optional<Difference>
StateComparison::compareReads(const Pair &P, const Inst &Next, uint64_t PC) {
  const Wave &A = P.Original;
  const auto &Facts = strict::InstFacts::of(*A.T, Next);
  const bool HasHalfVcc = A.WaveSize == 32 && Next.Info->ReadsVccAsMask;
  for (const strict::Span &S : Facts.ScalarReads)
    for (unsigned Reg = S.First; Reg != unsigned(S.First + S.Count); ++Reg)
      if (!HasHalfVcc || Reg != sreg::Vcc + 1)
        if (auto D = compareScalar(P, Reg, PC))
          return D;
  noteOverwrites(P, Facts);
  // What its other lanes keep is no reading.
  if (Next.Info->Operation->has(trait::ScalarToLane))
    return std::nullopt;
  const uint64_t Lanes = readsAllLanes(Facts) ? ~uint64_t(0) : A.exec();
  for (const strict::Span &S : Facts.VectorReads)
    for (unsigned Reg = S.First; Reg != unsigned(S.First + S.Count); ++Reg)
      if (auto D = compareRow(P, Reg, Lanes, PC))
        return D;
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
        if (auto D = compareRow(P, Reg, ~uint64_t(0), P.Original.PC))
          return D;
    return std::nullopt;
  };
  if (auto D = CompareFile(0, NumVgprs))
    return D;
  return CompareFile(NumArchVgprs, NumAgprs);
}

std::optional<Difference> StateComparison::compareRow(const Pair &P,
                                                      unsigned Reg,
                                                      uint64_t Lanes,
                                                      uint64_t PC) {
  const uint32_t *A = P.Original.vgpr(Reg), *B = P.Instrumented.vgpr(Reg);
  const unsigned WaveSize = P.Original.WaveSize;
  if (std::memcmp(A, B, WaveSize * sizeof(*A)) == 0 ||
      isAllowed(PC, RegisterFile::Vector, Reg))
    return std::nullopt;
  const uint32_t *Unset =
      P.Uninitialised ? P.Uninitialised->V + Reg * NumLanes : nullptr;
  for (unsigned L = 0; L != WaveSize; ++L) {
    uint32_t Differing = (A[L] ^ B[L]) & (Unset ? ~Unset[L] : ~0u);
    if (!Differing || !(Lanes >> L & 1))
      continue;
    if (isOfCodeAddress(A[L], B[L])) {
      ReadsCodeAddress = true;
      continue;
    }
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
