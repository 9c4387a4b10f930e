// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The engine's pipeline behind one call: a lifted kernel and a task in, a
// loadable code object out. Knows nothing of HSA.
#ifndef LUTHIER_REWRITE_INSTRUMENTER_H
#define LUTHIER_REWRITE_INSTRUMENTER_H

#include "hook/HookModule.h"
#include "luthier/InstrumentationTask.h"
#include "luthier/LiftedRepresentation.h"
#include "luthier/Refusal.h"
#include "rewrite/KernargLayout.h"
#include "rewrite/OfflineImage.h"
#include <cstdint>
#include <optional>
#include <vector>

namespace luthier {

/// Where the state register is while no payload runs (StateStorage.h).
enum class StateForm : uint8_t {
  Vgpr,
  Agpr,
  TwoAgprs,
  AgprAnd3Sgprs,
  SpilledWith3Sgprs,
  SpilledWith1Sgpr,
};

/// What hooks may cost the kernel.
enum class RegisterPolicy : uint8_t {
  /// Registers past the kernel's own are taken where that keeps its largest
  /// workgroup launchable.
  Grow,
  /// Only as many as leave as many waves on a SIMD as before.
  KeepOccupancy,
  /// Only what the kernel's own allocation leaves over.
  NoGrow,
};

struct InstrumenterOptions {
  /// Unset: the cheapest that fits.
  std::optional<StateForm> Storage;
  RegisterPolicy Policy = RegisterPolicy::Grow;
  /// Bytes per lane of private memory that the packet gives the application,
  /// which may be more than its descriptor asks for.
  uint32_t ApplicationStack = 0;
  /// Bytes of group segment that the packet asks for, likewise.
  uint32_t GroupSegment = 0;
  /// Overwrite, at every point, what the analyses call free.
  bool Poison = false;
  uint64_t PoisonSeed = 0;
  /// About how many registers at one point, chosen by chance, if more are free
  /// that hold values yet; 0 for all.
  uint32_t PoisonMost = 0;
  /// For tests of judges: units of RegisterSet that are overwritten although
  /// the application may need them.
  std::vector<unsigned> PoisonPlanted = {};
  /// What the loader added to the original's addresses: code that asks for its
  /// own position keeps getting the original's.
  uint64_t LoadBias = 0;
  /// Nothing is loaded yet. The result is an OfflineImage, whose code will be
  /// at LinkedAt in one file with the original.
  bool Offline = false;
  uint64_t LinkedAt = 0;
};

/// What instrumenting one kernel took and cost.
struct InstrumentationReport {
  unsigned Points = 0;   ///< Hook calls inserted.
  unsigned Payloads = 0; ///< Variants compiled.
  /// Allocated; accumulation registers count where they share the file.
  unsigned VGPRsBefore = 0, VGPRsAfter = 0;
  unsigned SGPRsBefore = 0, SGPRsAfter = 0;
  /// Waves that fit on a SIMD as far as registers go.
  unsigned WavesBefore = 0, WavesAfter = 0;
  /// Registers of the application put aside, summed over all points.
  size_t SavedSGPRs = 0, SavedVGPRs = 0;
  unsigned SavingPoints = 0; ///< Hook calls around which there are any.
  /// Private memory added, per lane.
  unsigned StackBytes = 0;
  unsigned GroupSegmentBytes = 0; ///< Added.
  /// Unset if no state had to be kept.
  std::optional<StateForm> Storage;
  size_t BytesBefore = 0, BytesAfter = 0;
  /// Seconds.
  double CompileTime = 0, RewriteTime = 0, EmitTime = 0;
};

/// An instruction of the original in the instrumented code.
struct PCPair {
  /// Bytes from the instrumented kernel's entry; behind the payload, if any.
  uint64_t Offset = 0;
  /// Address in the original, as linked.
  uint64_t Original = 0;
};

/// A hook runs before the instruction that was at \p Original, or on the way
/// to it; 0 if only instructions that a tool added follow in its block.
struct PlacedHook {
  uint64_t Original = 0; ///< As linked.
  std::string Name;
};

struct InstrumentedKernel {
  /// An ET_DYN code object whose only kernel has the original's name; empty
  /// offline.
  std::vector<uint8_t> CodeObject;
  /// Offline only.
  std::optional<OfflineImage> Image;
  /// Bytes per lane to use instead of the packet's if larger.
  uint32_t PrivateSegmentSize = 0;
  /// Bytes to add to the packet's group segment, once that is rounded up to 16.
  uint32_t ExtraGroupSegment = 0;
  /// Arguments to give it besides the application's.
  KernargGrowth Kernarg;
  /// Every instruction that was kept, in order of its place: for comparing the
  /// two versions, and for naming the application's place of a fault.
  std::vector<PCPair> Map;
  std::vector<PlacedHook> Hooks;
  InstrumentationReport Report;
};

/// Instruments \p LR as \p Task says; \p LR's instructions stay as they are.
llvm::Expected<InstrumentedKernel>
instrumentKernel(LiftedRepresentation &LR, const InstrumentationTask &Task,
                 HookResolver Resolve, const InstrumenterOptions &Options);

} // namespace luthier

#endif // LUTHIER_REWRITE_INSTRUMENTER_H
