// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages of the runtime. Each is one write of one line, so that it stays
// whole between lines of the application.
#ifndef LUTHIER_RUNTIME_LOG_H
#define LUTHIER_RUNTIME_LOG_H

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include <csignal>

namespace luthier::runtime {

/// To stderr, in one write where the system allows that. Never ends the
/// process, also if nobody reads; false if the text has not got through. May be
/// called in signal handlers.
bool writeLine(llvm::StringRef Text);

/// While it lives, writing to what nobody reads ends nothing in this thread.
class SigpipeBlocked {
public:
  SigpipeBlocked();
  ~SigpipeBlocked();
  SigpipeBlocked(const SigpipeBlocked &) = delete;
  SigpipeBlocked &operator=(const SigpipeBlocked &) = delete;

private:
  sigset_t Before;
  bool WasPending = false;
};

/// True for LUTHIER_LOG=debug. Ask before composing an expensive message.
bool isDebugLogging();

/// For what a user should know of.
void logWarning(const llvm::Twine &Message);

/// For what only somebody who looks for a fault wants to see.
void logDebug(const llvm::Twine &Message);

} // namespace luthier::runtime

#endif // LUTHIER_RUNTIME_LOG_H
