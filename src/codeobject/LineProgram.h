// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a line number program of DWARF ("Line Number Information"). LLVM does it
// too, with checks and messages for people, and takes some ten times as long:
// a kernel's first launch waits for it.
#ifndef LUTHIER_CODEOBJECT_LINEPROGRAM_H
#define LUTHIER_CODEOBJECT_LINEPROGRAM_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/DebugInfo/DWARF/DWARFDebugLine.h"
#include <cstdint>

namespace luthier {

struct LineProgramRow {
  uint64_t Address = 0;
  unsigned Line = 1;
  uint16_t File = 1; ///< As the prologue counts.
  uint16_t Column = 0;
};

/// A run of code, which ends at \p High: there is no further row there. The
/// rows are gone when the next sequence comes.
using LineSequenceConsumer = llvm::function_ref<void(
    llvm::ArrayRef<LineProgramRow> Rows, uint64_t High)>;

/// Gives \p Each what is not empty, in the program's order, as far as \p Code,
/// what follows \p Prologue, makes sense.
void runLineProgram(llvm::ArrayRef<uint8_t> Code,
                    const llvm::DWARFDebugLine::Prologue &Prologue,
                    LineSequenceConsumer Each);

} // namespace luthier

#endif // LUTHIER_CODEOBJECT_LINEPROGRAM_H
