// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One CPU node and the emulated GPUs, each linked to it and to one another.
#include "emulator/core/GlobalWaveSync.h"
#include "emulator/cp/Clock.h"
#include "emulator/kmt/Api.h"
#include "llvm/ADT/StringRef.h"
#include <algorithm>
#include <unistd.h>

using namespace luthier::emulator;

LUTHIER_KMT_API
hsaKmtAcquireSystemProperties(HsaSystemProperties *SystemProperties) {
  LUTHIER_KMT_SESSION(TheSession);
  *SystemProperties = {};
  SystemProperties->NumNodes = TheSession.numNodes();
  return HSAKMT_STATUS_SUCCESS;
}

LUTHIER_KMT_API hsaKmtReleaseSystemProperties(void) {
  return HSAKMT_STATUS_SUCCESS;
}

static void setMarketingName(HsaNodeProperties &Properties,
                             llvm::StringRef Name) {
  const size_t Length = std::min<size_t>(Name.size(), HSA_PUBLIC_NAME_SIZE - 1);
  std::copy_n(Name.begin(), Length, Properties.MarketingName);
}

static constexpr uint32_t NumCpuCaches = 2;
static constexpr uint32_t NumGpuCaches = 2;
static constexpr uint32_t NumGpuBanks = 4;
static constexpr uint32_t MaxGpuClockMhz = 1700;
static constexpr uint32_t MaxCpuClockMhz = 3000;

static void describeCpu(const Session &TheSession, HsaNodeProperties &P) {
  P.NumCPUCores = uint32_t(::sysconf(_SC_NPROCESSORS_ONLN));
  P.NumMemoryBanks = 1;
  P.NumCaches = NumCpuCaches;
  P.NumIOLinks = TheSession.gpus().size();
  P.MaxEngineClockMhzCCompute = MaxCpuClockMhz;
  setMarketingName(P, "Host CPU");
}

static void describeGpu(const Session &TheSession, const Gpu &TheGpu,
                        HsaNodeProperties &P) {
  const DeviceModel &Model = TheGpu.processor().model();
  const Target &T = Model.target();
  P.NumFComputeCores = Model.ComputeUnits * T.SimdsPerUnit;
  P.NumSIMDPerCU = T.SimdsPerUnit;
  P.NumMemoryBanks = NumGpuBanks;
  P.NumCaches = NumGpuCaches;
  // One to every other node.
  P.NumIOLinks = TheSession.numNodes() - 1;
  P.FComputeIdLo = 0x80000000;
  P.MaxWavesPerSIMD = T.MaxWavesPerSimd;
  P.LDSSizeInKB = T.LdsPerUnit / 1024;
  P.WaveFrontSize = Model.nativeWaveSize();
  P.NumShaderBanks = Model.ShaderEngines;
  P.NumArrays = 1;
  P.NumCUPerArray = Model.ComputeUnits / Model.ShaderEngines;
  P.MaxSlotsScratchCU = 32;
  // The doorbell takes packet indices.
  P.Capability.ui32.DoorbellType = 2;
  P.Capability.ui32.SRAM_EDCSupport = Model.SramEcc;
  P.Capability.ui32.WatchPointsSupported = 1;
  P.Capability.ui32.WatchPointsTotalBits = 2;
  P.EngineId.ui32.uCode = 68;
  P.EngineId.ui32.Major = T.Generation;
  P.EngineId.ui32.Minor = T.Minor;
  P.EngineId.ui32.Stepping = T.Stepping;
  P.uCodeEngineVersions.uCodeSDMA = 8;
  P.VendorId = 0x1002;
  P.DeviceId = Model.DeviceId;
  P.LocationId = 0x2900 + (TheGpu.node() << 8);
  P.LocalMemSize = TheSession.configuration().LocalMemoryBytes;
  P.MaxEngineClockMhzFCompute = MaxGpuClockMhz;
  P.MaxEngineClockMhzCCompute = MaxCpuClockMhz;
  P.DrmRenderMinor = 127 + int32_t(TheGpu.node());
  P.NumSdmaEngines = 2;
  P.NumSdmaQueuesPerEngine = 8;
  P.NumCpQueues = 24;
  P.NumGws = GlobalWaveSync::NumResources;
  P.UniqueID = 0x6c75746869657200 + TheGpu.node();
  P.VGPRSizePerCU = Model.vgprBytesPerUnit();
  P.SGPRSizePerCU = 16 * 1024;
  setMarketingName(P, "Luthier emulated " + std::string(Model.Name));
  const llvm::StringRef CodeName = Model.CodeName;
  std::copy(CodeName.begin(), CodeName.end(), P.AMDName);
}

LUTHIER_KMT_API hsaKmtGetNodeProperties(HSAuint32 NodeId,
                                        HsaNodeProperties *NodeProperties) {
  LUTHIER_KMT_SESSION(TheSession);
  *NodeProperties = {};
  if (NodeId == Session::CpuNode)
    describeCpu(TheSession, *NodeProperties);
  else if (const Gpu *TheGpu = TheSession.gpu(NodeId))
    describeGpu(TheSession, *TheGpu, *NodeProperties);
  else
    return HSAKMT_STATUS_INVALID_NODE_UNIT;
  return HSAKMT_STATUS_SUCCESS;
}

