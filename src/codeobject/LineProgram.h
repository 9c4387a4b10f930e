// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a line number program of DWARF ("Line Number Information"). LLVM does it
// too, with checks and messages for people, and takes some ten times as long:
// a kernel's first launch waits for it.
#ifndef LUTHIER_CODEOBJECT_LINEPROGRAM_H
#define LUTHIER_CODEOBJECT_LINEPROGRAM_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/DebugInfo/DWARF/DWARFDebugLine.h"
#include <cstdint>
#include <vector>

namespace luthier {

struct LineProgramRow {
  uint64_t Address = 0;
  unsigned Line = 1;
  uint16_t File = 1; ///< As the prologue counts.
  uint16_t Column = 0;
};

/// A run of code, which is not empty.
struct LineSequence {
  uint64_t First = 0, End = 0; ///< Of the first row, and where the last ends.
  /// The same, where rows are in order as they should be; else what all of them
  /// are between.
  uint64_t Low = 0, High = 0;
  llvm::ArrayRef<uint8_t> Code; ///< The part of the program.
};

/// Those of \p Program, what follows \p Prologue, in its order, as far as it
/// makes sense.
std::vector<LineSequence>
findSequences(llvm::ArrayRef<uint8_t> Program,
              const llvm::DWARFDebugLine::Prologue &Prologue);

/// At least one.
std::vector<LineProgramRow>
rowsOf(const LineSequence &Sequence,
       const llvm::DWARFDebugLine::Prologue &Prologue);

} // namespace luthier

#endif // LUTHIER_CODEOBJECT_LINEPROGRAM_H
