// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For bench/channel.py: each lane sends a record each time its wave is at the
// loop of bench/channel-waves.hip. Looks at each record that arrives; tells in
// the end how many there were, and how long a copy of as many bytes takes.
#include "luthier/MachineIR.h"
#include "luthier/luthier.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>
#include <chrono>
#include <cstring>
#include <map>
#include <sys/resource.h>
#include <vector>

using namespace luthier;

struct Turn {
  uint32_t Launch, Wave, Number, Lane;
};
__device__ Channel<Turn> Turns;
__device__ uint64_t Number;
__attribute__((managed)) uint64_t Sent;

MARK_LUTHIER_DEVICE_MODULE

LUTHIER_HOOK_ANNOTATE sendTurn() {
  push(Turns, Turn{uint32_t(launchValue()), waveInDispatch(),
                   uint32_t(waveCounter(Number)), uint32_t(__lane_id())});
  waveAdd(Number, 1);
}
LUTHIER_EXPORT_HOOK_HANDLE(sendTurn);

LUTHIER_HOOK_ANNOTATE addUp() {
  waveAtomicAdd(&Sent, waveCounter(Number) * 64);
}
LUTHIER_EXPORT_HOOK_HANDLE(addUp);

static Option<unsigned> KiB("kib", 4096, "memory of the channel");
static Option<bool> MayDrop("drop", false, "drop what finds no room");
static Option<bool> IsQuiet("quiet", false, "send nothing");

class ChannelLoad : public Tool {
  ChannelReader<Turn> Reader;
  uint64_t Wrong = 0;
  /// By launch and wave.
  std::map<uint32_t, std::vector<uint32_t>> Next;

  void look(llvm::ArrayRef<Turn> Records) {
    const Turn &First = Records.front();
    std::vector<uint32_t> &Of = Next[First.Launch];
    if (Of.size() <= First.Wave)
      Of.resize(First.Wave + 1);
    Wrong += *MayDrop ? First.Number < Of[First.Wave]
                      : First.Number != Of[First.Wave];
    Of[First.Wave] = First.Number + 1;
    for (uint32_t Lane = 0; Lane < Records.size(); ++Lane) {
      const Turn &R = Records[Lane];
      Wrong += R.Lane != Lane || R.Wave != First.Wave ||
               R.Number != First.Number || R.Launch != First.Launch;
    }
  }

  /// Seconds for a copy of \p Bytes, through more memory than caches hold.
  static double copy(uint64_t Bytes) {
    std::vector<char> From(size_t(256) << 20, 1), To(From.size());
    const auto Begin = std::chrono::steady_clock::now();
    for (uint64_t Done = 0; Done < Bytes; Done += From.size()) {
      std::memcpy(To.data(), From.data(),
                  std::min<uint64_t>(From.size(), Bytes - Done));
      asm volatile("" : : "r"(To.data()) : "memory");
    }
    return std::chrono::duration<double>(std::chrono::steady_clock::now() -
                                         Begin)
        .count();
  }

public:
  ChannelLoad() {
    if (llvm::Error E = Reader.open(
            Turns, [this](const auto &Block) { look(Block.records()); },
            {size_t(*KiB) << 10,
             *MayDrop ? ChannelOptions::Drop : ChannelOptions::Wait}))
      llvm::errs() << "channel-load: " << toString(std::move(E)) << '\n';
  }

  llvm::Error instrument(LiftedRepresentation &LR,
                         InstrumentationTask &Task) override {
    for (auto &[Symbol, MF] : LR.functions())
      for (llvm::MachineBasicBlock &MBB : *MF)
        if (MBB.isSuccessor(&MBB) && !*IsQuiet) {
          Task.insertHookAtBlockBegin(MBB, LUTHIER_GET_HOOK_HANDLE(sendTurn));
          Task.insertHookAtWaveEnd(LUTHIER_GET_HOOK_HANDLE(addUp));
        }
    return llvm::Error::success();
  }

  void onDispatch(KernelDispatch &Dispatch) override {
    Dispatch.LaunchValue = Dispatch.Id;
    Tool::onDispatch(Dispatch);
  }

  void report(llvm::raw_ostream &OS) override {
    const ChannelCounts C = Reader.counts();
    rusage Usage = {};
    ::getrusage(RUSAGE_SELF, &Usage);
    OS << llvm::formatv(
        "channel: {{\"sent\": {0}, \"consumed\": {1}, \"dropped\": {2}, "
        "\"wrong\": {3}, \"bytes\": {4}, \"peak\": {5}, \"copy\": {6:F6}}\n",
        Sent, C.Records, C.Dropped, Wrong, C.Bytes, Usage.ru_maxrss,
        copy(C.Bytes));
  }
};
LUTHIER_TOOL(ChannelLoad)
