// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "amdgpu/CodeLayout.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Endian.h"
#include <algorithm>
#include <cassert>
#include <optional>

using namespace llvm;

namespace luthier::amdgpu {

static constexpr size_t Unbound = SIZE_MAX;
static constexpr int64_t BranchSize = 4;

/// Bytes from a branch's start to the furthest destinations.
static constexpr int64_t FurthestBack = BranchSize + 4 * int64_t(INT16_MIN);
static constexpr int64_t FurthestOn = BranchSize + 4 * int64_t(INT16_MAX);
/// New islands keep away from the limit, by so much at least and at most:
/// islands that come later push them on.
static constexpr int64_t LeastSlack = 4096, MostSlack = FurthestOn / 2;

static bool isInReach(int64_t From, int64_t To) {
  return To - From >= FurthestBack && To - From <= FurthestOn;
}

size_t CodeLayout::Harbour::size() const {
  return Islands.empty() ? 0 : BranchSize * (Islands.size() + FallsThrough);
}

CodeLayout::Label CodeLayout::createLabel() {
  Labels.push_back(Unbound);
  AliasOf.push_back(Labels.size() - 1);
  return Labels.size() - 1;
}

void CodeLayout::bindAt(Label L, size_t Offset) {
  assert(Labels[L] == Unbound && AliasOf[L] == L && "label bound twice");
  Labels[L] = Offset;
}

void CodeLayout::alias(Label L, Label Other) {
  assert(Labels[L] == Unbound && AliasOf[L] == L && "label bound twice");
  AliasOf[L] = Other;
}

CodeLayout::Label CodeLayout::root(Label L) const {
  while (AliasOf[L] != L)
    L = AliasOf[L];
  return L;
}

void CodeLayout::append(ArrayRef<uint8_t> Code) {
  Bytes.insert(Bytes.end(), Code.begin(), Code.end());
}

std::optional<ArrayRef<uint8_t>> CodeLayout::movableFrom(size_t Begin) const {
  if ((!Branches.empty() && Branches.back().Offset >= Begin) ||
      (!Distances.empty() && Distances.back().High >= Begin))
    return std::nullopt;
  return ArrayRef(Bytes).drop_front(Begin);
}

void CodeLayout::branch(uint32_t Encoding, Label Target) {
  Branches.push_back({Bytes.size(), Encoding, Target});
  Bytes.resize(Bytes.size() + BranchSize);
}

void CodeLayout::allowIslands(bool FallsThrough) {
  if (!Harbours.empty() && Harbours.back().Offset == size())
    Harbours.back().FallsThrough |= FallsThrough;
  else
    Harbours.push_back({size(), FallsThrough, {}});
}

void CodeLayout::distance(size_t Low, size_t High, size_t From,
                          int64_t Address) {
  Distances.push_back({Low, High, From, Address});
}

void CodeLayout::updateShifts() {
  Shifts.resize(Harbours.size());
  size_t Shift = 0;
  for (size_t I = 0; I < Harbours.size(); ++I)
    Shifts[I] = Shift += Harbours[I].size();
}

size_t CodeLayout::harboursUpTo(size_t Offset) const {
  auto isUpTo = [&](const Harbour &H) { return H.Offset <= Offset; };
  // Not far on from the last answer, in all likelihood.
  size_t First = LastUpTo, End = Harbours.size();
  if (First > End || (First && !isUpTo(Harbours[First - 1])))
    First = 0;
  else
    for (size_t Step = 1; First + Step <= End; Step *= 2) {
      if (!isUpTo(Harbours[First + Step - 1])) {
        End = First + Step;
        break;
      }
      First += Step;
    }
  return LastUpTo = std::partition_point(Harbours.begin() + First,
                                         Harbours.begin() + End, isUpTo) -
                    Harbours.begin();
}

size_t CodeLayout::place(size_t Offset) const {
  return place(Offset, harboursUpTo(Offset));
}

size_t CodeLayout::place(Island I) const {
  const Harbour &H = Harbours[I.Harbour];
  return H.Offset + Shifts[I.Harbour] - H.size() +
         BranchSize * (I.Index + H.FallsThrough);
}

/// Decides where each branch goes, adding islands until all are in reach.
class CodeLayout::Solver {
public:
  explicit Solver(CodeLayout &L)
      : L(L), NextOf(L.Branches.size()), IslandsFor(L.Labels.size()) {
    BranchesUpTo.reserve(L.Branches.size());
    for (const Branch &B : L.Branches)
      BranchesUpTo.push_back(L.harboursUpTo(B.Offset));
    LabelsUpTo.reserve(L.Labels.size());
    for (size_t Offset : L.Labels)
      LabelsUpTo.push_back(Offset == Unbound ? 0 : L.harboursUpTo(Offset));
  }

