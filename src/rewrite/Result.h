// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What instrumenting one kernel gives: the code, how it has to be launched,
// where things are in it, and what it cost.
#ifndef LUTHIER_REWRITE_RESULT_H
#define LUTHIER_REWRITE_RESULT_H

#include "codeobject/CodeObject.h"
#include "codeobject/LineTable.h"
#include "hook/Payload.h"
#include "rewrite/Options.h"
#include "rewrite/emit/PointerDispatch.h"
#include "rewrite/plan/KernargGrowth.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace luthier {

/// What instrumenting one kernel took and cost.
struct InstrumentationReport {
  unsigned Points = 0;   ///< Hook calls inserted.
  unsigned Payloads = 0; ///< Variants of hooks.
  /// Compilations of those for all register fallbacks that were tried, and what
  /// a PayloadStore had instead. Neither is what an earlier kernel had.
  unsigned Compiled = 0, Found = 0;
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
  std::optional<StateValueArrayForm> Storage;
  size_t BytesBefore = 0, BytesAfter = 0;
  /// Seconds. Compilation is of hooks to payloads, planning all else before
  /// code is written; EmitTime is the linker's, 0 where nothing is linked
  /// (offline).
  double PlanTime = 0, CompileTime = 0, RewriteTime = 0, EmitTime = 0;

  /// The kernel runs as it was after all.
  void leaveAsBefore() {
    VGPRsAfter = VGPRsBefore;
    SGPRsAfter = SGPRsBefore;
    WavesAfter = WavesBefore;
    BytesAfter = BytesBefore;
    StackBytes = GroupSegmentBytes = 0;
    SavedSGPRs = SavedVGPRs = SavingPoints = 0;
    Storage.reset();
  }
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

/// A literal in the code that becomes half of an address.
struct PlacedFixup {
  uint64_t Offset = 0; ///< Of its four bytes in the code.
  Fixup::FixupKind Kind = Fixup::Abs32Lo;
  std::string Variable; ///< As the tool's code object calls it.
  const HookModule *Module = nullptr;
  int64_t Addend = 0; ///< To the address, before it is split.
};

/// An instrumented kernel before it is linked: what goes into a file that holds
/// the original, too. Nothing is loaded, so addresses of the tool's variables
/// and of the original's functions are still to be filled in.
struct OfflineImage {
  /// Begins with the kernel's entry, at InstrumenterOptions::LinkedAt.
  std::vector<uint8_t> Code;
  KernelDescriptor Descriptor; ///< All but where the entry is.
  KernelMetadata Metadata;
  std::vector<PlacedFixup> Fixups;
  LineTable Lines = {};
  std::vector<OriginalAddress> Addresses = {};
};

struct InstrumentedKernel {
  /// The hooks came to no code, and no instruction was edited: the original
  /// does the same. Of the rest there is only the report.
  bool IsOriginal = false;
  /// An ET_DYN code object whose only kernel has the original's name; empty
  /// offline.
  std::vector<uint8_t> CodeObject;
  /// Offline only.
  std::optional<OfflineImage> Image;
  /// Some waves run the original's code, from its entry on.
  bool EntersOriginal = false;
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

} // namespace luthier

#endif // LUTHIER_REWRITE_RESULT_H
