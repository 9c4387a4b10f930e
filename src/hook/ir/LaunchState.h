// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a kernel finds in its registers when it starts, for hooks that run when
// those have long been overwritten.
#ifndef LUTHIER_HOOK_IR_LAUNCHSTATE_H
#define LUTHIER_HOOK_IR_LAUNCHSTATE_H

#include "hook/PassContext.h"
#include <optional>

namespace llvm {
class CallInst;
class Instruction;
} // namespace llvm

namespace luthier {

/// One of the arguments that a load from the implicit ones reads.
struct HiddenArgumentLoad {
  HiddenArgument Argument;
  int Distance; ///< Of its first byte from the load's.
};

/// Which hidden arguments lie in the \p Bytes from \p Offset on, counted from
/// the implicit argument pointer, as code of \p Version (400 or 500 and up)
/// sees them. Optimisers join loads of neighbours.
llvm::SmallVector<HiddenArgumentLoad, 1>
hiddenArgumentsAt(int64_t Offset, unsigned Bytes, unsigned Version);

/// The code object version that \p F was compiled for.
unsigned codeObjectVersion(const llvm::Function &F);

/// Loads of \p Pointer, a call of llvm.amdgcn.implicitarg.ptr, at constant
/// offsets, each with its offset. \p HasOtherReads: there may be some that are
/// not at constant offsets.
llvm::SmallVector<std::pair<llvm::Instruction *, int64_t>, 4>
loadsFrom(llvm::CallInst &Pointer, bool &HasOtherReads);

/// What calls of launch state intrinsics read; nothing for other calls.
struct LaunchValue {
  bool WorkItemIds = false;
  std::optional<StateValue> State;
};
std::optional<LaunchValue> launchValueOf(const llvm::CallInst &Call);

/// Replaces calls of launch state intrinsics: ids, pointers, kernel arguments.
/// Expects loads from the implicit arguments at constant offsets (see
/// ImplicitLoads.h). Leaves reads of lanes of the state value array and of the
/// work-item ids, and loads that go to where the kernel has its implicit
/// arguments. Refuses what the ABI does not provide.
class LaunchStatePass : public IRPass {
public:
  llvm::StringRef name() const override { return "launch-state"; }
  llvm::Error run(llvm::Function &F, PassContext &C) override;
};

} // namespace luthier

#endif // LUTHIER_HOOK_IR_LAUNCHSTATE_H
