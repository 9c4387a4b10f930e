// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The basic blocks of a kernel with how often they were executed.
#ifndef LUTHIER_PGO_KERNELBLOCKS_H
#define LUTHIER_PGO_KERNELBLOCKS_H

#include "pgo/CountedBlock.h"
#include "pgo/Uniformity.h"
#include <memory>

namespace luthier::pgo {

/// What the lanes of waves did at a branch, as the tool branch-divergence has
/// it.
struct CountedBranch {
  uint64_t Address = 0;
  std::string Instruction, Source;
  uint64_t Executed = 0, Agreed = 0, Lanes = 0, Taken = 0;

  Uniformity classify() const;
};

/// What another order of the same blocks could gain at most.
struct CodeLayout {
  /// Of an instruction cache: 64 bytes (RDNA and CDNA 2 instruction set
  /// architecture manuals, instruction prefetch).
  static constexpr uint64_t LineBytes = 64;
  uint64_t Lines = 0;       ///< That hold something executed.
  uint64_t PackedLines = 0; ///< The fewest that could hold all of that.
  uint64_t Executed = 0;    ///< Instructions, by waves.
  uint64_t Jumps = 0;       ///< Of these, branches that are always taken.
  uint64_t Taken = 0;       ///< And conditional branches that were.
  uint64_t Avoidable = 0;   ///< How many fewer could be; see BranchFlow.
};

struct KernelBlocks {
  std::vector<CountedBlock> Blocks; ///< Of reached code, in its order.
  /// It calls functions whose blocks are not among them.
  bool CallsThroughPointers = false;

  /// Blocks that no wave came to, and their share of all instructions.
  size_t unused() const;
  double unusedPercent() const;
  /// Of the instructions that waves executed, how many have a line.
  double linePercent() const;
  /// How many are in blocks with one of \p Probes, addresses in ascending
  /// order.
  double probePercent(llvm::ArrayRef<uint64_t> Probes) const;
  CodeLayout layout() const;
};

/// Fails where the kernel cannot be lifted.
llvm::Expected<KernelBlocks>
blocksOf(const std::shared_ptr<const CodeObject> &Object,
         const KernelInfo &Kernel, const CodeCounts &Counts);

/// By address as linked.
using BranchCounts = std::map<uint64_t, CountedBranch>;
/// By the code object's digest and the kernel's symbol.
using ExecutedBranches =
    std::map<std::string, std::map<std::string, BranchCounts>>;

/// Adds what branch-divergence.json has.
llvm::Error addBranches(llvm::StringRef Json, ExecutedBranches &To);

} // namespace luthier::pgo

#endif // LUTHIER_PGO_KERNELBLOCKS_H
