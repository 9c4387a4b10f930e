// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asks for nothing but the workgroup's memory, behind the kernel's first wait:
// each wave stores a word there, and finds it where it ends.
#include "luthier/Mnemonic.h"
#include "luthier/luthier.h"
#include "llvm/ADT/StringRef.h"
#include <cstdio>

using namespace luthier;

__attribute__((managed)) uint32_t Stored, Found, Offsets;

MARK_LUTHIER_DEVICE_MODULE

using Word = __attribute__((address_space(3))) uint32_t;
constexpr uint32_t Mark = 0x5eed;

LUTHIER_HOOK_ANNOTATE store() {
  if (__lane_id() == 0)
    *reinterpret_cast<Word *>(luthier::groupMemory()) = Mark;
  luthier::waveAtomicAdd(&Stored, 1u);
  luthier::waveAtomicAdd(&Offsets, luthier::groupMemory());
}
LUTHIER_EXPORT_HOOK_HANDLE(store);
LUTHIER_HOOK_ANNOTATE find() {
  if (__lane_id() == 0 &&
      *reinterpret_cast<Word *>(luthier::groupMemory()) == Mark)
    atomicAdd(&Found, 1u);
}
LUTHIER_EXPORT_HOOK_HANDLE(find);

class LateGroupMemory : public Tool {
public:
  llvm::Error instrument(LiftedRepresentation &LR,
                         InstrumentationTask &Task) override {
    for (llvm::MachineInstr &MI : LR.instructions())
      if (llvm::StringRef(mnemonicOf(MI)).starts_with("s_wait")) {
        Task.insertHookAfter(MI, LUTHIER_GET_HOOK_HANDLE(store));
        break;
      }
    Task.insertHookAtWaveEnd(LUTHIER_GET_HOOK_HANDLE(find));
    return llvm::Error::success();
  }
  void onDispatch(KernelDispatch &Dispatch) override {
    Dispatch.GroupBytes = sizeof(uint32_t);
    Tool::onDispatch(Dispatch);
  }
  void onExit() override {
    const uint32_t Begin = Stored ? Offsets / Stored : 0;
    std::fprintf(stderr, "%u waves stored, %u found, %s byte %u\n", Stored,
                 Found, Begin * Stored == Offsets ? "all at" : "not all at",
                 Begin);
  }
};
LUTHIER_TOOL(LateGroupMemory)
