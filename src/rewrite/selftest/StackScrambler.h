// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Overwrites the stack of hooks between them, where nobody keeps anything: a
// kernel and tools that still compute the same show that its frames overlap
// neither the application's nor what the engine has put aside.
#ifndef LUTHIER_REWRITE_SELFTEST_STACKSCRAMBLER_H
#define LUTHIER_REWRITE_SELFTEST_STACKSCRAMBLER_H

#include "hook/HookModule.h"
#include "luthier/InstrumentationTask.h"
#include "luthier/LiftedRepresentation.h"

namespace luthier {

/// A hook that fills its frame of 64 bytes, in all lanes, with what it is
/// given, and a task that runs it besides the hooks of another one: where a
/// block begins and before about every eighth instruction, as far as hooks may
/// stand there.
class StackScrambler {
public:
  StackScrambler(const LiftedRepresentation &LR,
                 const InstrumentationTask &Task, uint64_t Seed);

  const InstrumentationTask &task() const { return Task; }
  /// The hook if \p Handle stands for it, or what \p Others finds.
  llvm::Expected<HookReference> resolve(const void *Handle,
                                        HookResolver Others) const;

private:
  HookModule Module;
  InstrumentationTask Task;
};

} // namespace luthier

#endif // LUTHIER_REWRITE_SELFTEST_STACKSCRAMBLER_H
