// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Says "wrong:" if a callback comes when it must not, or what its kernel left
// cannot be read; and how many there were.
#include "luthier/luthier.h"
#include <map>
#include <mutex>
#include <set>
#include <thread>

using namespace luthier;

MARK_LUTHIER_DEVICE_MODULE
__attribute__((managed)) uint64_t Waves;

LUTHIER_HOOK_ANNOTATE countWave() { luthier::waveAtomicAdd(&Waves, 1); }
LUTHIER_EXPORT_HOOK_HANDLE(countWave);

class Callbacks : public Tool {
  std::mutex Lock;
  std::map<uint64_t, uint64_t> Waiting; ///< Packets' waves by dispatch.
  std::map<uint64_t, std::set<uint64_t>> Kernels; ///< By address of the code.
  uint64_t Dispatches = 0, Completed = 0, Expected = 0;
  unsigned Loaded = 0, Unloaded = 0;

  void wrong(const char *What) { llvm::errs() << "wrong: " << What << '\n'; }

  llvm::Error instrument(LiftedRepresentation &LR,
                         InstrumentationTask &Task) override {
    if (LR.processor() != "gfx90a" || LR.kernelName() != LR.kernel().getName())
      wrong("another processor or kernel");
    if (LR.instructions().begin() == LR.instructions().end())
      wrong("no instructions");
    Task.insertHookAtKernelEntry(LUTHIER_GET_HOOK_HANDLE(countWave));
    return llvm::Error::success();
  }

  void onCodeObjectLoaded(const hsa::LoadedCodeObject &Object) override {
    std::lock_guard Guard(Lock);
    ++Loaded;
    for (const hsa::LoadedCodeObjectKernel &Kernel : Object.kernels())
      Kernels[Object.address()].insert(Kernel.kernelObject());
  }

  void onCodeObjectUnloaded(const hsa::LoadedCodeObject &Object) override {
    std::lock_guard Guard(Lock);
    ++Unloaded;
    if (!Kernels.erase(Object.address()))
      wrong("unloaded, but never loaded");
  }

  void onDispatch(KernelDispatch &Dispatch) override {
    {
      std::lock_guard Guard(Lock);
      bool IsKnown = false;
      for (auto &[Address, Objects] : Kernels)
        IsKnown |= Objects.count(Dispatch.Kernel.kernelObject());
      if (!IsKnown)
        wrong("dispatched, but never loaded");
      ++Dispatches;
      const hsa_kernel_dispatch_packet_t &P = Dispatch.Packet;
      const uint64_t Groups =
          (P.grid_size_x + P.workgroup_size_x - 1) / P.workgroup_size_x;
      Waiting[Dispatch.Id] = Groups * ((P.workgroup_size_x + 63) / 64);
    }
    Tool::onDispatch(Dispatch);
  }

  void onComplete(const KernelDispatch &Dispatch) override {
    std::lock_guard Guard(Lock);
    auto It = Waiting.find(Dispatch.Id);
    if (It == Waiting.end())
      return wrong("completed twice, or never dispatched");
    ++Completed;
    Expected += It->second;
    Waiting.erase(It);
    // Other queues may have counted more.
    uint64_t Now = 0;
    if (llvm::Error E = readVariable(Waves, Dispatch.Kernel.agent(), Now))
      wrong(llvm::toString(std::move(E)).c_str());
    if (Now < Expected)
      wrong("the kernel has not done its work");
  }

  void report(llvm::raw_ostream &OS) override {
    std::lock_guard Guard(Lock);
    OS << Dispatches << " dispatches, " << Completed << " completed, "
       << (Waiting.empty() ? "none missing" : "some missing") << ", " << Loaded
       << " loaded, " << Unloaded << " unloaded\n";
    if (Waves != Expected)
      wrong("not all waves were seen");
  }
};
LUTHIER_TOOL(Callbacks)
