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

struct LineProgram {
  struct Row {
    uint64_t Address = 0;
    unsigned Line = 1;
    uint16_t File = 1; ///< As the prologue counts.
    uint16_t Column = 0;
  };
  /// A run of code.
  struct Sequence {
    uint64_t Low, High; ///< Addresses.
    size_t Begin, End;  ///< Of rows; at High there is no further one.
  };

  /// By High, as far as \p Code, what follows \p Prologue, makes sense.
  std::vector<Sequence> Sequences;
  std::vector<Row> Rows;

  LineProgram(llvm::ArrayRef<uint8_t> Code,
              const llvm::DWARFDebugLine::Prologue &Prologue);
};

} // namespace luthier

#endif // LUTHIER_CODEOBJECT_LINEPROGRAM_H
