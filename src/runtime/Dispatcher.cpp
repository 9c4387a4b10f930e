// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Dispatcher.h"
#include "runtime/Channels.h"
#include "runtime/Verification.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace luthier::runtime {

Dispatcher::Outcome Dispatcher::show(hsa_kernel_dispatch_packet_t &Packet,
                                     const Launch &About) {
  const uint64_t Original = Packet.kernel_object;
  KernelPointer Kernel = Code.findKernel(Original);
  if (!Kernel)
    return {};
  const uint64_t Id = ++NumDispatches;
  if (!Filter.admits(*Kernel)) {
    Tools.leftOutDispatch();
    noteUnchangedKernel(Kernel->name(), "left out by the filters");
    return {};
  }
  RedirectedLaunch Redirected(Packet);
  SmallVector<ToolToCall, 1> ToCall =
      Tools.onDispatch(*Kernel, Packet, Id, &About, &Redirected);
  Outcome Result;
  Result.IsRedirected = Packet.kernel_object != Original;
  Result.Version = std::move(Redirected.Version);
  // Once all tools have had their say.
  if (Redirected.isRedirected())
    verifyDispatch(Redirected.undone(Packet), Packet);
  Result.WithTimes =
      any_of(ToCall, [](const ToolToCall &Each) { return Each.WithTimes; });
  if (!ToCall.empty())
    Result.WhenComplete = [this, Kernel, Packet, Id,
                           ToCall](std::optional<DispatchTimes> Times) mutable {
      channels().flush();
      Tools.onComplete(ToCall, KernelDispatch(*Kernel, Packet, Id), Times);
    };
  return Result;
}

} // namespace luthier::runtime
