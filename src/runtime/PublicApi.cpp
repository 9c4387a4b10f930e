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

/// Takes from \p Others, which the launch has hooks of, those whose hooks have
/// been unloaded since they were put in: no other version can have them.
/// Returns whether there were such.
bool leaveOutUnloaded(runtime::PresetSet &Others,
                      const hsa::LoadedCodeObjectKernel &Kernel) {
  const size_t Before = Others.Keys.size();
  erase_if(Others.Keys, [&](const runtime::PresetKey &Key) {
    return state().Versions.isGone(Kernel, Key);
  });
  return Others.Keys.size() != Before;
}

/// Makes the version with the hooks of \p Others, too, as far as those are
/// there. Without a \p Mutate, the tool has been asked before.
Error instrument(const hsa::LoadedCodeObjectKernel &Kernel, Mutator Mutate,
                 StringRef Preset, const CallContext *Context,
                 runtime::PresetSet &Others) {
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
  const bool HasOthers = !Others.empty();
  for (;;) {
    Error E = state().Versions.instrument(
        Kernel, Mutate ? Mutator(mutateSafely) : Mutator(),
        presetKey(Preset, Context),
        Context && Context->About ? Context->About->Sizes
                                  : runtime::LaunchSizes(),
        Others);
    if (!E || !leaveOutUnloaded(Others, Kernel))
      return HasOthers ? runtime::besideOthers(std::move(E)) : std::move(E);
    consumeError(std::move(E));
  }
}

Error instrument(const hsa::LoadedCodeObjectKernel &Kernel, Mutator Mutate,
                 StringRef Preset, const CallContext *Context) {
  runtime::PresetSet Others =
      presetsBeside(launchOf(Kernel.kernelObject(), Context), Context);
  return instrument(Kernel, Mutate, Preset, Context, Others);
}

/// The version of the kernel that \p Packet, as the application wrote it, is to
/// run: with the hooks of \p Others, too, as far as those are there.
Expected<runtime::Redirection>
findVersion(const hsa_kernel_dispatch_packet_t &Packet, StringRef Preset,
            runtime::PresetSet &Others, const CallContext *Context) {
  const runtime::KernelPointer Kernel =
      state().Code.findKernel(Packet.kernel_object);
  for (;;) {
    // Which others there are may change from dispatch to dispatch.
    if (Kernel && launchOf(Packet.kernel_object, Context) &&
        runtime::toolRegistry().hasSeveral())
      if (Error E = instrument(*Kernel, {}, Preset, Context, Others))
        return std::move(E);
    auto Found = state().Versions.find(
        Packet.kernel_object, Others.with(presetKey(Preset, Context)),
        {Packet.private_segment_size, Packet.group_segment_size});
    if (Found || !Kernel || !leaveOutUnloaded(Others, *Kernel))
      return Found;
    consumeError(Found.takeError());
  }
}

/// Says which hooks of \p Launch a packet with those of \p Kept does not have.
void reportLost(const runtime::RedirectedLaunch &Launch,
                const runtime::PresetSet &Kept, const CallContext *Context) {
  const runtime::KernelPointer Kernel =
      state().Code.findKernel(Launch.Original);
  for (const runtime::PresetKey &Key : presetsBeside(&Launch, Context).Keys)
    if (Kernel && !is_contained(Kept.Keys, Key))
      runtime::reportLostHooks(Kernel->name(), runtime::nameOf(Key.Owner));
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
  runtime::PresetSet Others = presetsBeside(Launch, Context);
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
  reportLost(*Launch, Presets, Context);
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
  Expected<runtime::VersionCache::SharedLift> Lifted =
      state().Versions.lift(Kernel, /*Stays=*/!CallContext::current());
  if (!Lifted)
    return Lifted.takeError();
  runtime::CallScope::keep(*Lifted);
  return **Lifted;
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
