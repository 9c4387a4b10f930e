// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Redirection.h"
#include "codeobject/ResourceGrowth.h"
#include "codeobject/WaveCapacity.h"
#include "luthier/Refusal.h"
#include "runtime/HiddenValues.h"
#include "runtime/KernargCopies.h"

using namespace llvm;

namespace luthier::runtime {

Error checkFitsCooperatively(const hsa_kernel_dispatch_packet_t &Packet,
                             const Redirection &Target) {
  constexpr const char *Why =
      "a cooperative launch needs all its groups on the device at once; "
      "instrumented, ";
  if (Target.WavesAfter < Target.WavesBefore)
    return refuse(RefusalReason::RegisterBudget,
                  Why + Twine(Target.WavesAfter) +
                      " waves fit on a SIMD, not " + Twine(Target.WavesBefore));
  if (!Target.ExtraGroupSegment || !Target.Traits)
    return Error::success();
  const RegisterFileTraits &Traits = *Target.Traits;
  const uint64_t Items = uint64_t(Packet.workgroup_size_x) *
                         Packet.workgroup_size_y * Packet.workgroup_size_z,
                 Own = Packet.group_segment_size,
                 Before = std::min(workgroupsByLDS(Own, Traits),
                                   workgroupsByWaves(Target.WavesBefore, Items,
                                                     Target.IsWave32, Traits)),
                 After = workgroupsByLDS(alignTo(Own, GroupSegmentAlignment) +
                                             Target.ExtraGroupSegment,
                                         Traits);
  if (After < Before)
    return refuse(RefusalReason::SharedMemory,
                  Why + Twine(After) +
                      " groups share the memory of a compute unit, not " +
                      Twine(Before));
  return Error::success();
}

Error redirect(hsa_kernel_dispatch_packet_t &Packet, const Redirection &Target,
               void *Arguments) {
  if (Target.ExtraGroupSegment) {
    const uint64_t Size =
        alignTo(uint64_t(Packet.group_segment_size), GroupSegmentAlignment) +
        Target.ExtraGroupSegment;
    if (Size > Target.groupSegmentLimit())
      return refuse(RefusalReason::SharedMemory,
                    "the kernel uses " + Twine(Packet.group_segment_size) +
                        " bytes, the hooks " + Twine(Target.ExtraGroupSegment) +
                        ", and there are " + Twine(Target.groupSegmentLimit()));
    Packet.group_segment_size = Size;
  }
  Packet.kernel_object = Target.KernelObject;
  if (Packet.kernarg_address != Arguments) {
    Packet.kernarg_address = Arguments;
    // Memory that other arguments were in before, which caches may still hold.
    constexpr unsigned Scope = HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE,
                       Width = HSA_PACKET_HEADER_WIDTH_SCACQUIRE_FENCE_SCOPE;
    Packet.header &= ~(((1u << Width) - 1) << Scope);
    Packet.header |= HSA_FENCE_SCOPE_SYSTEM << Scope;
  }
  // The application may ask for more than the kernel itself needs.
  Packet.private_segment_size =
      std::max(Packet.private_segment_size, Target.PrivateSegmentSize);
  return Error::success();
}

Expected<void *> argumentsFor(const hsa_kernel_dispatch_packet_t &Packet,
                              const Redirection &Target, const Launch *From,
                              ArrayRef<ToolShare> Tools) {
  if (!Target.Kernarg.any())
    return Packet.kernarg_address;
  if (!From)
    return createStringError("the hooks need arguments of their own, which are "
                             "there only for packets on their way to a queue");
  const LaunchFacts Facts = {Packet,
                             From->Queue,
                             From->IsCooperative,
                             Target.StaticGroupSegment,
                             Target.IsWave32 ? 32u : 64u,
                             Tools};
  // Refusals come before anything is allocated.
  for (const KernargGrowth::Argument &A : Target.Kernarg.Added)
    if (auto Value = hiddenValue(A.Kind, Facts, A.Tool); !Value)
      return Value.takeError();
  auto Copy =
      From->Arguments->allocate(Target.Kernarg.NewSize, Target.Kernarg.Align);
  if (!Copy)
    return Copy.takeError();
  if (Error E = copyArguments(Target.Kernarg, Facts, *Copy))
    return std::move(E);
  return *Copy;
}

} // namespace luthier::runtime
