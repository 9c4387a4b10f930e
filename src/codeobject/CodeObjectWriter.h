// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes a code object with one kernel: machine code, descriptor, metadata.
#ifndef LUTHIER_CODEOBJECT_CODEOBJECTWRITER_H
#define LUTHIER_CODEOBJECT_CODEOBJECTWRITER_H

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

/// Returns the bytes of a loadable (ET_DYN) code object for the same target and
/// code object version as \p Original. The metadata note is \p Original's entry
/// of the kernel named \p Image.Name with register counts brought up to date to
/// \p Metadata. Linked by lld in this process.
llvm::Expected<std::vector<uint8_t>>
writeCodeObject(const CodeObject &Original, const KernelImage &Image,
                const KernelMetadata &Metadata);

} // namespace luthier

#endif // LUTHIER_CODEOBJECT_CODEOBJECTWRITER_H
