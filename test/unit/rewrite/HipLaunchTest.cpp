// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expressions about a launch give in hooks, at a kernel's start and end, what
// they give in the kernel's own source, and arguments what it does: HIP, on
// every target, also on those that the GPU runtime does not know.
#include "EngineTest.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cstring>

using namespace llvm;
using namespace luthier;
using namespace luthier::test;

namespace {

constexpr unsigned MostItems = 512, RecordWords = 26, ComputedWords = 22;

/// \p Source behind the record of the end-to-end tests, which need the GPU
/// runtime.
std::string withRecord(const char *Source) {
  auto Record = MemoryBuffer::getFile(LUTHIER_LAUNCH_RECORD);
  EXPECT_TRUE(bool(Record)) << LUTHIER_LAUNCH_RECORD;
  return "#include <hsa/hsa.h>\n" +
         (Record ? (*Record)->getBuffer().str() : "") +
         "static_assert(sizeof(Record) == 4 * 26);\n"
         "static_assert(sizeof(Computed) == 4 * 22);\n" +
         Source;
}

/// Overwrites what the launch left in registers. What differs from run to run
/// goes where only hooks see it.
constexpr const char *Kernel = R"(
extern "C" __global__ void k(Record *To, uint32_t *Work) {
  __shared__ volatile uint64_t Shared[256][6];
  const uint32_t InGroup =
      (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  Shared[InGroup][0] = clock64();
  Shared[InGroup][1] = wall_clock64();
  const Pointers P = pointersNow();
  const void *All[] = {P.Kernarg, P.Dispatch, P.Queue, P.Implicit};
  for (int I = 0; I < 4; ++I)
    Shared[InGroup][2 + I] = uint64_t(All[I]);
  uint32_t Item = workItem(), Value = Item;
  for (uint32_t I = 0; I < Item % 7; ++I)
    Value = Value * 1664525 + 1013904223;
  writeRecord(To[Item]);
  __builtin_amdgcn_s_barrier();
  Work[Item] = Value;
}
)";

constexpr const char *HookSource = R"(
__device__ Record First[512], Last[512];
__device__ Pointers Kernels[512], FromFirst[512], FromLast[512];
__device__ Times ClockBefore[512], ClockBetween[512], ClockAfter[512];
LUTHIER_HOOK_ANNOTATE entry() {
  ClockBefore[workItem()] = timesNow();
  writeRecord(First[workItem()]);
  FromFirst[workItem()] = pointersNow();
}
LUTHIER_HOOK_ANNOTATE end() {
  const uint32_t Threads[] = {threadIdx.x, threadIdx.y, threadIdx.z};
  const uint32_t InGroup =
      (Threads[2] * blockDim.y + Threads[1]) * blockDim.x + Threads[0];
  using Shared = const volatile __attribute__((address_space(3))) uint64_t;
  auto *Own = reinterpret_cast<Shared *>(0) + 6 * InGroup;
  ClockBetween[workItem()] = {Own[0], Own[1]};
  Kernels[workItem()] = {(void *)Own[2], (void *)Own[3], (void *)Own[4],
                         (void *)Own[5]};
  ClockAfter[workItem()] = timesNow();
  writeRecord(Last[workItem()]);
  FromLast[workItem()] = pointersNow();
}
)";

struct Times {
  uint64_t Clock, Wall;
};

class HipLaunch : public EngineTest {
protected:
  static void atBothEnds(LiftedRepresentation &, InstrumentationTask &Task) {
    Task.insertHookAtKernelEntry(hook("entry"));
    Task.insertHookAtEndpgm(hook("end"));
  }

  void expectSame(const Object &K, const KernelLaunch &Given) {
    const unsigned Items = Given.Grid[0] * Given.Grid[1] * Given.Grid[2];
    ASSERT_LE(Items, MostItems);
    KernelLaunch Launch = Given;
    Launch.Arguments.words(MostItems * RecordWords).words(MostItems);
    Judgement J = expectUnchanged(K, Launch, atBothEnds);
    if (!J.Problem.empty())
      return;
    expectKernelsWords(J, RecordWords, Items);
    for (const char *Name : {"FromFirst", "FromLast"}) {
      EXPECT_EQ(J.Variables.at(Name), J.Variables.at("Kernels"));
      EXPECT_NE(J.Variables.at(Name), Bytes(J.Variables.at(Name).size()));
    }
    expectClocksGoOn(J, Items);
  }

