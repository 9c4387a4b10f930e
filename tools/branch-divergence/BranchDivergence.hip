// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How often each branch was executed, and how often all lanes of the wave
// agreed about it; see README.md.
#include "Branches.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <array>
#include <cstdlib>
#include <hsa/hsa_ext_amd.h>
#include <map>
#include <memory>
#include <mutex>

using namespace luthier;

/// Of one branch, by one wave or by all.
struct Counts {
  uint64_t Executed, Agreed;
  /// Lanes that were active, and those that went on, or jumped.
  uint64_t Lanes, Taken;
};

/// What a wave has seen at a branch that it executes once at most. Both are
/// zero if it has not come there.
struct Masks {
  uint64_t Lanes, NotTaken;
};

/// Counters of the wave.
struct BranchCounters {
  uint64_t Lanes, Taken;
  /// In the upper half, those that lanes did not agree about.
  uint64_t Executions;
};
constexpr uint32_t MaxBranches = 4096;
__device__ BranchCounters Counters[MaxBranches];
/// Address of the wave's row: Counts or Masks of each branch, and its clocks.
__device__ uint64_t Row;
/// The active lanes before a comparison that changes them.
__device__ uint64_t LanesBefore;
__device__ uint64_t EntryClock;

MARK_LUTHIER_DEVICE_MODULE

/// What lies at \p Offset in the wave's row, which is in global memory.
template <typename T> using Global = __attribute__((address_space(1))) T;
template <typename T>
static __device__ inline Global<T> *inRow(uint32_t Offset) {
  return reinterpret_cast<Global<T> *>(waveCounter(Row) + Offset);
}

/// 1 if lanes go both ways, else 0: without comparisons, which take two scalar
/// instructions each. The product of both numbers is at most 32 * 32.
static __device__ inline uint32_t diverges(uint32_t Lanes, uint32_t Taken) {
  return (Taken * (Lanes - Taken) + 1023) >> 10;
}

/// In registers.
static __device__ inline void countInRegisters(uint32_t Branch, uint64_t Lanes,
                                               uint64_t Taken) {
  const uint32_t NumLanes = __popcll(Lanes), NumTaken = __popcll(Taken);
  waveAdd(Counters[Branch].Executions,
          1 | uint64_t(diverges(NumLanes, NumTaken)) << 32);
  waveAdd(Counters[Branch].Lanes, NumLanes);
  waveAdd(Counters[Branch].Taken, NumTaken);
}

/// In the wave's row.
static __device__ inline void countInMemory(uint32_t Offset, uint64_t Lanes,
                                            uint64_t Taken) {
  const uint32_t NumLanes = __popcll(Lanes), NumTaken = __popcll(Taken);
  auto *Sums = reinterpret_cast<uint64_t *>(waveCounter(Row) + Offset);
  waveAtomicAddEach(Sums,
                    {uint64_t(1), uint64_t(1 - diverges(NumLanes, NumTaken)),
                     uint64_t(NumLanes), uint64_t(NumTaken)});
}

/// A store where others count; the fewest instructions where nothing repeats.
static __device__ inline void noteInMemory(uint32_t Offset, uint64_t Lanes,
                                           uint64_t Taken) {
  auto *Seen = inRow<uint64_t>(Offset);
  const uint64_t Active = __builtin_amdgcn_read_exec();
  writeExec(1);
  Seen[0] = Lanes;
  Seen[1] = ~Taken;
  writeExec(Active);
}

