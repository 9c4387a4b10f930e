// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a packet to the tools that see it.
#ifndef LUTHIER_RUNTIME_DISPATCHER_H
#define LUTHIER_RUNTIME_DISPATCHER_H

#include "runtime/CallContext.h"
#include "runtime/DispatchFilter.h"
#include "runtime/LoadedCode.h"
#include "runtime/ToolRegistry.h"
#include <atomic>
#include <functional>

namespace luthier::runtime {

/// Thread-safe.
class Dispatcher {
public:
  Dispatcher(LoadedCode &Code, ToolRegistry &Tools, DispatchFilter &Filter)
      : Code(Code), Tools(Tools), Filter(Filter) {}

  bool hasTools() const { return !Tools.empty(); }

  struct Outcome {
    /// A tool had the packet run other code.
    bool IsRedirected = false;
    /// What has to stay until the packet is done.
    HeldVersion Version;
    /// To call when the packet has completed; empty if nobody asks.
    std::function<void(std::optional<DispatchTimes>)> WhenComplete;
    bool WithTimes = false; ///< Somebody asks when it ran.
  };
  /// Shows \p Packet to the tools, which may change it.
  Outcome show(hsa_kernel_dispatch_packet_t &Packet, const Launch &About);

private:
  LoadedCode &Code;
  ToolRegistry &Tools;
  DispatchFilter &Filter;
  std::atomic<uint64_t> NumDispatches = 0;
};

} // namespace luthier::runtime

#endif // LUTHIER_RUNTIME_DISPATCHER_H
