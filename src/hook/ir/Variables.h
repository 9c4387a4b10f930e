// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the variables of a tool are, for its hooks.
#ifndef LUTHIER_HOOK_IR_VARIABLES_H
#define LUTHIER_HOOK_IR_VARIABLES_H

#include "hook/PassContext.h"
#include <optional>

namespace llvm {
class CallInst;
class Function;
class Module;
} // namespace llvm

namespace luthier {

/// What \p M calls \p Symbol, in global memory; declared if need be.
llvm::GlobalVariable &variableNamed(llvm::Module &M, llvm::StringRef Symbol);

/// Where a managed variable of \p M is becomes a symbol, unless that is to be
/// read when the payload runs (HookModule::SymbolicVariables). Refuses
/// variables that the tool's code object does not define.
llvm::Error bindVariables(llvm::Module &M, const HookModule &Hooks);

bool isSharedMemory(const llvm::GlobalVariable &G);

struct SharedSize {
  unsigned Bytes, Align;
};
/// Refuses variables without a size of their own.
llvm::Expected<SharedSize> sharedSizeOf(const llvm::GlobalVariable &G);

/// Shared memory variables of \p M that are used. Refuses those without a size
/// of their own.
llvm::Expected<SharedMemory> sharedMemoryOf(llvm::Module &M);

/// Replaces references to variables. Expects PassContext::Shared to be of the
/// function's module. Leaves, for shared memory, an address made from
/// StateValue::LdsBase, and for other variables placeholders of literals that
/// are filled in later (VariableAddresses.h); where a managed variable is that
/// has no symbol comes from a scalar load.
class VariablePass : public IRPass {
public:
  llvm::StringRef name() const override { return "variables"; }
  llvm::Error run(llvm::Function &F, PassContext &C) override;
};

/// Adds those of \p F. Refuses counters that are not variables.
llvm::Error collectCounters(const llvm::Function &F, Counters &Known);

/// The variable, or part of one, that \p Call of waveAdd or waveCounter names.
std::optional<CounterKey> counterOf(const llvm::CallInst &Call);

/// The counter that \p Half, which waveSetHalf names, is a half of: the one
/// with the same offset, or with a smaller one.
CounterKey wholeOf(CounterKey Half);

/// The second counter of one that waveAddWide adds to.
CounterKey carriesOf(CounterKey Wide);

} // namespace luthier

#endif // LUTHIER_HOOK_IR_VARIABLES_H
