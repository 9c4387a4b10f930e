// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The calls of luthier/Instrument.h and luthier/Variables.h.
#include "luthier/Instrument.h"
#include "luthier/Variables.h"
#include "runtime/Refusals.h"
#include "runtime/State.h"
#include "runtime/ToolRegistry.h"
#include "runtime/Verification.h"

using namespace llvm;

namespace luthier {

using runtime::state;

namespace {

runtime::PresetKey presetKey(StringRef Preset) {
  return {runtime::ToolRegistry::current(), Preset.str()};
}

/// A tool may keep a kernel longer than the application does.
Error checkLoaded(const hsa::LoadedCodeObjectKernel &Kernel) {
  runtime::KernelPointer Known = state().Code.findKernel(Kernel.kernelObject());
  if (Known && &Known->codeObject() == &Kernel.codeObject())
    return Error::success();
  return createStringError("the application has unloaded kernel " +
                           Kernel.name());
}

} // namespace

Expected<const LiftedRepresentation &>
lift(const hsa::LoadedCodeObjectKernel &Kernel) {
  if (Error E = checkLoaded(Kernel))
    return std::move(E);
  return state().Versions.lift(Kernel);
}

Error instrumentAndLoad(const hsa::LoadedCodeObjectKernel &Kernel,
                        const LiftedRepresentation &Lifted, Mutator Mutate,
                        StringRef Preset) {
  if (Error E = checkLoaded(Kernel))
    return E;
  return state().Versions.instrument(
      Kernel, Lifted, Mutate, presetKey(Preset),
      runtime::InterceptedQueues::currentLaunch());
}

Error overrideWithInstrumented(hsa_kernel_dispatch_packet_t &Packet,
                               StringRef Preset) {
  if (state().Versions.isInstrumented(Packet.kernel_object))
    return make_error<runtime::HasOtherTool>();
  Expected<runtime::Redirection> Target = state().Versions.find(
      Packet.kernel_object, presetKey(Preset),
      {Packet.private_segment_size, Packet.group_segment_size});
  if (!Target)
    return Target.takeError();
  if (runtime::InterceptedQueues::isSubmittingCooperative())
    if (Error E = runtime::checkFitsCooperatively(Packet, *Target))
      return E;
  Expected<void *> Arguments =
      runtime::InterceptedQueues::argumentsFor(Packet, *Target);
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

Error detail::readVariable(const void *Host, hsa_agent_t Agent, void *To,
                           size_t Size) {
  return state().Modules.read(Host, Agent, To, Size);
}

Error detail::writeVariable(const void *Host, hsa_agent_t Agent,
                            const void *From, size_t Size) {
  return state().Modules.write(Host, Agent, From, Size);
}

} // namespace luthier
