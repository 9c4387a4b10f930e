// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tool whose report is longer than what a pipe holds; with TELLS_FOR_EVER
// set, it never comes to an end.
#include "luthier/luthier.h"
#include <cstdlib>
#include <unistd.h>

MARK_LUTHIER_DEVICE_MODULE

struct TellsMuch : luthier::Tool {
  void onDispatch(luthier::KernelDispatch &) override {}
  void report(llvm::raw_ostream &OS) override {
    while (std::getenv("TELLS_FOR_EVER"))
      ::pause();
    for (int N = 0; N != 10000; ++N)
      OS << "line " << N << " of " << ::getpid() << '\n';
  }
};
LUTHIER_TOOL(TellsMuch)
