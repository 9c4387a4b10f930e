// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CarriedOver.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace llvm::amdhsa;

namespace luthier::test {
namespace {

/// A word of the descriptor, and what of it may change.
struct Word {
  const char *Name;
  uint32_t Original, Instrumented;
  std::vector<uint32_t> MayGrow; ///< Masks of fields.
  uint32_t MayBeSet = 0;         ///< Bits.
};

std::string complaint(const Word &W) {
  uint32_t Fixed = ~W.MayBeSet;
  for (uint32_t Field : W.MayGrow)
    Fixed &= ~Field;
  const bool IsKept = ((W.Original ^ W.Instrumented) & Fixed) == 0 &&
                      (W.Original & ~W.Instrumented & W.MayBeSet) == 0;
  const bool HasGrown =
      std::all_of(W.MayGrow.begin(), W.MayGrow.end(), [&](uint32_t Field) {
        return (W.Original & Field) <= (W.Instrumented & Field);
      });
  if (IsKept && HasGrown)
    return "";
  return std::string(W.Name) + " is 0x" + utohexstr(W.Instrumented) +
         ", of the original 0x" + utohexstr(W.Original);
}

constexpr uint32_t AllOfIt = ~0u;

} // namespace

std::string notCarriedOver(const EngineTarget &T, const KernelDescriptor &Old,
                           const KernelDescriptor &New) {
  const kernel_descriptor_t &A = Old.raw(), &B = New.raw();
  const StringRef P = T.Processor;
  const bool IsUnified = P == "gfx90a" || P == "gfx942" || P == "gfx950";
  std::vector<uint32_t> Split;
  if (IsUnified)
    Split.push_back(COMPUTE_PGM_RSRC3_GFX90A_ACCUM_OFFSET);
  const Word Words[] = {
      {"rsrc1",
       A.compute_pgm_rsrc1,
       B.compute_pgm_rsrc1,
       {COMPUTE_PGM_RSRC1_GRANULATED_WORKITEM_VGPR_COUNT,
        COMPUTE_PGM_RSRC1_GRANULATED_WAVEFRONT_SGPR_COUNT}},
      {"rsrc2",
       A.compute_pgm_rsrc2,
       B.compute_pgm_rsrc2,
       {COMPUTE_PGM_RSRC2_GFX6_GFX120_USER_SGPR_COUNT,
        COMPUTE_PGM_RSRC2_ENABLE_VGPR_WORKITEM_ID},
       COMPUTE_PGM_RSRC2_ENABLE_PRIVATE_SEGMENT |
           COMPUTE_PGM_RSRC2_ENABLE_SGPR_WORKGROUP_ID_X |
           COMPUTE_PGM_RSRC2_ENABLE_SGPR_WORKGROUP_ID_Y |
           COMPUTE_PGM_RSRC2_ENABLE_SGPR_WORKGROUP_ID_Z},
      {"rsrc3", A.compute_pgm_rsrc3, B.compute_pgm_rsrc3, Split},
      {"kernel_code_properties",
       A.kernel_code_properties,
       B.kernel_code_properties,
       {},
       KERNEL_CODE_PROPERTY_ENABLE_SGPR_DISPATCH_PTR |
           KERNEL_CODE_PROPERTY_ENABLE_SGPR_QUEUE_PTR |
           KERNEL_CODE_PROPERTY_ENABLE_SGPR_KERNARG_SEGMENT_PTR |
           KERNEL_CODE_PROPERTY_ENABLE_SGPR_DISPATCH_ID |
           KERNEL_CODE_PROPERTY_ENABLE_SGPR_FLAT_SCRATCH_INIT},
      {"group_segment_fixed_size",
       A.group_segment_fixed_size,
       B.group_segment_fixed_size,
       {AllOfIt}},
      {"private_segment_fixed_size",
       A.private_segment_fixed_size,
       B.private_segment_fixed_size,
       {AllOfIt}},
      {"kernarg_size", A.kernarg_size, B.kernarg_size, {AllOfIt}},
      {"kernarg_preload",
       B.kernarg_preload ? A.kernarg_preload : 0u,
       B.kernarg_preload,
       {}},
  };
  for (const Word &W : Words)
    if (std::string Text = complaint(W); !Text.empty())
      return Text;
  return "";
}

} // namespace luthier::test
