// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Resources a dispatch asks for, against what a compute unit has.
#include "emulator/exec/LaunchPlan.h"
#include "llvm/Support/AMDHSAKernelDescriptor.h"
#include <algorithm>
#include <cstring>
#include <iterator>

namespace luthier::emulator {

namespace {

using namespace llvm::amdhsa;

constexpr unsigned MaxWorkgroupSize = 1024;
constexpr unsigned AccumGranule = 4, SgprGranule = 16;
/// Few enough for the caches.
constexpr unsigned UsualResidentWorkgroups = 8;
/// More than one wave needs a barrier, of which a unit has so many.
constexpr unsigned BarriersPerUnit = 16;

unsigned roundUp(unsigned Value, unsigned Unit) {
  return (Value + Unit - 1) / Unit * Unit;
}

} // namespace

bool LaunchPlan::init(const Dispatch &Request, const Target &Row,
                      const AddressSpace &Memory, std::string &Error) {
  D = &Request;
  T = &Row;
  this->Memory = &Memory;
  initMode();
  return initGrid(Error) && initRegisters(Error) && initLds(Error) &&
         initResidency(Error) && initPreload(Memory, Error);
}

bool LaunchPlan::initGrid(std::string &Error) {
  bool IsNarrow = AMDHSA_BITS_GET(D->KernelCodeProperties,
                                  KERNEL_CODE_PROPERTY_ENABLE_WAVEFRONT_SIZE32);
  if (IsNarrow && !T->HasWave32) {
    Error = std::string(T->Name) + " has no waves of 32 lanes";
    return false;
  }
  WaveSize = IsNarrow ? 32 : 64;
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
    Error = "workgroup of " + std::to_string(WorkgroupSize) +
            " work-items; at most " + std::to_string(MaxWorkgroupSize) +
            " are possible";
    return false;
  }
  WavesPerWorkgroup = unsigned(WorkgroupSize + WaveSize - 1) / WaveSize;
  return true;
}

/// The register files of a wave, and whether a compute unit holds those of a
/// whole workgroup.
bool LaunchPlan::initRegisters(std::string &Error) {
  uint32_t R1 = D->ComputePgmRsrc1, R3 = D->ComputePgmRsrc3;
  unsigned Scale = NumLanes / WaveSize;
  unsigned Total =
      (AMDHSA_BITS_GET(R1, COMPUTE_PGM_RSRC1_GRANULATED_WORKITEM_VGPR_COUNT) +
       1) *
      T->VgprGranule * Scale;
  NumVgprs = Total;
  NumAgprs = T->HasAgprs ? Total : 0;
  if (T->HasUnifiedFile) {
    unsigned Accum =
        (AMDHSA_BITS_GET(R3, COMPUTE_PGM_RSRC3_GFX90A_ACCUM_OFFSET) + 1) *
        AccumGranule;
    NumVgprs = std::min(Total, Accum);
    // What the granule adds may be more than can be named.
    NumAgprs = std::min<unsigned>(Total - NumVgprs, NumArchVgprs);
  }
  unsigned Sgprs = T->MaxSgprs;
  if (T->CountsSgprs) {
    // The granule count is in units of 8 but only even values are meant.
    unsigned Granules =
        AMDHSA_BITS_GET(R1, COMPUTE_PGM_RSRC1_GRANULATED_WAVEFRONT_SGPR_COUNT);
    Sgprs = std::min(Sgprs, (Granules / 2 + 1) * SgprGranule);
  }
  Limits = NumVgprs | uint64_t(NumAgprs) << 16 | uint64_t(Sgprs) << 32;

  // Two units work together in WGP mode.
  HasWholePairs = T->HasWorkgroupPairs &&
                  AMDHSA_BITS_GET(R1, COMPUTE_PGM_RSRC1_GFX10_PLUS_WGP_MODE);
  SimdsPerUnit = T->SimdsPerUnit * (HasWholePairs ? 2 : 1);
  Units =
      computeUnits(*T, ComputeUnits, ShaderEngines, HasWholePairs, D->UnitMask);
  if (Units.empty()) {
    Error = "the queue's mask leaves no compute unit to run on";
    return false;
  }
  unsigned File = T->VgprsPerSimd * Scale;
  unsigned WavesPerSimd = std::min(
      T->MaxWavesPerSimd, File / roundUp(Total, T->VgprAllocation * Scale));
  WavesPerUnit = WavesPerSimd * SimdsPerUnit;
  if (Total > File || NumVgprs > NumArchVgprs || NumAgprs > NumArchVgprs ||
      WavesPerWorkgroup > WavesPerUnit) {
    Error = std::to_string(WavesPerWorkgroup) + " waves with " +
            std::to_string(Total) +
            " vector registers each do not fit a compute unit";
    return false;
  }
  if (T->HasSharedVgprs &&
      AMDHSA_BITS_GET(R3, COMPUTE_PGM_RSRC3_GFX10_GFX11_SHARED_VGPR_COUNT)) {
    Error = "registers shared by wave halves are not emulated";
    return false;
  }
  if (T->HasDynamicVgprs &&
      AMDHSA_BITS_GET(D->ComputePgmRsrc2,
                      COMPUTE_PGM_RSRC2_GFX120_ENABLE_DYNAMIC_VGPR)) {
    Error = "dynamic register allocation is not emulated";
    return false;
  }
  return true;
}

