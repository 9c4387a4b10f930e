// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the variables of a tool are, for its hooks.
#ifndef LUTHIER_HOOK_IR_VARIABLES_H
#define LUTHIER_HOOK_IR_VARIABLES_H

#include "hook/Payload.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/Error.h"

namespace llvm {
class CallInst;
class Constant;
class Function;
class GlobalVariable;
class Module;
} // namespace llvm

namespace luthier {

/// Gives variables of \p M their addresses: every reference becomes a constant.
/// Shared memory is left alone, and all others if \p Hooks has no addresses.
/// Refuses variables that the tool's code object does not define.
llvm::Error bindVariables(llvm::Module &M, const HookModule &Hooks);

/// Shared memory variables of \p M with the offset of each from the module's
/// first one. Refuses those without a size of their own.
struct SharedMemory {
  llvm::SmallVector<std::pair<llvm::GlobalVariable *, unsigned>, 4> Variables;
  unsigned Bytes = 0, Align = 1;
};
llvm::Expected<SharedMemory> sharedMemoryOf(llvm::Module &M);

/// Replaces references to shared memory by an address below
/// StateValue::LdsBase, and to variables without address by literals that are
/// filled in later.
llvm::Error lowerVariables(llvm::Function &F, const SharedMemory &Shared,
                           const PayloadABI &ABI, Payload &Result);

/// Numbers of the wave-private counters that the payloads name, by what stands
/// for their variable after binding.
using Counters = llvm::MapVector<const llvm::Value *, unsigned>;

/// Adds those of \p F. Refuses counters that are not variables.
llvm::Error collectCounters(const llvm::Function &F, Counters &Known);

/// The variable that \p Call of waveAdd or waveCounter names, as in Counters.
const llvm::Value *counterOf(const llvm::CallInst &Call);

} // namespace luthier

#endif // LUTHIER_HOOK_IR_VARIABLES_H