  /// In what the hooks at the start and at the end wrote.
  void expectKernelsWords(const Judgement &J, unsigned Words, unsigned Items) {
    const auto *Own = reinterpret_cast<const uint8_t *>(J.Buffers[0].data());
    for (const char *Name : {"First", "Last"}) {
      const Bytes &Seen = J.Variables.at(Name);
      for (unsigned Item = 0; Item < Items; ++Item)
        for (unsigned Word = 0; Word < Words; ++Word) {
          const size_t At = 4 * (Item * Words + Word);
          ASSERT_EQ(std::memcmp(&Seen[At], Own + At, 4), 0)
              << Name << ": word " << Word << " of work-item " << Item;
        }
    }
  }

  void expectSameResults(const Object &K, const KernelLaunch &Given) {
    const unsigned Items = Given.Grid[0] * Given.Grid[1] * Given.Grid[2];
    ASSERT_LE(Items, MostItems);
    KernelLaunch Launch = Given;
    Launch.Arguments.words(MostItems * ComputedWords);
    Judgement J = expectUnchanged(K, Launch, atBothEnds);
    if (!J.Problem.empty())
      return;
    for (unsigned Item = 0; Item < Items; ++Item)
      ASSERT_EQ(J.Buffers[0][Item * ComputedWords], Item % 3 == 1 ? 0 : 0xd0e)
          << Item;
    expectKernelsWords(J, ComputedWords, Items);
  }

  void expectClocksGoOn(const Judgement &J, unsigned Items) {
    // GFX11's runs over after 20 bits.
    const bool IsShort = StringRef(target().Processor) == "gfx1100";
    auto at = [&](const char *Name, unsigned Item) {
      Times T;
      std::memcpy(&T, &J.Variables.at(Name)[Item * sizeof(T)], sizeof(T));
      return T;
    };
    for (unsigned Item = 0; Item < Items; ++Item) {
      const Times A = at("ClockBefore", Item), B = at("ClockBetween", Item),
                  C = at("ClockAfter", Item);
      ASSERT_TRUE(A.Clock && B.Clock && C.Clock) << Item;
      if (!IsShort)
        ASSERT_TRUE(A.Clock <= B.Clock && B.Clock < C.Clock) << Item;
      ASSERT_TRUE(A.Wall <= B.Wall && B.Wall <= C.Wall) << Item;
    }
  }
};

TEST_P(HipLaunch, IsSeenAsTheKernelSeesIt) {
  setHipHooks(withRecord(HookSource));
  Options.Seeds = {0};
  for (const char *Level : {"-O0", "-O3"}) {
    SCOPED_TRACE(Level);
    // Groups that the grid cuts off are the kernel's business, too.
    Object K = fromHip(withRecord(Kernel),
                       {Level, "-fno-offload-uniform-block"}, /*Version=*/4);
    if (!K)
      continue;
    expectSame(K, {{200, 1, 1}, {64, 1, 1}});
    expectSame(K, {{37, 11, 1}, {16, 4, 1}});
    expectSame(K, {{13, 7, 5}, {8, 4, 4}});
  }
}

TEST_P(HipLaunch, ComputesAsTheKernelDoesWhereSomeLanesAreActive) {
  setHipHooks(withRecord(R"(
__device__ Computed First[512], Last[512];
LUTHIER_HOOK_ANNOTATE entry() { compute(First[workItem()], workItem()); }
LUTHIER_HOOK_ANNOTATE end() { compute(Last[workItem()], workItem()); }
)"));
  Options.Seeds = {0};
  for (const char *Level : {"-O0", "-O3"}) {
    SCOPED_TRACE(Level);
    Object K = fromHip(withRecord(R"(
extern "C" __global__ void k(Computed *To) {
  compute(To[workItem()], workItem());
}
)"),
                       {Level, "-fno-offload-uniform-block"}, /*Version=*/4);
    if (!K)
      continue;
    expectSameResults(K, {{200, 1, 1}, {64, 1, 1}});
    expectSameResults(K, {{37, 11, 1}, {16, 4, 1}});
    expectSameResults(K, {{13, 7, 5}, {8, 4, 4}});
  }
}

/// One load and, on two ways, one store by each work-item.
constexpr const char *AccessKernel = R"(
extern "C" __global__ void k(const uint32_t *In, uint32_t *Out) {
  const uint32_t Item = workItem();
  const uint32_t Value = In[Item * 7 % 512];
  if (Item % 3)
    Out[Item] = Value + Item;
  else
    Out[Item] = ~Value;
}
)";

/// What a work-item saw of its accesses to one of the buffers.
struct Access {
  uint32_t Times, Offset, Size, Value, IsActive, PCBias;
};

