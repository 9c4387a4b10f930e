// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Resources a dispatch asks for, against what a GFX90A compute unit has.
#include "emulator/exec/Workgroup.h"
#include "llvm/Support/AMDHSAKernelDescriptor.h"
#include <algorithm>

namespace luthier::emulator {

namespace {

constexpr unsigned MaxWorkgroupSize = 1024;
constexpr unsigned LdsPerUnit = 64 * 1024;
constexpr unsigned SimdsPerUnit = 4, MaxWavesPerSimd = 8;
/// Registers per lane of a SIMD, VGPRs and AGPRs together.
constexpr unsigned VectorRegsPerSimd = 512;
constexpr unsigned VgprGranule = 8, AccumGranule = 4, SgprGranule = 16;
constexpr unsigned MaxSgprs = 102;
/// Enough for workgroups that wait for one another, few enough for the caches.
constexpr unsigned MaxResidentWorkgroups = 8;

unsigned roundUp(unsigned Value, unsigned Unit) {
  return (Value + Unit - 1) / Unit * Unit;
}

} // namespace

bool LaunchPlan::init(const Dispatch &Request, std::string &Error) {
  using namespace llvm::amdhsa;
  D = &Request;
  uint64_t WorkgroupSize = 1;
  TotalWorkgroups = 1;
  for (unsigned Axis = 0; Axis != 3; ++Axis) {
    uint32_t Size = D->WorkgroupSize[Axis], Grid = D->GridSize[Axis];
    if (Size == 0 || Grid == 0) {
      Error = "empty grid or workgroup";
      return false;
    }
    WorkgroupSize *= Size;
    NumWorkgroups[Axis] = uint32_t((uint64_t(Grid) + Size - 1) / Size);
    TotalWorkgroups *= NumWorkgroups[Axis];
  }
  if (WorkgroupSize > MaxWorkgroupSize) {
    Error = "workgroup of " + std::to_string(WorkgroupSize) + " work-items";
    return false;
  }
  WavesPerWorkgroup = unsigned(WorkgroupSize + NumLanes - 1) / NumLanes;

  uint32_t R1 = D->ComputePgmRsrc1, R3 = D->ComputePgmRsrc3;
  unsigned Total =
      (AMDHSA_BITS_GET(R1, COMPUTE_PGM_RSRC1_GRANULATED_WORKITEM_VGPR_COUNT) +
       1) *
      VgprGranule;
  unsigned Accum =
      (AMDHSA_BITS_GET(R3, COMPUTE_PGM_RSRC3_GFX90A_ACCUM_OFFSET) + 1) *
      AccumGranule;
  NumVgprs = std::min(Total, Accum);
  NumAgprs = Total - NumVgprs;
  // The granule count is in units of 8 but only even values are meant.
  unsigned Sgprs =
      (AMDHSA_BITS_GET(R1, COMPUTE_PGM_RSRC1_GRANULATED_WAVEFRONT_SGPR_COUNT) /
           2 +
       1) *
      SgprGranule;
  Limits = NumVgprs | uint64_t(NumAgprs) << 16 |
           uint64_t(std::min(Sgprs, MaxSgprs)) << 32;

  unsigned WavesPerSimd = std::min(
      MaxWavesPerSimd, VectorRegsPerSimd / roundUp(Total, VgprGranule));
  if (Total > VectorRegsPerSimd || NumVgprs > NumArchVgprs ||
      NumAgprs > NumArchVgprs ||
      WavesPerWorkgroup > WavesPerSimd * SimdsPerUnit) {
    Error = std::to_string(WavesPerWorkgroup) + " waves with " +
            std::to_string(Total) +
            " vector registers each do not fit a compute unit";
    return false;
  }
  if (D->GroupSegmentSize > LdsPerUnit) {
    Error = std::to_string(D->GroupSegmentSize) + " bytes of LDS";
    return false;
  }
  InitialMode =
      AMDHSA_BITS_GET(R1, COMPUTE_PGM_RSRC1_FLOAT_ROUND_MODE_32) |
      AMDHSA_BITS_GET(R1, COMPUTE_PGM_RSRC1_FLOAT_ROUND_MODE_16_64) << 2 |
      AMDHSA_BITS_GET(R1, COMPUTE_PGM_RSRC1_FLOAT_DENORM_MODE_32) << 4 |
      AMDHSA_BITS_GET(R1, COMPUTE_PGM_RSRC1_FLOAT_DENORM_MODE_16_64) << 6;
  if (AMDHSA_BITS_GET(R1, COMPUTE_PGM_RSRC1_GFX6_GFX11_ENABLE_DX10_CLAMP))
    InitialMode |= mode::Dx10Clamp;
  if (AMDHSA_BITS_GET(R1, COMPUTE_PGM_RSRC1_GFX6_GFX11_ENABLE_IEEE_MODE))
    InitialMode |= mode::Ieee;

  MaxResident = MaxResidentWorkgroups;
  bool UsesScratch = AMDHSA_BITS_GET(D->ComputePgmRsrc2,
                                     COMPUTE_PGM_RSRC2_ENABLE_PRIVATE_SEGMENT);
  if (UsesScratch && D->ScratchWaves) {
    MaxResident = std::min(MaxResident, D->ScratchWaves / WavesPerWorkgroup);
    if (!MaxResident) {
      Error = "scratch memory has room for " + std::to_string(D->ScratchWaves) +
              " waves, a workgroup has " + std::to_string(WavesPerWorkgroup);
      return false;
    }
  }
  return true;
}

} // namespace luthier::emulator
