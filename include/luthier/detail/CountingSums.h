// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Questions about path sums that CountInstructions.h asks.
#ifndef LUTHIER_DETAIL_COUNTINGSUMS_H
#define LUTHIER_DETAIL_COUNTINGSUMS_H

#include "luthier/PathSum.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/CodeGen/MachineBasicBlock.h"
#include "llvm/CodeGen/MachineInstr.h"
#include <bit>

namespace luthier::detail {

/// So many times 64 lanes are less than 2^32.
inline constexpr uint64_t MostOnce = uint64_t(1) << 25;

/// Whether the counter is from 0 on, and below 2^32, until the first loop. What
/// is the same on all ways is added when the wave begins.
inline bool staysLow(const PathSum &Sum) {
  constexpr int64_t Limit = MostOnce;
  int64_t Least = Sum.AtWaveEnd, Most = Sum.AtWaveEnd;
  if (Least < 0 || Least >= Limit)
    return false;
  for (const PathSum::Addition &A : Sum.Additions) {
    const int64_t Number = A.Number;
    if (!A.IsBeforeLoops)
      continue;
    if (Number <= -Limit || Number >= Limit)
      return false;
    (Number < 0 ? Least : Most) += Number;
    if (Least < 0 || Most >= Limit)
      return false;
  }
  return true;
}

/// Modulo 2^64; garbage if there is none.
inline uint64_t quotient(uint64_t Number, uint64_t By) {
  const int Shift = std::countr_zero(By);
  const uint64_t Odd = By >> Shift;
  uint64_t Inverse = Odd; // Of three bits; each step doubles them.
  for (int Step = 0; Step < 5; ++Step)
    Inverse *= 2 - Odd * Inverse;
  return (Number >> Shift) * Inverse;
}

/// By which what \p Vectors adds is to be multiplied, modulo 2^64, wherever a
/// wave may come again, but for rare skips, for it to be what \p All adds; 0 if
/// there is none.
inline uint64_t factorInLoops(const PathSum &All, const PathSum &Vectors) {
  llvm::DenseMap<std::pair<const void *, const void *>, uint64_t> VectorsAt;
  for (const PathSum::Addition &A : Vectors.Additions)
    VectorsAt[A.place()] = A.Number;
  uint64_t Factor = 0;
  for (const PathSum::Addition &A : All.Additions) {
    if (A.IsOnce || !A.Before)
      continue;
    const uint64_t Number = VectorsAt.lookup(A.place());
    if (!Factor && Number)
      Factor = quotient(A.Number, Number);
    if (!Factor || Number * Factor != A.Number)
      return 0;
  }
  for (const PathSum::Addition &V : Vectors.Additions)
    if (!V.IsOnce && V.Before &&
        llvm::none_of(All.Additions,
                      [&](const auto &A) { return A.place() == V.place(); }))
      return 0;
  return Factor;
}

/// The first instruction that is executed whenever \p MI is.
inline const llvm::MachineInstr *firstTogether(const llvm::MachineInstr &MI) {
  const llvm::MachineInstr *First = &MI;
  while (First->getPrevNode() && !First->getPrevNode()->isCall())
    First = First->getPrevNode();
  return First;
}

/// Takes small numbers out of a sum, one after the other.
class SmallAdditions {
public:
  explicit SmallAdditions(PathSum &Sum) : Sum(Sum) {
    constexpr uint64_t MostTaken = 1 << 24;
    for (auto [Place, A] : llvm::enumerate(Sum.Additions))
      if (A.Before && A.Number <= MostTaken)
        Places.try_emplace(A.Before, Place);
  }
  SmallAdditions(const SmallAdditions &) = delete;
  SmallAdditions &operator=(const SmallAdditions &) = delete;
  /// The sum is without what was taken.
  ~SmallAdditions() {
    llvm::erase_if(Sum.Additions,
                   [](const PathSum::Addition &A) { return A.Number == 0; });
  }

  /// What the sum adds where \p MI is always executed as well.
  uint32_t take(const llvm::MachineInstr &MI) {
    const auto It = Places.find(firstTogether(MI));
    if (It == Places.end())
      return 0;
    const size_t Place = It->second;
    Places.erase(It);
    return std::exchange(Sum.Additions[Place].Number, 0);
  }

private:
  PathSum &Sum;
  llvm::DenseMap<const llvm::MachineInstr *, size_t> Places;
};

/// \p Low, and \p High from bit 16 on. Both have numbers of the same places.
inline PathSum packed(const PathSum &Low, const PathSum &High) {
  llvm::MapVector<std::pair<const void *, const void *>, PathSum::Addition>
      Both;
  for (const PathSum::Addition &A : Low.Additions)
    Both.insert({A.place(), A});
  for (PathSum::Addition A : High.Additions) {
    A.Number <<= 16;
    if (auto [It, IsNew] = Both.insert({A.place(), A}); !IsNew)
      It->second.Number += A.Number;
  }
  PathSum Result;
  for (const auto &[Place, A] : Both)
    Result.Additions.push_back(A);
  Result.AtWaveEnd = Low.AtWaveEnd + (High.AtWaveEnd << 16);
  return Result;
}

} // namespace luthier::detail

#endif // LUTHIER_DETAIL_COUNTINGSUMS_H
