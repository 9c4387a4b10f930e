// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codeobject/KernelDescriptor.h"
#include "codeobject/WaveCapacity.h"
#include "luthier/Refusal.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cassert>
#include <cstring>

using namespace llvm;
using namespace llvm::amdhsa;
using namespace luthier;

namespace {

/// AMDGPUUsage: accum_offset counts in fours.
constexpr unsigned AccumGranule = 4;

/// A wave of 64 lanes takes twice the room for each register. Processors whose
/// waves usually have 32 count in granules for those.
unsigned granuleDivisor(const KernelDescriptor &D,
                        const RegisterFileTraits &T) {
  return T.WaveSize == 32 && !D.usesWave32() ? 2 : 1;
}

unsigned vgprEncodingGranule(const KernelDescriptor &D,
                             const RegisterFileTraits &T) {
  return T.VGPREncodingGranule / granuleDivisor(D, T);
}

} // namespace

Expected<KernelDescriptor> KernelDescriptor::create(ArrayRef<uint8_t> Bytes) {
  kernel_descriptor_t Raw;
  if (Bytes.size() != sizeof(Raw))
    return refuse(RefusalReason::MalformedCodeObject,
                  "a kernel descriptor has " + Twine(sizeof(Raw)) +
                      " bytes, not " + Twine(Bytes.size()));
  std::memcpy(&Raw, Bytes.data(), sizeof(Raw));
  return KernelDescriptor(Raw);
}

unsigned KernelDescriptor::userSGPRCount() const {
  return AMDHSA_BITS_GET(Raw.compute_pgm_rsrc2,
                         COMPUTE_PGM_RSRC2_GFX6_GFX120_USER_SGPR_COUNT);
}

unsigned KernelDescriptor::preloadedDwords() const {
  return AMDHSA_BITS_GET(Raw.kernarg_preload, KERNARG_PRELOAD_SPEC_LENGTH);
}

unsigned KernelDescriptor::preloadOffset() const {
  return AMDHSA_BITS_GET(Raw.kernarg_preload, KERNARG_PRELOAD_SPEC_OFFSET);
}

unsigned
KernelDescriptor::allocatedVGPRs(const RegisterFileTraits &Traits) const {
  const unsigned Granules =
      AMDHSA_BITS_GET(Raw.compute_pgm_rsrc1,
                      COMPUTE_PGM_RSRC1_GRANULATED_WORKITEM_VGPR_COUNT) +
      1;
  return Granules * vgprEncodingGranule(*this, Traits);
}

unsigned KernelDescriptor::vgprLimit(const RegisterFileTraits &Traits) const {
  unsigned Limit = allocatedVGPRs(Traits);
  if (Traits.UnifiedAGPRs) {
    const unsigned Granules =
        AMDHSA_BITS_GET(Raw.compute_pgm_rsrc3,
                        COMPUTE_PGM_RSRC3_GFX90A_ACCUM_OFFSET) +
        1;
    Limit = std::min(Limit, Granules * AccumGranule);
  }
  return std::min(Limit, Traits.AddressableVGPRs);
}

unsigned
KernelDescriptor::allocatedSGPRs(const RegisterFileTraits &Traits) const {
  if (Traits.hasFixedSGPRs())
    return Traits.SGPRGranule;
  const unsigned HalfGranules = AMDHSA_BITS_GET(
      Raw.compute_pgm_rsrc1, COMPUTE_PGM_RSRC1_GRANULATED_WAVEFRONT_SGPR_COUNT);
  return (HalfGranules / 2 + 1) * Traits.SGPRGranule;
}

unsigned
KernelDescriptor::wavesPerSIMD(const RegisterFileTraits &Traits) const {
  return std::min({Traits.WavesPerSIMD,
                   wavesByVectors(allocatedVGPRs(Traits), usesWave32(), Traits),
                   wavesByScalars(allocatedSGPRs(Traits), Traits)});
}

bool KernelDescriptor::usesDynamicStack() const {
  return Raw.kernel_code_properties & KERNEL_CODE_PROPERTY_USES_DYNAMIC_STACK;
}

bool KernelDescriptor::usesWave32() const {
  return Raw.kernel_code_properties &
         KERNEL_CODE_PROPERTY_ENABLE_WAVEFRONT_SIZE32;
}

void KernelDescriptor::setVGPRs(unsigned VGPRs, unsigned AGPRs,
                                const RegisterFileTraits &Traits) {
  assert(VGPRs <= Traits.AddressableVGPRs && "no such VGPR");
  VGPRs = std::max(VGPRs, 1u);
  unsigned Total = std::max(VGPRs, AGPRs);
  if (Traits.UnifiedAGPRs) {
    const unsigned AccumOffset = alignTo(VGPRs, AccumGranule);
    AMDHSA_BITS_SET(Raw.compute_pgm_rsrc3,
                    COMPUTE_PGM_RSRC3_GFX90A_ACCUM_OFFSET,
                    AccumOffset / AccumGranule - 1);
    Total = AGPRs ? AccumOffset + AGPRs : VGPRs;
  }
  AMDHSA_BITS_SET(Raw.compute_pgm_rsrc1,
                  COMPUTE_PGM_RSRC1_GRANULATED_WORKITEM_VGPR_COUNT,
                  divideCeil(Total, vgprEncodingGranule(*this, Traits)) - 1);
}

void KernelDescriptor::setSGPRs(unsigned SGPRs,
                                const RegisterFileTraits &Traits) {
  assert(SGPRs <= Traits.AddressableSGPRs && "no such SGPR");
  if (Traits.hasFixedSGPRs())
    return;
  const unsigned Granules =
      divideCeil(SGPRs + Traits.ExtraSGPRs, Traits.SGPRGranule);
  AMDHSA_BITS_SET(Raw.compute_pgm_rsrc1,
                  COMPUTE_PGM_RSRC1_GRANULATED_WAVEFRONT_SGPR_COUNT,
                  2 * (std::max(Granules, 1u) - 1));
}