  /// Distances in dwords, of the branches and then of the islands, harbour by
  /// harbour. Every round that changes something adds an island, and no harbour
  /// ever has two for one destination, so the rounds end. Where more islands
  /// come between than new ones keep away from the limit, old ones would get
  /// out of reach, and ever more be added: all begins again, with more slack.
  Expected<std::vector<int16_t>> run() {
    for (size_t Before = SIZE_MAX; Before != NumIslands;) {
      L.updateShifts();
      if (const int64_t Most = mostWithinReach();
          Most > Slack && Slack < MostSlack) {
        Slack = std::min(Most + Most / 2, MostSlack);
        removeIslands();
        L.updateShifts();
      }
      indexPlaces();
      Before = NumIslands;
      if (Error E = addIslands())
        return std::move(E);
    }
    std::vector<int16_t> Result;
    Result.reserve(L.Branches.size() + NumIslands);
    for (auto [B, UpTo] : zip(L.Branches, BranchesUpTo))
      Result.push_back(distance(L.place(B.Offset, UpTo), L.root(B.Target)));
    forEachIsland([&](Island I) {
      Result.push_back(distance(L.place(I), at(I).Target));
      return true;
    });
    return Result;
  }

private:
  /// The most bytes of islands that stand between two places that can reach one
  /// another.
  int64_t mostWithinReach() const {
    int64_t Most = 0, Within = 0;
    size_t First = 0;
    for (const Harbour &H : L.Harbours) {
      Within += int64_t(H.size());
      while (H.Offset - L.Harbours[First].Offset > size_t(FurthestOn))
        Within -= int64_t(L.Harbours[First++].size());
      Most = std::max(Most, Within);
    }
    return Most;
  }

  void removeIslands() {
    for (Harbour &H : L.Harbours)
      H.Islands.clear();
    for (auto &Islands : IslandsFor)
      Islands.clear();
    fill(NextOf, Island());
    NumIslands = 0;
  }

  IslandBranch &at(Island I) const {
    return L.Harbours[I.Harbour].Islands[I.Index];
  }

  /// Those that \p Visit adds at harbours to come, too, until it returns false.
  template <typename F> void forEachIsland(F Visit) const {
    for (uint32_t H = 0; H < L.Harbours.size(); ++H)
      for (uint32_t I = 0; I < L.Harbours[H].Islands.size(); ++I)
        if (!Visit(Island{H, I}))
          return;
  }

  /// One round: whatever reaches neither its destination nor an island on the
  /// way gets one.
  Error addIslands() {
    for (auto [B, UpTo, Next] : zip(L.Branches, BranchesUpTo, NextOf))
      if (!reach(L.place(B.Offset, UpTo), L.root(B.Target), Next))
        return outOfReach();
    bool IsReached = true;
    forEachIsland([&](Island I) {
      // The new one may stand at the same harbour.
      Island Next = at(I).Next;
      IsReached = reach(L.place(I), at(I).Target, Next);
      at(I).Next = Next;
      return IsReached;
    });
    return IsReached ? Error::success() : outOfReach();
  }

  static Error outOfReach() { return createStringError("branch out of reach"); }

