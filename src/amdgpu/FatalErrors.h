// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What LLVM ends processes for.
#ifndef LUTHIER_AMDGPU_FATALERRORS_H
#define LUTHIER_AMDGPU_FATALERRORS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include <optional>
#include <string>

namespace luthier::amdgpu {

/// Runs \p Work. If LLVM meets a fatal error in it, such as an operation that
/// it cannot select instructions for, \p Work ends there and the result is what
/// LLVM says. Nothing is unwound then: what \p Work has made is neither
/// destroyed nor fit to be used or destroyed, and it must hold no lock.
///
/// A process has one handler of such errors for each copy of LLVM. While
/// \p Work runs it is Luthier's, for which errors of other threads are as fatal
/// as without it; afterwards there is none, also if the application had one.
std::optional<std::string> runUntilFatalError(llvm::function_ref<void()> Work);

} // namespace luthier::amdgpu

#endif // LUTHIER_AMDGPU_FATALERRORS_H