// What each kind of branch needs. Branch is its number in registers, and its
// place in the row in memory.
#define COUNT_BY(How, Name, Parameters, Lanes, Taken)                          \
  LUTHIER_HOOK_ANNOTATE How##Name Parameters { How(Branch, Lanes, Taken); }    \
  LUTHIER_EXPORT_HOOK_HANDLE(How##Name);
#define COUNT(Name, Parameters, Lanes, Taken)                                  \
  COUNT_BY(countInRegisters, Name, Parameters, Lanes, Taken)                   \
  COUNT_BY(countInMemory, Name, Parameters, Lanes, Taken)                      \
  COUNT_BY(noteInMemory, Name, Parameters, Lanes, Taken)

#define ACTIVE __builtin_amdgcn_read_exec()
COUNT(Mask, (uint32_t Branch, uint64_t Mask), ACTIVE, ACTIVE &Mask)
COUNT(NotMask, (uint32_t Branch, uint64_t Mask), ACTIVE, ACTIVE & ~Mask)
COUNT(All, (uint32_t Branch, uint32_t Condition), ACTIVE,
      Condition ? ACTIVE : 0)
COUNT(NotAll, (uint32_t Branch, uint32_t Condition), ACTIVE,
      Condition ? 0 : ACTIVE)
COUNT(NoLane, (uint32_t Branch), ACTIVE, 0)
COUNT(Compare, (uint32_t Branch), waveCounter(LanesBefore), ACTIVE)

LUTHIER_HOOK_ANNOTATE keepLanes() {
  waveAdd(LanesBefore, ACTIVE - waveCounter(LanesBefore));
}
LUTHIER_EXPORT_HOOK_HANDLE(keepLanes);

LUTHIER_HOOK_ANNOTATE findRow(uint32_t RowBytes) {
  waveAdd(Row, launchValue() + uint64_t(waveInDispatch()) * RowBytes);
}
LUTHIER_EXPORT_HOOK_HANDLE(findRow);

LUTHIER_HOOK_ANNOTATE storeCounts(uint32_t Branch, uint32_t Offset) {
  const uint64_t Executions = waveCounter(Counters[Branch].Executions);
  const uint64_t Lanes = waveCounter(Counters[Branch].Lanes);
  const uint64_t Taken = waveCounter(Counters[Branch].Taken);
  auto *Sums = inRow<uint64_t>(Offset);
  writeExec(1);
  Sums[0] = uint32_t(Executions);
  Sums[1] = uint32_t(Executions) - (Executions >> 32);
  Sums[2] = Lanes;
  Sums[3] = Taken;
}
LUTHIER_EXPORT_HOOK_HANDLE(storeCounts);

LUTHIER_HOOK_ANNOTATE keepClock() { waveAdd(EntryClock, clock64()); }
LUTHIER_EXPORT_HOOK_HANDLE(keepClock);

LUTHIER_HOOK_ANNOTATE storeClocks(uint32_t Offset) {
  const uint64_t Entry = waveCounter(EntryClock), Exit = clock64();
  auto *Clocks = inRow<uint64_t>(Offset);
  writeExec(1);
  Clocks[0] = Entry;
  Clocks[1] = Exit;
}
LUTHIER_EXPORT_HOOK_HANDLE(storeClocks);

namespace {

enum class Where { Registers, Memory };

Option<bool> ByWaveOption("by-wave", false,
                          "write branch-divergence-waves.csv, the numbers of "
                          "each wave");
Option<bool> ClocksOption("clocks", false,
                          "likewise, and when each wave began and ended");
Option<bool> InMemoryOption("in-memory", false, "count nothing in registers");

/// The variables are how these options were set before there were options.
bool isSet(const char *Variable) {
  const char *Text = std::getenv(Variable);
  return Text && *Text && llvm::StringRef(Text) != "0";
}

/// What a kernel has, and what its dispatches have counted.
struct KernelBranches {
  explicit KernelBranches(llvm::StringRef Name) : Name(Name) {}

  const std::string Name;
  struct Point {
    uint64_t Address = 0;
    std::string Instruction;
    std::string Line;
    uint32_t Offset = 0; ///< In rows.
    bool HasMasks = false;
    Counts Sum = {};

    Counts countsIn(const char *Row) const;
  };
  std::vector<Point> Points;
  unsigned WaveSize = 64;
  Where CountedIn = Where::Registers;
  llvm::StringRef Preset;
  bool IsRefused = false, IsLoaded = false;
  uint64_t Dispatches = 0, Waves = 0;

  uint32_t rowBytes() const { return clocksAt() + 2 * sizeof(uint64_t); }
  uint32_t clocksAt() const {
    if (Points.empty())
      return 0;
    const Point &Last = Points.back();
    return Last.Offset + (Last.HasMasks ? sizeof(Masks) : sizeof(Counts));
  }
};

Counts KernelBranches::Point::countsIn(const char *Row) const {
  if (!HasMasks) {
    Counts Result;
    std::memcpy(&Result, Row + Offset, sizeof(Result));
    return Result;
  }
  Masks Seen;
  std::memcpy(&Seen, Row + Offset, sizeof(Seen));
  const uint64_t Taken = Seen.Lanes & ~Seen.NotTaken;
  const bool IsExecuted = Seen.Lanes || Seen.NotTaken;
  return {IsExecuted, IsExecuted && (!Taken || Taken == Seen.Lanes),
          uint64_t(llvm::popcount(Seen.Lanes)),
          uint64_t(llvm::popcount(Taken))};
}

const char *nameOf(Where CountedIn) {
  return CountedIn == Where::Registers ? "registers" : "memory";
}

/// Rows of a launch. Of axes that the packet does not use, it may say anything.
uint64_t wavesOf(const hsa_kernel_dispatch_packet_t &P, unsigned WaveSize) {
  constexpr unsigned Mask =
      (1u << HSA_KERNEL_DISPATCH_PACKET_SETUP_WIDTH_DIMENSIONS) - 1;
  const unsigned Axes =
      P.setup >> HSA_KERNEL_DISPATCH_PACKET_SETUP_DIMENSIONS & Mask;
  const uint32_t Grid[] = {P.grid_size_x, P.grid_size_y, P.grid_size_z};
  const uint32_t Group[] = {P.workgroup_size_x, P.workgroup_size_y,
                            P.workgroup_size_z};
  uint64_t Groups = 1, Items = 1;
  for (unsigned Axis = 0; Axis < std::min(Axes, 3u); ++Axis)
    if (Group[Axis]) {
      Groups *= llvm::divideCeil(Grid[Axis], Group[Axis]);
      Items *= Group[Axis];
    }
  return Groups * llvm::divideCeil(Items, WaveSize);
}

/// Memory of the device for the rows of one launch, all zero.
class RowBuffer {
public:
  static llvm::Expected<uint64_t> allocate(hsa_agent_t Agent, uint64_t Bytes) {
    hsa_amd_memory_pool_t Pool{};
    hsa_amd_agent_iterate_memory_pools(Agent, takeGlobal, &Pool);
    void *Memory = nullptr;
    if (hsa_amd_memory_pool_allocate(Pool, Bytes, 0, &Memory) ==
        HSA_STATUS_SUCCESS) {
      if (hsa_amd_memory_fill(Memory, 0, Bytes / 4) == HSA_STATUS_SUCCESS)
        return reinterpret_cast<uint64_t>(Memory);
      hsa_amd_memory_pool_free(Memory);
    }
    return llvm::createStringError(
        llvm::formatv("no {0} bytes for the rows of the waves", Bytes));
  }
  static void free(uint64_t Buffer) {
    hsa_amd_memory_pool_free(reinterpret_cast<void *>(Buffer));
  }

private:
  static hsa_status_t takeGlobal(hsa_amd_memory_pool_t Pool, void *Data) {
    hsa_amd_segment_t Segment;
    bool CanAllocate = false;
    hsa_amd_memory_pool_get_info(Pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT,
                                 &Segment);
    hsa_amd_memory_pool_get_info(
        Pool, HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALLOWED, &CanAllocate);
    if (Segment != HSA_AMD_SEGMENT_GLOBAL || !CanAllocate)
      return HSA_STATUS_SUCCESS;
    *static_cast<hsa_amd_memory_pool_t *>(Data) = Pool;
    return HSA_STATUS_INFO_BREAK;
  }
};

/// Says if it cannot be written, and leaves the program alone.
struct OutputFile {
  explicit OutputFile(llvm::StringRef Name)
      : Path(outputPath(Name)), OS(Path, Failure) {}
  ~OutputFile() {
    OS.close();
    if (!Failure)
      Failure = OS.error();
    if (Failure)
      llvm::errs() << "branch-divergence: " << Path << ": " << Failure.message()
                   << '\n';
    OS.clear_error();
  }

  const std::string Path;
  std::error_code Failure;
  llvm::raw_fd_ostream OS;
};

} // namespace

class BranchDivergence : public Tool {
  const bool OnlyInMemory =
      *InMemoryOption || isSet("LUTHIER_BRANCHES_IN_MEMORY");
  const bool WithClocks = *ClocksOption || isSet("LUTHIER_BRANCH_CLOCKS");
  const bool ByWave =
      *ByWaveOption || isSet("LUTHIER_BRANCHES_BY_WAVE") || WithClocks;
  std::mutex Lock;
  /// In the order of first launch.
  std::vector<std::unique_ptr<KernelBranches>> Kernels;
  /// Those that are loaded, by the address of their descriptor.
  std::map<uint64_t, KernelBranches *> Loaded;
  /// Of launches that have not completed, by the address of their rows.
  std::map<uint64_t, KernelBranches *> Launched;
  std::unique_ptr<OutputFile> WaveFile;

  template <typename Hook, typename... Rest>
  static void insert(InstrumentationTask &Task, const Branch &B, Hook H,
                     Rest... Arguments) {
    if (B.Kind == Branch::Compare)
      Task.insertHookAfter(*B.MI, H, {Arguments...});
    else
      Task.insertHookBefore(*B.MI, H, {Arguments...});
  }

#define INSERT_BY(How, Name, ...)                                              \
  insert(Task, B, LUTHIER_GET_HOOK_HANDLE(How##Name), __VA_ARGS__)
#define INSERT(Name, ...)                                                      \
  (B.IsOnce                 ? INSERT_BY(noteInMemory, Name, __VA_ARGS__)       \
   : In == Where::Registers ? INSERT_BY(countInRegisters, Name, __VA_ARGS__)   \
                            : INSERT_BY(countInMemory, Name, __VA_ARGS__))
  static void insert(InstrumentationTask &Task, const Branch &B, Where In,
                     uint32_t Place) {
    switch (B.Kind) {
    case Branch::Mask:
      return INSERT(Mask, Place, *B.Condition);
    case Branch::NotMask:
      return INSERT(NotMask, Place, *B.Condition);
    case Branch::All:
      return INSERT(All, Place, *B.Condition);
    case Branch::NotAll:
      return INSERT(NotAll, Place, *B.Condition);
    case Branch::NoLane:
      return INSERT(NoLane, Place);
    case Branch::AnyLane:
      return INSERT(Mask, Place, ~uint64_t(0));
    case Branch::Compare:
      Task.insertHookBefore(*B.MI, LUTHIER_GET_HOOK_HANDLE(keepLanes));
      return INSERT(Compare, Place);
    }
  }
#undef INSERT
#undef INSERT_BY

  llvm::Error insertAll(InstrumentationTask &Task, LiftedRepresentation &LR,
                        KernelBranches &K) {
    const std::vector<Branch> Branches = branchesOf(LR);
    if (Branches.size() > MaxBranches)
      return llvm::createStringError("too many branches");
    K.WaveSize = LR.waveSize();
    K.Points.clear();
    for (const Branch &B : Branches) {
      const uint32_t Offset = K.clocksAt();
      KernelBranches::Point &New = K.Points.emplace_back();
      New.Offset = Offset;
      New.HasMasks = B.IsOnce;
      New.Address = LR.originalAddress(*B.MI).value_or(0);
      New.Instruction = mnemonicOf(*B.MI);
      if (std::optional<SourceLine> Line = LR.sourceLine(*B.MI))
        New.Line = Line->File + ":" + std::to_string(Line->Line);
    }
    if (Branches.empty())
      return llvm::Error::success();
    // Waves may end in code that is not lifted, where nobody stores registers.
    if (K.CountedIn == Where::Registers && LR.hasUnresolvedTransfers())
      K.CountedIn = Where::Memory;
    Task.insertHookAtKernelEntry(LUTHIER_GET_HOOK_HANDLE(findRow),
                                 {K.rowBytes()});
    for (uint32_t N = 0; N < Branches.size(); ++N) {
      const bool InRegisters =
          K.CountedIn == Where::Registers && !Branches[N].IsOnce;
      const uint32_t Offset = K.Points[N].Offset;
      insert(Task, Branches[N], K.CountedIn, InRegisters ? N : Offset);
      if (InRegisters)
        Task.insertHookAtWaveEnd(LUTHIER_GET_HOOK_HANDLE(storeCounts),
                                 {N, Offset});
    }
    if (WithClocks) {
      Task.insertHookAtKernelEntry(LUTHIER_GET_HOOK_HANDLE(keepClock));
      Task.insertHookAtWaveEnd(LUTHIER_GET_HOOK_HANDLE(storeClocks),
                               {K.clocksAt()});
    }
    return llvm::Error::success();
  }

  llvm::Error load(const hsa::LoadedCodeObjectKernel &Kernel, KernelBranches &K,
                   Where In) {
    K.CountedIn = In;
    auto Insert = [&](InstrumentationTask &Task, LiftedRepresentation &LR) {
      return insertAll(Task, LR, K);
    };
    K.Preset = nameOf(In);
    return instrumentAndLoad(Kernel, Insert, K.Preset);
  }

  /// In registers where they suffice for all branches.
  llvm::Error load(const hsa::LoadedCodeObjectKernel &Kernel,
                   KernelBranches &K) {
    if (!OnlyInMemory) {
      llvm::Error E = load(Kernel, K, Where::Registers);
      if (!E)
        return E;
      llvm::consumeError(std::move(E));
    }
    return load(Kernel, K, Where::Memory);
  }

  KernelBranches &kernelOf(const hsa::LoadedCodeObjectKernel &Kernel) {
    KernelBranches *&K = Loaded[Kernel.kernelObject()];
    if (!K)
      K = Kernels.emplace_back(std::make_unique<KernelBranches>(Kernel.name()))
              .get();
    return *K;
  }

  /// Others may be loaded to the same addresses.
  void onCodeObjectUnloaded(const hsa::LoadedCodeObject &Object) override {
    std::lock_guard Guard(Lock);
    for (const hsa::LoadedCodeObjectKernel &Kernel : Object.kernels())
      Loaded.erase(Kernel.kernelObject());
  }

  llvm::Error redirect(KernelDispatch &Dispatch, KernelBranches &K) {
    if (!K.IsLoaded)
      if (llvm::Error E = load(Dispatch.Kernel, K))
        return E;
    K.IsLoaded = true;
    if (K.Points.empty())
      return llvm::Error::success();
    const uint64_t Waves = wavesOf(Dispatch.Packet, K.WaveSize);
    llvm::Expected<uint64_t> Rows =
        RowBuffer::allocate(Dispatch.Kernel.agent(), Waves * K.rowBytes());
    if (!Rows)
      return Rows.takeError();
    Dispatch.LaunchValue = *Rows;
    if (llvm::Error E = overrideWithInstrumented(Dispatch, K.Preset)) {
      RowBuffer::free(*Rows);
      Dispatch.LaunchValue = 0;
      return E;
    }
    Launched[*Rows] = &K;
    ++K.Dispatches;
    return llvm::Error::success();
  }

  void onDispatch(KernelDispatch &Dispatch) override {
    std::lock_guard Guard(Lock);
    KernelBranches &K = kernelOf(Dispatch.Kernel);
    if (!K.IsRefused)
      if (llvm::Error E = redirect(Dispatch, K)) {
        K.IsRefused = !K.IsLoaded;
        reportRefusal(Dispatch.Kernel, std::move(E));
      }
    Dispatch.SkipCompletion = !Dispatch.LaunchValue;
  }

  void onComplete(const KernelDispatch &Dispatch) override {
    std::lock_guard Guard(Lock);
    const auto Launch = Launched.find(Dispatch.LaunchValue);
    KernelBranches &K = *Launch->second;
    Launched.erase(Launch);
    const uint64_t Waves = wavesOf(Dispatch.Packet, K.WaveSize);
    std::vector<char> Rows(Waves * K.rowBytes());
    hsa_memory_copy(Rows.data(),
                    reinterpret_cast<const void *>(Dispatch.LaunchValue),
                    Rows.size());
    RowBuffer::free(Dispatch.LaunchValue);
    for (uint64_t Wave = 0; Wave < Waves; ++Wave)
      addRow(Dispatch, K, Wave, Rows.data() + Wave * K.rowBytes());
    K.Waves += Waves;
  }

  void addRow(const KernelDispatch &Dispatch, KernelBranches &K, uint64_t Wave,
              const char *At) {
    uint64_t Clocks[2];
    std::memcpy(Clocks, At + K.clocksAt(), sizeof(Clocks));
    for (KernelBranches::Point &P : K.Points) {
      const Counts C = P.countsIn(At);
      Counts &Sum = P.Sum;
      Sum.Executed += C.Executed;
      Sum.Agreed += C.Agreed;
      Sum.Lanes += C.Lanes;
      Sum.Taken += C.Taken;
      if (ByWave && C.Executed)
        waveFile() << llvm::formatv(
            "{0},{1},{2},{3:x},{4},{5},{6},{7},{8},{9}\n",
            Dispatch.Kernel.name(), Dispatch.Id, Wave, P.Address, C.Executed,
            C.Agreed, C.Lanes, C.Taken, Clocks[0], Clocks[1]);
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

  void print() const {
    for (const std::unique_ptr<KernelBranches> &K : Kernels) {
      if (K->IsRefused || K->Points.empty())
        continue;
      llvm::errs() << llvm::formatv("{0}: {1} dispatches, {2} waves\n", K->Name,
                                    K->Dispatches, K->Waves);
      llvm::errs() << llvm::formatv(
          "  {0,8}  {1,-20}{2,14}{3,14}{4,9}{5,9}  {6}\n", "address",
          "instruction", "executed", "diverged", "%", "% lanes", "source");
      for (const KernelBranches::Point &P : K->Points) {
        const uint64_t Diverged = P.Sum.Executed - P.Sum.Agreed;
        auto Percent = [](uint64_t Part, uint64_t Of) {
          return Of ? llvm::formatv("{0:f1}", 100.0 * Part / Of).str() : "-";
        };
        llvm::errs() << llvm::formatv(
            "  {0,8:x-}  {1,-20}{2,14}{3,14}{4,9}{5,9}  {6}\n", P.Address,
            P.Instruction, P.Sum.Executed, Diverged,
            Percent(Diverged, P.Sum.Executed),
            Percent(P.Sum.Taken, P.Sum.Lanes), P.Line);
      }
    }
  }

  void writeJSON() const {
    OutputFile File("branch-divergence.json");
    llvm::json::OStream J(File.OS, 2);
    J.object([&] {
      J.attributeArray("kernels", [&] {
        for (const std::unique_ptr<KernelBranches> &K : Kernels)
          if (!K->IsRefused)
            J.object([&] { writeKernel(J, *K); });
      });
      J.attributeArray("refused", [&] {
        for (const RefusedKernel &R : refusals())
          J.object([&] {
            J.attribute("name", R.Kernel);
            J.attribute("reason", R.Reason);
          });
      });
    });
    File.OS << '\n';
  }

  static void writeKernel(llvm::json::OStream &J, const KernelBranches &K) {
    J.attribute("name", K.Name);
    J.attribute("dispatches", int64_t(K.Dispatches));
    J.attribute("waves", int64_t(K.Waves));
    J.attribute("counted_in", nameOf(K.CountedIn));
    J.attributeArray("branches", [&] {
      for (const KernelBranches::Point &P : K.Points)
        J.object([&] {
          J.attribute("address", int64_t(P.Address));
          J.attribute("instruction", P.Instruction);
          if (!P.Line.empty())
            J.attribute("source", P.Line);
          J.attribute("executed", int64_t(P.Sum.Executed));
          J.attribute("agreed", int64_t(P.Sum.Agreed));
          J.attribute("lanes", int64_t(P.Sum.Lanes));
          J.attribute("taken", int64_t(P.Sum.Taken));
        });
    });
  }

  void onExit() override {
    std::lock_guard Guard(Lock);
    if (Kernels.empty())
      return;
    print();
    writeJSON();
    WaveFile.reset();
  }
};
LUTHIER_TOOL(BranchDivergence)
