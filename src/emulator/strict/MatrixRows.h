// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How late results of matrix operations are on targets with AGPRs.
#ifndef LUTHIER_EMULATOR_STRICT_MATRIXROWS_H
#define LUTHIER_EMULATOR_STRICT_MATRIXROWS_H

#include "emulator/core/HazardFamily.h"
#include "emulator/isa/OperationFacts.h"

namespace luthier::emulator::strict {

enum class Forwards : uint8_t { Any, Same };

/// A row of MatrixRows.def.
struct MatrixHazard {
  uint32_t Family;
  MatrixUnit Unit;
  uint8_t Passes;
  uint8_t Factor, Valu, Memory, Overwrite, AddendOverwrite;
  uint8_t AddendOfNarrow, AddendOfSingle, AddendOfDouble;
  uint8_t Forwarded;
  Forwards To;

  /// Wait states until \p Second may have the result as its addend.
  unsigned addend(const MatrixHazard &Second, bool IsForwarded) const;
};

/// Null where there is no row.
const MatrixHazard *matrixHazard(uint32_t Family, const MatrixShape &Shape);

/// Whether matrix operations of these targets have rows.
inline bool hasMatrixHazards(uint32_t Family) {
  return Family & (hazard::Mi100 | hazard::Mi200 | hazard::SinceMi300);
}

} // namespace luthier::emulator::strict

#endif // LUTHIER_EMULATOR_STRICT_MATRIXROWS_H
