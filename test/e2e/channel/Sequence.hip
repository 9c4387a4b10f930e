// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// At each block of every kernel, each active lane sends the wave's number and
// how many records the wave has sent before; or the wave does, whatever its
// lanes. What arrives has to be what was sent, in each wave's order. Says so in
// the end.
#include "luthier/luthier.h"
#include <algorithm>
#include <dlfcn.h>
#include <map>
#include <tuple>
#include <unistd.h>
#ifndef __HIP_DEVICE_COMPILE__
#include "luthier/MachineIR.h"
#endif

using namespace luthier;

/// Of an odd size, so that records have odd places.
struct Sent {
  uint32_t Launch, Wave, Number;
  uint32_t Lane;
  uint32_t Inverse; ///< Of all the others.
};
struct SentByWave {
  uint32_t Launch, Wave, Number, Inverse;
};
struct Byte {
  unsigned char Values[3];
};
__device__ Channel<Sent, SentByWave, Byte> Stream;
/// How many records the wave has sent, and all of them.
__device__ uint64_t Number;
__attribute__((managed)) uint64_t All;

MARK_LUTHIER_DEVICE_MODULE

LUTHIER_HOOK_ANNOTATE sendLanes() {
  const uint32_t N = waveCounter(Number), Wave = waveInDispatch(),
                 Launch = launchValue(), Lane = __lane_id();
  push(Stream, Sent{Launch, Wave, N, Lane, ~(Launch ^ Wave ^ N ^ Lane)});
  waveAdd(Number, __popcll(__builtin_amdgcn_read_exec()));
}
LUTHIER_EXPORT_HOOK_HANDLE(sendLanes);

/// Where lanes go different ways.
LUTHIER_HOOK_ANNOTATE sendSomeLanes() {
  const uint32_t N = waveCounter(Number), Wave = waveInDispatch(),
                 Launch = launchValue(), Lane = __lane_id();
  const uint64_t Some = __ballot(Lane % 3 == 0);
  if (Lane % 3 == 0)
    push(Stream, Sent{Launch, Wave, N, Lane, ~(Launch ^ Wave ^ N ^ Lane)});
  waveAdd(Number, __popcll(Some));
}
LUTHIER_EXPORT_HOOK_HANDLE(sendSomeLanes);

/// In a loop that lanes leave at different times.
LUTHIER_HOOK_ANNOTATE sendInLoop() {
  const uint32_t Wave = waveInDispatch(), Launch = launchValue(),
                 Lane = __lane_id();
  for (uint32_t Left = Lane % 3 + 1; Left; --Left) {
    const uint32_t N = waveCounter(Number);
    push(Stream, Sent{Launch, Wave, N, Lane, ~(Launch ^ Wave ^ N ^ Lane)});
    waveAdd(Number, __popcll(__builtin_amdgcn_read_exec()));
  }
}
LUTHIER_EXPORT_HOOK_HANDLE(sendInLoop);

/// Of the Collatz sequence from \p V on.
static __host__ __device__ uint32_t stepsFrom(uint32_t V) {
  uint32_t Steps = 0;
  for (; V > 1; ++Steps)
    V = V % 2 ? 3 * V + 1 : V / 2;
  return Steps;
}

/// What lanes have computed in such a loop.
LUTHIER_HOOK_ANNOTATE sendSteps() {
  const uint32_t N = waveCounter(Number), Wave = waveInDispatch(),
                 Launch = launchValue(), Lane = __lane_id();
  push(Stream, Sent{Launch, Wave, N, Lane,
                    ~(Launch ^ Wave ^ N ^ Lane) ^ stepsFrom(Lane)});
  waveAdd(Number, __popcll(__builtin_amdgcn_read_exec()));
}
LUTHIER_EXPORT_HOOK_HANDLE(sendSteps);

LUTHIER_HOOK_ANNOTATE sendWave() {
  const uint32_t N = waveCounter(Number), Wave = waveInDispatch(),
                 Launch = launchValue();
  pushOnce(Stream, SentByWave{Launch, Wave, N, ~(Launch ^ Wave ^ N)});
  waveAdd(Number, 1);
}
LUTHIER_EXPORT_HOOK_HANDLE(sendWave);

LUTHIER_HOOK_ANNOTATE sendBytes() {
  const unsigned char Lane = __lane_id();
  push(Stream, Byte{{Lane, (unsigned char)(Lane + 1), (unsigned char)~Lane}});
  waveAdd(Number, __popcll(__builtin_amdgcn_read_exec()));
}
LUTHIER_EXPORT_HOOK_HANDLE(sendBytes);

LUTHIER_HOOK_ANNOTATE addUp() { waveFlush(Number, All); }
LUTHIER_EXPORT_HOOK_HANDLE(addUp);

#ifndef __HIP_DEVICE_COMPILE__
static Option<std::string> What("send", "lanes", "what is sent",
                                {"lanes", "some", "loop", "steps", "wave",
                                 "bytes"});
static Option<unsigned> Bytes("bytes", 1 << 16, "memory of the channel");
static Option<bool> MayDrop("drop", false, "drop what finds no room");
static Option<unsigned> Nap("nap", 0, "microseconds for each block");

