// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each wave writes to a row of its own, as the numbers that hooks are given
// say, what its first work-item knows of itself. At the end, the host computes
// the numbers anew.
#include "luthier/luthier.h"
#ifndef __HIP_DEVICE_COMPILE__
#include <mutex>
#include <vector>
#endif

using namespace luthier;

struct WaveRow {
  uint32_t Written;
  uint32_t Item[3], Group[3];
  uint32_t InGroup, Block, InDispatch, PerGroup;
  uint32_t Word; ///< One more than InDispatch, from LDS.
  uint64_t Dispatch;
};
constexpr uint32_t MaxRows = 1 << 15;
__attribute__((managed)) WaveRow Rows[MaxRows];

MARK_LUTHIER_DEVICE_MODULE

static __device__ void write(WaveRow &R) {
  atomicAdd(&R.Written, 1);
  R.Item[0] = threadIdx.x, R.Item[1] = threadIdx.y, R.Item[2] = threadIdx.z;
  R.Group[0] = blockIdx.x, R.Group[1] = blockIdx.y, R.Group[2] = blockIdx.z;
  R.InGroup = luthier::waveInGroup();
  R.Block = luthier::blockInDispatch();
  R.InDispatch = luthier::waveInDispatch();
  R.PerGroup = luthier::wavesPerGroup();
  R.Dispatch = luthier::dispatchId();
}

LUTHIER_HOOK_ANNOTATE writeRow(uint64_t First) {
  WaveRow &R = Rows[First + luthier::waveInDispatch()];
  if (__lane_id() == 0)
    write(R);
}
LUTHIER_EXPORT_HOOK_HANDLE(writeRow);

/// Of this wave, in the LDS that the tool asks for.
static __device__ auto &word() {
  using Word = __attribute__((address_space(3))) uint32_t;
  return *reinterpret_cast<Word *>(luthier::groupMemory() +
                                   luthier::waveInGroup() * sizeof(uint32_t));
}

LUTHIER_HOOK_ANNOTATE writeWord() {
  if (__lane_id() == 0)
    word() = luthier::waveInDispatch() + 1;
}
LUTHIER_EXPORT_HOOK_HANDLE(writeWord);

/// Where lanes may have gone, and without vector instructions.
LUTHIER_HOOK_ANNOTATE checkRow(uint32_t First) {
  luthier::waveAtomicAdd(&Rows[First + luthier::waveInDispatch()].Written, 1u);
}
LUTHIER_EXPORT_HOOK_HANDLE(checkRow);

/// If there is a lane left to do it.
LUTHIER_HOOK_ANNOTATE copyWord() {
  Rows[luthier::launchValue() + luthier::waveInDispatch()].Word = word();
}
LUTHIER_EXPORT_HOOK_HANDLE(copyWord);

#ifndef __HIP_DEVICE_COMPILE__
struct Launched {
  hsa_kernel_dispatch_packet_t Packet;
  uint64_t FirstRow;

  uint32_t size(int Axis) const {
    return Axis == 0   ? Packet.workgroup_size_x
           : Axis == 1 ? Packet.workgroup_size_y
                       : Packet.workgroup_size_z;
  }
  uint32_t items(int Axis) const {
    return Axis == 0   ? Packet.grid_size_x
           : Axis == 1 ? Packet.grid_size_y
                       : Packet.grid_size_z;
  }
  uint32_t groups(int Axis) const {
    return (items(Axis) + size(Axis) - 1) / size(Axis);
  }
  uint32_t wavesPerGroup(uint32_t WaveSize) const {
    return (size(0) * size(1) * size(2) + WaveSize - 1) / WaveSize;
  }
  uint32_t rows(uint32_t WaveSize) const {
    return groups(0) * groups(1) * groups(2) * wavesPerGroup(WaveSize);
  }
};

class WaveNumbers : public Tool {
  std::mutex Lock;
  std::vector<Launched> Launches;
  uint64_t NextRow = 0;
  unsigned WaveSize = 64;
  unsigned Errors = 0, Waves = 0, Words = 0;

