// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How often each branch was executed, and how often all lanes of the wave
// agreed about it; see README.md.
#include "Hooks.h"
#ifndef __HIP_DEVICE_COMPILE__
#include "../common/CodeDigests.h"
#include "Insertion.h"
#include "Kernels.h"
#include "Report.h"
#include "Rows.h"
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

namespace {

Option<bool> ByWaveOption("by-wave", false,
                          "write branch-divergence-waves.csv, the numbers of "
                          "each wave");
Option<bool> ClocksOption("clocks", false,
                          "likewise, and when each wave began and ended");
Option<bool> InLdsOption("in-lds", false,
                         "count in LDS, a row for each wave of the workgroup");
Option<bool> InMemoryOption("in-memory", false, "count in memory only");

/// The variables are how these options were set before there were options.
bool isSet(const char *Variable) {
  const char *Text = std::getenv(Variable);
  return Text && *Text && llvm::StringRef(Text) != "0";
}

} // namespace

class BranchDivergence : public Tool {
  const Where Wanted =
      *InMemoryOption || isSet("LUTHIER_BRANCHES_IN_MEMORY") ? Where::Memory
      : *InLdsOption || isSet("LUTHIER_BRANCHES_IN_LDS")     ? Where::Group
                                                             : Where::Registers;
  const bool WithClocks = *ClocksOption || isSet("LUTHIER_BRANCH_CLOCKS");
  const bool ByWave =
      *ByWaveOption || isSet("LUTHIER_BRANCHES_BY_WAVE") || WithClocks;
  std::mutex Lock;
  CodeDigests Code;
  KernelList Kernels;
  /// Those that are loaded, by the address of their descriptor.
  std::map<uint64_t, KernelBranches *> Loaded;
  /// Of launches that have not completed, by the address of their rows.
  std::map<uint64_t, std::pair<KernelBranches *, Version *>> Launched;
  std::unique_ptr<OutputFile> WaveFile;
  ReportPace Pace;

  llvm::Error load(const hsa::LoadedCodeObjectKernel &Kernel, KernelBranches &K,
                   Version &V, Where In) {
    V.CountedIn = In;
    // What failed once is not tried again.
    V.Preset = nameOf(In);
    if (K.LacksRoomForNotes)
      V.Preset += " without notes";
    auto Insert = [&](InstrumentationTask &Task, LiftedRepresentation &LR) {
      return Insertion(ByWave, WithClocks)
          .insertAll(Task, LR, Kernel.agent(), K, V);
    };
    llvm::Error E = instrumentAndLoad(Kernel, Insert, V.Preset);
    V.IsLoaded = !E;
    if (E)
      release(K, V);
    return E;
  }

  /// Adds up what all waves have left.
  static void addTotals(KernelBranches &K, const Version &V) {
    if (!V.Totals || !V.IsLoaded)
      return;
    const std::vector<char> Row = DeviceMemory::read(V.Totals, V.Bytes);
    for (size_t N = 0; N < V.Places.size(); ++N)
      K.add(N, countsIn(Row.data() + V.Places[N].Offset, V.Places[N].In,
                        V.WaveSize));
  }

  /// The same, and forgets the version.
  static void release(KernelBranches &K, Version &V) {
    addTotals(K, V);
    if (V.Totals)
      DeviceMemory::free(V.Totals);
    const uint64_t Dispatches = V.Dispatches;
    const Where CountedIn = V.CountedIn;
    V = Version();
    V.Dispatches = Dispatches;
    V.CountedIn = CountedIn;
  }

  KernelBranches &kernelOf(const hsa::LoadedCodeObjectKernel &Kernel) {
    KernelBranches *&K = Loaded[Kernel.kernelObject()];
    if (!K)
      K = Kernels
              .emplace_back(std::make_unique<KernelBranches>(Kernel.name(),
                                                             Code.of(Kernel)))
              .get();
    return *K;
  }

  void onCodeObjectLoaded(const hsa::LoadedCodeObject &Object) override {
    std::lock_guard Guard(Lock);
    Code.add(Object);
  }

  /// Others may be loaded to the same addresses.
  void onCodeObjectUnloaded(const hsa::LoadedCodeObject &Object) override {
    std::lock_guard Guard(Lock);
    for (const hsa::LoadedCodeObjectKernel &Kernel : Object.kernels())
      if (const auto Known = Loaded.find(Kernel.kernelObject());
          Known != Loaded.end()) {
        if (!ByWave)
          for (auto &[In, V] : Known->second->Versions)
            release(*Known->second, V);
        Loaded.erase(Known);
      }
    Code.remove(Object);
  }

  /// Has \p Dispatch count in \p In.
  llvm::Error launch(KernelDispatch &Dispatch, KernelBranches &K, Where In) {
    Version &V = K.Versions[In];
    if (!V.IsLoaded)
      if (llvm::Error E = load(Dispatch.Kernel, K, V, In))
        return E;
    if (V.Places.empty())
      return llvm::Error::success();
    const LaunchSize Size(Dispatch.Packet, V.WaveSize);
    if (ByWave) {
      llvm::Expected<uint64_t> Rows = DeviceMemory::allocate(
          Dispatch.Kernel.agent(), Size.waves() * V.Bytes);
      if (!Rows)
        return Rows.takeError();
      Dispatch.LaunchValue = *Rows;
    }
    Dispatch.GroupBytes = Size.WavesPerGroup * V.GroupBytes;
    if (llvm::Error E = overrideWithInstrumented(Dispatch, V.Preset)) {
      if (ByWave)
        DeviceMemory::free(Dispatch.LaunchValue);
      Dispatch.LaunchValue = Dispatch.GroupBytes = 0;
      return E;
    }
    if (ByWave)
      Launched[Dispatch.LaunchValue] = {&K, &V};
    ++K.Dispatches;
    ++V.Dispatches;
    K.Waves += Size.waves();
    return llvm::Error::success();
  }

