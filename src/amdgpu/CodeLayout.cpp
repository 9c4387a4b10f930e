// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "amdgpu/CodeLayout.h"
#include "llvm/ADT/DenseMap.h"
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

size_t CodeLayout::place(size_t Offset) const {
  auto After = std::partition_point(
      Harbours.begin(), Harbours.end(),
      [&](const Harbour &H) { return H.Offset <= Offset; });
  return After == Harbours.begin()
             ? Offset
             : Offset + Shifts[After - Harbours.begin() - 1];
}

size_t CodeLayout::place(Island I) const {
  const Harbour &H = Harbours[I.Harbour];
  return H.Offset + Shifts[I.Harbour] - H.size() +
         BranchSize * (I.Index + H.FallsThrough);
}

/// Decides where each branch goes, adding islands until all are in reach.
class CodeLayout::Solver {
public:
  explicit Solver(CodeLayout &L) : L(L) {}

  /// Distances in dwords, of the branches and then of the islands, harbour by
  /// harbour. Every round that changes something adds an island, and no harbour
  /// ever has two for one destination, so the rounds end. Where more islands
  /// come between than new ones keep away from the limit, old ones would get
  /// out of reach, and ever more be added: all begins again, with more slack.
  Expected<std::vector<int64_t>> run() {
    for (;;) {
      L.updateShifts();
      if (const int64_t Most = mostWithinReach();
          Most > Slack && Slack < MostSlack) {
        Slack = std::min(Most + Most / 2, MostSlack);
        for (Harbour &H : L.Harbours)
          H.Islands.clear();
        IslandsFor.clear();
        L.updateShifts();
      }
      Result.clear();
      Added = false;
      for (const Branch &B : L.Branches)
        if (Error E = resolve(L.place(B.Offset), L.root(B.Target)))
          return std::move(E);
      for (size_t H = 0; H < L.Harbours.size(); ++H)
        for (size_t I = 0; I < L.Harbours[H].Islands.size(); ++I)
          if (Error E =
                  resolve(L.place(Island{H, I}), L.Harbours[H].Islands[I]))
            return std::move(E);
      if (!Added)
        return std::move(Result);
    }
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

  Error resolve(int64_t From, Label Target) {
    assert(L.Labels[Target] != Unbound && "branch to nowhere");
    const int64_t To = L.place(L.Labels[Target]);
    if (isInReach(From, To)) {
      Result.push_back((To - From - BranchSize) / BranchSize);
      return Error::success();
    }
    if (const std::optional<int64_t> Island = nearestIsland(From, To, Target)) {
      Result.push_back((*Island - From - BranchSize) / BranchSize);
      return Error::success();
    }
    return addIsland(From, To, Target);
  }

  /// Where the island in reach stands that is nearest to the destination, and
  /// nearer than \p From.
  std::optional<int64_t> nearestIsland(int64_t From, int64_t To, Label Target) {
    const auto &Islands = IslandsFor[Target];
    auto firstFrom = [&](int64_t Place) {
      return partition_point(Islands, [&](const Island &I) {
        return int64_t(L.place(I)) < Place;
      });
    };
    if (To < From) {
      const auto It = firstFrom(std::max(From + FurthestBack, To + 1));
      const int64_t At = It == Islands.end() ? From : int64_t(L.place(*It));
      return At < From ? std::optional(At) : std::nullopt;
    }
    const auto Behind = firstFrom(std::min(From + FurthestOn + 1, To));
    const int64_t At =
        Behind == Islands.begin() ? From : L.place(*std::prev(Behind));
    return At > From ? std::optional(At) : std::nullopt;
  }

  /// Progress is always made towards the destination: no way round in circles.
  static bool isNearer(int64_t A, int64_t B, int64_t To) {
    return To > B ? A > B && A < To : A < B && A > To;
  }

  Error addIsland(int64_t From, int64_t To, Label Target) {
    const std::vector<Harbour> &Harbours = L.Harbours;
    // Where a new island at harbour H would stand.
    auto placeAt = [&](size_t H) -> int64_t {
      const Harbour &At = Harbours[H];
      return At.Offset + L.Shifts[H] +
             (At.Islands.empty() && At.FallsThrough ? BranchSize : 0);
    };
    // The furthest harbour in reach, preferably not at the very limit.
    const bool IsForward = To > From;
    std::optional<size_t> Best;
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
        if (!is_contained(Harbours[H].Islands, Target))
          Best = H;
      }
    }
    if (!Best)
      return createStringError("branch out of reach");
    Harbour &At = L.Harbours[*Best];
    auto &Islands = IslandsFor[Target];
    Islands.insert(
        partition_point(Islands,
                        [&](const Island &I) { return I.Harbour < *Best; }),
        {*Best, At.Islands.size()});
    At.Islands.push_back(Target);
    Added = true;
    Result.push_back(0); // This round is void.
    return Error::success();
  }

  /// The first harbour whose code stands at or after \p Place.
  size_t firstFrom(int64_t Place) const {
    size_t Low = 0, High = L.Harbours.size();
    while (Low < High) {
      const size_t Middle = (Low + High) / 2;
      if (int64_t(L.Harbours[Middle].Offset + L.Shifts[Middle]) < Place)
        Low = Middle + 1;
      else
        High = Middle;
    }
    return Low;
  }

  CodeLayout &L;
  DenseMap<Label, SmallVector<Island, 2>> IslandsFor; ///< In their order.
  std::vector<int64_t> Result;
  int64_t Slack = LeastSlack;
  bool Added = false;
};

Expected<std::vector<uint8_t>> CodeLayout::finish() {
  Expected<std::vector<int64_t>> Resolved = Solver(*this).run();
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
                       ArrayRef<int64_t> Dwords) const {
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
      support::endian::write32le(&Result[place(Island{H, I})],
                                 encode(BranchWord, Dwords.front()));
      Dwords = Dwords.drop_front();
    }
}

} // namespace luthier::amdgpu
