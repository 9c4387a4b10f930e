// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A packet that runs an instrumented version of its kernel.
#ifndef LUTHIER_RUNTIME_REDIRECTION_H
#define LUTHIER_RUNTIME_REDIRECTION_H

#include "amdgpu/TargetTraits.h"
#include "rewrite/plan/KernargGrowth.h"
#include "runtime/CallContext.h"
#include "runtime/HeldVersions.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <hsa/hsa.h>

namespace luthier::runtime {

/// What a packet needs to run an instrumented kernel.
struct Redirection {
  uint64_t KernelObject = 0; ///< Zero: the packet stays as it is.
  uint32_t PrivateSegmentSize = 0;
  uint32_t ExtraGroupSegment = 0; ///< To add to the packet's.
  /// Arguments to give the kernel besides the packet's.
  KernargGrowth Kernarg = {};
  uint32_t StaticGroupSegment = 0; ///< Of the original.
  /// Waves that fit on a SIMD at a time: of the original and of this version.
  unsigned WavesBefore = 0, WavesAfter = 0;
  bool IsWave32 = false;
  const RegisterFileTraits *Traits = nullptr; ///< Null if nothing is known.
  /// What has to stay until the dispatch is done; null if it stays anyway.
  HeldVersion Version = nullptr;

  /// Bytes that one workgroup can have at most.
  uint32_t groupSegmentLimit() const { return Traits ? Traits->LDSBytes : 0; }
};

/// Has \p Packet run \p Target with \p Arguments. Refuses with SharedMemory,
/// and leaves the packet alone, if what hooks share does not fit beside the
/// application's.
llvm::Error redirect(hsa_kernel_dispatch_packet_t &Packet,
                     const Redirection &Target, void *Arguments);

/// The arguments for \p Packet, not redirected yet, when it runs \p Target:
/// the application's own, or a copy with those that hooks need besides. The
/// copy stays until the packet that is being submitted has completed. \p From
/// is null for packets that are not on their way to a queue; \p Tools is what
/// those give their hooks, as HookReference::Tool numbers them.
llvm::Expected<void *> argumentsFor(const hsa_kernel_dispatch_packet_t &Packet,
                                    const Redirection &Target,
                                    const Launch *From,
                                    llvm::ArrayRef<ToolShare> Tools);

/// Refuses a version of which less fits on the device than of the original that
/// \p Packet launches. The groups of a cooperative grid wait for each other,
/// and the application made it as large as the original allows.
llvm::Error checkFitsCooperatively(const hsa_kernel_dispatch_packet_t &Packet,
                                   const Redirection &Target);

} // namespace luthier::runtime

#endif // LUTHIER_RUNTIME_REDIRECTION_H
