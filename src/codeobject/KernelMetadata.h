// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The NT_AMDGPU_METADATA note: what the compiler tells the runtime about each
// kernel, as MessagePack (AMDGPUUsage, "Code Object V3+ Metadata").
#ifndef LUTHIER_CODEOBJECT_KERNELMETADATA_H
#define LUTHIER_CODEOBJECT_KERNELMETADATA_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace luthier {

/// An argument that the runtime is to give a kernel besides those of its
/// metadata.
struct AddedArgument {
  llvm::StringRef ValueKind; ///< Lives for ever.
  unsigned Offset = 0, Size = 0;
};

/// What the metadata note says of one kernel; zero where it says nothing.
struct KernelMetadata {
  unsigned MaxFlatWorkgroupSize = 1024;
  unsigned WavefrontSize = 64;
  unsigned SGPRs = 0;
  unsigned VGPRs = 0; ///< With the AGPRs where both share a file.
  unsigned AGPRs = 0;
  unsigned GroupSegmentSize = 0;
  unsigned PrivateSegmentSize = 0;
  unsigned KernargSegmentSize = 0;
  unsigned KernargSegmentAlign = 0; ///< Power of two, if well-formed.
  bool UsesDynamicStack = false;
  /// For writing only.
  std::vector<AddedArgument> AddedArguments = {};
};

/// A kernel's entry in the note.
struct KernelEntry {
  KernelMetadata Facts;
  std::string Blob; ///< All of it, as MessagePack.
};

/// The note, taken apart once: whoever needs one kernel's entry does not work
/// through those of all others.
struct ModuleMetadata {
  /// By the kernel's name without ".kd". Of several with one name, the first.
  llvm::StringMap<KernelEntry> Kernels;
  std::string Common; ///< All but the kernels; empty if there is no note.
};

/// Fails for what LLVM's document class may not be given either: a truncated
/// blob, maps with other keys than strings, nesting without reason.
llvm::Expected<ModuleMetadata> readKernelMetadata(llvm::StringRef Blob);

/// One blob of several: device code of more than one translation unit, or of
/// one that the linker optimised in parts, has a note for each. What is not a
/// list of kernels or of strings is the first one's.
llvm::Expected<std::string>
mergeKernelMetadata(llvm::ArrayRef<llvm::StringRef> Blobs);

/// A note of \p Common, as ModuleMetadata has it, and one kernel: \p Entry with
/// register counts and sizes of \p Metadata. An empty entry is made up.
std::string writeKernelMetadata(llvm::StringRef Common, llvm::StringRef Kernel,
                                llvm::StringRef Entry,
                                const KernelMetadata &Metadata);

/// All of \p Blob, with register counts and sizes of the kernels in \p Changed
/// taken from there. \p Blob has passed readKernelMetadata().
std::string
updateKernelMetadata(llvm::StringRef Blob,
                     const llvm::StringMap<KernelMetadata> &Changed);

} // namespace luthier

#endif // LUTHIER_CODEOBJECT_KERNELMETADATA_H
