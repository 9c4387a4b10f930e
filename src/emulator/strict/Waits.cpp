// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/strict/Waits.h"
#include "SIDefines.h"
#include "emulator/isa/LdsDirect.h"
#include <algorithm>

namespace luthier::emulator::strict {

namespace {

constexpr unsigned NoWait = ~0u;
using Limits = std::array<unsigned, NumCounters>;

/// The most operations that may be outstanding behind s_waitcnt.
Limits decodeWait(WaitLayout Layout, unsigned Bits) {
  unsigned Memory = 0, Shared = 0, Export = Bits >> 4 & 7;
  switch (Layout) {
  case WaitLayout::Gfx9:
    Memory = (Bits & 0xf) | (Bits >> 14 & 3) << 4;
    Shared = Bits >> 8 & 0xf;
    break;
  case WaitLayout::Gfx10:
    Memory = (Bits & 0xf) | (Bits >> 14 & 3) << 4;
    Shared = Bits >> 8 & 0x3f;
    break;
  case WaitLayout::Gfx11:
  case WaitLayout::Gfx12:
    Memory = Bits >> 10 & 0x3f;
    Shared = Bits >> 4 & 0x3f;
    Export = Bits & 7;
    break;
  }
  return {Memory, Shared, Shared, Export};
}

/// What an instruction waits for; NoWait where it waits for nothing.
Limits waitOf(const Target &T, WaitKind Kind, unsigned Bits) {
  constexpr unsigned Count = 0x3f, Upper = 8;
  Limits Most;
  Most.fill(NoWait);
  auto Set = [&](Counter C, unsigned Value) { Most[unsigned(C)] = Value; };
  switch (Kind) {
  case WaitKind::Combined:
    return decodeWait(T.Waits, Bits);
  case WaitKind::Everything:
    return {0, 0, 0, 0};
  case WaitKind::Load:
    Set(Counter::Memory, Bits);
    break;
  case WaitKind::Export:
    Set(Counter::Export, Bits);
    break;
  case WaitKind::LdsAndScalar:
    Set(Counter::Lds, Bits);
    Set(Counter::Scalar, Bits);
    break;
  case WaitKind::Lds:
  case WaitKind::StoreAndLds:
    Set(Counter::Lds, Bits & Count);
    break;
  case WaitKind::Scalar:
    Set(Counter::Scalar, Bits);
    break;
  case WaitKind::LoadAndLds:
    Set(Counter::Memory, Bits >> Upper & Count);
    Set(Counter::Lds, Bits & Count);
    break;
  // Stores cover no register.
  case WaitKind::Store:
  case WaitKind::None:
  case WaitKind::Alu:
  case WaitKind::Other:
    break;
  }
  return Most;
}

template <class Set> bool anyOf(const Set &Bits, Span S) {
  for (unsigned N = 0; N != S.Count; ++N)
    if (Bits[S.First + N])
      return true;
  return false;
}

bool overlap(Span A, Span B) {
  return A.First < B.First + B.Count && B.First < A.First + A.Count;
}

} // namespace

/// Bytes are SDWA's, which no target has that has operands of halves.
uint8_t WaitTracker::halvesOf(Part P) {
  return P == Part::Word0 ? LowHalf : P == Part::Word1 ? HighHalf : BothHalves;
}

/// What \p I reads or writes of \p Regs.
uint8_t WaitTracker::halvesOf(const Inst &I, const InstFacts &Facts, Span Regs,
                              bool IsWrite) {
  auto IsAll = [&](const Operand &O) {
    return O.Kind == Source::Vgpr && O.Reg == Regs.First &&
           O.NumRegs == Regs.Count;
  };
  if (Facts.Form != Shape::Vector)
    return BothHalves;
  if (IsWrite)
    return IsAll(I.Dst) && I.DstUnused == Unused::Preserve
               ? halvesOf(I.DstSelect)
               : BothHalves;
  auto OfSource = [&](const Operand &O) {
    if (!IsAll(O))
      return BothHalves;
    // The upper half is named, the lower one is not.
    if (O.Select == Part::Dword && isNarrow(O.Type))
      return LowHalf;
    return halvesOf(O.Select);
  };
  uint8_t Halves = 0;
  for (const Operand &O : I.Src)
    if (O.Kind == Source::Vgpr && overlap({O.Reg, O.NumRegs}, Regs))
      Halves |= OfSource(O);
  // What else the facts have it read.
  return Halves ? Halves : BothHalves;
}

bool WaitTracker::reportOverlap(Wave &W, const Inst &I, const InstFacts &Facts,
                                Reporter &R, RegisterFile File, Span Regs,
                                bool IsWrite) {
  bool IsVector = File == RegisterFile::Vector;
  // Loads of one kind return in order, so a later one may overwrite (or, into
  // half a register, merge with) what an earlier one brings. Its addresses and
  // data are needed at once all the same.
  bool IsOperand = llvm::any_of(I.Src, [&](const Operand &O) {
    return O.Kind == Source::Vgpr && overlap({O.Reg, O.NumRegs}, Regs);
  });
  bool IsOwnResult = IsWrite || (IsVector && !IsOperand &&
                                 llvm::any_of(Facts.VectorWrites, [&](Span S) {
                                   return S.First == Regs.First;
                                 }));
  const uint8_t Halves = halvesOf(I, Facts, Regs, IsWrite);
  for (const Load &L : Loads) {
    for (Span S : IsVector ? L.Vectors : L.Scalars) {
      if (!overlap(S, Regs) || (IsVector && !(L.Halves & Halves)))
        continue;
      bool SameKind = L.Ordered && Facts.IsOrdered;
      for (unsigned C = 0; C != NumCounters; ++C)
        SameKind &= Facts.CountedBy[C] == (L.Issued[C] != 0);
      if (SameKind && IsOwnResult)
        continue;
      unsigned First = std::max(S.First, Regs.First);
      R.report(W, I,
               {Rule::MissingWait, nameOf(File, First), std::nullopt,
                IsWrite ? "it is overwritten" : "it is read", L.PC});
      return true;
    }
  }
  return false;
}

void WaitTracker::check(Wave &W, const Inst &I, const InstFacts &Facts,
                        Reporter &R) {
  auto Look = [&](const auto &Ranges, RegisterFile File, bool IsWrite) {
    for (Span S : Ranges) {
      bool Busy = File == RegisterFile::Vector ? anyOf(BusyVectors, S)
                                               : anyOf(BusyScalars, S);
      if (Busy && reportOverlap(W, I, Facts, R, File, S, IsWrite))
        return true;
    }
    return false;
  };
  if ((W.Mode & mode::GprIndexEnable) && I.IsValu) {
    // The operands are shifted, the facts are not.
    for (const Operand *O : {&I.Src[0], &I.Src[1], &I.Src[2], &I.Dst})
      if (O->Kind == Source::Vgpr)
        if (Look(llvm::ArrayRef(Span{O->Reg, O->NumRegs}), RegisterFile::Vector,
                 O == &I.Dst))
          return;
    return;
  }
  if (!(Facts.Vectors & SomeBusyVectors) && !(Facts.Scalars & SomeBusyScalars))
    return;
  if (Look(Facts.VectorReads, RegisterFile::Vector, false) ||
      Look(Facts.VectorWrites, RegisterFile::Vector, true) ||
      Look(Facts.ScalarReads, RegisterFile::Scalar, false))
    return;
  Look(Facts.ScalarWrites, RegisterFile::Scalar, true);
}

/// Looks for bytes of LDS that a load still brings.
void WaitTracker::checkLds(Wave &W, const Inst &I, const InstFacts &Facts,
                           Reporter &R) {
  const bool AnyToLds =
      llvm::any_of(Loads, [](const Load &L) { return L.LdsBytes != 0; });
  if (!AnyToLds)
    return;
  auto IsReported = [&](uint32_t First, unsigned Size) {
    for (const Load &L : Loads)
      for (uint32_t Byte = First; L.LdsBytes && Byte != First + Size; ++Byte) {
        const uint64_t Owner = uint64_t(Byte - L.LdsBase) / L.LdsBytes;
        if (Byte < L.LdsBase || Owner >= NumLanes || !(L.Lanes >> Owner & 1))
          continue;
        R.report(W, I,
                 {Rule::MissingWait, "LDS byte " + std::to_string(Byte),
                  std::nullopt,
                  Facts.Loads || Facts.ReadsLdsDirect ? "it is read"
                                                      : "it is overwritten",
                  L.PC});
        return true;
      }
    return false;
  };
  // A dword is read whatever of it is taken.
  if (Facts.ReadsLdsDirect && W.exec())
    IsReported(W.m0() & 0xffff, 4);
  if (Facts.Form != Shape::Lds || I.Src[0].Kind != Source::Vgpr)
    return;
  const unsigned Size = Facts.Op.Bytes;
  const bool IsTwo = Facts.Op.has(trait::TwoAddresses);
  const unsigned Scale = IsTwo ? Size * (Facts.Op.has(trait::Far) ? 64 : 1) : 1;
  const uint32_t *Address = W.vgpr(I.Src[0].Reg);
  for (unsigned Lane = 0; Lane != NumLanes; ++Lane)
    for (unsigned N = 0; W.exec() >> Lane & 1 && N != 1u + IsTwo; ++N)
      if (IsReported(Address[Lane] +
                         uint32_t(N ? I.Immediate : I.Offset) * Scale,
                     Size))
        return;
}

void WaitTracker::land(Wave &W, Load &L) {
  if (L.Values.empty())
    return;
  const uint32_t *From = L.Values.data();
  const uint32_t Mask = (L.Halves & LowHalf ? 0x0000ffff : 0) |
                        (L.Halves & HighHalf ? 0xffff0000 : 0);
  for (Span S : L.Vectors)
    for (unsigned N = 0; N != S.Count; ++N, From += NumLanes) {
      uint32_t *To = W.vgpr(S.First + N);
      if (L.Lanes == ~uint64_t(0) && L.Halves == BothHalves) {
        std::copy_n(From, NumLanes, To);
        continue;
      }
      for (unsigned Lane = 0; Lane != NumLanes; ++Lane)
        if (L.Lanes >> Lane & 1)
          To[Lane] = (To[Lane] & ~Mask) | (From[Lane] & Mask);
    }
  for (Span S : L.Scalars) {
    std::copy_n(From, S.Count, W.S + S.First);
    From += S.Count;
  }
  L.Values.clear();
  Unused.push_back(std::move(L.Values));
  L.Values.clear();
}

void WaitTracker::markBusy(const Load &L) {
  for (Span S : L.Vectors) {
    SomeBusyVectors |= summary(S);
    for (unsigned N = 0; N != S.Count; ++N)
      BusyVectors.set(S.First + N);
  }
  for (Span S : L.Scalars) {
    SomeBusyScalars |= summary(S);
    for (unsigned N = 0; N != S.Count; ++N)
      BusyScalars.set(S.First + N);
  }
}

void WaitTracker::markAllBusy() {
  BusyVectors.reset();
  BusyScalars.reset();
  SomeBusyVectors = SomeBusyScalars = 0;
  for (const Load &L : Loads)
    markBusy(L);
}

void WaitTracker::await(Wave &W, const Limits &Most) {
  // An operation that is not back keeps all ordered ones behind it waiting, so
  // it is back when fewer are outstanding than were issued since.
  for (Load &L : Loads)
    for (unsigned C = 0; C != NumCounters; ++C) {
      uint64_t Since = L.Ordered ? Issued[C] - L.Issued[C] : 0;
      if (Most[C] != NoWait && Most[C] <= Since)
        L.Waits[C] = false;
    }
  auto IsBack = [](const Load &L) {
    return std::none_of(std::begin(L.Waits), std::end(L.Waits),
                        [](bool Waits) { return Waits; });
  };
  for (Load &L : Loads)
    if (IsBack(L))
      land(W, L);
  std::erase_if(Loads, IsBack);
  markAllBusy();
}

/// \p From without \p Taken.
static void remove(llvm::SmallVectorImpl<Span> &From, Span Taken) {
  llvm::SmallVector<Span, 2> Left;
  auto Keep = [&](unsigned Begin, unsigned End) {
    if (Begin < End)
      Left.push_back({uint16_t(Begin), uint8_t(End - Begin)});
  };
  for (Span S : From) {
    const unsigned End = S.First + S.Count;
    Keep(S.First, std::min<unsigned>(End, Taken.First));
    Keep(std::max<unsigned>(S.First, Taken.First + Taken.Count), End);
  }
  From = std::move(Left);
}

void WaitTracker::giveUp(Wave &W, RegisterFile File, Span Given) {
  for (Load &L : Loads) {
    auto &Regs = File == RegisterFile::Vector ? L.Vectors : L.Scalars;
    if (llvm::none_of(Regs, [&](Span S) { return overlap(S, Given); }))
      continue;
    land(W, L);
    remove(Regs, Given);
  }
  markAllBusy();
}

void WaitTracker::giveUpLds() {
  for (Load &L : Loads)
    L.LdsBytes = 0;
}

void WaitTracker::stepLoads(Wave &W, const Inst &I, const InstFacts &Facts,
                            Reporter &R) {
  if (Facts.IsWait)
    return await(W, waitOf(*W.T, Facts.Op.Waits, unsigned(I.Immediate)));
  for (Load &L : Loads)
    if (!L.Values.empty() && Timing == LoadTiming::Random && L.Delay-- == 0)
      land(W, L);
  check(W, I, Facts, R);
  if (Facts.Form == Shape::Lds || Facts.ReadsLdsDirect)
    checkLds(W, I, Facts, R);
}

/// A generic load is counted twice, but its data come only from where its
/// addresses point to; ROCr's own copy kernel knows that.
static void chooseCounters(const Wave &W, const Inst &I,
                           bool (&Waits)[NumCounters]) {
  const uint32_t *High = W.V + (I.Src[0].Reg + 1) * NumLanes;
  uint64_t InLds = 0;
  for (unsigned L = 0; L != NumLanes; ++L)
    InLds |= uint64_t(High[L] == uint32_t(LdsApertureBase >> 32)) << L;
  Waits[unsigned(Counter::Lds)] = InLds & W.exec();
  Waits[unsigned(Counter::Memory)] = W.exec() & ~InLds || !W.exec();
}

/// Executes \p I, whose registers keep what they hold for now.
void WaitTracker::putAside(Wave &W, const Inst &I, Handler Fn, Load &L) {
  auto ForEach = [&](auto Body) {
    for (Span S : L.Vectors)
      Body(W.vgpr(S.First), S.Count * NumLanes);
    for (Span S : L.Scalars)
      Body(W.S + S.First, S.Count);
  };
  // A register may be named twice.
  Old.clear();
  ForEach([&](uint32_t *From, unsigned Count) {
    Old.insert(Old.end(), From, From + Count);
  });
  Fn(W, I);
  if (!Unused.empty()) {
    L.Values = std::move(Unused.back());
    Unused.pop_back();
  }
  const uint32_t *Kept = Old.data();
  ForEach([&](uint32_t *Place, unsigned Count) {
    L.Values.insert(L.Values.end(), Place, Place + Count);
    std::copy_n(Kept, Count, Place);
    Kept += Count;
  });
}

void WaitTracker::executeCounted(Wave &W, const Inst &I, Handler Fn,
                                 const InstFacts &Facts) {
  for (unsigned N = 0; N != NumCounters; ++N)
    Issued[N] += Facts.CountedBy[N] && Facts.IsOrdered;
  const bool HasResult =
      !Facts.VectorWrites.empty() || !Facts.ScalarWrites.empty();
  const bool LoadsToLds = Facts.Op.Access == MemoryAccess::ToLds;
  if (!HasResult && !LoadsToLds)
    return Fn(W, I);
  Load L;
  L.PC = W.PC - I.Dwords * 4u;
  std::copy(std::begin(Facts.CountedBy), std::end(Facts.CountedBy), L.Waits);
  L.Ordered = Facts.IsOrdered;
  if (Facts.CountedBy[unsigned(Counter::Memory)] &&
      Facts.CountedBy[unsigned(Counter::Lds)])
    chooseCounters(W, I, L.Waits);
  for (unsigned N = 0; N != NumCounters; ++N)
    L.Issued[N] = Facts.CountedBy[N] ? std::max<uint64_t>(Issued[N], 1) : 0;
  L.Vectors.assign(Facts.VectorWrites.begin(), Facts.VectorWrites.end());
  L.Scalars.assign(Facts.ScalarWrites.begin(), Facts.ScalarWrites.end());
  // There, halves of registers are operands, and a load of one leaves the other
  // one alone whenever it arrives. Before, compilers wait for whole registers.
  if (W.T->HasTrue16)
    L.Halves = Facts.Op.has(trait::LowHalf)    ? LowHalf
               : Facts.Op.has(trait::HighHalf) ? HighHalf
                                               : BothHalves;
  L.Lanes = Facts.IsLdsDirect ? wholeQuads(W.exec()) : W.exec();
  if (LoadsToLds) {
    L.LdsBase = (W.m0() & 0xffff) + uint32_t(I.Offset);
    // Less than a dword fills one.
    L.LdsBytes = std::max<uint8_t>(4, Facts.Op.Bytes);
    Loads.push_back(std::move(L));
  }
  if (!HasResult)
    return Fn(W, I);
  markBusy(L);
  if (Timing == LoadTiming::Earliest) {
    Fn(W, I);
    Loads.push_back(std::move(L));
    return;
  }
  L.Delay = uint32_t(Random() % 32);
  // What is due to the same registers comes first: it must not arrive on top of
  // this result, and half a result is merged with it.
  for (Load &Earlier : Loads)
    if (llvm::any_of(Earlier.Vectors, [&](Span S) {
          return llvm::any_of(L.Vectors,
                              [&](Span Mine) { return overlap(S, Mine); });
        }))
      land(W, Earlier);
  putAside(W, I, Fn, L);
  Loads.push_back(std::move(L));
}

void WaitTracker::start(uint64_t Seed) {
  Random.seed(uint32_t(Seed ^ Seed >> 32));
  Loads.clear();
  std::fill(std::begin(Issued), std::end(Issued), uint64_t(0));
  markAllBusy();
}

} // namespace luthier::emulator::strict
