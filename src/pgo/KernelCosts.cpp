// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pgo/KernelCosts.h"
#include "llvm/BinaryFormat/MsgPackDocument.h"

using namespace llvm;
using namespace luthier;
using namespace luthier::pgo;

/// Of the kernel's part of the note; a file without one does not say.
static unsigned spillsOf(const KernelInfo &Kernel) {
  msgpack::Document Document;
  if (Kernel.MetadataEntry.empty() ||
      !Document.readFromBlob(Kernel.MetadataEntry, /*Multi=*/false) ||
      !Document.getRoot().isMap())
    return 0;
  unsigned Sum = 0;
  for (const char *Key : {".vgpr_spill_count", ".sgpr_spill_count"}) {
    auto &Map = Document.getRoot().getMap();
    const auto Found = Map.find(Key);
    if (Found != Map.end() && Found->second.getKind() == msgpack::Type::UInt)
      Sum += Found->second.getUInt();
  }
  return Sum;
}

static KernelResources resourcesOf(const KernelInfo &Kernel,
                                   const RegisterFileTraits *Traits) {
  const KernelDescriptor &D = Kernel.Descriptor;
  KernelResources R;
  R.VGPRs = Kernel.Metadata.VGPRs;
  R.AGPRs = Kernel.Metadata.AGPRs;
  R.SGPRs = Kernel.Metadata.SGPRs;
  R.Spills = spillsOf(Kernel);
  R.Scratch = D.raw().private_segment_fixed_size;
  R.LDS = D.raw().group_segment_fixed_size;
  if (Traits)
    R.Waves = D.wavesPerSIMD(*Traits);
  return R;
}

Expected<ProgramCosts> pgo::programCosts(const ExecutedKernels &Executed,
                                         ArrayRef<BundledCodeObject> Images) {
  ProgramCosts Costs;
  for (const auto &[Name, Kernel] : Executed)
    Costs[Name].Executed = Kernel;
  std::map<std::string, unsigned> Versions;
  for (const BundledCodeObject &Image : Images) {
    Expected<std::unique_ptr<CodeObject>> Object =
        CodeObject::create(Image.Bytes);
    if (!Object)
      return Object.takeError();
    const auto *Traits = registerFileTraits((*Object)->target().Processor);
    for (const KernelInfo &Kernel : (*Object)->kernels()) {
      const auto Known = Costs.find(Kernel.Name);
      if (Known == Costs.end())
        continue;
      const KernelResources Found = resourcesOf(Kernel, Traits);
      if (Known->second.Resources != Found && ++Versions[Kernel.Name] > 1)
        Known->second.Resources.reset();
      else
        Known->second.Resources = Found;
    }
  }
  return Costs;
}
