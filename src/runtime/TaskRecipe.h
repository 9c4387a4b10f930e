// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a tool has put into a kernel, in a form that outlives the lifted kernel
// that it was shown: for versions with the hooks of several tools.
#ifndef LUTHIER_RUNTIME_TASKRECIPE_H
#define LUTHIER_RUNTIME_TASKRECIPE_H

#include "luthier/InstrumentationTask.h"
#include "luthier/LiftedRepresentation.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include <vector>

namespace luthier::runtime {

class TaskRecipe {
public:
  /// \p LR is what the tool was shown. Keeps where it has inserted by number:
  /// lifting a kernel again gives the same functions, blocks and instructions.
  static TaskRecipe of(const InstrumentationTask &Task,
                       const LiftedRepresentation &LR);

  /// Asks \p Task for the same in \p LR, the same kernel lifted anew, behind
  /// what it has. Fails if the tool has changed the kernel's code or given
  /// arguments that belong to the kernel it saw.
  llvm::Error addTo(InstrumentationTask &Task, LiftedRepresentation &LR) const;
  /// Of any of its hooks.
  bool hasHook(llvm::function_ref<bool(const void *)> IsIt) const;
  /// addTo() can succeed.
  bool isRepeatable() const { return !IsEdited && !HasForeignArguments; }

private:
  struct Request {
    PointKind Kind;
    unsigned MI, Block, To, MF; ///< None if there is none.
    const void *Hook;
    unsigned FirstArgument, NumArguments; ///< In Arguments.
  };
  static constexpr unsigned None = ~0u;

  std::vector<Request> Requests;
  std::vector<HookArgument> Arguments;
  detail::WorkgroupRange Workgroups;
  detail::SelfTest Test;
  bool IsEdited = false, HasForeignArguments = false;
};

} // namespace luthier::runtime

#endif // LUTHIER_RUNTIME_TASKRECIPE_H
