// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes a code object with one kernel: machine code, descriptor, metadata.
#ifndef LUTHIER_CODEOBJECT_CODEOBJECTWRITER_H
#define LUTHIER_CODEOBJECT_CODEOBJECTWRITER_H

#include "codeobject/CodeObject.h"
#include "codeobject/RelocatableKernel.h"

namespace luthier {

/// Returns the bytes of a loadable (ET_DYN) code object for the same target and
/// code object version as \p Original. The metadata note is \p Original's entry
/// of the kernel named \p Image.Name with register counts brought up to date to
/// \p Metadata. Linked by lld in this process.
llvm::Expected<std::vector<uint8_t>>
writeCodeObject(const CodeObject &Original, const KernelImage &Image,
                const KernelMetadata &Metadata);

} // namespace luthier

#endif // LUTHIER_CODEOBJECT_CODEOBJECTWRITER_H
