// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instrumented versions of kernels that may be dropped while dispatches of them
// are under way: those with hooks of dynamic modules.
//
// A queue holds such a version from its first dispatch on. When the version has
// been dropped, a barrier packet behind the queue's next packets tells when all
// its dispatches are done. So nothing is submitted while no module is unloaded.
#ifndef LUTHIER_RUNTIME_HELDVERSIONS_H
#define LUTHIER_RUNTIME_HELDVERSIONS_H

#include <atomic>
#include <hsa/hsa.h>
#include <memory>
#include <vector>

namespace luthier::runtime {

/// Destroyed with the last share of it.
struct DroppableVersion {
  virtual ~DroppableVersion() = default;
  /// No dispatch runs it from now on.
  mutable std::atomic<bool> IsDropped = false;
};
using HeldVersion = std::shared_ptr<const DroppableVersion>;

/// Of one queue. ROCr calls one thread at a time for a queue, so there is no
/// lock here.
class HeldVersions {
public:
  HeldVersions() = default;
  /// The queue has to be destroyed already.
  ~HeldVersions();
  HeldVersions(const HeldVersions &) = delete;
  HeldVersions &operator=(const HeldVersions &) = delete;

  /// For a dispatch that is submitted before the next call of submitting().
  void add(HeldVersion Version);

  /// Before packets are submitted: lets go of what is done. Returns true when
  /// \p Marker was filled in and is to be submitted behind them.
  bool submitting(hsa_barrier_and_packet_t &Marker);

private:
  struct Batch {
    hsa_signal_t Done;
    std::vector<HeldVersion> Versions;
  };
  std::vector<HeldVersion> Current;
  std::vector<Batch> Dropped; ///< With a marker under way.
};

} // namespace luthier::runtime

#endif // LUTHIER_RUNTIME_HELDVERSIONS_H