LUTHIER_KMT_API
hsaKmtGetNodeMemoryProperties(HSAuint32 NodeId, HSAuint32 NumBanks,
                              HsaMemoryProperties *MemoryProperties) {
  LUTHIER_KMT_SESSION(TheSession);
  HsaMemoryProperties Banks[NumGpuBanks] = {};
  unsigned Known = 0;
  auto AddBank = [&](HSA_HEAPTYPE Type, uint64_t Size, uint64_t Base) {
    HsaMemoryProperties &Bank = Banks[Known++];
    Bank.HeapType = Type;
    Bank.SizeInBytes = Size;
    Bank.VirtualBaseAddress = Base;
    return &Bank;
  };
  if (NodeId == Session::CpuNode) {
    auto *Bank = AddBank(HSA_HEAPTYPE_SYSTEM,
                         uint64_t(::sysconf(_SC_PHYS_PAGES)) *
                             uint64_t(::sysconf(_SC_PAGESIZE)),
                         0);
    Bank->Width = 64;
    Bank->MemoryClockMax = 3200;
  } else if (const Gpu *TheGpu = TheSession.gpu(NodeId)) {
    constexpr uint64_t ScratchBytes = uint64_t(4) << 30;
    auto *Bank = AddBank(HSA_HEAPTYPE_FRAME_BUFFER_PUBLIC,
                         TheSession.configuration().LocalMemoryBytes, 0);
    Bank->Width = 4096;
    Bank->MemoryClockMax = 1600;
    AddBank(HSA_HEAPTYPE_GPU_LDS, TheGpu->processor().model().ldsBytes(),
            LdsApertureBase);
    AddBank(HSA_HEAPTYPE_GPU_SCRATCH, ScratchBytes, ScratchApertureBase);
    AddBank(HSA_HEAPTYPE_MMIO_REMAP, 4096, TheGpu->registers());
  } else {
    return HSAKMT_STATUS_INVALID_NODE_UNIT;
  }
  std::copy_n(Banks, std::min<unsigned>(Known, NumBanks), MemoryProperties);
  return HSAKMT_STATUS_SUCCESS;
}

LUTHIER_KMT_API
hsaKmtGetNodeCacheProperties(HSAuint32 NodeId, HSAuint32, HSAuint32 NumCaches,
                             HsaCacheProperties *CacheProperties) {
  LUTHIER_KMT_SESSION(TheSession);
  const bool IsCpu = NodeId == Session::CpuNode;
  if (!IsCpu && !TheSession.gpu(NodeId))
    return HSAKMT_STATUS_INVALID_NODE_UNIT;
  // ROCr asserts that the CPU has one.
  for (unsigned I = 0; I < NumCaches; ++I) {
    HsaCacheProperties &Cache = CacheProperties[I];
    Cache = {};
    Cache.CacheLevel = I + 1;
    Cache.CacheSize = I == 0 ? 16 : 8192; // KiB
    Cache.CacheLineSize = IsCpu ? 64 : 128;
    Cache.CacheType.ui32.Data = 1;
    Cache.CacheType.ui32.CPU = IsCpu;
    Cache.CacheType.ui32.HSACU = !IsCpu;
  }
  return HSAKMT_STATUS_SUCCESS;
}

LUTHIER_KMT_API
hsaKmtGetNodeIoLinkProperties(HSAuint32 NodeId, HSAuint32 NumIoLinks,
                              HsaIoLinkProperties *IoLinkProperties) {
  LUTHIER_KMT_SESSION(TheSession);
  const bool IsCpu = NodeId == Session::CpuNode;
  if (!IsCpu && !TheSession.gpu(NodeId))
    return HSAKMT_STATUS_INVALID_NODE_UNIT;
  for (unsigned I = 0; I < NumIoLinks; ++I) {
    HsaIoLinkProperties &Link = IoLinkProperties[I];
    Link = {};
    Link.IoLinkType = HSA_IOLINKTYPE_PCIEXPRESS;
    Link.NodeFrom = NodeId;
    Link.NodeTo = I < NodeId ? I : I + 1;
    // Between devices it leads over the CPU.
    const bool IsPeer = !IsCpu && Link.NodeTo != Session::CpuNode;
    Link.Weight = IsPeer ? 40 : 20;
  }
  return HSAKMT_STATUS_SUCCESS;
}

LUTHIER_KMT_API hsaKmtGetClockCounters(HSAuint32 NodeId,
                                       HsaClockCounters *Counters) {
  LUTHIER_KMT_SESSION(TheSession);
  const uint64_t Now = hostNanoseconds();
  Counters->GPUClockCounter =
      TheSession.gpu(NodeId) ? Now / NanosecondsPerDeviceTick : 0;
  Counters->CPUClockCounter = Now;
  Counters->SystemClockCounter = Now;
  Counters->SystemClockFrequencyHz = 1'000'000'000;
  return HSAKMT_STATUS_SUCCESS;
}

/// HIP asks although it tiles nothing, and takes a failure for a broken device.
LUTHIER_KMT_API hsaKmtGetTileConfig(HSAuint32 NodeId,
                                    HsaGpuTileConfig *Config) {
  LUTHIER_KMT_SESSION(TheSession);
  if (!TheSession.gpu(NodeId))
    return HSAKMT_STATUS_INVALID_NODE_UNIT;
  std::fill_n(Config->TileConfig, Config->NumTileConfigs, 0);
  std::fill_n(Config->MacroTileConfig, Config->NumMacroTileConfigs, 0);
  Config->NumTileConfigs = 0;
  Config->NumMacroTileConfigs = 0;
  Config->GbAddrConfig = 0x26010042;
  Config->NumBanks = 16;
  Config->NumRanks = 1;
  return HSAKMT_STATUS_SUCCESS;
}
