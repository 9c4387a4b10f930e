// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts how often each instruction is executed, by waves and with how many
// active lanes, which functions are called through pointers, and loads whose
// lanes have one address; see README.md.
#include "luthier/luthier.h"
#include "llvm/Support/JSON.h"
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <unistd.h>
#ifndef __HIP_DEVICE_COMPILE__
#include "../common/CodeDigests.h"
#include "KeptRuns.h"
#endif

using namespace luthier;

/// Runs of instructions that are executed all or none.
constexpr size_t MaxRuns = 1 << 17;
__attribute__((managed)) uint64_t Runs[MaxRuns][2];

/// A test has fewer, to come to the end of them soon.
#ifndef BLOCK_COUNT_EXECUTION_BITS
#define BLOCK_COUNT_EXECUTION_BITS 29
#endif

/// Of runs in loops: those that a wave counts in registers and adds when it
/// ends, lanes in the lower bits and executions above. Wide ones, of 96 bits in
/// two counters, have room for 2^45 executions, which take a wave days. Narrow
/// ones begin anew after ExecutionLimit, and wide ones tell where they may
/// have.
constexpr unsigned MaxKept = 16, WideLaneBits = 51,
                   ExecutionBits = BLOCK_COUNT_EXECUTION_BITS,
                   NarrowLaneBits = 64 - ExecutionBits;
__device__ uint64_t Wide[MaxKept][2], Narrow[MaxKept];

constexpr size_t MaxSites = 1 << 11, MaxTargets = 8;
struct CallSite {
  uint64_t Targets[MaxTargets];
  uint64_t Counts[MaxTargets + 1][2]; ///< The last of all other targets.
};
__device__ CallSite Sites[MaxSites];

constexpr size_t MaxLoads = 1 << 14;
/// Of each load: waves with active lanes, those in which all have the same
/// address, and lanes.
__attribute__((managed)) uint64_t Loads[MaxLoads][3];

MARK_LUTHIER_DEVICE_MODULE

LUTHIER_HOOK_ANNOTATE countRun(uint32_t Run) {
  const uint64_t Lanes = __popcll(__builtin_amdgcn_read_exec());
  luthier::waveAtomicAddEach(Runs[Run], {uint64_t(1), Lanes});
}
LUTHIER_EXPORT_HOOK_HANDLE(countRun);

/// What one execution adds to a counter.
template <unsigned LaneBits> static __device__ inline uint64_t execution() {
  return (uint64_t(1) << LaneBits) + __popcll(__builtin_amdgcn_read_exec());
}

LUTHIER_HOOK_ANNOTATE keepWideRun(uint32_t Place) {
  luthier::detail::waveAddWide(Wide[Place], execution<WideLaneBits>());
}
LUTHIER_EXPORT_HOOK_HANDLE(keepWideRun);

LUTHIER_HOOK_ANNOTATE keepRun(uint32_t Place) {
  luthier::waveAdd(Narrow[Place], execution<NarrowLaneBits>());
}
LUTHIER_EXPORT_HOOK_HANDLE(keepRun);

/// Of \p N places from \p Place on. Adds to run \p Overflows where narrow ones
/// may have begun anew.
template <unsigned N>
static __device__ inline void giveWideRuns(uint32_t Place, uint32_t Run,
                                           uint32_t Overflows) {
  uint64_t Numbers[2 * N], AnyExecutions = 0;
  for (unsigned I = 0; I < N; ++I) {
    const uint64_t Low = luthier::waveCounter(Wide[Place + I][0]);
    const uint32_t High = luthier::waveCounter(Wide[Place + I][1]);
    Numbers[2 * I] = Low >> WideLaneBits | uint64_t(High)
                                               << (64 - WideLaneBits);
    Numbers[2 * I + 1] = Low & ((uint64_t(1) << WideLaneBits) - 1);
    AnyExecutions |= Numbers[2 * I];
  }
  luthier::waveAtomicAddEach(Runs[Run], Numbers);
  if (AnyExecutions >> ExecutionBits)
    luthier::waveAtomicAdd(&Runs[Overflows][0], 1);
}
LUTHIER_HOOK_ANNOTATE giveWideRun(uint32_t Place, uint32_t Run,
                                  uint32_t Overflows) {
  giveWideRuns<1>(Place, Run, Overflows);
}
LUTHIER_EXPORT_HOOK_HANDLE(giveWideRun);
LUTHIER_HOOK_ANNOTATE giveFourWideRuns(uint32_t Place, uint32_t Run,
                                       uint32_t Overflows) {
  giveWideRuns<4>(Place, Run, Overflows);
}
LUTHIER_EXPORT_HOOK_HANDLE(giveFourWideRuns);

