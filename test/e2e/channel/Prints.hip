// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hooks that print, in programs that do not.
#include "luthier/Print.h"
#include "luthier/luthier.h"
#include <cassert>

using namespace luthier;

MARK_LUTHIER_DEVICE_MODULE

LUTHIER_HOOK_ANNOTATE sayAll(uint32_t Block) {
  const uint32_t Lane = __lane_id();
  const float Half = Lane * 0.5f;
  printf("lane %u of block %d: %.2f %s %#llx %c%%\n", Lane, -int(Block), Half,
         Lane % 2 ? "odd" : "even", 0x123456789abull + Lane, 'a' + Lane % 26);
}
LUTHIER_EXPORT_HOOK_HANDLE(sayAll);

LUTHIER_HOOK_ANNOTATE sayMany() {
  if (__lane_id() == 3)
    printf("%d %d %d %d %d %d %d %d %d\n", 1, 2, 3, 4, 5, 6, 7, 8, 9);
  if (__lane_id() == 0)
    printf("no arguments\n");
}
LUTHIER_EXPORT_HOOK_HANDLE(sayMany);

LUTHIER_HOOK_ANNOTATE insist() { assert(__lane_id() < 30); }
LUTHIER_EXPORT_HOOK_HANDLE(insist);

static Option<std::string> What("what", "all", "", {"all", "many", "assert"});

struct Prints : Tool {
  llvm::Error instrument(LiftedRepresentation &LR,
                         InstrumentationTask &Task) override {
    if (*What == "all")
      Task.insertHookAtKernelEntry(LUTHIER_GET_HOOK_HANDLE(sayAll), {7u});
    else if (*What == "many")
      Task.insertHookAtKernelEntry(LUTHIER_GET_HOOK_HANDLE(sayMany));
    else
      Task.insertHookAtKernelEntry(LUTHIER_GET_HOOK_HANDLE(insist));
    return llvm::Error::success();
  }
};
LUTHIER_TOOL(Prints)
