// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tool that gives its hook a text of the host, which no device can read.
#include "luthier/luthier.h"

MARK_LUTHIER_DEVICE_MODULE
__attribute__((managed)) uint64_t Letters;

LUTHIER_HOOK_ANNOTATE addLetter(const char *Text) {
  atomicAdd(&Letters, *Text);
}
LUTHIER_EXPORT_HOOK_HANDLE(addLetter);

struct GivesText : luthier::Tool {
  llvm::Error instrument(luthier::LiftedRepresentation &LR,
                         luthier::InstrumentationTask &Task) override {
    return Task.insertHookAtKernelEntry(LUTHIER_GET_HOOK_HANDLE(addLetter),
                                        {"text"});
  }
};
LUTHIER_TOOL(GivesText)
