// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exceptions end at Luthier: the application does not know of the tool that
// throws them.
#ifndef LUTHIER_RUNTIME_TOOLEXCEPTIONS_H
#define LUTHIER_RUNTIME_TOOLEXCEPTIONS_H

#include "luthier/Tool.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include <cxxabi.h>
#include <string>

namespace luthier::runtime {

/// The library that \p Address or a tool belongs to, for messages.
std::string fileNameOf(const void *Address);
std::string nameOf(const Tool *T);

/// \p What with the exception that is being handled: "... threw
/// std::runtime_error: its text".
llvm::Error currentException(const llvm::Twine &What);

/// Runs \p Call, which returns an llvm::Error. An exception becomes one, which
/// says that what \p What returns threw it.
template <typename Naming, typename Callable>
llvm::Error withoutExceptions(Naming What, Callable Call) {
  try {
    return Call();
  } catch (abi::__forced_unwind &) {
    throw; // The thread ends.
  } catch (...) {
    return currentException(What());
  }
}

} // namespace luthier::runtime

#endif // LUTHIER_RUNTIME_TOOLEXCEPTIONS_H
