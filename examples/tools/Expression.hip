// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums up an expression that the user gives, over all instructions that waves
// execute. Its hook is compiled while the program runs:
//
//   luthier run --tool 'expression:value=__popcll(Lanes)' -- ./program
#include "luthier/luthier.h"
#include <map>
#include <mutex>

static luthier::Option<std::string> Value("value", "1",
                                          "C++ expression of Lanes, the mask "
                                          "of active lanes, and Size, the "
                                          "bytes of the instruction");

static std::string source() {
  return "__device__ uint64_t Sum;\n"
         "LUTHIER_HOOK_ANNOTATE add(uint64_t Lanes, uint32_t Size) {\n"
         "  luthier::waveAtomicAdd(&Sum, uint64_t(\n"
         "#line 1 \"value\"\n" +
         *Value + "));\n}\n";
}

class Expression : public luthier::Tool {
  std::mutex Lock;
  bool IsCompiled = false;
  luthier::InstrumentationModule Module;
  std::map<uint64_t, hsa_agent_t> Agents;

  /// For the devices of this program, once there is something to do.
  llvm::Error compile() {
    std::lock_guard Guard(Lock);
    if (std::exchange(IsCompiled, true))
      return llvm::Error::success();
    return luthier::InstrumentationModule::compile(source()).moveInto(Module);
  }

  llvm::Error instrument(luthier::LiftedRepresentation &LR,
                         luthier::InstrumentationTask &Task) override {
    using luthier::HookArgument;
    LUTHIER_RETURN_ON_ERROR(compile());
    auto Add = Module.hook<void(uint64_t, uint32_t)>("add");
    LUTHIER_RETURN_ON_ERROR(Add.takeError());
    for (llvm::MachineInstr &MI : LR.instructions())
      Task.insertHookBefore(
          MI, *Add, {HookArgument::activeLanes(), HookArgument::size()});
    return llvm::Error::success();
  }

  void onDispatch(luthier::KernelDispatch &Dispatch) override {
    luthier::Tool::onDispatch(Dispatch);
    std::lock_guard Guard(Lock);
    const hsa_agent_t Agent = Dispatch.Kernel.agent();
    Agents.try_emplace(Agent.handle, Agent);
  }

  void report(llvm::raw_ostream &OS) override {
    if (!Module.isLoaded())
      return;
    uint64_t All = 0;
    for (auto &[Handle, Agent] : Agents) {
      uint64_t Sum = 0;
      if (llvm::Error E = Module.read("Sum", Agent, Sum))
        OS << "no sum: " << toString(std::move(E)) << '\n';
      All += Sum;
    }
    OS << *Value << ": " << All << '\n';
  }
};
LUTHIER_TOOL(Expression)
