// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts the instructions that each kernel's waves execute, by hooks that need
// all that instrumentation has to provide: launch state, work-item ids, and a
// local array at an index that only shows at run time. For storage.py.
#include "luthier/luthier.h"
#ifndef __HIP_DEVICE_COMPILE__
#include "luthier/MachineIR.h"
#include "llvm/Support/JSON.h"
#include <map>
#include <mutex>
#endif

using namespace luthier;

constexpr size_t MaxKernels = 4096;
__attribute__((managed)) uint64_t Counts[MaxKernels];

MARK_LUTHIER_DEVICE_MODULE

LUTHIER_HOOK_ANNOTATE countInstruction(uint32_t Slot) {
  uint64_t ActiveLanes = __builtin_amdgcn_read_exec();
  luthier::writeExec(1);
  volatile uint32_t Local[4];
  const uint32_t At = (blockIdx.x + threadIdx.x) & 3;
  Local[At] = Slot;
  atomicAdd(&Counts[Local[At]], 1);
  luthier::writeExec(ActiveLanes);
}
LUTHIER_EXPORT_HOOK_HANDLE(countInstruction);

#ifndef __HIP_DEVICE_COMPILE__
class StateCount : public Tool {
  std::mutex Lock;
  std::map<std::string, size_t> Slots;

  llvm::Error instrument(LiftedRepresentation &LR,
                         InstrumentationTask &Task) override {
    std::lock_guard Guard(Lock);
    const size_t Slot =
        Slots.try_emplace(LR.functions().front().first.Name, Slots.size())
            .first->second;
    if (Slot >= MaxKernels)
      return llvm::createStringError("too many kernels to count");
    for (auto &[Symbol, MF] : LR.functions())
      for (llvm::MachineBasicBlock &MBB : *MF)
        for (llvm::MachineInstr &MI : MBB)
          LUTHIER_RETURN_ON_ERROR(Task.insertHookBefore(
              MI, LUTHIER_GET_HOOK_HANDLE(countInstruction), {Slot}));
    return llvm::Error::success();
  }

  void report(llvm::raw_ostream &) override {
    llvm::json::Object Kernels, Refused;
    for (auto &[Name, Slot] : Slots)
      Kernels[Name] = Counts[Slot];
    for (const RefusedKernel &K : refusals())
      Refused[K.Kernel] = K.Reason;
    std::error_code Error;
    llvm::raw_fd_ostream File(outputPath("state-count.json"), Error);
    File << llvm::json::Value(llvm::json::Object{
        {"kernels", std::move(Kernels)}, {"refused", std::move(Refused)}});
  }
};
LUTHIER_TOOL(StateCount)
#endif // __HIP_DEVICE_COMPILE__
