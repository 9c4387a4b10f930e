// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The calls of luthier/Instrument.h and luthier/Variables.h.
#include "codeobject/ResourceGrowth.h"
#include "luthier/Instrument.h"
#include "luthier/Variables.h"
#include "runtime/KernelAccess.h"
#include "runtime/Refusals.h"
#include "runtime/State.h"
#include "runtime/Verification.h"

using namespace llvm;

namespace luthier {

using runtime::state;

namespace {

using runtime::CallContext;

/// Presets of different tools are different although they have the same name.
runtime::PresetKey presetKey(StringRef Preset, const CallContext *Context) {
  return {Context ? Context->Owner : nullptr, Preset.str()};
}

/// A tool may keep a kernel longer than the application does.
Error checkLoaded(const hsa::LoadedCodeObjectKernel &Kernel) {
  runtime::KernelPointer Known = state().Code.findKernel(Kernel.kernelObject());
  if (Known && runtime::KernelAccess::codeObject(*Known) ==
                   runtime::KernelAccess::codeObject(Kernel))
    return Error::success();
  return createStringError("the application has unloaded kernel " +
                           Kernel.name());
}

Error instrument(const hsa::LoadedCodeObjectKernel &Kernel, Mutator Mutate,
                 StringRef Preset, const CallContext *Context) {
  if (Error E = checkLoaded(Kernel))
    return E;
  return state().Versions.instrument(Kernel, Mutate, presetKey(Preset, Context),
                                     Context && Context->About
                                         ? Context->About->Sizes
                                         : runtime::LaunchSizes());
}

Error redirectPacket(hsa_kernel_dispatch_packet_t &Packet, StringRef Preset,
                     const CallContext *Context, uint64_t Value = 0,
                     uint32_t GroupBytes = 0) {
  if (state().Versions.isInstrumented(Packet.kernel_object))
    return make_error<runtime::HasOtherTool>();
  Expected<runtime::Redirection> Target = state().Versions.find(
      Packet.kernel_object, presetKey(Preset, Context),
      {Packet.private_segment_size, Packet.group_segment_size});
  if (!Target)
    return Target.takeError();
  // The tool has put nothing into it. Others may yet want it.
  if (!Target->KernelObject)
    return Error::success();
  Target->ExtraGroupSegment = std::min<uint64_t>(
      Target->ExtraGroupSegment +
          alignTo(uint64_t(GroupBytes), GroupSegmentAlignment),
      UINT32_MAX);
  const runtime::Launch *From = Context ? Context->About : nullptr;
  if (From && From->IsCooperative)
    if (Error E = runtime::checkFitsCooperatively(Packet, *Target))
      return E;
  Expected<void *> Arguments =
      runtime::argumentsFor(Packet, *Target, From, Value);
  if (!Arguments)
    return Arguments.takeError();
  hsa_kernel_dispatch_packet_t Original = Packet;
  if (Error E = runtime::redirect(Packet, *Target, *Arguments))
    return E;
  // The same begins the copy, and there both versions find the same addresses.
  Original.kernarg_address = *Arguments;
  runtime::verifyDispatch(Original, Packet);
  return Error::success();
}

} // namespace

Expected<const LiftedRepresentation &>
lift(const hsa::LoadedCodeObjectKernel &Kernel) {
  if (Error E = checkLoaded(Kernel))
    return std::move(E);
  return state().Versions.lift(Kernel);
}

Error instrumentAndLoad(const hsa::LoadedCodeObjectKernel &Kernel,
                        Mutator Mutate, StringRef Preset) {
  return instrument(Kernel, Mutate, Preset, CallContext::current());
}

Error overrideWithInstrumented(hsa_kernel_dispatch_packet_t &Packet,
                               StringRef Preset) {
  return redirectPacket(Packet, Preset, CallContext::current());
}

Error overrideWithInstrumented(KernelDispatch &Dispatch, StringRef Preset) {
  return redirectPacket(Dispatch.Packet, Preset, CallContext::of(Dispatch),
                        Dispatch.LaunchValue, Dispatch.GroupBytes);
}

Error instrumentAndOverride(KernelDispatch &Dispatch, Mutator Mutate,
                            StringRef Preset) {
  if (Error E = instrument(Dispatch.Kernel, Mutate, Preset,
                           CallContext::of(Dispatch)))
    return E;
  return overrideWithInstrumented(Dispatch, Preset);
}

Error detail::readVariable(const void *Host, hsa_agent_t Agent, void *To,
                           size_t Size) {
  return state().Modules.read(Host, Agent, To, Size);
}

Error detail::writeVariable(const void *Host, hsa_agent_t Agent,
                            const void *From, size_t Size) {
  return state().Modules.write(Host, Agent, From, Size);
}

} // namespace luthier
