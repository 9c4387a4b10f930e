// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The counterpart of FatBinary.h: the same file with other code objects.
#ifndef LUTHIER_CODEOBJECT_FATBINARYWRITER_H
#define LUTHIER_CODEOBJECT_FATBINARYWRITER_H

#include "codeobject/FatBinary.h"
#include <map>

namespace luthier {

/// Code for one processor, beside code for several in a bundle. It stands in
/// front: HIP 7.2 prefers what is for the processor itself, and 6.4 takes the
/// first that the GPU can run.
struct AddedCodeObject {
  std::string Target; ///< As TargetID::str() has it.
  std::vector<uint8_t> Bytes;
};

/// \p File with those code objects replaced that \p New names by their number
/// in what findCodeObjects() gives for \p File, and others put in \p Beside
/// them: what is no bundle has room for one, which takes its place. Bundles
/// come out uncompressed.
///
/// In a host program or library, bundles move to a new segment at its end, and
/// what HIP's registration code points to follows. That takes the place of a
/// note in the program's headers (build-id and the like, which stay in their
/// section); if the last segment holds bundles from an earlier call, they make
/// way. Refuses with MalformedCodeObject a program without either, or one whose
/// pointers to bundles are not found.
llvm::Expected<std::vector<uint8_t>>
replaceCodeObjects(llvm::ArrayRef<uint8_t> File,
                   const std::map<size_t, std::vector<uint8_t>> &New,
                   const std::map<size_t, AddedCodeObject> &Beside = {});

/// What replaceCodeObjects() refuses as soon as it has read the file's headers,
/// for those with much to do before it.
llvm::Error checkReplaceable(llvm::ArrayRef<uint8_t> File);

} // namespace luthier

#endif // LUTHIER_CODEOBJECT_FATBINARYWRITER_H