/// Of \p N places from \p Place on.
template <unsigned N>
static __device__ inline void giveRuns(uint32_t Place, uint32_t Run) {
  uint64_t Numbers[2 * N];
  for (unsigned I = 0; I < N; ++I) {
    const uint64_t Number = luthier::waveCounter(Narrow[Place + I]);
    Numbers[2 * I] = Number >> NarrowLaneBits;
    Numbers[2 * I + 1] = Number & ((uint64_t(1) << NarrowLaneBits) - 1);
  }
  luthier::waveAtomicAddEach(Runs[Run], Numbers);
}
LUTHIER_HOOK_ANNOTATE giveRun(uint32_t Place, uint32_t Run) {
  giveRuns<1>(Place, Run);
}
LUTHIER_EXPORT_HOOK_HANDLE(giveRun);
LUTHIER_HOOK_ANNOTATE giveFourRuns(uint32_t Place, uint32_t Run) {
  giveRuns<4>(Place, Run);
}
LUTHIER_EXPORT_HOOK_HANDLE(giveFourRuns);

LUTHIER_HOOK_ANNOTATE countCall(uint32_t Site, uint64_t Target) {
  const uint64_t Lanes = __popcll(__builtin_amdgcn_read_exec());
  constexpr uint64_t Nobody = ~uint64_t(0);
  unsigned Place = 0;
  for (; Place < MaxTargets; ++Place) {
    // All active lanes do the same.
    const uint64_t Known = luthier::firstLane(
        uint64_t(atomicCAS(
            reinterpret_cast<unsigned long long *>(&Sites[Site].Targets[Place]),
            0ull, (unsigned long long)Target)),
        Nobody);
    if (Known == 0 || Known == Target)
      break;
  }
  luthier::waveAtomicAddEach(Sites[Site].Counts[Place], {uint64_t(1), Lanes});
}
LUTHIER_EXPORT_HOOK_HANDLE(countCall);

LUTHIER_HOOK_ANNOTATE countLoad(uint32_t Load, uint64_t Address) {
  const uint64_t Active = __builtin_amdgcn_read_exec();
  const uint64_t First = luthier::firstLane(Address, uint64_t(0));
  const uint64_t Others = __builtin_amdgcn_ballot_w64(Address != First);
  const uint64_t IsExecuted = Active != 0;
  luthier::waveAtomicAddEach(Loads[Load],
                             {IsExecuted, Others ? uint64_t(0) : IsExecuted,
                              uint64_t(__popcll(Active))});
}
LUTHIER_EXPORT_HOOK_HANDLE(countLoad);

#ifndef __HIP_DEVICE_COMPILE__
static Option<bool>
    OnlyCalls("only-calls", false,
              "count calls through pointers only, and no instructions");
static Option<bool> SkipsCalls("no-calls", false,
                               "do not count calls through pointers");
static Option<bool>
    OnlyLoads("only-loads", false,
              "count loads only, and how often all lanes have one address");

static Option<bool>
    ReleasesOnly("releases-only", false,
                 "leave out code that was compiled to count by itself");

