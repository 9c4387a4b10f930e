// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codeobject/ResourceGrowth.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace luthier {

unsigned scalarsForSpecial(unsigned Used, const SpecialScalars &Wanted,
                           const RegisterFileTraits &Traits,
                           const KernelDescriptor &Descriptor) {
  constexpr unsigned OnlyVCC = 2;
  const unsigned Last = Wanted.FlatScratch ? Traits.ExtraSGPRs
                        : Wanted.VCC       ? OnlyVCC
                                           : 0;
  if (Traits.hasFixedSGPRs() ||
      Used + Last <= Descriptor.allocatedSGPRs(Traits))
    return 0;
  return Used;
}

void growRegisters(const RegisterUse &Own, RegisterUse Wanted,
                   const RegisterFileTraits &Traits,
                   KernelDescriptor &Descriptor, KernelMetadata &Metadata) {
  auto [SGPRs, VGPRs, AGPRs] = Wanted;
  const unsigned Limit = Descriptor.vgprLimit(Traits);
  VGPRs = std::max(VGPRs, std::min(Limit, Traits.AddressableVGPRs));
  if (SGPRs + Traits.ExtraSGPRs > Descriptor.allocatedSGPRs(Traits))
    Descriptor.setSGPRs(SGPRs, Traits);
  if (VGPRs > Limit || AGPRs > Own.AGPRs)
    Descriptor.setVGPRs(VGPRs, AGPRs, Traits);
  Metadata.SGPRs = std::max(Metadata.SGPRs, SGPRs + Traits.ExtraSGPRs);
  Metadata.AGPRs = std::max(Metadata.AGPRs, AGPRs);
  Metadata.VGPRs =
      std::max(Metadata.VGPRs, Traits.UnifiedAGPRs && AGPRs
                                   ? unsigned(alignTo(VGPRs, 4)) + AGPRs
                                   : VGPRs);
}

unsigned extraGroupSegment(unsigned Bytes, unsigned Align, bool IsRounded) {
  if (!Bytes)
    return 0;
  Align = std::max(Align, GroupSegmentAlignment);
  return alignTo(Bytes, GroupSegmentAlignment) + Align -
         (IsRounded ? GroupSegmentAlignment : 0);
}

void growMemory(unsigned Stack, unsigned ExtraGroup,
                KernelDescriptor &Descriptor, KernelMetadata &Metadata) {
  auto &Raw = Descriptor.raw();
  Raw.private_segment_fixed_size =
      std::max<unsigned>(Raw.private_segment_fixed_size, Stack);
  Metadata.PrivateSegmentSize = std::max(Metadata.PrivateSegmentSize, Stack);
  if (!ExtraGroup)
    return;
  Raw.group_segment_fixed_size =
      alignTo(Raw.group_segment_fixed_size, GroupSegmentAlignment) + ExtraGroup;
  Metadata.GroupSegmentSize = Raw.group_segment_fixed_size;
}

} // namespace luthier