  int64_t placeOf(Label Target) const {
    assert(L.Labels[Target] != Unbound && "branch to nowhere");
    return L.place(L.Labels[Target], LabelsUpTo[Target]);
  }

  /// \p Next is where it went in the last round, if that was not the
  /// destination: it rarely gets out of reach.
  bool reach(int64_t From, Label Target, Island &Next) {
    const int64_t To = placeOf(Target);
    if (isInReach(From, To) || (Next.isThere() && leadsOn(From, Next, To)))
      return true;
    std::optional<Island> Found = nearestIsland(From, To, Target);
    if (!Found)
      Found = addIsland(From, To, Target);
    if (Found)
      Next = *Found;
    return Found.has_value();
  }

  int16_t distance(int64_t From, Label Target) const {
    int64_t To = placeOf(Target);
    if (!isInReach(From, To))
      To = L.place(*nearestIsland(From, To, Target));
    return (To - From - BranchSize) / BranchSize;
  }

  /// \p I is in reach and between both.
  bool leadsOn(int64_t From, Island I, int64_t To) const {
    const int64_t At = L.place(I);
    return isInReach(From, At) && isNearer(At, From, To);
  }

  /// The island in reach that is nearest to the destination, and nearer than
  /// \p From.
  std::optional<Island> nearestIsland(int64_t From, int64_t To,
                                      Label Target) const {
    const auto &Islands = IslandsFor[Target];
    auto firstFrom = [&](int64_t Place) {
      return partition_point(Islands, [&](const Island &I) {
        return int64_t(L.place(I)) < Place;
      });
    };
    auto ifNearer = [&](Island I) {
      return leadsOn(From, I, To) ? std::optional(I) : std::nullopt;
    };
    // Chains of islands grow at their ends.
    if (Islands.empty() ||
        (To < From ? int64_t(L.place(Islands.front())) >= From
                   : int64_t(L.place(Islands.back())) <= From))
      return std::nullopt;
    if (To < From) {
      const auto It = firstFrom(std::max(From + FurthestBack, To + 1));
      return It == Islands.end() ? std::nullopt : ifNearer(*It);
    }
    const auto Behind = firstFrom(std::min(From + FurthestOn + 1, To));
    return Behind == Islands.begin() ? std::nullopt
                                     : ifNearer(*std::prev(Behind));
  }

  /// Progress is always made towards the destination: no way round in circles.
  static bool isNearer(int64_t A, int64_t B, int64_t To) {
    return To > B ? A > B && A < To : A < B && A > To;
  }

  /// Nothing if no harbour is in reach.
  std::optional<Island> addIsland(int64_t From, int64_t To, Label Target) {
    const std::vector<Harbour> &Harbours = L.Harbours;
    // Where a new island at harbour H would stand.
    auto placeAt = [&](size_t H) -> int64_t {
      const Harbour &At = Harbours[H];
      return At.Offset + L.Shifts[H] +
             (At.Islands.empty() && At.FallsThrough ? BranchSize : 0);
    };
    auto isFor = [&](const IslandBranch &B) { return B.Target == Target; };
    // The furthest harbour in reach, preferably not at the very limit.
    const bool IsForward = To > From;
    std::optional<uint32_t> Best;
    for (int64_t Margin : {Slack, int64_t(0)}) {
      const int64_t Low = From + FurthestBack + Margin;
      const int64_t High = From + FurthestOn - Margin;
      for (size_t H = firstFrom(IsForward ? High : Low) - IsForward;
           !Best && H < Harbours.size(); IsForward ? --H : ++H) {
        const int64_t At = placeAt(H);
        if (At < Low || At > High)
          continue;
        if (!isNearer(At, From, To))
          break;
        if (none_of(Harbours[H].Islands, isFor))
          Best = H;
      }
    }
    if (!Best)
      return std::nullopt;
    Harbour &At = L.Harbours[*Best];
    const Island New{*Best, uint32_t(At.Islands.size())};
    auto &Islands = IslandsFor[Target];
    Islands.insert(
        partition_point(Islands,
                        [&](const Island &I) { return I.Harbour < *Best; }),
        New);
    At.Islands.push_back({Target, Island()});
    ++NumIslands;
    return New;
  }

