// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codeobject/CodeObjectWriter.h"
#include "codeobject/KernelMetadata.h"
#include "codeobject/Linker.h"
#include "codeobject/RelocatableKernel.h"
#include "luthier/Refusal.h"

using namespace llvm;
using namespace luthier;

/// COMPUTE_PGM holds the entry's address without its low eight bits.
static constexpr uint64_t EntryAlignment = 256;

Expected<std::vector<uint8_t>>
luthier::writeCodeObject(const CodeObject &Original, const KernelImage &Image,
                         const KernelMetadata &Metadata) {
  if (Image.EntryOffset % EntryAlignment ||
      Image.EntryOffset >= Image.Code.size())
    return refuse(RefusalReason::LinkFailed,
                  "kernel " + Image.Name + " cannot begin " +
                      Twine(Image.EntryOffset) + " bytes into its " +
                      Twine(Image.Code.size()) + " bytes of code");
  const KernelInfo *Kernel = Original.findKernel(Image.Name);
  auto Object = makeRelocatableKernel(
      Original, Image,
      writeKernelMetadata(Original.commonMetadata(), Image.Name,
                          Kernel ? StringRef(Kernel->MetadataEntry) : "",
                          Metadata));
  if (!Object)
    return Object.takeError();
  return linkSharedObject(*Object);
}
