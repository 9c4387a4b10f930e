// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lifted and instrumented versions of the application's kernels, made once
// each and dropped with the executable they came from. Failures are kept too:
// a kernel that was refused is not lifted again at each dispatch.
#ifndef LUTHIER_RUNTIME_VERSIONCACHE_H
#define LUTHIER_RUNTIME_VERSIONCACHE_H

#include "hook/HookCompilers.h"
#include "luthier/Instrument.h"
#include "rewrite/Instrumenter.h"
#include "runtime/HeldVersions.h"
#include "runtime/HookOwner.h"
#include "runtime/LoadedCode.h"
#include "runtime/OwnExecutable.h"
#include "runtime/Presets.h"
#include "runtime/Redirection.h"
#include "runtime/RememberedError.h"
#include "runtime/TaskRecipe.h"
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace luthier::runtime {

/// Thread-safe.
class VersionCache {
public:
  /// The hook behind a handle, ready to be linked on an agent.
  using Resolver = std::function<llvm::Expected<ResolvedHook>(
      const void *Handle, hsa_agent_t Agent)>;

  using SharedLift = std::shared_ptr<const LiftedRepresentation>;
  /// What lift() keeps for those who ask again, about as many bytes.
  static constexpr uint64_t MostLiftedBytes = 128 << 20;

  /// \p HasSeveralTools: versions with the hooks of several may be asked for.
  explicit VersionCache(Resolver Resolve,
                        std::function<bool()> HasSeveralTools = {},
                        uint64_t MostLifted = MostLiftedBytes)
      : Resolve(std::move(Resolve)),
        HasSeveralTools(std::move(HasSeveralTools)), LimitOfLifted(MostLifted) {
  }

  /// The latest stay for those who ask again; with \p Stays, until the code is
  /// unloaded.
  llvm::Expected<SharedLift> lift(const hsa::LoadedCodeObjectKernel &Kernel,
                                  bool Stays = false);

  /// The first caller has it instrumented (EngineThread); others that want the
  /// same version wait for it. \p Sizes are those of the dispatch under way,
  /// zero without one.
  ///
  /// Makes the version that has the hooks of \p Beside, too, which were made
  /// before; tools that have been asked about a preset are not asked again, and
  /// \p Mutate may be null then.
  llvm::Error instrument(const hsa::LoadedCodeObjectKernel &Kernel,
                         Mutator Mutate, const PresetKey &Preset,
                         const LaunchSizes &Sizes,
                         const PresetSet &Beside = {});

  /// To nothing where the tool has put nothing into the kernel; of several
  /// tools, where the last one asked has not.
  llvm::Expected<Redirection> find(uint64_t KernelObject,
                                   const PresetSet &Presets,
                                   const LaunchSizes &Sizes);
  /// Whether hooks that \p Preset has asked for have been unloaded since, so
  /// that no further version can have them.
  bool isGone(const hsa::LoadedCodeObjectKernel &Kernel,
              const PresetKey &Preset);
  /// True for a kernel object that the cache made.
  bool isInstrumented(uint64_t KernelObject);

  /// What \p PC is, if it lies in an instrumented kernel; else "".
  std::string explain(uint64_t PC);

  /// The application destroys what lies in \p Range; it has to have waited for
  /// its dispatches, and ours are those same dispatches.
  void drop(const AddressRange &Range);
  void clear();

  /// \p Owner has been marked as unloaded: forgets what was made with its hooks
  /// and asked for with \p IsOfOwner ones. Versions go when no dispatch runs
  /// them.
  void dropUsersOf(const HookOwner &Owner,
                   llvm::function_ref<bool(const void *Handle)> IsOfOwner);
  /// For as long as the process: somebody may run it at any time.
  void keep(HeldVersion Version);

  /// Under EngineLock.
  HookCompilers &compilers() { return Compilers; }

private:
  using Owners = std::vector<std::shared_ptr<const HookOwner>>;

  struct Version : DroppableVersion {
    std::mutex Busy; ///< Held while it is made.
    bool Done = false;
    std::optional<RememberedError> Failure;
    Owners Uses; ///< Dynamic modules. Written under Lock as well.
    std::unique_ptr<OwnExecutable> Executable;
    // Written under Lock as well; nothing, if the original will do.
    Redirection Target;
    uint64_t Entry = 0, CodeSize = 0; ///< On the device.
    std::vector<PCPair> Map;
    std::shared_ptr<const CodeObject> Original;
    const KernelInfo *Info = nullptr; ///< Owned by Original.

    /// What is at \p Offset from Entry, within CodeSize.
    std::string explain(uint64_t Offset) const;
  };
  struct VersionKey {
    PresetSet Presets;
    uint32_t Stack; ///< Bytes per lane that the application may use.
    auto operator<=>(const VersionKey &) const = default;
  };
  struct Kernel {
    std::mutex Busy;          ///< Held while lifting for lift().
    SharedLift Lifted;        ///< Under Lock.
    bool LiftedStays = false; ///< Under Lock.
    std::optional<RememberedError> Failure;
    /// The stack's size is known only at launch. Under Lock.
    bool DynamicStack = false;
    bool Dropped = false;                                    ///< Under Lock.
    std::map<VersionKey, std::shared_ptr<Version>> Versions; ///< Under Lock.
    /// What tools asked for. Under Lock.
    std::map<PresetKey, std::shared_ptr<const TaskRecipe>> Recipes;
    /// Those that had one, with hooks that are unloaded: the latest. Under
    /// Lock.
    std::vector<PresetKey> Gone;

    VersionKey key(const PresetSet &Presets, const LaunchSizes &Sizes) const;
    void noteGone(const PresetKey &Preset); ///< Under Lock.
    /// Null if there is none for such dispatches.
    std::shared_ptr<Version> find(const PresetSet &Presets,
                                  const LaunchSizes &Sizes) const;
  };

  std::shared_ptr<Kernel> kernel(uint64_t KernelObject);
  /// What has to be destroyed outside of Lock: that may call the GPU runtime.
  using Forgotten = std::vector<std::shared_ptr<const void>>;
  /// Under Lock. Returns what is forgotten for \p Entry.
  Forgotten noteLifted(const std::shared_ptr<Kernel> &Entry, uint64_t Bytes);
  /// Instruments and loads.
  llvm::Error make(const hsa::LoadedCodeObjectKernel &Kernel, Mutator Mutate,
                   const PresetKey &Preset, const VersionKey &Key,
                   struct Kernel &Entry, Version &Result);
  /// Asks the tool what it wants for \p Preset, if it has not been asked.
  llvm::Error ask(Mutator Mutate, const PresetKey &Preset, struct Kernel &Entry,
                  InstrumentationTask &Task, LiftedRepresentation &LR);
  /// \p Own, which is what \p Preset asks for, and what the others of
  /// \p Presets do, in their order, which numbers the tools.
  llvm::Expected<InstrumentationTask> join(const PresetSet &Presets,
                                           const PresetKey &Preset,
                                           const InstrumentationTask &Own,
                                           struct Kernel &Entry,
                                           LiftedRepresentation &LR);
  std::shared_ptr<const TaskRecipe> recipe(struct Kernel &Entry,
                                           const PresetKey &Preset);
  llvm::Expected<InstrumentedKernel>
  build(const hsa::LoadedCodeObjectKernel &Kernel, LiftedRepresentation &LR,
        const InstrumentationTask &Task, const VersionKey &Key, Owners &Uses);
  llvm::Error load(const hsa::LoadedCodeObjectKernel &Kernel,
                   InstrumentedKernel Built, struct Kernel &Entry,
                   Version &Result);
  /// The modules that \p Result has, or was to have, hooks of.
  void own(Owners Uses, Version &Result);
  /// Before Version is destroyed or forgotten, under Lock.
  void forget(const Version &Made);
  /// The tool has put nothing into it.
  static void keepOriginal(const hsa::LoadedCodeObjectKernel &Kernel);

  const Resolver Resolve;
  HookCompilers Compilers; ///< Under EngineLock.
  const std::function<bool()> HasSeveralTools;
  const uint64_t LimitOfLifted;

  std::mutex Lock;
  /// What was lifted for lift(), the latest last, with about how many bytes it
  /// takes.
  struct RecentLift {
    std::weak_ptr<Kernel> Of;
    uint64_t Bytes;
  };
  std::deque<RecentLift> Recent;
  uint64_t RecentBytes = 0;
  std::map<uint64_t, std::shared_ptr<Kernel>> Kernels; ///< By kernel object.
  std::map<uint64_t, unsigned> Instrumented; ///< Kernel objects of ours.
  std::vector<HeldVersion> Kept;
};

} // namespace luthier::runtime

#endif // LUTHIER_RUNTIME_VERSIONCACHE_H
