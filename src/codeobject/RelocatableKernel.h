// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel as an ELF object file, as the assembler would have made it.
#ifndef LUTHIER_CODEOBJECT_RELOCATABLEKERNEL_H
#define LUTHIER_CODEOBJECT_RELOCATABLEKERNEL_H

#include "codeobject/CodeObject.h"

namespace luthier {

class LineTable;

struct KernelImage {
  std::string Name;
  /// Position-independent code; branches resolved, no relocations.
  llvm::ArrayRef<uint8_t> Code;
  /// Entry relative to the start of Code, in bytes. Of a kernel that has its
  /// arguments preloaded, the first one.
  uint64_t EntryOffset = 0;
  KernelDescriptor Descriptor;
  /// Source lines by offset into Code; may be null.
  const LineTable *Lines = nullptr;
};

/// Flags, ABI version and processor come from \p Original; \p Metadata is the
/// contents of the note. The entry is aligned as the hardware demands.
llvm::Expected<llvm::SmallVector<uint8_t, 0>>
makeRelocatableKernel(const CodeObject &Original, const KernelImage &Image,
                      llvm::StringRef Metadata);

} // namespace luthier

#endif // LUTHIER_CODEOBJECT_RELOCATABLEKERNEL_H