bool LaunchPlan::initLds(std::string &Error) {
  LdsSize = D->GroupSegmentSize;
  if (ForgivesLds)
    LdsSize = roundUp(LdsSize, T->LdsGranule);
  if (D->GroupSegmentSize <= T->LdsPerUnit)
    return true;
  Error = std::to_string(D->GroupSegmentSize) + " bytes of LDS";
  return false;
}

void LaunchPlan::initMode() {
  uint32_t R1 = D->ComputePgmRsrc1;
  InitialMode =
      AMDHSA_BITS_GET(R1, COMPUTE_PGM_RSRC1_FLOAT_ROUND_MODE_32) |
      AMDHSA_BITS_GET(R1, COMPUTE_PGM_RSRC1_FLOAT_ROUND_MODE_16_64) << 2 |
      AMDHSA_BITS_GET(R1, COMPUTE_PGM_RSRC1_FLOAT_DENORM_MODE_32) << 4 |
      AMDHSA_BITS_GET(R1, COMPUTE_PGM_RSRC1_FLOAT_DENORM_MODE_16_64) << 6;
  if (AMDHSA_BITS_GET(R1, COMPUTE_PGM_RSRC1_GFX9_PLUS_FP16_OVFL))
    InitialMode |= mode::Fp16Overflow;
  // These bits mean something else where the mode is implied.
  if (T->ImpliedMode)
    return;
  if (AMDHSA_BITS_GET(R1, COMPUTE_PGM_RSRC1_GFX6_GFX11_ENABLE_DX10_CLAMP))
    InitialMode |= mode::Dx10Clamp;
  if (AMDHSA_BITS_GET(R1, COMPUTE_PGM_RSRC1_GFX6_GFX11_ENABLE_IEEE_MODE))
    InitialMode |= mode::Ieee;
}

/// Code that expects arguments in registers begins 256 bytes after an entry for
/// firmware that cannot load them.
bool LaunchPlan::initPreload(const AddressSpace &Memory, std::string &Error) {
  constexpr unsigned SecondEntry = 256;
  EntryPC = D->EntryPC;
  NumPreloaded =
      AMDHSA_BITS_GET(D->KernargPreload, KERNARG_PRELOAD_SPEC_LENGTH);
  if (!NumPreloaded || !T->PreloadsKernargs) {
    NumPreloaded = 0;
    return true;
  }
  unsigned Offset =
      AMDHSA_BITS_GET(D->KernargPreload, KERNARG_PRELOAD_SPEC_OFFSET);
  const void *From = Memory.pointer(D->KernargAddress + Offset * 4,
                                    NumPreloaded * sizeof(uint32_t));
  if (NumPreloaded > std::size(Preloaded) || !From) {
    Error = "kernel arguments cannot be preloaded";
    return false;
  }
  std::memcpy(Preloaded, From, NumPreloaded * sizeof(uint32_t));
  EntryPC += SecondEntry;
  return true;
}

/// As many workgroups as hardware would run at a time, for they may wait for
/// one another.
bool LaunchPlan::initResidency(std::string &Error) {
  unsigned PerUnit = WavesPerUnit / WavesPerWorkgroup;
  if (WavesPerWorkgroup > 1)
    PerUnit = std::min(PerUnit, BarriersPerUnit);
  if (D->GroupSegmentSize)
    PerUnit = std::min(
        PerUnit, T->LdsPerUnit / roundUp(D->GroupSegmentSize, T->LdsGranule));
  WorkgroupsPerUnit = PerUnit;
  ResidentLimit = PerUnit * unsigned(Units.size());
  bool UsesScratch = AMDHSA_BITS_GET(D->ComputePgmRsrc2,
                                     COMPUTE_PGM_RSRC2_ENABLE_PRIVATE_SEGMENT);
  if (UsesScratch && D->ScratchWaves)
    ResidentLimit =
        std::min(ResidentLimit, D->ScratchWaves / WavesPerWorkgroup);
  MaxResident = std::min(UsualResidentWorkgroups, ResidentLimit);
  if (MaxResident)
    return true;
  Error = "scratch memory has room for " + std::to_string(D->ScratchWaves) +
          " waves, a workgroup has " + std::to_string(WavesPerWorkgroup);
  return false;
}

} // namespace luthier::emulator
