// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the GPU runtime's start to its end. The runtime calls OnLoad inside its
// own initialisation (HSA_TOOLS_LIB names this library), so a program that
// never uses the GPU never comes here.
#include "luthier/Export.h"
#include "luthier/detail/EmulatorFaults.h"
#include "luthier/detail/EmulatorStatistics.h"
#include "luthier/detail/ProcessEnds.h"
#include "runtime/ApplicationThread.h"
#include "runtime/Channels.h"
#include "runtime/EngineThread.h"
#include "runtime/HsaApi.h"
#include "runtime/Log.h"
#include "runtime/ProcessEnd.h"
#include "runtime/ProcessName.h"
#include "runtime/Settings.h"
#include "runtime/State.h"
#include "runtime/ToolRegistry.h"
#include "runtime/Wrappers.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/CodeGen/CommandFlags.h"
#include "llvm/CodeGen/SelectionDAGNodes.h"
#include "llvm/IR/OptBisect.h"
#include "llvm/IR/PrintPasses.h"
#include "llvm/Support/VirtualFileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include <csignal>
#include <cstdlib>
#include <dlfcn.h>
#include <mutex>
#include <unistd.h>

using namespace llvm;

namespace luthier::runtime {

State &state() {
  static auto *TheState = new State;
  return *TheState;
}

namespace {

void drain(pthread_t Ending);
void tellTools();
void raiseAnew(int Signal);

} // namespace

ProcessEnd &processEnd() {
  static auto *TheEnd = new ProcessEnd(
      {&drain, [](auto Within) { state().Queues.hurry(Within); }, &tellTools,
       [](pthread_t Thread) { return state().Tools.isInside(Thread); },
       &raiseAnew});
  return *TheEnd;
}

namespace {

/// The process that started the GPU runtime. A child forked later has copies
/// of our state and no GPU; what it inherited is for its parent to report.
pid_t Owner = 0;

bool isOver() { return !isHsaOpen() || ::getpid() != Owner; }

/// Lets redirected kernels finish.
void drain(pthread_t Ending) {
  Ending = engineThread().actingFor(Ending);
  // A tool may end the program from onDispatch().
  if (CallContext::current() || state().Tools.isInside(Ending))
    logWarning("the program ends inside a tool's callback; results may be "
               "incomplete");
  if (processEnd().hasFault() && !processEnd().isOrderly())
    state().Queues.abandon();
  else
    state().Queues.drain(Ending);
}

void tellTools() {
  const SigpipeBlocked Scope;
  const std::string Name = nameOfProcess();
  if (!processEnd().isOrderly() && toolRegistry().hasSeenDispatch())
    writeWhole("luthier: " + (Name.empty() ? "the program" : Name) +
               " ends by " + processEnd().describe() + "\n");
  channels().finish();
  toolRegistry().onExit();
  if (const std::string Text = state().Filter->complaint(); !Text.empty())
    logWarning(Text);
  complainOfOtherQueues();
  // LLVM would end the program in another way if that could not be written.
  errs().clear_error();
}

void finish(const char *How) {
  if (isOver())
    return;
  const ApplicationThreadScope Scope;
  // What it uses of LLVM is destroyed after this.
  engineThread().end();
  processEnd().endsHere(How);
}

/// In signal handlers.
luthier_end_answer endsSuddenly(const luthier_process_end *How) {
  // Where nothing was launched, there is nothing to lose.
  return isOver() || !toolRegistry().hasSeenDispatch()
             ? LUTHIER_END_NOW
             : processEnd().endsSuddenly(*How);
}

/// Null without what `luthier run` has preloaded.
decltype(&luthier_on_process_end) findWatch() {
  return reinterpret_cast<decltype(&luthier_on_process_end)>(
      ::dlsym(RTLD_DEFAULT, "luthier_on_process_end"));
}

void raiseAnew(int Signal) {
  using Write = decltype(&luthier_emulator_write_statistics);
  if (auto *OfEmulator = reinterpret_cast<Write>(
          ::dlsym(RTLD_DEFAULT, "luthier_emulator_write_statistics")))
    OfEmulator();
  if (auto *Watch = findWatch())
    Watch(nullptr);
  ::signal(Signal, SIG_DFL);
  sigset_t Only;
  ::sigemptyset(&Only);
  ::sigaddset(&Only, Signal);
  ::pthread_sigmask(SIG_UNBLOCK, &Only, nullptr);
  ::raise(Signal);
}

void onFault(uint64_t PC) {
  processEnd().noteFault("a kernel stopped");
  const std::string Text = PC ? state().Versions.explain(PC) : "";
  if (!Text.empty())
    logWarning(Text);
}

/// Has an emulated GPU ask what the address of a fault is.
void watchForFaults() {
  // Preloaded, so it is visible to everybody, and stays.
  using Register = decltype(&luthier_emulator_on_fault);
  if (auto *Watch = reinterpret_cast<Register>(
          ::dlsym(RTLD_DEFAULT, "luthier_emulator_on_fault")))
    Watch(&onFault);
}

void watchForSuddenEnd() {
  auto *Watch = findWatch();
  if (Watch && processEnd().prepare(secondsFrom("LUTHIER_END_LIMIT", 10)))
    Watch(&endsSuddenly);
}

/// Of LLVM, what would otherwise be made when the first hook is compiled, and
/// destroyed before finish() can wait for the thread that does so.
void makeWhatLLVMDestroys() {
  vfs::getRealFileSystem();
  getGlobalPassGate();
  isPassInPrintList("");
  isFunctionInPrintList("");
  inconvertibleErrorCode();
  errs();
  codegen::RegisterCodeGenFlags CommandLine;
  // The table of names, and that of the types that a value can have.
  LibFunc Function;
  TargetLibraryInfoImpl(Triple("amdgcn-amd-amdhsa"))
      .getLibFunc("malloc", Function);
  struct Node : SDNode {
    static void makeListOfTypes() { getSDVTList(MVT::Other); }
  };
  Node::makeListOfTypes();
}

/// A line for each of LUTHIER_TOOLS.
StringRef optionsOfTools() {
  const char *Options = std::getenv("LUTHIER_TOOL_OPTIONS");
  return Options ? Options : "";
}

} // namespace
} // namespace luthier::runtime

