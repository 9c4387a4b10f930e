// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/api/Launch.h"
#include "emulator/api/HiddenArguments.h"
#include "llvm/Support/AMDHSAKernelDescriptor.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cstring>
#include <hsa/amd_hsa_queue.h>

namespace luthier::emulator::api {

namespace {

using namespace llvm::amdhsa;

/// What HIP gives kernels whose stack grows.
constexpr uint32_t DynamicStackBytes = 1024;

uint32_t roundUp(uint32_t Value, uint32_t Unit) {
  return (Value + Unit - 1) / Unit * Unit;
}

/// Words 1 to 3 of the scratch buffer's descriptor: lanes interleaved by
/// dwords, their numbers added by hardware.
std::array<uint32_t, 4> scratchResource(const Target &T, uint64_t Base,
                                        unsigned WaveSize) {
  constexpr uint32_t Swizzle = 1u << 31, AddThreadId = 1u << 23;
  const uint32_t IndexStride = (WaveSize == 32 ? 2u : 3u) << 21;
  // Formats in one field, and how offsets are checked.
  constexpr uint32_t Format32Uint = 20u << 12, RawChecks = 2u << 28;
  uint32_t Word3 = IndexStride | AddThreadId;
  if (T.Buffers != BufferLayout::Split)
    Word3 |= Format32Uint | RawChecks;
  return {uint32_t(Base), uint32_t(Base >> 32 & 0xffff) | Swizzle, UINT32_MAX,
          Word3};
}

} // namespace

Launch::~Launch() {
  for (uint64_t Address : Owned)
    Dev.memory().free(Address);
}

std::vector<Launch::Extent> Launch::ownMemory() const {
  std::vector<Extent> All;
  for (uint64_t Address : Owned)
    if (auto Range = Dev.memory().Space.find(Address))
      All.push_back({Range->Begin, Range->End});
  return All;
}

uint64_t Launch::allocate(uint64_t Size, std::string &Error) {
  uint64_t Address = Dev.memory().allocate(Size);
  if (Address)
    Owned.push_back(Address);
  else
    Error = "no memory for " + std::to_string(Size) + " bytes";
  return Address;
}

bool Launch::prepare(const LoadedKernel &K, const LaunchRequest &R,
                     std::string &Error) {
  const kernel_descriptor_t &Raw = K.Descriptor;
  D.KernelName = K.Name;
  D.EntryPC = K.EntryAddress;
  D.ComputePgmRsrc1 = Raw.compute_pgm_rsrc1;
  D.ComputePgmRsrc2 = Raw.compute_pgm_rsrc2;
  D.ComputePgmRsrc3 = Raw.compute_pgm_rsrc3;
  D.KernelCodeProperties = Raw.kernel_code_properties;
  D.KernargPreload = Raw.kernarg_preload;
  D.GridSize = R.Grid;
  D.WorkgroupSize = R.Workgroup;
  D.GroupSegmentSize = Raw.group_segment_fixed_size + R.DynamicLds;
  D.PrivateSegmentSize = R.PrivateSegmentSize;
  if (!R.PrivateSegmentSize) {
    D.PrivateSegmentSize = Raw.private_segment_fixed_size;
    if (AMDHSA_BITS_GET(Raw.kernel_code_properties,
                        KERNEL_CODE_PROPERTY_USES_DYNAMIC_STACK))
      D.PrivateSegmentSize = std::max(D.PrivateSegmentSize, DynamicStackBytes);
  }
  return makeKernarg(K, R, Error) && makePacket(K, Error) && initPlan(Error) &&
         makeScratch(R.MinScratch, Error);
}

bool Launch::prepare(const RawLaunchRequest &R, std::string &Error) {
  const Target &T = Dev.target();
  if (R.WaveSize == 32 && !T.HasWave32) {
    Error = std::string(T.Name) + " has no waves of 32 lanes";
    return false;
  }
  D.KernelName = "raw code";
  D.EntryPC = R.EntryAddress;
  const uint32_t Granule = T.VgprGranule * (NumLanes / R.WaveSize);
  uint32_t Vgprs = std::max(R.Vgprs, 1u);
  if (T.HasUnifiedFile) {
    constexpr uint32_t AccumGranule = 4;
    Vgprs = roundUp(Vgprs, AccumGranule);
    AMDHSA_BITS_SET(D.ComputePgmRsrc3, COMPUTE_PGM_RSRC3_GFX90A_ACCUM_OFFSET,
                    Vgprs / AccumGranule - 1);
    Vgprs += R.Agprs;
  } else if (T.HasAgprs) {
    Vgprs = std::max(Vgprs, R.Agprs);
  }
  const uint32_t Granules = roundUp(Vgprs, Granule) / Granule;
  const uint32_t SgprGranules = roundUp(std::max(R.Sgprs, 1u), 16) / 8 - 2;
  if (Granules > 64 || SgprGranules > 15) {
    Error = "more registers than there are";
    return false;
  }
  AMDHSA_BITS_SET(D.ComputePgmRsrc1,
                  COMPUTE_PGM_RSRC1_GRANULATED_WORKITEM_VGPR_COUNT,
                  Granules - 1);
  if (T.CountsSgprs)
    AMDHSA_BITS_SET(D.ComputePgmRsrc1,
                    COMPUTE_PGM_RSRC1_GRANULATED_WAVEFRONT_SGPR_COUNT,
                    SgprGranules);
  AMDHSA_BITS_SET(D.ComputePgmRsrc2,
                  COMPUTE_PGM_RSRC2_GFX6_GFX120_USER_SGPR_COUNT,
                  uint32_t(R.UserSgprs.size()));
  D.ComputePgmRsrc2 |= (R.WorkgroupIds & 7)
                       << COMPUTE_PGM_RSRC2_ENABLE_SGPR_WORKGROUP_ID_X_SHIFT;
  AMDHSA_BITS_SET(D.ComputePgmRsrc2, COMPUTE_PGM_RSRC2_ENABLE_VGPR_WORKITEM_ID,
                  std::clamp(R.WorkItemAxes, 1u, 3u) - 1);
  AMDHSA_BITS_SET(D.ComputePgmRsrc2, COMPUTE_PGM_RSRC2_ENABLE_PRIVATE_SEGMENT,
                  uint32_t(R.ScratchSize != 0));
  AMDHSA_BITS_SET(D.KernelCodeProperties,
                  KERNEL_CODE_PROPERTY_ENABLE_WAVEFRONT_SIZE32,
                  uint16_t(R.WaveSize == 32));
  D.GridSize = R.Grid;
  D.WorkgroupSize = R.Workgroup;
  D.GroupSegmentSize = R.LdsSize;
  D.PrivateSegmentSize = R.ScratchSize;
  Plain = false;
  if (!initPlan(Error) || !makeScratch(R.MinScratch, Error))
    return false;
  Plan.InitialMode = R.Mode;
  Plan.NumPreloaded = unsigned(R.UserSgprs.size());
  std::ranges::copy(R.UserSgprs, Plan.Preloaded);
  return true;
}

bool Launch::makeKernarg(const LoadedKernel &K, const LaunchRequest &R,
                         std::string &Error) {
  std::vector<uint8_t> Bytes(
      std::max<size_t>(K.kernargSize(), R.Kernarg.size()));
  std::ranges::copy(R.Kernarg, Bytes.begin());
  const uint64_t Queue = allocate(sizeof(amd_queue_t), Error);
  // LLVM rounds scalar loads of arguments up, beyond the last one: kernarg
  // memory has whole cache lines.
  constexpr uint64_t CacheLine = 64;
  D.KernargAddress = allocate(llvm::alignTo(Bytes.size(), CacheLine), Error);
  if (!Queue || !D.KernargAddress)
    return false;
  D.QueueAddress = Queue;
  amd_queue_t Contents{};
  Contents.group_segment_aperture_base_hi = LdsApertureBase >> 32;
  Contents.private_segment_aperture_base_hi = ScratchApertureBase >> 32;
  Dev.memory().write(Queue, &Contents, sizeof(Contents));

  LaunchShape Shape{{}, {}, R.DynamicLds, Queue};
  std::ranges::copy(R.Grid, Shape.Grid);
  std::ranges::copy(R.Workgroup, Shape.Workgroup);
  for (const KernelArgument &A : K.Metadata.Arguments) {
    uint64_t Value = 0;
    if (!A.isHidden() || A.Offset < R.Kernarg.size() ||
        A.Size > sizeof(Value) || A.Offset + A.Size > Bytes.size())
      continue;
    Value = hiddenArgument(A.Kind, Shape);
    std::memcpy(&Bytes[A.Offset], &Value, A.Size);
  }
  Dev.memory().write(D.KernargAddress, Bytes.data(), Bytes.size());
  return true;
}

bool Launch::makePacket(const LoadedKernel &K, std::string &Error) {
  D.PacketAddress = allocate(sizeof(hsa_kernel_dispatch_packet_t), Error);
  if (!D.PacketAddress)
    return false;
  hsa_kernel_dispatch_packet_t Packet{};
  Packet.header = HSA_PACKET_TYPE_KERNEL_DISPATCH;
  Packet.setup = 3;
  Packet.workgroup_size_x = uint16_t(D.WorkgroupSize[0]);
  Packet.workgroup_size_y = uint16_t(D.WorkgroupSize[1]);
  Packet.workgroup_size_z = uint16_t(D.WorkgroupSize[2]);
  Packet.grid_size_x = D.GridSize[0];
  Packet.grid_size_y = D.GridSize[1];
  Packet.grid_size_z = D.GridSize[2];
  Packet.private_segment_size = D.PrivateSegmentSize;
  Packet.group_segment_size = D.GroupSegmentSize;
  Packet.kernel_object = K.DescriptorAddress;
  Packet.kernarg_address = reinterpret_cast<void *>(D.KernargAddress);
  return Dev.memory().write(D.PacketAddress, &Packet, sizeof(Packet));
}

bool Launch::initPlan(std::string &Error) {
  Plan.ComputeUnits = Dev.options().ComputeUnits;
  return Plan.init(D, Dev.target(), Dev.memory().Space, Error);
}

/// After the plan, which says how many waves there are; its limit on resident
/// workgroups then follows the scratch there is.
bool Launch::makeScratch(uint32_t MinSize, std::string &Error) {
  const uint32_t PerLane = std::max(D.PrivateSegmentSize, MinSize);
  if (!PerLane)
    return true;
  constexpr uint32_t Unit = 1024;
  constexpr uint64_t MaxBytes = uint64_t(1) << 32;
  D.ScratchBytesPerWave = uint64_t(PerLane) * Plan.WaveSize;
  D.ScratchBytesPerWave = (D.ScratchBytesPerWave + Unit - 1) / Unit * Unit;
  const uint64_t Groups = std::min<uint64_t>(
      {Plan.TotalWorkgroups, Plan.ResidentLimit,
       std::max<uint64_t>(1, MaxBytes / D.ScratchBytesPerWave /
                                 Plan.WavesPerWorkgroup)});
  D.ScratchWaves = uint32_t(Groups * Plan.WavesPerWorkgroup);
  D.ScratchBase = allocate(D.ScratchWaves * D.ScratchBytesPerWave, Error);
  if (!D.ScratchBase)
    return false;
  D.ScratchResource =
      scratchResource(Dev.target(), D.ScratchBase, Plan.WaveSize);
  return initPlan(Error);
}

} // namespace luthier::emulator::api
