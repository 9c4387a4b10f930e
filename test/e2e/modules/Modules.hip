// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts instructions with a hook of its own and, at the same places, with one
// of a dynamic module that has the same names. For modules.py.
#include "luthier/luthier.h"
#include <map>
#include <mutex>

using namespace luthier;

static Option<std::string> File("file", "", "the dynamic module");
static Option<std::string> Other("other", "", "one for other targets");
static Option<std::string> Mode("mode", "count", "what to do",
                                {"count", "bare", "unload", "mistakes", "write",
                                 "bind"});

MARK_LUTHIER_DEVICE_MODULE
__device__ uint64_t Count = 7;
__attribute__((managed)) uint64_t Bound;

LUTHIER_HOOK_ANNOTATE count() { waveAtomicAdd(&Count, uint64_t(1)); }
LUTHIER_EXPORT_HOOK_HANDLE(count);

static uint32_t nodeOf(hsa_agent_t Agent) {
  uint32_t Node = 0;
  hsa_agent_get_info(Agent, HSA_AGENT_INFO_NODE, &Node);
  return Node;
}

static void say(const char *What, llvm::Error E) {
  llvm::errs() << What << ": "
               << (E ? llvm::toString(std::move(E)) : "no error") << '\n';
}

class Modules : public Tool {
  std::mutex Lock;
  std::map<uint32_t, hsa_agent_t> Agents; ///< By node.
  InstrumentationModule Module;
  unsigned NumDispatches = 0;
  bool WasEarly = false;

  llvm::Error open() {
    std::lock_guard Guard(Lock);
    return Module.isLoaded()
               ? llvm::Error::success()
               : InstrumentationModule::load(*File).moveInto(Module);
  }

  /// Where this tool's own variable is, by its name.
  static llvm::Expected<uint64_t> bound(hsa_agent_t Agent) {
    auto Mine = InstrumentationModule::ofTool();
    if (Mine.size() != 1 || !Mine.front().isStatic())
      return llvm::createStringError("one source file is one module");
    return Mine.front().address("Bound", Agent);
  }

  /// Variables can be used as soon as there is code of the application.
  void onCodeObjectLoaded(const hsa::LoadedCodeObject &Object) override {
    if (*Mode != "count")
      return;
    LUTHIER_REPORT_FATAL_ON_ERROR(open());
    uint64_t Mine = 0;
    LUTHIER_REPORT_FATAL_ON_ERROR(readVariable(Count, Object.agent(), Mine));
    WasEarly = Mine == 7;
  }

  llvm::Error insert(InstrumentationModule &From, KernelDispatch &Dispatch,
                     llvm::StringRef Preset) {
    auto Theirs = From.hook<void(uint32_t)>("count");
    LUTHIER_RETURN_ON_ERROR(Theirs.takeError());
    auto Mine = InstrumentationModule::ofTool().front().hook<void()>("count");
    LUTHIER_RETURN_ON_ERROR(Mine.takeError());
    auto Mutate = [&](InstrumentationTask &Task, LiftedRepresentation &LR) {
      for (llvm::MachineInstr &MI : LR.instructions()) {
        Task.insertHookBefore(MI, *Theirs, {3u});
        Task.insertHookBefore(MI, *Mine);
      }
      return llvm::Error::success();
    };
    return instrumentAndOverride(Dispatch, Mutate, Preset);
  }

  /// Its hooks run when nobody has the module any more.
  llvm::Error unloadInFlight(KernelDispatch &Dispatch) {
    const hsa_agent_t Agent = Dispatch.Kernel.agent();
    auto Where = bound(Agent);
    LUTHIER_RETURN_ON_ERROR(Where.takeError());
    auto Short = InstrumentationModule::load(*File);
    LUTHIER_RETURN_ON_ERROR(Short.takeError());
    LUTHIER_RETURN_ON_ERROR(
        Short->bind("Count", Agent, *Where, sizeof(uint64_t)));
    const std::string Preset = std::to_string(NumDispatches++);
    LUTHIER_RETURN_ON_ERROR(insert(*Short, Dispatch, Preset));
    return Short->unload();
  }