  /// Of the code at each harbour, which does not move during a round.
  int64_t codeAt(size_t H) const {
    return int64_t(L.Harbours[H].Offset + L.Shifts[H]);
  }

  void indexPlaces() {
    FirstFrom.clear();
    for (size_t H = 0; H < L.Harbours.size(); ++H)
      while (int64_t(FirstFrom.size() * PlacesEach) <= codeAt(H))
        FirstFrom.push_back(H);
  }

  /// The first harbour whose code stands at or after \p Place.
  size_t firstFrom(int64_t Place) const {
    const size_t Index = std::max<int64_t>(Place, 0) / PlacesEach;
    if (Index >= FirstFrom.size())
      return L.Harbours.size();
    size_t H = FirstFrom[Index];
    while (H < L.Harbours.size() && codeAt(H) < Place)
      ++H;
    return H;
  }

  CodeLayout &L;
  /// Harbours up to each branch and label, which islands do not change.
  std::vector<size_t> BranchesUpTo, LabelsUpTo;
  std::vector<Island> NextOf; ///< Of branches.
  /// By label, in their order.
  std::vector<SmallVector<Island, 2>> IslandsFor;
  size_t NumIslands = 0;
  /// The first harbour whose code stands at or after each multiple of so many
  /// bytes.
  static constexpr size_t PlacesEach = 1024;
  std::vector<size_t> FirstFrom;
  int64_t Slack = LeastSlack;
};

Expected<std::vector<uint8_t>> CodeLayout::finish() {
  Expected<std::vector<int16_t>> Resolved = Solver(*this).run();
  if (!Resolved)
    return Resolved.takeError();
  std::vector<uint8_t> Result;
  write(Result, *Resolved);
  for (const Distance &D : Distances) {
    const uint64_t Value = D.Address - static_cast<int64_t>(place(D.From));
    support::endian::write32le(&Result[place(D.Low)], Value);
    support::endian::write32le(&Result[place(D.High)], Value >> 32);
  }
  return Result;
}

void CodeLayout::write(std::vector<uint8_t> &Result,
                       ArrayRef<int16_t> Dwords) const {
  auto appendWord = [&](uint32_t Word) {
    Result.resize(Result.size() + BranchSize);
    support::endian::write32le(&Result[Result.size() - BranchSize], Word);
  };
  auto encode = [](uint32_t Encoding, int64_t Distance) {
    return Encoding | static_cast<uint16_t>(Distance);
  };
  Result.reserve(Bytes.size() + (Shifts.empty() ? 0 : Shifts.back()));
  size_t Copied = 0;
  auto copyUpTo = [&](size_t Offset) {
    Result.insert(Result.end(), Bytes.begin() + Copied, Bytes.begin() + Offset);
    Copied = Offset;
  };
  for (const Harbour &H : Harbours) {
    copyUpTo(H.Offset);
    if (!H.Islands.empty() && H.FallsThrough)
      appendWord(encode(BranchWord, H.Islands.size()));
    for (size_t I = 0; I < H.Islands.size(); ++I)
      appendWord(0);
  }
  copyUpTo(Bytes.size());
  for (const Branch &B : Branches) {
    support::endian::write32le(&Result[place(B.Offset)],
                               encode(B.Encoding, Dwords.front()));
    Dwords = Dwords.drop_front();
  }
  for (size_t H = 0; H < Harbours.size(); ++H)
    for (size_t I = 0; I < Harbours[H].Islands.size(); ++I) {
      support::endian::write32le(
          &Result[place(Island{uint32_t(H), uint32_t(I)})],
          encode(BranchWord, Dwords.front()));
      Dwords = Dwords.drop_front();
    }
}

} // namespace luthier::amdgpu
