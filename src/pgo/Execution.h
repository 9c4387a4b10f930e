// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the emulated GPU writes about a run (docs/emulator.md#statistics), read
// and added up over processes and devices.
#ifndef LUTHIER_PGO_EXECUTION_H
#define LUTHIER_PGO_EXECUTION_H

#include "codeobject/CodeObject.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MathExtras.h"
#include <cstdint>
#include <map>
#include <string>

namespace luthier::pgo {

/// What a kernel executed in all its dispatches.
struct ExecutedKernel {
  uint64_t Dispatches = 0;
  uint64_t WaveInstructions = 0, LaneInstructions = 0;
  uint64_t Cycles = 0; ///< Of the emulator's model.
};
/// By the kernel's symbol.
using ExecutedKernels = std::map<std::string, ExecutedKernel>;

/// Adds the statistics that one process wrote. Leaves out the kernels with
/// which the GPU runtime copies memory: they are not the program's.
llvm::Error addStatistics(llvm::StringRef Json, ExecutedKernels &To);

/// How often an instruction was executed by waves, and with how many active
/// lanes all together.
struct ExecutionCount {
  uint64_t Waves = 0, Lanes = 0;

  /// What does not fit stays the largest number: it is still hot.
  ExecutionCount &operator+=(const ExecutionCount &Other) {
    Waves = llvm::SaturatingAdd(Waves, Other.Waves);
    Lanes = llvm::SaturatingAdd(Lanes, Other.Lanes);
    return *this;
  }
  bool operator==(const ExecutionCount &) const = default;
};
/// By address as linked; only what was executed.
using CodeCounts = std::map<uint64_t, ExecutionCount>;

/// What the kernels of one code object executed, by their symbols.
using KernelCounts = std::map<std::string, CodeCounts>;

/// By the code object's digest: kernels of one name may be in several.
using ExecutedCode = std::map<std::string, KernelCounts>;

/// Adds the counts by instruction that one process wrote.
llvm::Error addCounts(llvm::StringRef Json, ExecutedCode &To);

/// Adds what `luthier exec --counts` wrote: a line for each instruction.
llvm::Error addExecCounts(llvm::StringRef Text, CodeCounts &To);

/// By the address of a call as linked, the functions that it went to.
using CallTargets = std::map<uint64_t, CodeCounts>;
/// By the code object's digest.
using ExecutedCalls = std::map<std::string, CallTargets>;

/// Adds the calls through pointers that the tool block-count found.
llvm::Error addCalls(llvm::StringRef Json, ExecutedCalls &To);

/// What the waves did at a load.
struct LoadCount {
  uint64_t Executed = 0; ///< With at least one active lane.
  uint64_t Agreed = 0;   ///< Those in which all active lanes had one address.
  uint64_t Lanes = 0;

  LoadCount &operator+=(const LoadCount &Other) {
    Executed += Other.Executed;
    Agreed += Other.Agreed;
    Lanes += Other.Lanes;
    return *this;
  }
};
/// By address as linked; also of loads that were not executed.
using LoadCounts = std::map<uint64_t, LoadCount>;
/// By the code object's digest and the kernel's symbol.
using ExecutedLoads = std::map<std::string, std::map<std::string, LoadCounts>>;

/// Adds the loads that the tool block-count counted.
llvm::Error addLoads(llvm::StringRef Json, ExecutedLoads &To);

/// Kernels that a tool could not put its hooks into, or whose counts do not fit
/// into its counters: by the digest of their code and their symbol, why.
using UncountedKernels =
    std::map<std::pair<std::string, std::string>, std::string>;

/// Adds those of the report that the tool block-count wrote.
llvm::Error addUncounted(llvm::StringRef Json, UncountedKernels &To);
/// Likewise, those whose counts it knows not to be right.
llvm::Error addOverflown(llvm::StringRef Json, UncountedKernels &To);

/// Whether a process that ended so, as reports say it, may have been in the
/// middle of its work.
bool isAbrupt(llvm::StringRef Ended);

/// What the tool block-count says of the process that it ran in.
struct ReportOrigin {
  int64_t Process;
  std::string Ended; ///< Empty for exit().

  /// Written before the end, for a process that is killed.
  bool isInBetween() const {
    return llvm::StringRef(Ended).starts_with("not yet");
  }
};
llvm::Expected<ReportOrigin> originOf(llvm::StringRef Json);

/// By which the emulator names linked code in its counts; empty if \p Elf is
/// none.
std::string digestOf(llvm::ArrayRef<uint8_t> Elf);
inline std::string digestOf(const CodeObject &Object) {
  return digestOf(Object.bytes());
}

/// Of all kernels together.
CodeCounts sumOf(const KernelCounts &Kernels);

} // namespace luthier::pgo

#endif // LUTHIER_PGO_EXECUTION_H
