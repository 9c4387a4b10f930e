// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expressions about a launch give in hooks, at a kernel's start and end, what
// they give in the kernel's own source: HIP, on every target, also on those
// that the GPU runtime does not know.
#include "EngineTest.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cstring>

using namespace llvm;
using namespace luthier;
using namespace luthier::test;

namespace {

constexpr unsigned MostItems = 512, RecordWords = 26;

/// \p Source behind the record of the end-to-end tests, which need the GPU
/// runtime.
std::string withRecord(const char *Source) {
  auto Record = MemoryBuffer::getFile(LUTHIER_LAUNCH_RECORD);
  EXPECT_TRUE(bool(Record)) << LUTHIER_LAUNCH_RECORD;
  return "#include <hsa/hsa.h>\n" +
         (Record ? (*Record)->getBuffer().str() : "") +
         "static_assert(sizeof(Record) == 4 * 26);\n" + Source;
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
  void expectSame(const Object &K, const KernelLaunch &Given) {
    const unsigned Items = Given.Grid[0] * Given.Grid[1] * Given.Grid[2];
    ASSERT_LE(Items, MostItems);
    KernelLaunch Launch = Given;
    Launch.Arguments.words(MostItems * RecordWords).words(MostItems);
    Judgement J = expectUnchanged(
        K, Launch, [](LiftedRepresentation &, InstrumentationTask &Task) {
          cantFail(Task.insertHookAtKernelEntry(hook("entry")));
          cantFail(Task.insertHookAtEndpgm(hook("end")));
        });
    if (!J.Problem.empty())
      return;
    const auto *Own = reinterpret_cast<const uint8_t *>(J.Buffers[0].data());
    for (const char *Name : {"First", "Last"}) {
      const Bytes &Seen = J.Variables.at(Name);
      for (unsigned Item = 0; Item < Items; ++Item)
        for (unsigned Word = 0; Word < RecordWords; ++Word) {
          const size_t At = 4 * (Item * RecordWords + Word);
          ASSERT_EQ(std::memcmp(&Seen[At], Own + At, 4), 0)
              << Name << ": word " << Word << " of work-item " << Item;
        }
    }
    for (const char *Name : {"FromFirst", "FromLast"}) {
      EXPECT_EQ(J.Variables.at(Name), J.Variables.at("Kernels"));
      EXPECT_NE(J.Variables.at(Name), Bytes(J.Variables.at(Name).size()));
    }
    expectClocksGoOn(J, Items);
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

INSTANTIATE_TEST_SUITE_P(Targets, HipLaunch, ::testing::ValuesIn(allTargets()),
                         targetName);

} // namespace