/// Whether LLVM's instrumentation has put counters into it: a loader finds them
/// by such names.
static bool countsByItself(const hsa::LoadedCodeObject &Object) {
  return llvm::toStringRef(Object.bytes()).contains("__profc_");
}

/// The access in which \p MI loads for each lane.
static std::optional<unsigned> vectorLoadOf(const llvm::MachineInstr &MI) {
  for (unsigned N = 0; N != countMemoryAccesses(MI); ++N)
    if (const uint32_t Kind = memoryAccessKind(MI, N);
        readsMemory(Kind) && !isAtomic(Kind))
      return spaceOf(Kind) == MemorySpace::Scalar ? std::nullopt
                                                  : std::optional(N);
  return std::nullopt;
}

class BlockCount : public Tool {
  struct Code {
    uint64_t Begin;
    std::string Digest;
    bool IsLeftOut;
  };
  struct Kernel {
    std::string Name, Digest;
    hsa_agent_t Agent{};
    uint64_t Begin = 0; ///< Of its code object.
    bool IsRefused = false;
    bool IsLeftOut = false;
    /// By address as linked. Code can be in a kernel more than once: what a
    /// function that does not return has behind its end is taken to be its own.
    std::multimap<uint64_t, size_t> RunOf, SiteOf, LoadOf;
    /// Where waves say that counters may have begun anew.
    std::optional<size_t> Overflows;

    bool isOverflown() const { return Overflows && Runs[*Overflows][0]; }
  };
  std::mutex Lock;
  std::map<uint64_t, Code> Loaded; ///< By address.
  std::map<uint64_t, Kernel *> ByObject;
  std::vector<std::unique_ptr<Kernel>> Kernels;
  size_t NumRuns = 0, NumSites = 0, NumLoads = 0;
  ReportPace Pace;

  llvm::Error insertRuns(LiftedRepresentation &LR, InstrumentationTask &Task,
                         Kernel &K) {
    const std::vector<InstructionRun> All = instructionRuns(LR);
    if (NumRuns + All.size() + 1 > MaxRuns)
      return llvm::createStringError("too many blocks to count");
    RunNumbers Numbers;
    insertKept(LR, Task, All, Numbers, K);
    for (const InstructionRun &Run : All)
      if (Numbers.try_emplace(Run.First, NumRuns).second)
        Task.insertHookBefore(*Run.First, LUTHIER_GET_HOOK_HANDLE(countRun),
                              {NumRuns++});
    std::optional<size_t> Current;
    for (llvm::MachineInstr &MI : LR.instructions()) {
      if (&MI == &MI.getParent()->front())
        Current.reset();
      if (auto It = Numbers.find(&MI); It != Numbers.end())
        Current = It->second;
      if (const auto Address = LR.originalAddress(MI); Address && Current)
        K.RunOf.emplace(*Address, *Current);
    }
    return llvm::Error::success();
  }

  using RunNumbers = llvm::DenseMap<const llvm::MachineInstr *, size_t>;

  /// \p Kept are counted in registers by the hook \p Keep; their \p Numbers
  /// follow each other. What \p Give, or \p GiveFour, gets besides is \p More.
  template <typename K, typename G, typename... M>
  void insertKept(InstrumentationTask &Task,
                  llvm::ArrayRef<llvm::MachineInstr *> Kept,
                  RunNumbers &Numbers, K Keep, G Give, G GiveFour, M... More) {
    for (auto [Place, First] : llvm::enumerate(Kept)) {
      Task.insertHookBefore(*First, Keep, {Place});
      Numbers[First] = NumRuns + Place;
    }
    for (size_t Place = 0; Place < Kept.size();) {
      const bool AreFour = Kept.size() - Place >= 4;
      Task.insertHookAtWaveEnd(AreFour ? GiveFour : Give,
                               {Place, NumRuns + Place, More...});
      Place += AreFour ? 4 : 1;
    }
    NumRuns += Kept.size();
  }