constexpr const char *AccessHooks = R"(
struct Access {
  uint32_t Times, Offset, Size, Value, IsActive, PCBias;
};
__device__ Access Loads[512], Stores[512];
__device__ inline void note(Access *All, int Buffer, uint64_t Address,
                            uint32_t Size, uint32_t Value, uint64_t Lanes,
                            uint64_t PC, uint64_t Original) {
  const auto *Arguments = static_cast<const uint64_t *>(
      (const void *)__builtin_amdgcn_kernarg_segment_ptr());
  const uint64_t Offset = Address - Arguments[Buffer];
  if (Offset >= 4 * 512) // The kernel's own stack at -O0.
    return;
  Access &To = All[workItem()];
  To = {To.Times + 1, uint32_t(Offset), Size, Value,
        uint32_t(Lanes >> __lane_id() & 1), uint32_t(PC - Original)};
}
LUTHIER_HOOK_ANNOTATE load(uint64_t Address, uint32_t Size, uint64_t Lanes,
                           uint64_t PC, uint64_t Original) {
  note(Loads, 0, Address, Size, 0, Lanes, PC, Original);
}
LUTHIER_HOOK_ANNOTATE store(uint64_t Address, uint32_t Size, uint64_t Lanes,
                            uint64_t PC, uint64_t Original, uint32_t Value) {
  note(Stores, 1, Address, Size, Value, Lanes, PC, Original);
}
)";

class HipAccesses : public HipLaunch {
protected:
  /// Before each load and store of a dword that is global, or may be.
  static void instrument(LiftedRepresentation &LR, InstrumentationTask &Task) {
    const TargetInstrInfo &TII = *LR.kernel().getSubtarget().getInstrInfo();
    const HookArgument Address = HookArgument::address(),
                       Size = HookArgument::accessSize(),
                       Lanes = HookArgument::activeLanes(),
                       PC = HookArgument::pc();
    for (const auto &[Symbol, MF] : LR.functions())
      for (MachineBasicBlock &MBB : *MF)
        for (MachineInstr &MI : MBB) {
          StringRef Name = TII.getName(MI.getOpcode());
          if (!Name.consume_front("FLAT_") && !Name.consume_front("GLOBAL_"))
            continue;
          const HookArgument Original(*LR.originalAddress(MI));
          if (Name == "LOAD_DWORD" || Name == "LOAD_DWORD_SADDR")
            Task.insertHookBefore(MI, hook("load"),
                                  {Address, Size, Lanes, PC, Original});
          // Operands: address, data, ...
          if (Name == "STORE_DWORD" || Name == "STORE_DWORD_SADDR")
            Task.insertHookBefore(
                MI, hook("store"),
                {Address, Size, Lanes, PC, Original, HookArgument::operand(1)});
        }
  }

  void expectSeen(const Object &K, const KernelLaunch &Given) {
    KernelLaunch Launch = Given;
    std::vector<uint32_t> In(MostItems);
    for (unsigned N = 0; N < MostItems; ++N)
      In[N] = N * 0x9e3779b1;
    Launch.Arguments.buffer(In).words(MostItems);
    Judgement J = expectUnchanged(K, Launch, instrument);
    if (!J.Problem.empty())
      return;
    auto seen = [&](const char *Name, unsigned Item) {
      Access A;
      std::memcpy(&A, &J.Variables.at(Name)[Item * sizeof(A)], sizeof(A));
      return A;
    };
    const uint32_t Bias = seen("Loads", 0).PCBias;
    const unsigned Items = Given.Grid[0] * Given.Grid[1] * Given.Grid[2];
    for (unsigned Item = 0; Item < Items; ++Item) {
      SCOPED_TRACE(Item);
      const Access Load = seen("Loads", Item), Store = seen("Stores", Item);
      ASSERT_EQ(Load.Offset, Item * 7 % 512 * 4);
      ASSERT_EQ(Store.Offset, Item * 4);
      ASSERT_EQ(Store.Value, J.Buffers[1][Item]);
      for (const Access &A : {Load, Store}) {
        ASSERT_EQ(A.Times, 1u);
        ASSERT_EQ(A.Size, 4u);
        ASSERT_EQ(A.IsActive, 1u);
        ASSERT_EQ(A.PCBias, Bias);
      }
    }
  }
};

TEST_P(HipAccesses, AreWhatTheKernelDoes) {
  setHipHooks(withRecord(AccessHooks));
  Options.Seeds = {0};
  for (const char *Level : {"-O0", "-O3"}) {
    SCOPED_TRACE(Level);
    Object K = fromHip(withRecord(AccessKernel),
                       {Level, "-fno-offload-uniform-block"}, /*Version=*/4);
    if (!K)
      continue;
    expectSeen(K, {{200, 1, 1}, {64, 1, 1}});
    expectSeen(K, {{37, 11, 1}, {16, 4, 1}});
    expectSeen(K, {{13, 7, 5}, {8, 4, 4}});
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, HipAccesses,
                         ::testing::ValuesIn(allTargets()), targetName);
INSTANTIATE_TEST_SUITE_P(Targets, HipLaunch, ::testing::ValuesIn(allTargets()),
                         targetName);

} // namespace
