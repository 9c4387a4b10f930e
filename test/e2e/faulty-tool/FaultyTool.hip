// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A hook that writes where nothing is mapped, at the end of every kernel. The
// line in which it does matters to the test.
#include "luthier/luthier.h"

using namespace luthier;

MARK_LUTHIER_DEVICE_MODULE

LUTHIER_HOOK_ANNOTATE writeNowhere(uint64_t Where) {
  *reinterpret_cast<volatile uint32_t *>(Where) = 1;
}
LUTHIER_EXPORT_HOOK_HANDLE(writeNowhere);

struct FaultyTool : Tool {
  llvm::Error instrument(LiftedRepresentation &LR,
                         InstrumentationTask &Task) override {
    return Task.insertHookAtEndpgm(LUTHIER_GET_HOOK_HANDLE(writeNowhere),
                                   {uint64_t(0x123456789000)});
  }
};
LUTHIER_TOOL(FaultyTool)
