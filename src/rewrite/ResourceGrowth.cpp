// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/ResourceGrowth.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace luthier {

RegisterUse registersOf(const FramePlan &Plan, ArrayRef<Payload> Payloads,
                        RegisterUse Code) {
  const PayloadFrame &Frame = Plan.Frame;
  const amdgpu::RegisterFiles &Files = *Plan.Files;
  unsigned SGPRs = std::max(Code.SGPRs, Frame.FirstSGPR);
  unsigned VGPRs = std::max(Code.VGPRs, Frame.FirstVGPR);
  unsigned AGPRs = std::max(Code.AGPRs, Plan.Use.AGPRs);
  for (const Payload &P : Payloads) {
    SGPRs = std::max(SGPRs, P.SGPREnd);
    VGPRs = std::max(VGPRs, P.VGPREnd);
  }
  auto include = [&](MCRegister Reg) {
    if (!Reg)
      return;
    const amdgpu::RegisterRange Range = Files.rangeOf(Reg);
    unsigned &End = Range.File == amdgpu::RegisterFile::SGPR   ? SGPRs
                    : Range.File == amdgpu::RegisterFile::VGPR ? VGPRs
                                                               : AGPRs;
    End = std::max(End, Range.end());
  };
  include(Frame.WorkItemIds);
  if (Plan.State || Frame.WorkItemIds)
    include(Plan.Entry);
  if (Plan.State)
    for (MCRegister Reg :
         {Plan.State->State, Plan.State->Home, Plan.State->Aside,
          Plan.State->Exec, Plan.State->Address})
      include(Reg);
  return {SGPRs, VGPRs, AGPRs};
}

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

unsigned extraGroupSegment(const HookNeeds &Needs, bool IsRounded) {
  if (!Needs.LdsBytes)
    return 0;
  const unsigned Align = std::max(Needs.LdsAlign, GroupSegmentAlignment);
  return alignTo(Needs.LdsBytes, GroupSegmentAlignment) + Align -
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

void growArguments(const KernargGrowth &Growth, KernelDescriptor &Descriptor,
                   KernelMetadata &Metadata) {
  if (!Growth.any())
    return;
  Descriptor.raw().kernarg_size = Growth.NewSize;
  Metadata.KernargSegmentSize = Growth.NewSize;
  Metadata.AddedArguments = Growth.forMetadata();
}

} // namespace luthier
