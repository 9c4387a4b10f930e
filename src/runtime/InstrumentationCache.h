// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lifted and instrumented versions of the application's kernels, made once
// each and dropped with the executable they came from. Failures are kept too:
// a kernel that was refused is not lifted again at each dispatch.
#ifndef LUTHIER_RUNTIME_INSTRUMENTATIONCACHE_H
#define LUTHIER_RUNTIME_INSTRUMENTATIONCACHE_H

#include "luthier/Instrument.h"
#include "rewrite/Instrumenter.h"
#include "runtime/LoadedCode.h"
#include "runtime/OwnExecutable.h"
#include "runtime/RememberedError.h"
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace luthier {
class Tool;
}

namespace luthier::runtime {

/// Presets of different tools are different although they have the same name.
struct PresetKey {
  const Tool *Owner;
  std::string Name;
  auto operator<=>(const PresetKey &) const = default;
};

/// What a packet gives the application's own code.
struct LaunchSizes {
  uint32_t PrivateSegment = 0, GroupSegment = 0;
};

/// What a packet needs to run an instrumented kernel.
struct Redirection {
  uint64_t KernelObject = 0;
  uint32_t PrivateSegmentSize = 0;
  uint32_t ExtraGroupSegment = 0; ///< To add to the packet's.
  /// Arguments to give the kernel besides the packet's.
  KernargGrowth Kernarg = {};
  uint32_t StaticGroupSegment = 0; ///< Of the original.
  /// Waves that fit on a SIMD at a time: of the original and of this version.
  unsigned WavesBefore = 0, WavesAfter = 0;
  unsigned WaveSize = 64, SIMDsPerCU = 4;
  /// Bytes that one workgroup can have at most.
  uint32_t GroupSegmentLimit = 0;
  uint32_t GroupSegmentGranule = 512; ///< Bytes that it gets at a time.
};

/// Has \p Packet run \p Target with \p Arguments. Refuses with SharedMemory,
/// and leaves the packet alone, if what hooks share does not fit beside the
/// application's.
llvm::Error redirect(hsa_kernel_dispatch_packet_t &Packet,
                     const Redirection &Target, void *Arguments);

/// Held while hooks are compiled and kernels built: what those refer to stays.
std::recursive_mutex &engineLock();

/// Refuses a version of which less fits on the device than of the original that
/// \p Packet launches. The groups of a cooperative grid wait for each other,
/// and the application made it as large as the original allows.
llvm::Error checkFitsCooperatively(const hsa_kernel_dispatch_packet_t &Packet,
                                   const Redirection &Target);

/// Thread-safe.
class InstrumentationCache {
public:
  llvm::Expected<const LiftedRepresentation &>
  lift(const hsa::LoadedCodeObjectKernel &Kernel);

  /// The first caller instruments, in its own thread; others that want the
  /// same version wait for it. \p Sizes are those of the dispatch under way,
  /// zero without one.
  llvm::Error instrument(const hsa::LoadedCodeObjectKernel &Kernel,
                         const LiftedRepresentation &Lifted, Mutator Mutate,
                         const PresetKey &Preset, const LaunchSizes &Sizes);

  llvm::Expected<Redirection> find(uint64_t KernelObject,
                                   const PresetKey &Preset,
                                   const LaunchSizes &Sizes);
  /// True for a kernel object that the cache made.
  bool isInstrumented(uint64_t KernelObject);

  /// What \p PC is, if it lies in an instrumented kernel; else "".
  std::string explain(uint64_t PC);

  /// The application destroys what lies in \p Range; it has to have waited for
  /// its dispatches, and ours are those same dispatches.
  void drop(const AddressRange &Range);
  void clear();

private:
  struct Version {
    std::mutex Busy; ///< Held while it is made.
    bool Done = false;
    std::optional<RememberedError> Failure;
    std::unique_ptr<OwnExecutable> Executable;
    // Written under Lock as well.
    Redirection Target;
    uint64_t Entry = 0, CodeSize = 0; ///< On the device.
    std::vector<PCPair> Map;
    std::shared_ptr<const CodeObject> Original, Instrumented;
    const KernelInfo *Info = nullptr; ///< Owned by Original.
  };
  struct VersionKey {
    PresetKey Preset;
    uint32_t Stack; ///< Bytes per lane that the application may use.
    auto operator<=>(const VersionKey &) const = default;
  };
  struct Kernel {
    std::mutex Busy; ///< Held while lifting or copying the lifted form.
    std::unique_ptr<LiftedRepresentation> Lifted;
    std::optional<RememberedError> Failure;
    double LiftTime = 0;
    /// The stack's size is known only at launch. Under Lock.
    bool DynamicStack = false;
    bool Dropped = false;                                    ///< Under Lock.
    std::map<VersionKey, std::shared_ptr<Version>> Versions; ///< Under Lock.

    VersionKey key(const PresetKey &Preset, const LaunchSizes &Sizes) const;
    /// Null if there is none for such dispatches.
    std::shared_ptr<Version> find(const PresetKey &Preset,
                                  const LaunchSizes &Sizes) const;
  };

  std::shared_ptr<Kernel> kernel(uint64_t KernelObject);
  llvm::Error make(const hsa::LoadedCodeObjectKernel &Kernel,
                   const LiftedRepresentation &Lifted, Mutator Mutate,
                   const VersionKey &Key, struct Kernel &Entry,
                   Version &Result);

  std::mutex Lock;
  std::map<uint64_t, std::shared_ptr<Kernel>> Kernels; ///< By kernel object.
  std::map<uint64_t, unsigned> Instrumented; ///< Kernel objects of ours.
};

} // namespace luthier::runtime

#endif // LUTHIER_RUNTIME_INSTRUMENTATIONCACHE_H