  llvm::Error makeMistakes(KernelDispatch &Dispatch) {
    const hsa_agent_t Agent = Dispatch.Kernel.agent();
    auto Wrong = InstrumentationModule::load(*Other);
    LUTHIER_RETURN_ON_ERROR(Wrong.takeError());
    say("wrong target", insert(*Wrong, Dispatch, "wrong"));
    const uint8_t Text[] = "this is a text";
    say("no bundle",
        InstrumentationModule::load(Text, "notes.txt").takeError());
    say("missing file", InstrumentationModule::load("/no/file").takeError());
    say("missing hook", Module.hook("cuont").takeError());
    uint32_t Narrow = 0;
    uint64_t Wide = 0;
    say("other size", Module.read("Count", Agent, Narrow));
    say("missing variable", Module.read("Cuont", Agent, Wide));
    LUTHIER_RETURN_ON_ERROR(Module.read("Count", Agent, Wide));
    say("bound too late", Module.bind("Count", Agent, 4096, 8));
    say("not managed", Module.managed<uint64_t>("Count").takeError());
    say("static", InstrumentationModule::ofTool().front().unload());
    auto Stale = Wrong->hook("count");
    LUTHIER_RETURN_ON_ERROR(Stale.takeError());
    LUTHIER_RETURN_ON_ERROR(Wrong->unload());
    say("unloaded module", Wrong->read("Count", Agent, Wide));
    auto Mutate = [&](InstrumentationTask &Task, LiftedRepresentation &LR) {
      Task.insertHookAtKernelEntry(*Stale, {3u});
      return llvm::Error::success();
    };
    say("unloaded hook", instrumentAndOverride(Dispatch, Mutate, "stale"));
    return llvm::Error::success();
  }

  /// Of both modules, before hooks add to them.
  llvm::Error write(hsa_agent_t Agent) {
    const uint64_t Theirs = 5000, Mine = 70;
    LUTHIER_RETURN_ON_ERROR(Module.write("Count", Agent, Theirs));
    LUTHIER_RETURN_ON_ERROR(
        Module.write("Kind", Agent, uint32_t(nodeOf(Agent))));
    return InstrumentationModule::ofTool().front().writeBytes("Count", Agent,
                                                              &Mine, 8);
  }

  /// This tool's own variable is that of the dynamic module.
  llvm::Error bindMine(hsa_agent_t Agent) {
    auto Where = Module.address("Count", Agent);
    LUTHIER_RETURN_ON_ERROR(Where.takeError());
    return InstrumentationModule::ofTool().front().bind("Count", Agent, *Where,
                                                        sizeof(uint64_t));
  }

  llvm::Error show(KernelDispatch &Dispatch) {
    std::lock_guard Guard(Lock);
    const hsa_agent_t Agent = Dispatch.Kernel.agent();
    const bool IsFirst = Agents.try_emplace(nodeOf(Agent), Agent).second;
    if (*Mode == "unload")
      return unloadInFlight(Dispatch);
    if (*Mode == "bare" && IsFirst) {
      auto Where = bound(Agent);
      LUTHIER_RETURN_ON_ERROR(Where.takeError());
      LUTHIER_RETURN_ON_ERROR(Module.bind("Total", Agent, *Where, 8));
    }
    if (*Mode == "write" && IsFirst)
      LUTHIER_RETURN_ON_ERROR(write(Agent));
    if (*Mode == "bind" && IsFirst)
      LUTHIER_RETURN_ON_ERROR(bindMine(Agent));
    if (*Mode == "mistakes")
      return IsFirst ? makeMistakes(Dispatch) : llvm::Error::success();
    return insert(Module, Dispatch, "count");
  }

  void onDispatch(KernelDispatch &Dispatch) override {
    LUTHIER_REPORT_FATAL_ON_ERROR(open());
    LUTHIER_REPORT_FATAL_ON_ERROR(show(Dispatch));
  }

  void onExit() override {
    if (*Mode == "mistakes")
      return;
    llvm::errs() << "early: " << WasEarly << '\n';
    for (auto &[Node, Agent] : Agents) {
      uint64_t Mine = 0, Theirs = 0;
      uint32_t Kind = 0;
      LUTHIER_REPORT_FATAL_ON_ERROR(readVariable(Count, Agent, Mine));
      LUTHIER_REPORT_FATAL_ON_ERROR(Module.read("Count", Agent, Theirs));
      if (*Mode != "bare") // Of what hooks do not use, it says nothing.
        LUTHIER_REPORT_FATAL_ON_ERROR(Module.read("Kind", Agent, Kind));
      llvm::errs() << "node " << Node << ": " << Mine << ' ' << Theirs << ' '
                   << Kind << '\n';
    }
    llvm::errs() << "bound: " << Bound << '\n';
    if (*Mode == "bare")
      return;
    auto Total = Module.managed<uint64_t>("Total");
    LUTHIER_REPORT_FATAL_ON_ERROR(Total.takeError());
    llvm::errs() << "total: " << **Total << '\n';
  }
};
LUTHIER_TOOL(Modules)