  /// In memory where registers or LDS do not suffice for all branches. LDS may
  /// suffice for one launch and not for another.
  llvm::Error launch(KernelDispatch &Dispatch, KernelBranches &K) {
    if (Wanted == Where::Memory || K.LacksRoom)
      return launch(Dispatch, K, Where::Memory);
    llvm::Error E = launch(Dispatch, K, Wanted);
    if (E && !K.Versions[Wanted].IsLoaded &&
        !std::exchange(K.LacksRoomForNotes, true)) {
      llvm::consumeError(std::move(E));
      E = launch(Dispatch, K, Wanted);
    }
    const bool IsLoaded = K.Versions[Wanted].IsLoaded;
    if (!E || (IsLoaded && Wanted == Where::Registers))
      return E;
    K.LacksRoom = !IsLoaded;
    const std::string Why = llvm::toString(std::move(E));
    if (Wanted == Where::Group && !std::exchange(K.IsSaid, true))
      llvm::errs() << "branch-divergence: " << K.Name
                   << ": counted in memory where LDS does not suffice: " << Why
                   << '\n';
    return launch(Dispatch, K, Where::Memory);
  }

  void onDispatch(KernelDispatch &Dispatch) override {
    std::lock_guard Guard(Lock);
    KernelBranches &K = kernelOf(Dispatch.Kernel);
    if (!K.IsRefused)
      if (llvm::Error E = launch(Dispatch, K)) {
        K.IsRefused = llvm::none_of(
            K.Versions, [](const auto &V) { return V.second.IsLoaded; });
        reportRefusal(Dispatch.Kernel, std::move(E));
      }
    Dispatch.SkipCompletion = !Dispatch.LaunchValue && !Pace.isDue();
  }

  /// Of each launch where waves have rows, and else where it is time to write
  /// what there is, if the process is killed.
  void onComplete(const KernelDispatch &Dispatch) override {
    std::lock_guard Guard(Lock);
    if (Dispatch.LaunchValue)
      takeRows(Dispatch);
    if (!Dispatch.LaunchValue || Pace.isDue())
      Pace.write([&] {
        writeReportInBetween("branch-divergence.json", jsonOf(counted()));
      });
  }

  void takeRows(const KernelDispatch &Dispatch) {
    const auto Launch = Launched.find(Dispatch.LaunchValue);
    auto [K, V] = Launch->second;
    Launched.erase(Launch);
    const uint64_t Waves = LaunchSize(Dispatch.Packet, V->WaveSize).waves();
    const std::vector<char> Rows =
        DeviceMemory::take(Dispatch.LaunchValue, Waves * V->Bytes);
    for (uint64_t Wave = 0; Wave < Waves; ++Wave)
      addRow(Dispatch, *K, *V, Wave, Rows.data() + Wave * V->Bytes);
  }

  void addRow(const KernelDispatch &Dispatch, KernelBranches &K,
              const Version &V, uint64_t Wave, const char *Row) {
    uint64_t Clocks[2] = {};
    if (WithClocks)
      std::memcpy(Clocks, Row + V.Bytes - sizeof(Clocks), sizeof(Clocks));
    for (size_t N = 0; N < V.Places.size(); ++N) {
      const Counts C =
          countsIn(Row + V.Places[N].Offset, V.Places[N].In, V.WaveSize);
      K.add(N, C);
      if (C.Executed)
        waveFile() << llvm::formatv(
            "{0},{1},{2},{3:x},{4},{5},{6},{7},{8},{9}\n",
            Dispatch.Kernel.name(), Dispatch.Id, Wave, K.Points[N].Address,
            C.Executed, C.Agreed, C.Lanes, C.Taken, Clocks[0], Clocks[1]);
    }
  }

  llvm::raw_ostream &waveFile() {
    if (!WaveFile) {
      WaveFile = std::make_unique<OutputFile>("branch-divergence-waves.csv");
      WaveFile->OS << "kernel,dispatch,wave,address,executed,agreed,lanes,"
                      "taken,entry_clock,exit_clock\n";
    }
    return WaveFile->OS;
  }

  /// With what waves of loaded code have left so far.
  KernelList counted() const {
    KernelList Result;
    for (const std::unique_ptr<KernelBranches> &Known : Kernels) {
      auto &K = Result.emplace_back(std::make_unique<KernelBranches>(*Known));
      for (const auto &[In, V] : Known->Versions)
        addTotals(*K, V);
    }
    return Result;
  }

  void onExit() override {
    std::lock_guard Guard(Lock);
    if (Kernels.empty())
      return;
    const KernelList All = counted();
    writeReport("branch-divergence.json", jsonOf(All));
    print(All);
    WaveFile.reset();
  }
};
LUTHIER_TOOL(BranchDivergence)

#endif // __HIP_DEVICE_COMPILE__
