// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a tool wants inserted, collected while it walks a LiftedRepresentation.
#ifndef LUTHIER_INSTRUMENTATIONTASK_H
#define LUTHIER_INSTRUMENTATIONTASK_H

#include "luthier/Export.h"
#include "luthier/HookArgument.h"
#include "luthier/detail/HookArguments.h"
#include "luthier/detail/TaskContents.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

namespace luthier {

/// What inserting a hook returns. It cannot fail, so nobody need look at it: a
/// hook that cannot run is a refusal of the kernel, when it is instrumented.
/// Converts to a success, for tools that were written when it was an
/// llvm::Error; `Wanted ? Task.insertHookBefore(MI, Hook) :
/// llvm::Error::success()` compiles too.
class Inserted {
public:
  Inserted() = default;
  Inserted(llvm::ErrorSuccess) {}
  operator llvm::Error() const { return llvm::Error::success(); }
  explicit operator bool() const { return false; }
};

/// Hooks are given as what LUTHIER_GET_HOOK_HANDLE returns, followed by an
/// argument for each parameter in braces: a number, a pointer, a structure of
/// the parameter's type, a register, or another HookArgument; or by a list of
/// HookArguments that was made at run time. Where nothing may
/// stand (inside a clause, a paired sequence or GPR-index mode) a hook runs at
/// the nearest legal place before, or for insertHookAfter() behind, that is
/// reached exactly as often and with the same EXEC; without one, the kernel is
/// refused with NoInsertionPoint.
class LUTHIER_API InstrumentationTask {
  template <typename H>
  using ArgumentsOf = typename detail::ArgumentsOf<H>::Type;

public:
  /// Each time control reaches \p MI, before it.
  template <typename H>
  Inserted insertHookBefore(const llvm::MachineInstr &MI, H Hook,
                            ArgumentsOf<H> Args = {}) {
    return add({.Kind = PointKind::BeforeInstruction, .MI = &MI}, Hook, Args);
  }
  /// Each time \p MI has run: after a call, when it has returned; after a
  /// branch, on each way it can take. There is no place after instructions that
  /// end the wave or leave the function.
  template <typename H>
  Inserted insertHookAfter(const llvm::MachineInstr &MI, H Hook,
                           ArgumentsOf<H> Args = {}) {
    return add({.Kind = PointKind::AfterInstruction, .MI = &MI}, Hook, Args);
  }
  /// Each time control reaches \p MBB, from wherever.
  template <typename H>
  Inserted insertHookAtBlockBegin(const llvm::MachineBasicBlock &MBB, H Hook,
                                  ArgumentsOf<H> Args = {}) {
    return add({.Kind = PointKind::BlockBegin, .Block = &MBB}, Hook, Args);
  }
  /// Each time control is about to leave \p MBB: before its branch, if it has
  /// one.
  template <typename H>
  Inserted insertHookAtBlockEnd(const llvm::MachineBasicBlock &MBB, H Hook,
                                ArgumentsOf<H> Args = {}) {
    return add({.Kind = PointKind::BlockEnd, .Block = &MBB}, Hook, Args);
  }
  /// Each time control goes from \p From to its successor \p To.
  template <typename H>
  Inserted insertHookOnEdge(const llvm::MachineBasicBlock &From,
                            const llvm::MachineBasicBlock &To, H Hook,
                            ArgumentsOf<H> Args = {}) {
    return add({.Kind = PointKind::Edge, .Block = &From, .To = &To}, Hook,
               Args);
  }
  /// Each time \p MF is entered; loops to its first block do not count.
  template <typename H>
  Inserted insertHookAtFunctionEntry(const llvm::MachineFunction &MF, H Hook,
                                     ArgumentsOf<H> Args = {}) {
    return add({.Kind = PointKind::FunctionEntry, .MF = &MF}, Hook, Args);
  }
  /// Before each return, tail call and end of the wave in \p MF. Jumps through
  /// registers to places that Luthier does not know count.
  template <typename H>
  Inserted insertHookAtFunctionExits(const llvm::MachineFunction &MF, H Hook,
                                     ArgumentsOf<H> Args = {}) {
    return add({.Kind = PointKind::FunctionExit, .MF = &MF}, Hook, Args);
  }
  /// Each time control goes to code that is not lifted by \p MI, a transfer
  /// that isUnresolved(): if that FollowsPointer, not where it goes to a
  /// function that was lifted, which costs nothing then. A call has written its
  /// return address already.
  template <typename H>
  Inserted insertHookOnLeaving(const llvm::MachineInstr &MI, H Hook,
                               ArgumentsOf<H> Args = {}) {
    return add({.Kind = PointKind::Leaving, .MI = &MI}, Hook, Args);
  }
  /// Once per wave, before anything else.
  template <typename H>
  Inserted insertHookAtKernelEntry(H Hook, ArgumentsOf<H> Args = {}) {
    return add({.Kind = PointKind::KernelEntry}, Hook, Args);
  }
  /// Before every s_endpgm, in all functions.
  template <typename H>
  Inserted insertHookAtEndpgm(H Hook, ArgumentsOf<H> Args = {}) {
    return add({.Kind = PointKind::Endpgm}, Hook, Args);
  }
  /// Once per wave, as the last thing that it does: before s_endpgm, and before
  /// it gives its registers back (MSG_DEALLOC_VGPRS).
  template <typename H>
  Inserted insertHookAtWaveEnd(H Hook, ArgumentsOf<H> Args = {}) {
    return add({.Kind = PointKind::WaveEnd}, Hook, Args);
  }

  /// Workgroups of other numbers (blockInDispatch(): from 0 on, x first) than
  /// \p First to \p Last run no hooks of this tool and, if no other tool wants
  /// them, the original's code; each wave finds that out when it begins, in
  /// some ten scalar instructions. docs/run.md says more. Not for files.
  void onlyInWorkgroups(uint32_t First, uint32_t Last) {
    Contents.Workgroups = {First, Last};
  }

private:
  friend detail::TaskContents &detail::contentsOf(InstrumentationTask &Task);

  Inserted add(detail::InsertionRequest Request, const void *Hook,
               llvm::ArrayRef<HookArgument> Args);

  detail::TaskContents Contents;
};

inline detail::TaskContents &detail::contentsOf(InstrumentationTask &Task) {
  return Task.Contents;
}

} // namespace luthier

#endif // LUTHIER_INSTRUMENTATIONTASK_H
