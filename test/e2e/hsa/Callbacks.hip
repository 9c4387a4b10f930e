// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Says "wrong:" if a callback comes when it must not, or what its kernel left
// cannot be read; and how many there were. With MAKE_QUEUES set, onComplete()
// makes a queue and destroys it, and kernels run unchanged: exit waits for
// nothing but the callbacks.
#include "luthier/MachineIR.h"
#include "luthier/luthier.h"
#include <cstdlib>
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
  const bool MakesQueues = std::getenv("MAKE_QUEUES");
  std::mutex Lock;
  struct Launched {
    uint64_t Waves, KernelObject;
  };
  std::map<uint64_t, Launched> Waiting;           ///< By dispatch.
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
    for (auto &[Id, Launch] : Waiting)
      if (Kernels[Object.address()].count(Launch.KernelObject))
        wrong("unloaded before its kernel's end was told");
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
      Waiting[Dispatch.Id] = {Groups * ((P.workgroup_size_x + 63) / 64),
                              Dispatch.Kernel.kernelObject()};
    }
    if (!MakesQueues)
      Tool::onDispatch(Dispatch);
  }

  void makeQueue(hsa_agent_t Agent) {
    hsa_queue_t *Queue = nullptr;
    if (hsa_queue_create(Agent, 64, HSA_QUEUE_TYPE_MULTI, nullptr, nullptr,
                         UINT32_MAX, UINT32_MAX, &Queue) != HSA_STATUS_SUCCESS)
      return wrong("a callback cannot make a queue");
    if (hsa_queue_destroy(Queue) != HSA_STATUS_SUCCESS)
      wrong("a callback cannot destroy a queue");
  }

  void onComplete(const KernelDispatch &Dispatch) override {
    if (MakesQueues)
      makeQueue(Dispatch.Kernel.agent());
    std::lock_guard Guard(Lock);
    auto It = Waiting.find(Dispatch.Id);
    if (It == Waiting.end())
      return wrong("completed twice, or never dispatched");
    ++Completed;
    const uint64_t NumWaves = It->second.Waves;
    Waiting.erase(It);
    if (MakesQueues)
      return;
    Expected += NumWaves;
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
