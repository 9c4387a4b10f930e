// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/MaskValues.h"
#include "llvm/ADT/STLExtras.h"
#include <cassert>
#include <functional>
#include <optional>

namespace luthier {

static constexpr unsigned LanesPerVGPR = 64;

static MaskValue within(MaskValue Part) {
  return {MaskValue::Within, Part.Unit};
}

/// Both take bits from the same half of the entry's EXEC, if any.
static bool areWithinOne(MaskValue A, MaskValue B) {
  if (A.Kind == MaskValue::Zero)
    return B.isPartOfExec();
  if (B.Kind == MaskValue::Zero)
    return A.isPartOfExec();
  return A.isPartOfExec() && B.isPartOfExec() && A.Unit == B.Unit;
}

/// Of A and B that consist of Part and Rest, whose bits are 1 and 2. None of
/// others.
template <typename F>
static std::optional<MaskValue> ofParts(MaskValue A, MaskValue B, F Operation) {
  auto partsOf = [](MaskValue M) -> std::optional<unsigned> {
    switch (M.Kind) {
    case MaskValue::Zero:
      return 0;
    case MaskValue::Part:
      return 1;
    case MaskValue::Rest:
      return 2;
    case MaskValue::Original:
      return 3;
    default:
      return std::nullopt;
    }
  };
  const std::optional<unsigned> OfA = partsOf(A), OfB = partsOf(B);
  if (!OfA || !OfB || !areWithinOne(A, B))
    return std::nullopt;
  static constexpr MaskValue::KindType Kinds[] = {
      MaskValue::Zero, MaskValue::Part, MaskValue::Rest, MaskValue::Original};
  const MaskValue::KindType Kind = Kinds[Operation(*OfA, *OfB) & 3];
  if (Kind == MaskValue::Zero)
    return MaskValue{Kind, 0};
  return MaskValue{Kind, A.Kind == MaskValue::Zero ? B.Unit : A.Unit};
}

MaskValue MaskValue::meet(MaskValue A, MaskValue B) {
  if (A == B)
    return A;
  if (areWithinOne(A, B))
    return within(A.Kind == Zero ? B : A);
  return {};
}

MaskValue MaskValue::bitAnd(MaskValue A, MaskValue B) {
  if (const auto Known = ofParts(A, B, std::bit_and()))
    return *Known;
  if (A == B || A.Kind == Zero || B.Kind == Ones)
    return A;
  if (B.Kind == Zero || A.Kind == Ones)
    return B;
  if (A.isPartOfExec())
    return within(A);
  return B.isPartOfExec() ? within(B) : MaskValue();
}

MaskValue MaskValue::bitOr(MaskValue A, MaskValue B) {
  if (const auto Known = ofParts(A, B, std::bit_or()))
    return *Known;
  if (A == B || B.Kind == Zero || A.Kind == Ones)
    return A;
  if (A.Kind == Zero || B.Kind == Ones)
    return B;
  if (!areWithinOne(A, B))
    return {};
  return A.Kind == Original ? A : B.Kind == Original ? B : within(A);
}

MaskValue MaskValue::bitXor(MaskValue A, MaskValue B) {
  if (const auto Known = ofParts(A, B, std::bit_xor()))
    return *Known;
  if (B.Kind == Zero)
    return A;
  if (A.Kind == Zero)
    return B;
  if (B.Kind == Ones)
    return bitNot(A);
  return areWithinOne(A, B) ? within(A) : MaskValue();
}

MaskValue MaskValue::bitNot(MaskValue A) {
  if (A.Kind == Zero)
    return {Ones, 0};
  return A.Kind == Ones ? MaskValue{Zero, 0} : MaskValue();
}

MaskValue MaskValue::bitAndNot(MaskValue A, MaskValue B) {
  if (const auto Known =
          ofParts(A, B, [](unsigned X, unsigned Y) { return X & ~Y; }))
    return *Known;
  if (B.Kind == Zero || A.Kind == Zero)
    return A;
  if (B.Kind == Ones)
    return {Zero, 0};
  return A.isPartOfExec() ? within(A) : MaskValue();
}

MaskState MaskState::atFunctionEntry() {
  MaskState Result;
  for (unsigned U = 0; U < Result.Units.size(); ++U)
    Result.Units[U] = {MaskValue::Original, uint16_t(U)};
  return Result;
}

/// Of \p Lanes, in the order of their keys.
template <class List> static auto firstFrom(List &Lanes, unsigned Key) {
  return llvm::partition_point(
      Lanes, [&](const auto &Entry) { return Entry.first < Key; });
}

MaskValue MaskState::lane(unsigned VGPRUnit, unsigned Lane) const {
  assert(Lane < LanesPerVGPR && "no such lane");
  const unsigned Key = VGPRUnit * LanesPerVGPR + Lane;
  auto It = firstFrom(Lanes, Key);
  return It == Lanes.end() || It->first != Key ? MaskValue() : It->second;
}

void MaskState::setLane(unsigned VGPRUnit, unsigned Lane, MaskValue Value) {
  assert(Lane < LanesPerVGPR && "no such lane");
  const unsigned Key = VGPRUnit * LanesPerVGPR + Lane;
  auto It = firstFrom(Lanes, Key);
  const bool IsThere = It != Lanes.end() && It->first == Key;
  if (Value.Kind == MaskValue::Unknown) {
    if (IsThere)
      Lanes.erase(It);
  } else if (IsThere) {
    It->second = Value;
  } else {
    Lanes.insert(It, {Key, Value});
  }
}

void MaskState::forgetLanes(const RegisterSet &Changed) {
  std::erase_if(Lanes, [&](const auto &Entry) {
    return Changed.unit(Entry.first / LanesPerVGPR);
  });
}

void MaskState::part() {
  auto forgetParts = [](MaskValue &Value) {
    if (Value.Kind == MaskValue::Part || Value.Kind == MaskValue::Rest)
      Value = within(Value);
  };
  for (MaskValue &Value : Units)
    forgetParts(Value);
  for (auto &[Lane, Value] : Lanes)
    forgetParts(Value);
  for (unsigned Half : {RegisterSet::EXECLo, RegisterSet::EXECHi})
    if (Units[Half] == MaskValue{MaskValue::Within, uint16_t(Half)})
      Units[Half].Kind = MaskValue::Part;
}

bool MaskState::meet(const MaskState &Other) {
  bool Changed = false;
  for (unsigned U = 0; U < Units.size(); ++U) {
    // Most are one or the other.
    if (Units[U].Kind == MaskValue::Unknown || Units[U] == Other.Units[U])
      continue;
    MaskValue Both = MaskValue::meet(Units[U], Other.Units[U]);
    Changed |= Both != Units[U];
    Units[U] = Both;
  }
  auto There = Other.Lanes.begin();
  auto Kept = Lanes.begin();
  for (const auto &[Key, Value] : Lanes) {
    while (There != Other.Lanes.end() && There->first < Key)
      ++There;
    const bool IsThere = There != Other.Lanes.end() && There->first == Key;
    const MaskValue Both =
        IsThere ? MaskValue::meet(Value, There->second) : MaskValue();
    Changed |= Both != Value;
    // No further than what is being read.
    if (Both.Kind != MaskValue::Unknown)
      *Kept++ = {Key, Both};
  }
  Lanes.erase(Kept, Lanes.end());
  return Changed;
}

} // namespace luthier