using namespace luthier::runtime;

extern "C" LUTHIER_API bool OnLoad(HsaApiTable *Table, uint64_t, uint64_t,
                                   const char *const *) {
  // Named twice in HSA_TOOLS_LIB. The table holds our wrappers by now; saved as
  // the originals, they would call themselves.
  if (isHsaOpen())
    return true;
  if (Error E = saveHsaApi(*Table)) {
    logWarning(toString(std::move(E)) + "; kernels run unchanged");
    return false;
  }
  // Tools first: when the first wrapper runs, their constructors have finished.
  // They only register themselves; one that called the GPU runtime would wait
  // for the lock that this thread holds.
  if (const char *Paths = std::getenv("LUTHIER_TOOLS"))
    toolRegistry().loadLibraries(Paths, optionsOfTools());
  if (toolRegistry().empty()) {
    logWarning("no tool is loaded; kernels run unchanged "
               "(LUTHIER_TOOLS=PATH[:PATH...], or luthier run --tool NAME)");
    closeHsaApi();
    return true;
  }
  // Handlers run in reverse order: this one before those that HIP and the GPU
  // runtime registered when they were loaded, while the device still works.
  static std::once_flag Once;
  std::call_once(Once, [] {
    makeWhatLLVMDestroys();
    std::atexit([] { finish("exit"); });
    std::at_quick_exit([] { finish("quick_exit"); });
    // A child would have LLVM in the middle of something.
    ::pthread_atfork([] { engineThread().settle(); }, nullptr, nullptr);
  });
  Owner = ::getpid();
  state().Queues.sessionStarts();
  installWrappers(*Table);
  watchForFaults();
  watchForSuddenEnd();
  return true;
}

/// The last hsa_shut_down(). The device still works, but nothing may start the
/// GPU runtime anew from here.
extern "C" LUTHIER_API void OnUnload() {
  if (!isHsaOpen())
    return;
  // Libraries start the GPU runtime and end it again to see whether there is a
  // device. The tools' end is that of a session in which they had work.
  if (toolRegistry().hasSeenDispatch())
    finish("exit");
  complainOfOtherQueues();
  engineThread().settle();
  closeHsaApi();
  channels().unloaded();
  state().Queues.clear();
  state().Versions.clear();
  state().Modules.unloaded();
  state().Code.clear();
}
