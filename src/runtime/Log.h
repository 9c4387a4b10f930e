// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages of the runtime. Each is one write of one line, so that it stays
// whole between lines of the application.
#ifndef LUTHIER_RUNTIME_LOG_H
#define LUTHIER_RUNTIME_LOG_H

#include "llvm/ADT/Twine.h"

namespace luthier::runtime {

/// True for LUTHIER_LOG=debug. Ask before composing an expensive message.
bool isDebugLogging();

/// For what a user should know of.
void logWarning(const llvm::Twine &Message);

/// For what only somebody who looks for a fault wants to see.
void logDebug(const llvm::Twine &Message);

} // namespace luthier::runtime

#endif // LUTHIER_RUNTIME_LOG_H