  void insertKept(LiftedRepresentation &LR, InstrumentationTask &Task,
                  llvm::ArrayRef<InstructionRun> All, RunNumbers &Numbers,
                  Kernel &K) {
    const KeptRuns Kept = KeptRunChooser(LR, All).choose(MaxKept);
    insertKept(Task, Kept.Narrow, Numbers, LUTHIER_GET_HOOK_HANDLE(keepRun),
               LUTHIER_GET_HOOK_HANDLE(giveRun),
               LUTHIER_GET_HOOK_HANDLE(giveFourRuns));
    if (Kept.Wide.empty())
      return;
    const size_t Overflows = NumRuns++;
    insertKept(Task, Kept.Wide, Numbers, LUTHIER_GET_HOOK_HANDLE(keepWideRun),
               LUTHIER_GET_HOOK_HANDLE(giveWideRun),
               LUTHIER_GET_HOOK_HANDLE(giveFourWideRuns), Overflows);
    if (!Kept.Narrow.empty())
      K.Overflows = Overflows;
  }

  llvm::Error insertCalls(LiftedRepresentation &LR, InstrumentationTask &Task,
                          Kernel &K) {
    for (const ControlTransfer &T : LR.controlTransfers()) {
      if (T.Kind != ControlTransfer::UnresolvedCall)
        continue;
      if (NumSites == MaxSites)
        return llvm::createStringError("too many calls to count");
      // s_swappc: where to come back, and where to go.
      Task.insertHookBefore(*T.MI, LUTHIER_GET_HOOK_HANDLE(countCall),
                            {NumSites, HookArgument::operand(1)});
      K.SiteOf.emplace(T.Address, NumSites++);
    }
    return llvm::Error::success();
  }

  llvm::Error insertLoads(LiftedRepresentation &LR, InstrumentationTask &Task,
                          Kernel &K) {
    for (llvm::MachineInstr &MI : LR.instructions()) {
      const auto Access = vectorLoadOf(MI);
      const auto Address = LR.originalAddress(MI);
      if (!Access || !Address)
        continue;
      if (NumLoads == MaxLoads)
        return llvm::createStringError("too many loads to count");
      Task.insertHookBefore(MI, LUTHIER_GET_HOOK_HANDLE(countLoad),
                            {NumLoads, HookArgument::address(*Access)});
      K.LoadOf.emplace(*Address, NumLoads++);
    }
    return llvm::Error::success();
  }

  /// What the options ask for.
  llvm::Error insertAll(LiftedRepresentation &LR, InstrumentationTask &Task,
                        Kernel &K) {
    if (*OnlyLoads)
      return insertLoads(LR, Task, K);
    if (!*OnlyCalls)
      LUTHIER_RETURN_ON_ERROR(insertRuns(LR, Task, K));
    return *SkipsCalls ? llvm::Error::success() : insertCalls(LR, Task, K);
  }

  Kernel &kernelOf(const hsa::LoadedCodeObjectKernel &Of) {
    Kernel *&K = ByObject[Of.kernelObject()];
    if (K)
      return *K;
    K = Kernels.emplace_back(std::make_unique<Kernel>()).get();
    K->Name = Of.name().str();
    K->Agent = Of.agent();
    const auto After = Loaded.upper_bound(Of.kernelObject());
    if (After != Loaded.begin()) {
      const Code &Object = std::prev(After)->second;
      K->Digest = Object.Digest;
      K->Begin = Object.Begin;
      K->IsLeftOut = Object.IsLeftOut;
    }
    return *K;
  }

  void onCodeObjectLoaded(const hsa::LoadedCodeObject &Object) override {
    std::lock_guard Guard(Lock);
    Loaded[Object.address()] = {Object.address(), digestOf(Object),
                                *ReleasesOnly && countsByItself(Object)};
  }

  void onCodeObjectUnloaded(const hsa::LoadedCodeObject &Object) override {
    std::lock_guard Guard(Lock);
    const uint64_t Begin = Object.address(), End = Begin + Object.size();
    Loaded.erase(Begin);
    ByObject.erase(ByObject.lower_bound(Begin), ByObject.lower_bound(End));
  }

