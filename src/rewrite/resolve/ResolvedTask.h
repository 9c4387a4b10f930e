// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// First step of the pipeline: what a tool asked for, in terms of the kernel.
// Each request becomes one call for each insertion point that it comes down to,
// with the hook that its handle stands for and the values of its arguments
// there.
#ifndef LUTHIER_REWRITE_RESOLVE_RESOLVEDTASK_H
#define LUTHIER_REWRITE_RESOLVE_RESOLVEDTASK_H

#include "analysis/ArgumentValue.h"
#include "analysis/InsertionPoint.h"
#include "analysis/RegisterUse.h"
#include "hook/HookCompilers.h"
#include "luthier/InstrumentationTask.h"
#include "luthier/LiftedRepresentation.h"
#include "llvm/ADT/DenseMap.h"
#include <map>
#include <memory>
#include <vector>

namespace luthier {

/// A hook that the task uses.
struct UsedHook {
  HookReference Reference;
  llvm::SmallVector<HookParameter, 4> Parameters;
};

struct ResolvedCall {
  InsertionPoint Where;
  const void *Handle = nullptr; ///< Key in ResolvedTask::Hooks.
  llvm::SmallVector<ArgumentValue, 2> Arguments; ///< One for each parameter.
  /// Asked for wherever the kernel has hooks, if in less than that.
  detail::WorkgroupRange Workgroups = {};
  unsigned Tool = 0; ///< As HookReference has it.
};

struct ResolvedTask {
  std::map<const void *, UsedHook> Hooks;
  /// Those of one insertion point in the order in which they run.
  std::vector<ResolvedCall> Calls;
  /// One per tool module that is used.
  llvm::DenseMap<const HookModule *, std::shared_ptr<PayloadCompiler>>
      Compilers;
};

/// \p Use is what the kernel uses; \p LoadBias is added to linked addresses
/// that hooks get to see; \p Workgroups run instrumented code; \p Known are
/// compilers to use and to add to; \p Store may be null. Refuses with
/// UnknownHook, HookArguments, NoInsertionPoint and what \p Resolve refuses.
llvm::Expected<ResolvedTask>
resolveTask(const LiftedRepresentation &LR, const RegisterUse &Use,
            const InstrumentationTask &Task, HookResolver Resolve,
            uint64_t LoadBias, const detail::WorkgroupRange &Workgroups,
            HookCompilers &Known, PayloadStore *Store);

} // namespace luthier

#endif // LUTHIER_REWRITE_RESOLVE_RESOLVEDTASK_H
