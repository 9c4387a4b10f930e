// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shorthands for llvm::Error in a tool's host code.
#ifndef LUTHIER_ERROR_H
#define LUTHIER_ERROR_H

#include "luthier/detail/HipMacros.h"
#include "llvm/Support/Error.h"

/// Leaves the function with the error that \p Expression gives, if any.
#define LUTHIER_RETURN_ON_ERROR(Expression)                                    \
  do {                                                                         \
    if (::llvm::Error LuthierError = (Expression))                             \
      return LuthierError;                                                     \
  } while (false)

/// Ends the process if \p Expression gives an error. Only for programs of which
/// Luthier is the purpose: a tool should use reportRefusal() and let the
/// application run.
#define LUTHIER_REPORT_FATAL_ON_ERROR(Expression)                              \
  do {                                                                         \
    if (::llvm::Error LuthierError = (Expression))                             \
      ::llvm::report_fatal_error(std::move(LuthierError), false);              \
  } while (false)

#endif // LUTHIER_ERROR_H