  void onDispatch(KernelDispatch &Dispatch) override {
    // HIP fills memory with kernels of its own.
    if (Dispatch.Kernel.isRuntimeKernel())
      return;
    std::lock_guard Guard(Lock);
    auto Insert = [&](InstrumentationTask &Task, LiftedRepresentation &LR) {
      WaveSize = LR.waveSize();
      Task.insertHookAtKernelEntry(LUTHIER_GET_HOOK_HANDLE(writeRow),
                                   {HookArgument::dispatchValue()});
      Task.insertHookAtKernelEntry(LUTHIER_GET_HOOK_HANDLE(writeWord));
      Task.insertHookAtWaveEnd(LUTHIER_GET_HOOK_HANDLE(checkRow),
                               {HookArgument::dispatchValue()});
      Task.insertHookAtWaveEnd(LUTHIER_GET_HOOK_HANDLE(copyWord));
      return llvm::Error::success();
    };
    Dispatch.LaunchValue = NextRow;
    // A wave has 32 lanes at least.
    const hsa_kernel_dispatch_packet_t &P = Dispatch.Packet;
    Dispatch.GroupBytes =
        sizeof(uint32_t) *
        ((P.workgroup_size_x * P.workgroup_size_y * P.workgroup_size_z + 31) /
         32);
    if (llvm::Error E =
            instrumentAndLoad(Dispatch.Kernel, Insert, "wave-numbers"))
      return reportRefusal(Dispatch.Kernel, std::move(E));
    // In either spelling.
    if (llvm::Error E =
            Launches.size() % 2
                ? overrideWithInstrumented(Dispatch.Packet, "wave-numbers")
                : overrideWithInstrumented(Dispatch, "wave-numbers"))
      return reportRefusal(Dispatch.Kernel, std::move(E));
    Launches.push_back({Dispatch.Packet, NextRow});
    NextRow += Launches.back().rows(WaveSize);
    expect(NextRow <= MaxRows, "there are enough rows", 0);
  }

  void expect(bool Holds, const char *What, uint64_t Row) {
    if (!Holds && ++Errors < 10)
      llvm::errs() << "row " << Row << ": wrong: " << What << '\n';
  }

  void check(const Launched &L) {
    for (uint64_t N = 0; N != L.rows(WaveSize); ++N) {
      const WaveRow &R = Rows[L.FirstRow + N];
      uint32_t Size[3], Block = 0;
      bool IsWhole = true;
      for (int Axis = 2; Axis >= 0; --Axis) {
        const uint32_t Rest = L.items(Axis) - R.Group[Axis] * L.size(Axis);
        Size[Axis] = std::min(L.size(Axis), Rest);
        IsWhole &= Size[Axis] == L.size(Axis);
        Block = Block * L.groups(Axis) + R.Group[Axis];
      }
      // Workgroups that the grid's end cuts off have fewer waves.
      if (!R.Written)
        continue;
      ++Waves;
      const uint32_t Flat =
          R.Item[0] + Size[0] * (R.Item[1] + Size[1] * R.Item[2]);
      expect(R.Written == 2, "one wave has the row, at both ends", N);
      expect(Flat % WaveSize == 0, "the item is a wave's first", N);
      expect(R.Block == Block, "the number of the block", N);
      expect(R.PerGroup == L.wavesPerGroup(WaveSize), "waves of a group", N);
      expect(R.InDispatch == N, "the number is the row's", N);
      expect(R.Dispatch == Rows[L.FirstRow].Dispatch,
             "the number of the dispatch is that of the first wave", N);
      Words += R.Word != 0;
      expect(!R.Word || R.Word == N + 1, "LDS is the wave's own", N);
      expect(R.InGroup < R.PerGroup, "the number in the group is small", N);
      expect(R.InDispatch == Block * R.PerGroup + R.InGroup,
             "numbers belong together", N);
      expect(!IsWhole || R.InGroup == Flat / WaveSize,
             "the number in the group", N);
    }
  }

  void onExit() override {
    uint64_t Items = 0;
    for (size_t N = 0; N != Launches.size(); ++N) {
      const Launched &L = Launches[N];
      check(L);
      // There is one queue.
      expect(!N || Rows[L.FirstRow].Dispatch >
                       Rows[Launches[N - 1].FirstRow].Dispatch,
             "the number of the dispatch grows", L.FirstRow);
      // Whole and cut off, each work-item has a wave.
      Items += uint64_t(L.items(0)) * L.items(1) * L.items(2);
    }
    expect(Waves * uint64_t(WaveSize) >= Items, "every wave has a row", 0);
    llvm::errs() << (Errors || !Words ? "wrong" : "right") << " numbers of "
                 << Waves << " waves in " << Launches.size() << " launches\n";
  }
};
LUTHIER_TOOL(WaveNumbers)
#endif // __HIP_DEVICE_COMPILE__
