// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which registers instructions share.
#ifndef LUTHIER_EMULATOR_STRICT_OVERLAP_H
#define LUTHIER_EMULATOR_STRICT_OVERLAP_H

#include "emulator/core/Wave.h"
#include "emulator/strict/InstFacts.h"
#include <algorithm>

namespace luthier::emulator::strict {

inline bool overlaps(Span A, unsigned First, unsigned Count) {
  return Count && A.First < First + Count &&
         First < unsigned(A.First) + A.Count;
}

/// The first register that both lists have, or -1.
template <class List> int shared(const List &A, const List &B) {
  for (Span X : A)
    for (Span Y : B)
      if (overlaps(X, Y.First, Y.Count))
        return std::max(X.First, Y.First);
  return -1;
}
template <class List>
int sharedWith(const List &A, unsigned First, unsigned Count) {
  for (Span X : A)
    if (overlaps(X, First, Count))
      return int(std::max<unsigned>(X.First, First));
  return -1;
}

inline unsigned numRegs(const Operand &O) {
  return O.Type == ValueType::Wide ? O.NumRegs : isPair(O.Type) ? 2 : 1;
}

/// The first register of \p A that a vector operand has, or -1.
template <class List> int sharedWith(const List &A, const Operand &O) {
  return O.Kind == Source::Vgpr ? sharedWith(A, O.Reg, numRegs(O)) : -1;
}

} // namespace luthier::emulator::strict

#endif // LUTHIER_EMULATOR_STRICT_OVERLAP_H
