// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What each launch executes by itself: the end of a kernel is a callback, too.
#include "luthier/MachineIR.h"
#include "luthier/luthier.h"
#include <mutex>
#include <vector>

MARK_LUTHIER_DEVICE_MODULE
__device__ uint64_t Executed;

LUTHIER_HOOK_ANNOTATE countBlock(uint32_t Instructions) {
  luthier::waveAtomicAdd(&Executed, Instructions);
}
LUTHIER_EXPORT_HOOK_HANDLE(countBlock);

class LaunchCount : public luthier::Tool {
  struct Launch {
    std::string Kernel;
    uint64_t Executed = 0;
  };
  std::mutex Lock;
  std::vector<Launch> Launches;

  llvm::Error instrument(luthier::LiftedRepresentation &LR,
                         luthier::InstrumentationTask &Task) override {
    for (auto &[Symbol, MF] : LR.functions())
      for (llvm::MachineBasicBlock &MBB : *MF)
        if (!MBB.empty())
          Task.insertHookAtBlockBegin(MBB, LUTHIER_GET_HOOK_HANDLE(countBlock),
                                      {MBB.size()});
    return llvm::Error::success();
  }

  /// Nothing behind the kernel in its queue has begun yet, so the variable is
  /// this launch's alone, as long as one queue is used.
  void onComplete(const luthier::KernelDispatch &Dispatch) override {
    const hsa_agent_t Agent = Dispatch.Kernel.agent();
    Launch New{Dispatch.Kernel.name().str()};
    if (llvm::Error E = luthier::readVariable(Executed, Agent, New.Executed))
      return luthier::reportRefusal(Dispatch.Kernel, std::move(E));
    if (llvm::Error E = luthier::writeVariable(Executed, Agent, uint64_t(0)))
      return luthier::reportRefusal(Dispatch.Kernel, std::move(E));
    std::lock_guard Guard(Lock);
    Launches.push_back(std::move(New));
  }

  void report(llvm::raw_ostream &OS) override {
    for (const Launch &L : Launches)
      OS << L.Executed << " instructions by a launch of " << L.Kernel << '\n';
  }
};
LUTHIER_TOOL(LaunchCount)
