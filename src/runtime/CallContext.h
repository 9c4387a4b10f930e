// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which tool is being called, and about which launch.
//
// Calls of the public API that are given a KernelDispatch find it there. Those
// that are published without one look for it in the thread, where CallScope
// leaves it: the only thing that travels besides arguments.
#ifndef LUTHIER_RUNTIME_CALLCONTEXT_H
#define LUTHIER_RUNTIME_CALLCONTEXT_H

#include "codeobject/ResourceGrowth.h"
#include "luthier/Tool.h"
#include "runtime/HeldVersions.h"
#include "runtime/Presets.h"
#include "llvm/Support/MathExtras.h"
#include <hsa/hsa.h>
#include <map>
#include <memory>
#include <vector>

namespace luthier::runtime {

class KernargCopies;

/// What a packet gives the application's own code.
struct LaunchSizes {
  uint32_t PrivateSegment = 0, GroupSegment = 0;
};

/// A packet on its way to a queue, as the application wrote it.
struct Launch {
  const hsa_queue_t *Queue = nullptr; ///< As the application knows it.
  bool IsCooperative = false;
  /// The queue's, for arguments that the kernel gets besides its own.
  KernargCopies *Arguments = nullptr;
  LaunchSizes Sizes;
};

/// What a tool gives its hooks of one dispatch: KernelDispatch::LaunchValue and
/// GroupBytes.
struct ToolShare {
  uint64_t Value = 0;
  uint32_t GroupBytes = 0;

  /// Bytes of LDS that its hooks have to themselves.
  uint64_t groupSegment() const {
    return llvm::alignTo(uint64_t(GroupBytes), GroupSegmentAlignment);
  }
};

/// What tools have made of a packet until now. All that a redirection sets is
/// set anew, from what it was, when another tool adds its hooks.
struct RedirectedLaunch {
  explicit RedirectedLaunch(const hsa_kernel_dispatch_packet_t &Packet)
      : Original(Packet.kernel_object), KernelObject(Packet.kernel_object),
        Before(Packet), After(Packet) {}

  /// \p Packet without what the redirection has set. What a tool has written
  /// over that, and what it has changed besides, stays.
  hsa_kernel_dispatch_packet_t
  undone(hsa_kernel_dispatch_packet_t Packet) const;
  void redirected(const hsa_kernel_dispatch_packet_t &From,
                  const hsa_kernel_dispatch_packet_t &To);
  bool isRedirected() const { return !Presets.empty(); }

  uint64_t Original;     ///< The kernel that the application launches.
  uint64_t KernelObject; ///< That the packet runs now.
  PresetSet Presets;     ///< Whose hooks the packet runs.
  /// Of the tools that have hooks in it.
  std::map<const Tool *, ToolShare> Shares;
  /// What has to stay until the packet is done.
  HeldVersion Version;

private:
  /// Around the last redirection.
  hsa_kernel_dispatch_packet_t Before, After;
};

struct CallContext {
  /// Null while packets are submitted, but no tool is called.
  const Tool *Owner = nullptr;
  /// Null in callbacks that are not about a launch.
  const Launch *About = nullptr;
  /// Of the dispatch that onDispatch() is called for.
  RedirectedLaunch *Redirected = nullptr;
  /// What onDispatch() is given.
  const KernelDispatch *Dispatch = nullptr;

  /// Of this thread; null outside of all callbacks.
  static const CallContext *current();
  static const CallContext *of(const KernelDispatch &Dispatch) {
    return Dispatch.Context;
  }
};

class CallScope {
public:
  explicit CallScope(const CallContext &Context);
  ~CallScope();
  CallScope(const CallScope &) = delete;
  CallScope &operator=(const CallScope &) = delete;

  /// Until the innermost scope of this thread ends; false if there is none.
  static bool keep(std::shared_ptr<const void> Object);

private:
  const CallContext *Outer;
  CallScope *OuterScope;
  std::vector<std::shared_ptr<const void>> Kept;
};

} // namespace luthier::runtime

#endif // LUTHIER_RUNTIME_CALLCONTEXT_H
