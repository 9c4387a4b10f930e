// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The engine on files: a code object in, one out that holds the original's
// kernels and their instrumented versions. Knows nothing of HSA or of a device.
#ifndef LUTHIER_OFFLINE_FILEINSTRUMENTATION_H
#define LUTHIER_OFFLINE_FILEINSTRUMENTATION_H

#include "codeobject/TargetID.h"
#include "luthier/Offline.h"
#include "rewrite/Instrumenter.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace luthier {
class CodeObject;

namespace offline {

/// What the tools of this process do and have.
struct LoadedTools {
  llvm::function_ref<llvm::Error(LiftedRepresentation &, InstrumentationTask &)>
      Instrument;
  /// The hook that a handle stands for, as code of a target.
  llvm::function_ref<llvm::Expected<HookReference>(const void *Handle,
                                                   const TargetID &)>
      Resolve;
  /// A tool's own code, of a module that Resolve gave.
  llvm::function_ref<const luthier::CodeObject *(const HookModule &)> CodeOf;
};

/// See instrument(). Of \p Options, Offline and LinkedAt are set here, for each
/// kernel; ApplicationStack is what every launch gives, or 0: then the
/// descriptor says what there is, unless the stack is dynamic.
llvm::Expected<Result>
instrumentFile(llvm::ArrayRef<uint8_t> CodeObject,
               llvm::function_ref<bool(llvm::StringRef Kernel)> IsWanted,
               const LoadedTools &Tools, const InstrumenterOptions &Options);

} // namespace offline
} // namespace luthier

#endif // LUTHIER_OFFLINE_FILEINSTRUMENTATION_H
