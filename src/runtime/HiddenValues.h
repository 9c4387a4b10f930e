// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The values of arguments that HIP adds to a kernel's own, for kernels that it
// does not add them to.
#ifndef LUTHIER_RUNTIME_HIDDENVALUES_H
#define LUTHIER_RUNTIME_HIDDENVALUES_H

#include "codeobject/HiddenArguments.h"
#include "rewrite/plan/KernargGrowth.h"
#include "runtime/CallContext.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <hsa/hsa.h>

namespace luthier::runtime {

/// A launch as the application asks for it.
struct LaunchFacts {
  const hsa_kernel_dispatch_packet_t &Packet;
  /// As the application knows it.
  const hsa_queue_t *Queue;
  bool IsCooperative = false;
  /// Of the group segment, what the kernel's own variables take.
  uint32_t StaticGroupSegment = 0;
  /// Of the kernel.
  unsigned WaveSize = 64;
  /// What each tool gives its hooks, as HookReference::Tool numbers them.
  llvm::ArrayRef<ToolShare> Tools = {};
};

/// What HIP would give as \p Kind, or Luthier to hooks of \p Tool. Refuses what
/// only HIP can know.
llvm::Expected<uint64_t>
hiddenValue(HiddenArgument Kind, const LaunchFacts &Launch, unsigned Tool = 0);

/// Fills \p To, of \p Growth.NewSize bytes, with the packet's arguments and
/// those added.
llvm::Error copyArguments(const KernargGrowth &Growth,
                          const LaunchFacts &Launch, uint8_t *To);

} // namespace luthier::runtime

#endif // LUTHIER_RUNTIME_HIDDENVALUES_H
