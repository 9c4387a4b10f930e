// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The calls of luthier/Instrument.h and luthier/Variables.h.
#include "codeobject/ResourceGrowth.h"
#include "luthier/Instrument.h"
#include "luthier/Variables.h"
#include "runtime/InstrumentedMark.h"
#include "runtime/KernelAccess.h"
#include "runtime/Refusals.h"
#include "runtime/State.h"
#include "runtime/ToolExceptions.h"
#include "runtime/Verification.h"

using namespace llvm;

namespace luthier {

using runtime::state;

namespace {

using runtime::CallContext;

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

/// The launch that onDispatch() is called for, if it is of this kernel.
runtime::RedirectedLaunch *launchOf(uint64_t KernelObject,
                                    const CallContext *Context) {
  runtime::RedirectedLaunch *Launch = Context ? Context->Redirected : nullptr;
  return Launch && Launch->Original == KernelObject ? Launch : nullptr;
}

/// The hooks of other tools that those of this one join.
runtime::PresetSet presetsBeside(const runtime::RedirectedLaunch *Launch,
                                 const CallContext *Context) {
  return Launch ? Launch->Presets.without(Context->Owner)
                : runtime::PresetSet();
}

/// The kernel runs with hooks nevertheless if there are some of others.
Error besideOthers(Error E, const runtime::PresetSet &Others) {
  return Others.empty() ? std::move(E) : runtime::besideOthers(std::move(E));
}

/// Without a \p Mutate, the tool has been asked before.
Error instrument(const hsa::LoadedCodeObjectKernel &Kernel, Mutator Mutate,
                 StringRef Preset, const CallContext *Context) {
  if (Error E = checkLoaded(Kernel))
    return E;
  // Here, where nothing is locked or half done.
  auto What = [&] {
    return "tool " + runtime::nameOf(Context ? Context->Owner : nullptr) +
           ", asked what to insert into it,";
  };
  auto mutateSafely = [&](InstrumentationTask &Task, LiftedRepresentation &LR) {
    return runtime::withoutExceptions(What, [&] { return Mutate(Task, LR); });
  };
  const runtime::PresetSet Others =
      presetsBeside(launchOf(Kernel.kernelObject(), Context), Context);
  return besideOthers(state().Versions.instrument(
                          Kernel, Mutate ? Mutator(mutateSafely) : Mutator(),
                          presetKey(Preset, Context),
                          Context && Context->About ? Context->About->Sizes
                                                    : runtime::LaunchSizes(),
                          Others),
                      Others);
}

/// The version of the kernel that \p Packet, as the application wrote it, is to
/// run: with the hooks of \p Others, too.
Expected<runtime::Redirection>
findVersion(const hsa_kernel_dispatch_packet_t &Packet, StringRef Preset,
            const runtime::PresetSet &Others, const CallContext *Context) {
  // Which others there are may change from dispatch to dispatch.
  if (launchOf(Packet.kernel_object, Context) &&
      runtime::toolRegistry().hasSeveral())
    if (runtime::KernelPointer Kernel =
            state().Code.findKernel(Packet.kernel_object))
      if (Error E = instrument(*Kernel, {}, Preset, Context))
        return std::move(E);
  return state().Versions.find(
      Packet.kernel_object, Others.with(presetKey(Preset, Context)),
      {Packet.private_segment_size, Packet.group_segment_size});
}

/// What the tool gives its hooks of the dispatch whose packet \p Packet is; of
/// another packet, nobody has said anything.
runtime::ToolShare ownShare(const hsa_kernel_dispatch_packet_t &Packet,
                            const CallContext *Context) {
  const KernelDispatch *Of = Context ? Context->Dispatch : nullptr;
  return Of && &Of->Packet == &Packet
             ? runtime::ToolShare{Of->LaunchValue, Of->GroupBytes}
             : runtime::ToolShare();
}

/// What the tools of \p Presets give their hooks of this launch, in that order.
SmallVector<runtime::ToolShare, 2>
sharesOf(const runtime::PresetSet &Presets,
         const std::map<const Tool *, runtime::ToolShare> &Shares) {
  SmallVector<runtime::ToolShare, 2> Result;
  for (const runtime::PresetKey &Key : Presets.Keys) {
    auto Known = Shares.find(Key.Owner);
    Result.push_back(Known == Shares.end() ? runtime::ToolShare()
                                           : Known->second);
  }
  return Result;
}

/// Has \p New, as the application wrote it, run \p Target.
Error redirectTo(const runtime::Redirection &Target,
                 hsa_kernel_dispatch_packet_t &New, const CallContext *Context,
                 ArrayRef<runtime::ToolShare> Tools) {
  const runtime::Launch *From = Context ? Context->About : nullptr;
  if (From && From->IsCooperative)
    if (Error E = runtime::checkFitsCooperatively(New, Target))
      return E;
  Expected<void *> Arguments = runtime::argumentsFor(New, Target, From, Tools);
  if (!Arguments)
    return Arguments.takeError();
  return runtime::redirect(New, Target, *Arguments);
}

Error redirectPacket(hsa_kernel_dispatch_packet_t &Packet, StringRef Preset,
                     const CallContext *Context) {
  runtime::RedirectedLaunch *Launch = Context ? Context->Redirected : nullptr;
  // Some other packet than that of the dispatch.
  if (Launch && Launch->KernelObject != Packet.kernel_object)
    Launch = nullptr;
  const hsa_kernel_dispatch_packet_t Given =
      Launch ? Launch->undone(Packet) : Packet;
  if (state().Versions.isInstrumented(Given.kernel_object))
    return make_error<runtime::HasOtherTool>("the packet runs them already");
  const runtime::PresetSet Others = presetsBeside(Launch, Context);
  Expected<runtime::Redirection> Target =
      findVersion(Given, Preset, Others, Context);
  if (!Target)
    return Target.takeError();
  // The tool has put nothing into it. Others may yet want it.
  if (!Target->KernelObject)
    return Error::success();
  const runtime::PresetSet Presets = Others.with(presetKey(Preset, Context));
  std::map<const Tool *, runtime::ToolShare> Shares;
  if (Launch)
    Shares = Launch->Shares;
  Shares[Context ? Context->Owner : nullptr] = ownShare(Packet, Context);
  const auto Tools = sharesOf(Presets, Shares);
  uint64_t ExtraGroupSegment = Target->ExtraGroupSegment;
  for (const runtime::ToolShare &Each : Tools)
    ExtraGroupSegment += Each.groupSegment();
  Target->ExtraGroupSegment = std::min<uint64_t>(ExtraGroupSegment, UINT32_MAX);
  hsa_kernel_dispatch_packet_t New = Given;
  if (Error E = redirectTo(*Target, New, Context, Tools))
    return besideOthers(std::move(E), Others);
  Packet = New;
  runtime::markInstrumented();
  if (!Launch) {
    // Nobody knows when this packet is submitted.
    state().Versions.keep(Target->Version);
    runtime::verifyDispatch(Given, Packet);
    return Error::success();
  }
  Launch->redirected(Given, New);
  Launch->KernelObject = New.kernel_object;
  Launch->Version = Target->Version;
  Launch->Presets = Presets;
  Launch->Shares = std::move(Shares);
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
  return redirectPacket(Dispatch.Packet, Preset, CallContext::of(Dispatch));
}

Error instrumentAndOverride(KernelDispatch &Dispatch, Mutator Mutate,
                            StringRef Preset) {
  if (Error E = instrument(Dispatch.Kernel, Mutate, Preset,
                           CallContext::of(Dispatch)))
    return E;
  return overrideWithInstrumented(Dispatch, Preset);
}

Error detail::readVariable(const void *Host, hsa_agent_t Agent, void *To,
                           size_t Size, size_t Offset) {
  return state().Modules.read(Host, Agent, To, Size, Offset);
}

Error detail::writeVariable(const void *Host, hsa_agent_t Agent,
                            const void *From, size_t Size, size_t Offset) {
  return state().Modules.write(Host, Agent, From, Size, Offset);
}

} // namespace luthier
