// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts for each number in a workgroup how many waves have it, behind the
// kernel's first wait and where waves end. No hook asks before, nor for the
// number of a workgroup.
#include "luthier/Mnemonic.h"
#include "luthier/luthier.h"
#include "llvm/ADT/StringRef.h"
#include <cstdio>

using namespace luthier;

constexpr unsigned MaxWaves = 32;
__attribute__((managed)) uint32_t First[MaxWaves], Last[MaxWaves];

MARK_LUTHIER_DEVICE_MODULE

LUTHIER_HOOK_ANNOTATE noteFirst() {
  luthier::waveAtomicAdd(&First[luthier::waveInGroup()], 1u);
}
LUTHIER_EXPORT_HOOK_HANDLE(noteFirst);
LUTHIER_HOOK_ANNOTATE noteLast() {
  luthier::waveAtomicAdd(&Last[luthier::waveInGroup()], 1u);
}
LUTHIER_EXPORT_HOOK_HANDLE(noteLast);

class LateNumbers : public Tool {
public:
  llvm::Error instrument(LiftedRepresentation &LR,
                         InstrumentationTask &Task) override {
    for (llvm::MachineInstr &MI : LR.instructions())
      if (llvm::StringRef(mnemonicOf(MI)).starts_with("s_wait")) {
        Task.insertHookAfter(MI, LUTHIER_GET_HOOK_HANDLE(noteFirst));
        break;
      }
    Task.insertHookAtWaveEnd(LUTHIER_GET_HOOK_HANDLE(noteLast));
    return llvm::Error::success();
  }
  void onExit() override {
    for (unsigned N = 0; N < MaxWaves && (First[N] || Last[N]); ++N)
      std::fprintf(stderr, "number %u: %u waves, %u at the end\n", N, First[N],
                   Last[N]);
  }
};
LUTHIER_TOOL(LateNumbers)
