// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A hook of this tool and one of a dynamic module (Sending.hip) before each
// instruction: both send over channels and add to counters of the wave that
// have the same names. For sends.py.
#include "luthier/luthier.h"
#include <atomic>
#include <fstream>
#include <iterator>
#include <mutex>
#include <set>

using namespace luthier;

static Option<std::string> File("file", "", "the dynamic module");
static Option<std::string> Source("source", "", "its source, to be compiled");
static Option<std::string> Mode("mode", "both", "what to do",
                                {"both", "unload", "show", "insist",
                                 "mistakes"});

struct Sent {
  uint32_t Number, Inverse;
};
__device__ Channel<Sent> Stream;
__device__ uint64_t Number;

MARK_LUTHIER_DEVICE_MODULE

LUTHIER_HOOK_ANNOTATE send() {
  const uint32_t N = waveCounter(Number);
  pushOnce(Stream, Sent{N, ~N});
  waveAdd(Number, 1);
}
LUTHIER_EXPORT_HOOK_HANDLE(send);

LUTHIER_HOOK_ANNOTATE addUp() { waveFlush(Number); }
LUTHIER_EXPORT_HOOK_HANDLE(addUp);

/// What has come over channels.
struct Arrived {
  std::atomic<uint64_t> Records = 0, Wrong = 0;
  void take(const ChannelBlock<Sent> &Block) {
    for (const Sent &S : Block.records()) {
      ++Records;
      Wrong += S.Inverse != ~S.Number;
    }
  }
};

static void say(const char *What, llvm::Error E) {
  llvm::errs() << What << ": "
               << (E ? llvm::toString(std::move(E)) : "no error") << '\n';
}

class Sends : public Tool {
  using Reader = ChannelReader<Sent>;

  std::mutex Lock;
  Arrived Mine, Theirs;
  Reader MyReader;
  std::vector<Reader> TheirReaders;
  InstrumentationModule Module;
  unsigned NumDispatches = 0;
  std::set<uint64_t> Agents;

  llvm::Expected<InstrumentationModule> open() const {
    if (Source->empty())
      return InstrumentationModule::load(*File);
    std::ifstream Stream(*Source);
    return InstrumentationModule::compile(
        std::string(std::istreambuf_iterator<char>(Stream), {}));
  }

  llvm::Error openReader(const InstrumentationModule &Of) {
    return TheirReaders.emplace_back().open(
        Of, "Stream", [this](const auto &Block) { Theirs.take(Block); },
        {size_t(1) << 16});
  }

  llvm::Error insert(const InstrumentationModule &From,
                     KernelDispatch &Dispatch, llvm::StringRef Preset) {
    auto Hook = From.hook<void()>("send");
    LUTHIER_RETURN_ON_ERROR(Hook.takeError());
    auto AddUp = From.hook<void()>("addUp");
    LUTHIER_RETURN_ON_ERROR(AddUp.takeError());
    return instrumentAndOverride(
        Dispatch,
        [&](InstrumentationTask &Task, LiftedRepresentation &LR) {
          for (llvm::MachineInstr &MI : LR.instructions()) {
            Task.insertHookBefore(MI, LUTHIER_GET_HOOK_HANDLE(send));
            Task.insertHookBefore(MI, *Hook);
          }
          Task.insertHookAtWaveEnd(LUTHIER_GET_HOOK_HANDLE(addUp));
          Task.insertHookAtWaveEnd(*AddUp);
          return llvm::Error::success();
        },
        Preset);
  }

  /// Its channel has what was sent when nobody has the module any more.
  llvm::Error insertAndUnload(KernelDispatch &Dispatch) {
    auto Short = open();
    LUTHIER_RETURN_ON_ERROR(Short.takeError());
    LUTHIER_RETURN_ON_ERROR(openReader(*Short));
    LUTHIER_RETURN_ON_ERROR(
        insert(*Short, Dispatch, std::to_string(NumDispatches++)));
    return Short->unload();
  }

  llvm::Error insertAtEntry(KernelDispatch &Dispatch) {
    auto Hook = Module.hook<void()>(*Mode);
    LUTHIER_RETURN_ON_ERROR(Hook.takeError());
    return instrumentAndOverride(
        Dispatch,
        [&](InstrumentationTask &Task, LiftedRepresentation &LR) {
          Task.insertHookAtKernelEntry(*Hook);
          return llvm::Error::success();
        },
        *Mode);
  }

  llvm::Error makeMistakes(const KernelDispatch &Dispatch) {
    auto nothing = [](const ChannelBlock<Sent> &) {};
    say("missing", Reader().open(Module, "Steam", nothing));
    say("no channel", Reader().open(Module, "NoChannel", nothing));
    say("static", Reader().open(InstrumentationModule::ofTool().front(),
                                "Stream", nothing));
    say("small", Reader().open(Module, "Stream", nothing, {100}));
    say("first", Reader().open(Module, "Stream", nothing));
    say("twice", Reader().open(Module, "Stream", nothing));
    uint64_t There = 0;
    LUTHIER_RETURN_ON_ERROR(
        Module.read("Number", Dispatch.Kernel.agent(), There));
    say("too late", Reader().open(Module, "Stream", nothing));
    LUTHIER_RETURN_ON_ERROR(Module.unload());
    say("unloaded", Reader().open(Module, "Stream", nothing));
    return llvm::Error::success();
  }

  llvm::Error show(KernelDispatch &Dispatch) {
    std::lock_guard Guard(Lock);
    Agents.insert(Dispatch.Kernel.agent().handle);
    if (*Mode == "unload")
      return insertAndUnload(Dispatch);
    if (*Mode == "both")
      return insert(Module, Dispatch, "both");
    if (*Mode == "mistakes")
      return Module.isLoaded() ? makeMistakes(Dispatch)
                               : llvm::Error::success();
    return insertAtEntry(Dispatch);
  }

  void onDispatch(KernelDispatch &Dispatch) override {
    // Compiling asks which devices there are.
    if (!Module.isLoaded() && NumDispatches++ == 0 && *Mode != "unload") {
      LUTHIER_REPORT_FATAL_ON_ERROR(open().moveInto(Module));
      if (*Mode == "both")
        LUTHIER_REPORT_FATAL_ON_ERROR(openReader(Module));
    }
    LUTHIER_REPORT_FATAL_ON_ERROR(show(Dispatch));
  }

  void onExit() override {
    if (*Mode != "both" && *Mode != "unload")
      return;
    uint64_t MyCount = 0, TheirCount = 0;
    for (uint64_t Handle : Agents) {
      uint64_t One = 0;
      LUTHIER_REPORT_FATAL_ON_ERROR(readVariable(Number, {Handle}, One));
      MyCount += One;
      if (!Module.isLoaded())
        continue;
      LUTHIER_REPORT_FATAL_ON_ERROR(Module.read("Number", {Handle}, One));
      TheirCount += One;
    }
    llvm::errs() << "counted " << MyCount << " and " << TheirCount
                 << ", arrived " << Mine.Records << " and " << Theirs.Records
                 << ", wrong " << Mine.Wrong + Theirs.Wrong << '\n';
  }

public:
  Sends() {
    LUTHIER_REPORT_FATAL_ON_ERROR(
        MyReader.open(Stream, [this](const auto &Block) { Mine.take(Block); },
                      {size_t(1) << 16}));
  }
};
LUTHIER_TOOL(Sends)
