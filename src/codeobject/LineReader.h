// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LUTHIER_CODEOBJECT_LINEREADER_H
#define LUTHIER_CODEOBJECT_LINEREADER_H

#include "codeobject/LineTable.h"
#include "llvm/ADT/ArrayRef.h"

namespace luthier {

/// Lines of all code in the code object \p ELF, with full paths. Empty if it
/// carries no debug information, or none that can be read.
LineTable readLines(llvm::ArrayRef<uint8_t> ELF);

} // namespace luthier

#endif // LUTHIER_CODEOBJECT_LINEREADER_H
