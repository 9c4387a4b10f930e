// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes addresses of its variables to a hook, as its host code has them: as
// pointers and as numbers, of whole variables and of parts. Each hook counts
// the waves through one of them. Managed variables have one address on the host
// and the devices: a hook follows what host code has stored, and the other way
// round.
#include "luthier/luthier.h"
#include <map>
#include <mutex>

using namespace luthier;

MARK_LUTHIER_DEVICE_MODULE
__attribute__((managed)) uint64_t One;
__attribute__((managed)) uint64_t Several[3];
__attribute__((managed)) uint64_t Stored;
__attribute__((managed)) uint64_t *Followed;
__device__ uint64_t Own[2];

LUTHIER_HOOK_ANNOTATE countAt(uint64_t *Where) {
  if (Where)
    luthier::waveAtomicAdd(Where, 1);
}
LUTHIER_EXPORT_HOOK_HANDLE(countAt);

LUTHIER_HOOK_ANNOTATE countAtNumber(uint64_t Where) {
  luthier::waveAtomicAdd(reinterpret_cast<uint64_t *>(Where), 1);
}
LUTHIER_EXPORT_HOOK_HANDLE(countAtNumber);

LUTHIER_HOOK_ANNOTATE storeAddress() {
  Stored = reinterpret_cast<uint64_t>(&One);
  // In files there is no host code.
  if (uint64_t *Where = luthier::firstLane(Followed, &One))
    luthier::waveAtomicAdd(Where, 1);
}
LUTHIER_EXPORT_HOOK_HANDLE(storeAddress);

class Pointers : public Tool {
  std::mutex Lock;
  std::map<uint64_t, hsa_agent_t> Agents;
  uint64_t OnDevice = 0; ///< Where One is for all of them.

  llvm::Error instrument(LiftedRepresentation &,
                         InstrumentationTask &Task) override {
    const void *Hook = LUTHIER_GET_HOOK_HANDLE(countAt);
    const void *ByNumber = LUTHIER_GET_HOOK_HANDLE(countAtNumber);
    LUTHIER_RETURN_ON_ERROR(Task.insertHookAtKernelEntry(Hook, {&One}));
    LUTHIER_RETURN_ON_ERROR(Task.insertHookAtKernelEntry(
        Hook, {reinterpret_cast<uint64_t>(&Several[0])}));
    LUTHIER_RETURN_ON_ERROR(
        Task.insertHookAtKernelEntry(ByNumber, {&Several[2]}));
    LUTHIER_RETURN_ON_ERROR(Task.insertHookAtKernelEntry(Hook, {&Own[1]}));
    LUTHIER_RETURN_ON_ERROR(
        Task.insertHookAtKernelEntry(LUTHIER_GET_HOOK_HANDLE(storeAddress)));
    return Task.insertHookAtKernelEntry(Hook, {nullptr});
  }

  void onDispatch(KernelDispatch &Dispatch) override {
    {
      Followed = &Several[1];
      std::lock_guard Guard(Lock);
      const hsa_agent_t Agent = Dispatch.Kernel.agent();
      Agents.try_emplace(Agent.handle, Agent);
      auto Where =
          InstrumentationModule::ofTool().front().address("One", Agent);
      LUTHIER_REPORT_FATAL_ON_ERROR(Where.takeError());
      OnDevice = *Where;
    }
    Tool::onDispatch(Dispatch);
  }

  void report(llvm::raw_ostream &OS) override {
    uint64_t OnDevices = 0;
    for (auto &[Handle, Agent] : Agents) {
      uint64_t Now[2] = {};
      LUTHIER_REPORT_FATAL_ON_ERROR(readVariable(Own, Agent, Now));
      OnDevices += Now[1] + 1000 * Now[0];
    }
    const bool Agree = Several[0] == One && Several[1] == One &&
                       Several[2] == One && OnDevices == One;
    const bool IsDevices = Stored == OnDevice;
    const bool IsHosts = Stored == reinterpret_cast<uint64_t>(&One);
    OS << (IsDevices ? "" : "stored addresses differ from the device's\n")
       << (IsHosts ? "" : "stored addresses differ from the host's\n");
    OS << "pointers " << (Agree ? "agree: " : "differ: ") << One << '\n';
  }
};
LUTHIER_TOOL(Pointers)
