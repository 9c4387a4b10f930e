// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes constants and registers to a hook: the range of addresses from which
// lanes load, for loads of 4 and of 16 bytes. The variables are each device's
// own: host memory lies behind PCIe, which knows no atomic minimum or maximum.
#include "luthier/MachineIR.h"
#include "luthier/luthier.h"
#include "llvm/Support/FormatVariadic.h"
#include <map>
#include <mutex>

MARK_LUTHIER_DEVICE_MODULE
struct Ranges {
  uint64_t Lowest[2], End[2];
};
__device__ Ranges Loads = {{~0ull, ~0ull}, {}};

/// Address differs from lane to lane; Width is the same at each point.
LUTHIER_HOOK_ANNOTATE onLoad(uint32_t Width, uint64_t Address) {
  atomicMin(&Loads.Lowest[Width > 4], Address);
  atomicMax(&Loads.End[Width > 4], Address + Width);
}
LUTHIER_EXPORT_HOOK_HANDLE(onLoad);

struct LoadRange : luthier::Tool {
  llvm::Error instrument(luthier::LiftedRepresentation &LR,
                         luthier::InstrumentationTask &Task) override {
    for (llvm::MachineInstr &MI : LR.instructions()) {
      uint32_t Width;
      if (MI.getOpcode() == llvm::AMDGPU::GLOBAL_LOAD_DWORD)
        Width = 4;
      else if (MI.getOpcode() == llvm::AMDGPU::GLOBAL_LOAD_DWORDX4)
        Width = 16;
      else
        continue;
      // Operands: result, address (a pair of vector registers), offset.
      llvm::MCRegister Address = MI.getOperand(1).getReg().asMCReg();
      Task.insertHookBefore(MI, LUTHIER_GET_HOOK_HANDLE(onLoad),
                            {Width, Address});
    }
    return llvm::Error::success();
  }
  void onDispatch(luthier::KernelDispatch &Dispatch) override {
    {
      std::lock_guard Guard(Lock);
      const hsa_agent_t Agent = Dispatch.Kernel.agent();
      Agents.try_emplace(Agent.handle, Agent);
    }
    Tool::onDispatch(Dispatch);
  }
  void report(llvm::raw_ostream &OS) override {
    for (auto &[Handle, Agent] : Agents) {
      Ranges Found = {};
      if (llvm::Error E = luthier::readVariable(Loads, Agent, Found))
        OS << llvm::toString(std::move(E)) << '\n';
      for (unsigned I : {0, 1})
        if (Found.End[I])
          OS << llvm::formatv("{0} bytes: {1:x} to {2:x}\n", I ? 16 : 4,
                              Found.Lowest[I], Found.End[I]);
    }
  }

private:
  std::mutex Lock;
  std::map<uint64_t, hsa_agent_t> Agents;
};
LUTHIER_TOOL(LoadRange)
