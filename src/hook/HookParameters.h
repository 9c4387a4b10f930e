// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a hook takes, as whoever passes arguments needs it.
#ifndef LUTHIER_HOOK_HOOKPARAMETERS_H
#define LUTHIER_HOOK_HOOKPARAMETERS_H

#include "hook/HookModule.h"
#include "hook/ir/ConstantUse.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include <string>

namespace llvm {
class Module;
} // namespace llvm

namespace luthier {

/// A hook's parameter, or 64 bits of it, as far as passing arguments goes.
struct HookParameter {
  unsigned Bits = 0;                         ///< 1 to 64.
  unsigned Align = 1;                        ///< In bytes, of the whole.
  const llvm::fltSemantics *Float = nullptr; ///< Of a floating-point number.
  /// Further bits of the parameter before it.
  bool IsContinued = false;
  /// Every value needs a compilation of its own.
  bool MustBeConstant = false;
  ConstantUse Use = ConstantUse::Any;
  bool IsPointer = false;
  /// Of the whole, for messages: "an integer of 4 bytes".
  std::string Text;
};

/// Of \p Hook in \p M, which was parsed of \p Hooks. Refuses with UnknownHook,
/// and with UnsupportedHook what cannot be passed.
llvm::Expected<llvm::SmallVector<HookParameter, 4>>
parametersOf(llvm::Module &M, llvm::StringRef Hook, const HookModule &Hooks);

} // namespace luthier

#endif // LUTHIER_HOOK_HOOKPARAMETERS_H
