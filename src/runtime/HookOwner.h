// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What hooks come from, where that may go while kernels with them run.
#ifndef LUTHIER_RUNTIME_HOOKOWNER_H
#define LUTHIER_RUNTIME_HOOKOWNER_H

#include "hook/HookModule.h"
#include "luthier/Refusal.h"
#include <atomic>
#include <memory>

namespace luthier::runtime {

/// Shared by all that needs its code and variables to stay.
struct HookOwner {
  /// Nothing new may use it.
  std::atomic<bool> IsUnloaded = false;
};

/// A hook that is gone. Says nothing of what a tool asks for next time.
class UnloadedHook : public llvm::ErrorInfo<UnloadedHook, Refusal> {
public:
  static char ID;
  explicit UnloadedHook(const llvm::Twine &Detail)
      : ErrorInfo(RefusalReason::UnknownHook, Detail) {}
};

/// A hook, and what keeps it: null where that stays as long as the process.
struct ResolvedHook : HookReference {
  ResolvedHook(HookReference Hook,
               std::shared_ptr<const HookOwner> Owner = nullptr)
      : HookReference(std::move(Hook)), Owner(std::move(Owner)) {}
  std::shared_ptr<const HookOwner> Owner;
};

} // namespace luthier::runtime

#endif // LUTHIER_RUNTIME_HOOKOWNER_H
