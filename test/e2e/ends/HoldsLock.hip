// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tool in whose second onDispatch(), which holds the tool's lock, somebody
// asks the process to end.
#include "luthier/luthier.h"
#include <csignal>
#include <mutex>
#include <unistd.h>

MARK_LUTHIER_DEVICE_MODULE

class HoldsLock : public luthier::Tool {
  std::mutex Lock;
  unsigned Dispatches = 0;

  void onDispatch(luthier::KernelDispatch &) override {
    std::lock_guard Guard(Lock);
    if (++Dispatches == 2)
      ::kill(::getpid(), SIGTERM);
  }
  void report(llvm::raw_ostream &OS) override {
    std::lock_guard Guard(Lock);
    // The program may get as far as its third before it is stopped.
    OS << "the second dispatch was "
       << (Dispatches < 2 ? "not seen\n" : "seen\n");
  }
};
LUTHIER_TOOL(HoldsLock)
