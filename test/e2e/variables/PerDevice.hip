// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts instructions in a variable that each device has for itself, from a
// start that the host sets there, and tells what each came to. For
// variables.py.
#include "luthier/MachineIR.h"
#include "luthier/luthier.h"
#include <map>
#include <mutex>
#include <vector>

using namespace luthier;

struct Counts {
  uint64_t Executed;
  uint32_t Step, Untouched;
};
__device__ Counts Own = {7, 0, 4711};
__device__ uint32_t Table[5] = {10, 11, 12, 13, 14};
__device__ uint32_t Matrix[3][2] = {{1, 2}, {3, 4}, {5, 6}};

MARK_LUTHIER_DEVICE_MODULE

LUTHIER_HOOK_ANNOTATE countInstruction() {
  uint64_t Lanes = __builtin_amdgcn_read_exec();
  luthier::writeExec(1);
  atomicAdd(&Own.Executed, Own.Step);
  luthier::writeExec(Lanes);
}
LUTHIER_EXPORT_HOOK_HANDLE(countInstruction);

class PerDevice : public Tool {
  std::mutex Lock;
  /// By node, which counts from the host on.
  std::map<uint32_t, hsa_agent_t> Agents;

  /// Parts of an array, without a copy of all of it.
  static llvm::Error checkTable(hsa_agent_t Agent) {
    const uint32_t New[] = {21, 22};
    std::vector<uint32_t> Middle(3), All(5);
    LUTHIER_RETURN_ON_ERROR(writeVariable(Table, Agent, New, 1));
    LUTHIER_RETURN_ON_ERROR(readVariable(Table, Agent, Middle, 1));
    LUTHIER_RETURN_ON_ERROR(readVariable(Table, Agent, All));
    if (Middle != std::vector<uint32_t>{21, 22, 13} ||
        All != std::vector<uint32_t>{10, 21, 22, 13, 14})
      return llvm::createStringError("not what was written");
    uint32_t One = 0;
    std::vector<uint32_t> Rows(3), Row(2);
    LUTHIER_RETURN_ON_ERROR(readVariable(Table[3], Agent, One));
    LUTHIER_RETURN_ON_ERROR(readVariable(Matrix, Agent, Rows, 1));
    LUTHIER_RETURN_ON_ERROR(readVariable(Matrix[1], Agent, Row));
    if (One != 13 || Rows != std::vector<uint32_t>{2, 3, 4} ||
        Row != std::vector<uint32_t>{3, 4})
      return llvm::createStringError("not what is in the parts");
    llvm::Error Beyond = readVariable(Table, Agent, Middle, 3);
    if (!Beyond)
      return llvm::createStringError("the array has no sixth element");
    llvm::consumeError(std::move(Beyond));
    return llvm::Error::success();
  }

  /// Before anything runs there.
  llvm::Error begin(hsa_agent_t Agent) {
    uint32_t Node = 0;
    hsa_agent_get_info(Agent, HSA_AGENT_INFO_NODE, &Node);
    std::lock_guard Guard(Lock);
    if (!Agents.try_emplace(Node, Agent).second)
      return llvm::Error::success();
    Counts Now = {};
    LUTHIER_RETURN_ON_ERROR(readVariable(Own, Agent, Now));
    if (Now.Executed != 7 || Now.Untouched != 4711)
      return llvm::createStringError("not the initial value");
    LUTHIER_RETURN_ON_ERROR(checkTable(Agent));
    return writeVariable(Own, Agent, {1000 * uint64_t(Node), Node, 4711});
  }

  llvm::Error count(KernelDispatch &Dispatch) {
    LUTHIER_RETURN_ON_ERROR(begin(Dispatch.Kernel.agent()));
    auto Lifted = lift(Dispatch.Kernel);
    LUTHIER_RETURN_ON_ERROR(Lifted.takeError());
    auto Mutate = [](InstrumentationTask &Task,
                     LiftedRepresentation &LR) -> llvm::Error {
      for (auto &[Symbol, MF] : LR.functions())
        for (llvm::MachineBasicBlock &MBB : *MF)
          for (llvm::MachineInstr &MI : MBB)
            LUTHIER_RETURN_ON_ERROR(Task.insertHookBefore(
                MI, LUTHIER_GET_HOOK_HANDLE(countInstruction)));
      return llvm::Error::success();
    };
    LUTHIER_RETURN_ON_ERROR(
        instrumentAndLoad(Dispatch.Kernel, *Lifted, Mutate, "count"));
    return overrideWithInstrumented(Dispatch.Packet, "count");
  }

  void onDispatch(KernelDispatch &Dispatch) override {
    LUTHIER_REPORT_FATAL_ON_ERROR(count(Dispatch));
  }

  void onExit() override {
    for (auto &[Node, Agent] : Agents) {
      Counts Now = {};
      LUTHIER_REPORT_FATAL_ON_ERROR(readVariable(Own, Agent, Now));
      llvm::errs() << "node " << Node << ": " << Now.Executed << " by "
                   << Now.Step << ", " << Now.Untouched << '\n';
    }
  }
};
LUTHIER_TOOL(PerDevice)
