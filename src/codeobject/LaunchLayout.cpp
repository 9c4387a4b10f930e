// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codeobject/LaunchLayout.h"
#include "llvm/ADT/STLExtras.h"
#include <cassert>

using namespace llvm;
using namespace llvm::amdhsa;

namespace luthier {

namespace {

/// Registers of a value and the bit that asks for it, in the properties for
/// user registers and in rsrc2 for those of the system.
struct ValueInfo {
  unsigned Dwords;
  bool IsUser;
  uint32_t Bit;
};
constexpr ValueInfo Values[NumLaunchValues] = {
    {4, true, KERNEL_CODE_PROPERTY_ENABLE_SGPR_PRIVATE_SEGMENT_BUFFER},
    {2, true, KERNEL_CODE_PROPERTY_ENABLE_SGPR_DISPATCH_PTR},
    {2, true, KERNEL_CODE_PROPERTY_ENABLE_SGPR_QUEUE_PTR},
    {2, true, KERNEL_CODE_PROPERTY_ENABLE_SGPR_KERNARG_SEGMENT_PTR},
    {2, true, KERNEL_CODE_PROPERTY_ENABLE_SGPR_DISPATCH_ID},
    {2, true, KERNEL_CODE_PROPERTY_ENABLE_SGPR_FLAT_SCRATCH_INIT},
    {1, true, KERNEL_CODE_PROPERTY_ENABLE_SGPR_PRIVATE_SEGMENT_SIZE},
    {1, false, COMPUTE_PGM_RSRC2_ENABLE_SGPR_WORKGROUP_ID_X},
    {1, false, COMPUTE_PGM_RSRC2_ENABLE_SGPR_WORKGROUP_ID_Y},
    {1, false, COMPUTE_PGM_RSRC2_ENABLE_SGPR_WORKGROUP_ID_Z},
    {1, false, COMPUTE_PGM_RSRC2_ENABLE_SGPR_WORKGROUP_INFO},
    {1, false, COMPUTE_PGM_RSRC2_ENABLE_PRIVATE_SEGMENT},
};
/// What hardware can load.
constexpr unsigned MaxUserSGPRs = 16;

const ValueInfo &infoOf(LaunchValue Value) { return Values[unsigned(Value)]; }

bool isWorkgroupId(LaunchValue Value) {
  return Value >= LaunchValue::WorkgroupIdX &&
         Value <= LaunchValue::WorkgroupIdZ;
}

bool hasRegister(LaunchValue Value, const LaunchTraits &Traits) {
  if (isWorkgroupId(Value))
    return !Traits.HasTtmpIds;
  const bool IsArchitected = Traits.Scratch == ScratchSetup::Architected;
  return !IsArchitected || (Value != LaunchValue::WaveOffset &&
                            Value != LaunchValue::FlatScratchInit &&
                            Value != LaunchValue::PrivateSegmentBuffer);
}

bool hasBit(const KernelDescriptor &D, LaunchValue Value) {
  const ValueInfo &Info = infoOf(Value);
  return (Info.IsUser ? D.raw().kernel_code_properties
                      : D.raw().compute_pgm_rsrc2) &
         Info.Bit;
}

/// Of the user registers that \p D asks for by name.
unsigned userDwords(const KernelDescriptor &D) {
  unsigned Count = 0;
  for (unsigned I = 0; I < NumLaunchValues; ++I)
    if (Values[I].IsUser && hasBit(D, LaunchValue(I)))
      Count += Values[I].Dwords;
  return Count;
}

} // namespace

bool hasPossibleUserSGPRs(const KernelDescriptor &D, bool PreloadsArguments) {
  const unsigned Preloaded = PreloadsArguments ? D.preloadedDwords() : 0;
  return userDwords(D) + Preloaded <= D.userSGPRCount() &&
         D.userSGPRCount() <= MaxUserSGPRs;
}

unsigned dwordsOf(LaunchValue Value) { return infoOf(Value).Dwords; }

bool isEnabled(const KernelDescriptor &D, LaunchValue Value,
               const LaunchTraits &Traits) {
  return hasRegister(Value, Traits) && hasBit(D, Value);
}

void enable(KernelDescriptor &D, LaunchValue Value,
            const LaunchTraits &Traits) {
  // The scratch enable matters where no register comes of it, too.
  if (Value != LaunchValue::WaveOffset && !hasRegister(Value, Traits))
    return;
  const ValueInfo &Info = infoOf(Value);
  if (!Info.IsUser) {
    D.raw().compute_pgm_rsrc2 |= Info.Bit;
    return;
  }
  D.raw().kernel_code_properties |= Info.Bit;
  // Some kernels have a gap behind their user registers, which may be needed.
  const unsigned Count = std::max(userDwords(D), D.userSGPRCount());
  assert(Count <= MaxUserSGPRs && "more user SGPRs than there are");
  AMDHSA_BITS_SET(D.raw().compute_pgm_rsrc2,
                  COMPUTE_PGM_RSRC2_GFX6_GFX120_USER_SGPR_COUNT, Count);
}

void disablePreload(KernelDescriptor &D) { D.raw().kernarg_preload = 0; }

LaunchLayout::LaunchLayout(const KernelDescriptor &D,
                           const LaunchTraits &Traits) {
  for (unsigned I = 0; I < NumLaunchValues; ++I) {
    if (I == unsigned(LaunchValue::WorkgroupIdX)) {
      Preloaded = End;
      End = D.userSGPRCount();
    }
    // The bits of user registers count on every target.
    const auto Value = LaunchValue(I);
    if (!hasBit(D, Value) || (!Values[I].IsUser && !hasRegister(Value, Traits)))
      continue;
    First[I] = End;
    End += Values[I].Dwords;
  }
}

} // namespace luthier