class Sequence : public Tool {
  ChannelReader<Sent, SentByWave, Byte> Reader;
  using WaveKey = std::tuple<uint64_t, uint32_t, uint32_t>;
  std::map<WaveKey, uint32_t> Next;
  uint64_t Wrong = 0, WithoutLanes = 0, SeenAtEndOfKernel = 0;
  /// Of the program: has to be told when the first block has arrived.
  int *Told = static_cast<int *>(::dlsym(RTLD_DEFAULT, "ToldByTool"));

  void check(const ChannelBlock<Sent, SentByWave, Byte> &Block) {
    unsigned Lane = 0;
    uint64_t Lanes = Block.lanes();
    WithoutLanes += !Lanes;
    auto nextLane = [&] {
      Lane = llvm::countr_zero(Lanes);
      Lanes &= Lanes - 1;
      return Lane;
    };
    for (const Sent &S : Block.records()) {
      Wrong += S.Lane != nextLane() ||
               S.Inverse != (~(S.Launch ^ S.Wave ^ S.Number ^ S.Lane) ^
                             (*What == "steps" ? stepsFrom(S.Lane) : 0));
      if (&S == Block.records().begin())
        inOrder({Block.agent().handle, S.Launch, S.Wave}, S.Number,
                Block.records().size());
    }
    for (const SentByWave &S : Block.records<SentByWave>()) {
      Wrong += S.Inverse != ~(S.Launch ^ S.Wave ^ S.Number);
      inOrder({Block.agent().handle, S.Launch, S.Wave}, S.Number, 1);
    }
    for (const Byte &B : Block.records<Byte>())
      Wrong += B.Values[0] != nextLane() || B.Values[1] != B.Values[0] + 1 ||
               B.Values[2] != (unsigned char)~B.Values[0];
    if (Told)
      __atomic_store_n(Told, 1, __ATOMIC_RELEASE);
    if (*Nap)
      ::usleep(*Nap);
  }

  /// How many have arrived of those that its waves sent.
  uint64_t ofLastLaunch() const {
    uint32_t Last = 0;
    for (const auto &[Wave, Count] : Next)
      Last = std::max(Last, std::get<1>(Wave));
    uint64_t Sum = 0;
    for (const auto &[Wave, Count] : Next)
      Sum += std::get<1>(Wave) == Last ? Count : 0;
    return Sum;
  }

  void inOrder(const WaveKey &Wave, uint32_t Number, uint32_t Count) {
    uint32_t &N = Next[Wave];
    Wrong += *MayDrop ? Number < N : Number != N;
    N = Number + Count;
  }

public:
  Sequence() {
    llvm::Error E = Reader.open(
        Stream, [this](const auto &Block) { check(Block); },
        {*Bytes, *MayDrop ? ChannelOptions::Drop : ChannelOptions::Wait});
    if (E)
      llvm::errs() << "sequence: " << toString(std::move(E)) << '\n';
  }

  llvm::Error instrument(LiftedRepresentation &LR,
                         InstrumentationTask &Task) override {
    for (auto &[Symbol, MF] : LR.functions())
      for (llvm::MachineBasicBlock &MBB : *MF) {
        if (*What == "lanes")
          Task.insertHookAtBlockBegin(MBB, LUTHIER_GET_HOOK_HANDLE(sendLanes));
        else if (*What == "some")
          Task.insertHookAtBlockBegin(MBB,
                                      LUTHIER_GET_HOOK_HANDLE(sendSomeLanes));
        else if (*What == "loop")
          Task.insertHookAtBlockBegin(MBB, LUTHIER_GET_HOOK_HANDLE(sendInLoop));
        else if (*What == "steps")
          Task.insertHookAtBlockBegin(MBB, LUTHIER_GET_HOOK_HANDLE(sendSteps));
        else if (*What == "wave")
          Task.insertHookAtBlockBegin(MBB, LUTHIER_GET_HOOK_HANDLE(sendWave));
        else
          Task.insertHookAtBlockBegin(MBB, LUTHIER_GET_HOOK_HANDLE(sendBytes));
      }
    Task.insertHookAtWaveEnd(LUTHIER_GET_HOOK_HANDLE(addUp));
    return llvm::Error::success();
  }

  void onDispatch(KernelDispatch &Dispatch) override {
    Dispatch.LaunchValue = Dispatch.Id;
    Tool::onDispatch(Dispatch);
  }

  void onComplete(const KernelDispatch &) override {
    SeenAtEndOfKernel = Reader.counts().Records;
  }

  void report(llvm::raw_ostream &OS) override {
    const ChannelCounts C = Reader.counts();
    OS << "sent " << All << ", arrived " << C.Records << ", dropped "
       << C.Dropped << ", blocks " << C.Blocks << ", unfinished "
       << C.Unfinished << ", wrong " << Wrong << ", without lanes "
       << WithoutLanes << ", of the last launch " << ofLastLaunch() << '\n';
    if (All == C.Records + C.Dropped && !Wrong && C.Records)
      OS << "all there" << (C.Dropped ? " or dropped" : "") << '\n';
    if (SeenAtEndOfKernel == C.Records)
      OS << "at the end of the kernel\n";
  }
};
LUTHIER_TOOL(Sequence)
#endif // __HIP_DEVICE_COMPILE__