  void onDispatch(KernelDispatch &Dispatch) override {
    Dispatch.SkipCompletion = true;
    if (Dispatch.Kernel.isRuntimeKernel())
      return;
    std::lock_guard Guard(Lock);
    Dispatch.SkipCompletion = !Pace.isDue();
    Kernel &K = kernelOf(Dispatch.Kernel);
    if (K.IsRefused || K.IsLeftOut)
      return;
    auto Mutate = [&](InstrumentationTask &Task, LiftedRepresentation &LR) {
      return insertAll(LR, Task, K);
    };
    if (llvm::Error E =
            instrumentAndOverride(Dispatch, Mutate, "block-count")) {
      K.IsRefused = true;
      reportRefusal(Dispatch.Kernel, std::move(E));
    }
  }

  /// Where it is time to write what there is, if the process is killed.
  void onComplete(const KernelDispatch &) override {
    std::lock_guard Guard(Lock);
    Pace.write([&] { writeReportInBetween("block-count.json", counted()); });
  }

  using Array = llvm::json::Array;

  Array runsOf(const Kernel &K) const {
    Array Result;
    for (const auto &[Address, Run] : K.RunOf)
      if (const uint64_t Waves = Runs[Run][0])
        Result.push_back(Array{Address, Waves, Runs[Run][1]});
    return Result;
  }

  Array callsOf(const Kernel &K) const {
    Array Result;
    for (const auto &[Address, Number] : K.SiteOf) {
      CallSite Site[1];
      if (llvm::Error E = readVariable(Sites, K.Agent, Site, Number)) {
        llvm::errs() << "block-count: " << llvm::toString(std::move(E)) << '\n';
        continue;
      }
      for (size_t T = 0; T <= MaxTargets; ++T)
        if (Site->Counts[T][0])
          Result.push_back(
              Array{Address, T < MaxTargets ? Site->Targets[T] - K.Begin : 0,
                    Site->Counts[T][0], Site->Counts[T][1]});
    }
    return Result;
  }

  /// Also those that were not executed: they were looked at.
  Array loadsOf(const Kernel &K) const {
    Array Result;
    for (const auto &[Address, Load] : K.LoadOf)
      Result.push_back(
          Array{Address, Loads[Load][0], Loads[Load][1], Loads[Load][2]});
    return Result;
  }

  /// Counts of which are not known.
  Array overflownKernels() const {
    Array Result;
    for (const std::unique_ptr<Kernel> &K : Kernels)
      if (K->isOverflown())
        Result.push_back(llvm::json::Object{
            {"name", K->Name},
            {"code", K->Digest},
            {"reason", ("a wave has executed a block of a loop " +
                        llvm::Twine(1u << ExecutionBits) + " times or more")
                           .str()}});
    return Result;
  }

  llvm::json::Object counted() const {
    Array All;
    CodeOfKernels Refused;
    for (const std::unique_ptr<Kernel> &K : Kernels)
      if (K->IsRefused)
        Refused[K->Name].insert(K->Digest);
      else if (!K->IsLeftOut && !K->isOverflown())
        All.push_back(llvm::json::Object{{"name", K->Name},
                                         {"code", K->Digest},
                                         {"instructions", runsOf(*K)},
                                         {"calls", callsOf(*K)},
                                         {"loads", loadsOf(*K)}});
    return llvm::json::Object{{"kernels", std::move(All)},
                              {"refused", refusedKernels(Refused)},
                              {"overflown", overflownKernels()},
                              {"process", int64_t(::getpid())}};
  }

  void onExit() override {
    std::lock_guard Guard(Lock);
    if (!Kernels.empty())
      writeReport("block-count.json", counted());
  }
};
LUTHIER_TOOL(BlockCount)
#endif // __HIP_DEVICE_COMPILE__
