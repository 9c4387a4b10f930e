// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/HiddenValues.h"
#include "codeobject/ResourceGrowth.h"
#include "luthier/Refusal.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>
#include <hsa/amd_hsa_queue.h>

using namespace llvm;

namespace luthier::runtime {
namespace {

unsigned dimensions(const hsa_kernel_dispatch_packet_t &Packet) {
  constexpr unsigned Mask =
      (1u << HSA_KERNEL_DISPATCH_PACKET_SETUP_WIDTH_DIMENSIONS) - 1;
  return (Packet.setup >> HSA_KERNEL_DISPATCH_PACKET_SETUP_DIMENSIONS) & Mask;
}

/// Work-items of the grid, and of a workgroup, on one axis.
struct Extent {
  uint32_t Grid, Group;
};

Extent extent(const hsa_kernel_dispatch_packet_t &P, unsigned Axis) {
  const Extent All[] = {{P.grid_size_x, P.workgroup_size_x},
                        {P.grid_size_y, P.workgroup_size_y},
                        {P.grid_size_z, P.workgroup_size_z}};
  // Hardware does not look at the others, nor at empty workgroups.
  if (Axis >= dimensions(P) || !All[Axis].Group)
    return {1, 1};
  return All[Axis];
}

unsigned axis(HiddenArgument Kind, HiddenArgument X) {
  return unsigned(Kind) - unsigned(X);
}

const amd_queue_t &insideOf(const hsa_queue_t *Queue) {
  return *reinterpret_cast<const amd_queue_t *>(Queue);
}

/// Behind the application's own lies what each tool asks for, one after the
/// other.
uint64_t groupMemoryOf(unsigned Tool, const LaunchFacts &L) {
  uint64_t Offset =
      alignTo(uint64_t(L.Packet.group_segment_size), GroupSegmentAlignment);
  for (const ToolShare &Before : L.Tools.take_front(Tool))
    Offset += Before.groupSegment();
  return Offset;
}

uint64_t fromLaunch(HiddenArgument Kind, const LaunchFacts &L, unsigned Tool) {
  using enum HiddenArgument;
  switch (Kind) {
  case BlockCountX:
  case BlockCountY:
  case BlockCountZ: { // Complete ones.
    const Extent E = extent(L.Packet, axis(Kind, BlockCountX));
    return E.Grid / E.Group;
  }
  case GroupSizeX:
  case GroupSizeY:
  case GroupSizeZ:
    return extent(L.Packet, axis(Kind, GroupSizeX)).Group;
  case RemainderX:
  case RemainderY:
  case RemainderZ: {
    const Extent E = extent(L.Packet, axis(Kind, RemainderX));
    return E.Grid % E.Group;
  }
  case GridDims:
    return dimensions(L.Packet);
  case DynamicLdsSize:
    return L.Packet.group_segment_size -
           std::min(L.Packet.group_segment_size, L.StaticGroupSegment);
  case PrivateBase:
    return insideOf(L.Queue).private_segment_aperture_base_hi;
  case SharedBase:
    return insideOf(L.Queue).group_segment_aperture_base_hi;
  case QueuePtr:
    return reinterpret_cast<uint64_t>(L.Queue);
  case LaunchValue:
    return L.Tools[Tool].Value;
  case GroupMemory:
    return groupMemoryOf(Tool, L);
  case BlocksX:
  case BlocksY: { // The one that the grid's end cuts off is one.
    const Extent E = extent(L.Packet, axis(Kind, BlocksX));
    return divideCeil(E.Grid, E.Group);
  }
  case ItemsX:
  case ItemsY:
    return extent(L.Packet, axis(Kind, ItemsX)).Group;
  case WavesPerGroup: {
    uint64_t Items = 1;
    for (unsigned Axis = 0; Axis != 3; ++Axis)
      Items *= extent(L.Packet, Axis).Group;
    return divideCeil(Items, L.WaveSize);
  }
  default:
    llvm_unreachable("HiddenArguments.def says that the launch has it");
  }
}

} // namespace

Expected<uint64_t> hiddenValue(HiddenArgument Kind, const LaunchFacts &Launch,
                               unsigned Tool) {
  switch (infoOf(Kind).Source) {
  case HiddenSource::Launch:
  case HiddenSource::Redirection:
    return fromLaunch(Kind, Launch, Tool);
  case HiddenSource::Zero:
    return 0;
  case HiddenSource::PlainLaunch:
    if (!Launch.IsCooperative)
      return 0;
    break;
  case HiddenSource::Runtime:
    break;
  }
  return refuse(RefusalReason::UnsupportedHook,
                Twine("a hook needs ") + infoOf(Kind).ValueKind +
                    ", which the kernel is not given, and only HIP knows it" +
                    (Launch.IsCooperative ? " in a cooperative launch" : ""));
}

Error copyArguments(const KernargGrowth &Growth, const LaunchFacts &Launch,
                    uint8_t *To) {
  std::memset(To, 0, Growth.NewSize);
  if (Growth.OldSize)
    std::memcpy(To, Launch.Packet.kernarg_address, Growth.OldSize);
  for (const KernargGrowth::Argument &A : Growth.Added) {
    Expected<uint64_t> Value = hiddenValue(A.Kind, Launch, A.Tool);
    if (!Value)
      return Value.takeError();
    std::memcpy(To + A.Offset, &*Value, infoOf(A.Kind).Bytes);
  }
  return Error::success();
}

} // namespace luthier::runtime
