// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tool that throws an exception in the callback that THROWS_IN names.
#include "luthier/luthier.h"
#include <cstdlib>
#include <stdexcept>
#include <string>

MARK_LUTHIER_DEVICE_MODULE
__attribute__((managed)) uint64_t Waves;

LUTHIER_HOOK_ANNOTATE countWave() { luthier::waveAtomicAdd(&Waves, 1); }
LUTHIER_EXPORT_HOOK_HANDLE(countWave);

class ThrowsExceptions : public luthier::Tool {
  void throwIf(const char *Callback) {
    const char *Chosen = std::getenv("THROWS_IN");
    if (Chosen && std::string(Chosen) == Callback)
      throw std::runtime_error("nobody expects this");
  }

public:
  ThrowsExceptions() { throwIf("constructor"); }
  llvm::Error instrument(luthier::LiftedRepresentation &,
                         luthier::InstrumentationTask &Task) override {
    Task.insertHookAtKernelEntry(LUTHIER_GET_HOOK_HANDLE(countWave));
    throwIf("instrument");
    return llvm::Error::success();
  }
  void onDispatch(luthier::KernelDispatch &Dispatch) override {
    Tool::onDispatch(Dispatch);
    throwIf("onDispatch");
  }
  void onComplete(const luthier::KernelDispatch &) override {
    throwIf("onComplete");
  }
  void onCodeObjectLoaded(const luthier::hsa::LoadedCodeObject &) override {
    throwIf("onCodeObjectLoaded");
  }
  void report(llvm::raw_ostream &OS) override {
    throwIf("report");
    OS << "waves: " << Waves << '\n';
  }
};
LUTHIER_TOOL(ThrowsExceptions)
