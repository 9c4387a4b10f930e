// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Garbage in everything that the analyses call free, everywhere, changes
// nothing: compiled kernels on every target, with calls, stack, LDS, atomics.
#include "EngineTest.h"
#include "analysis/RegisterSet.h"
#include "analysis/RegisterUse.h"
#include "lift/Lifter.h"
#include <random>
#include <tuple>

using namespace llvm;

namespace luthier::test {
namespace {

const char *const Kernels[] = {"integersKernel",
                               "longIntegersKernel",
                               "shortIntegersKernel",
                               "floatsKernel",
                               "doublesKernel",
                               "halvesKernel",
                               "branchesKernel",
                               "stackKernel",
                               "callsKernel",
                               "conversionsKernel",
                               "prefixSums",
                               "histogram",
                               "lanes",
                               "sizes"};

class Scramble
    : public EngineFixture,
      public ::testing::WithParamInterface<std::tuple<EngineTarget, unsigned>> {
protected:
  Scramble() : EngineFixture(std::get<0>(GetParam())) {
    Code = fromCpp("#include \"" LUTHIER_DEVICE_ITEMS "\"\n",
                   {"-O" + std::to_string(std::get<1>(GetParam())),
                    "-ffp-contract=off",
                    "-DWAVE_SIZE=" + std::to_string(target().WaveSize)});
    Options.SelfTest.ScrambleSeed = 0;
    Options.Seeds = {1};
  }
  KernelLaunch launch(const char *Kernel, bool IsFull) {
    constexpr uint32_t Group = 96, Groups = 2;
    const uint32_t Count = IsFull ? Group * Groups : Group + 37;
    KernelLaunch L{{Group * Groups, 1, 1}, {Group, 1, 1}, {}, Kernel};
    std::mt19937 Random(7);
    std::vector<uint32_t> In(4 * Group * Groups + 8);
    for (uint32_t &Word : In)
      Word = Random();
    L.Arguments.words(4 * Group * Groups + 8).buffer(In);
    L.Arguments.value(Group).value(Count);
    return L;
  }
  Object Code;
};

TEST_P(Scramble, ChangesNothing) {
  uint64_t Seed = std::get<1>(GetParam());
  for (const char *Kernel : Kernels) {
    ++Seed;
    SCOPED_TRACE(std::string(Kernel) + ", seed " + std::to_string(Seed));
    Options.SelfTest.ScrambleSeed = Seed;
    Options.SelfTest.MaxScrambled = Seed % 2 ? 8 : 32;
    Judgement J =
        expectUnchanged(Code, launch(Kernel, Seed % 2), [](auto &, auto &) {});
    EXPECT_GT(J.Instrumented.Report.Points, 10u);
  }
}

std::vector<std::tuple<EngineTarget, unsigned>> builds() {
  std::vector<std::tuple<EngineTarget, unsigned>> All;
  for (const EngineTarget &T : allTargets())
    for (unsigned Level : {0, 2})
      All.emplace_back(T, Level);
  return All;
}

INSTANTIATE_TEST_SUITE_P(Targets, Scramble, ::testing::ValuesIn(builds()),
                         [](const auto &Info) {
                           return std::get<0>(Info.param).name() + "O" +
                                  std::to_string(std::get<1>(Info.param));
                         });

/// Hooks in scrambled kernels: they count what there is to count, and lose
/// nothing that they keep between points.
class ScrambleAndHooks : public Scramble {
protected:
  ScrambleAndHooks() {
    setHooks(R"(
declare i32 @llvm.amdgcn.workitem.id.x()
define void @count() #0 {
  %lane = call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 0)
  %at = call i32 @llvm.amdgcn.mbcnt.hi(i32 -1, i32 %lane)
  %array = alloca [4 x i32], addrspace(5)
  %i = and i32 %at, 3
  %slot = getelementptr [4 x i32], ptr addrspace(5) %array, i32 0, i32 %i
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  store volatile i32 %x, ptr addrspace(5) %slot
  %y = load volatile i32, ptr addrspace(5) %slot
  %sum = zext i32 %y to i64
  %a = atomicrmw add ptr addrspace(1) @Counters, i64 1 syncscope("agent") monotonic
  %p = getelementptr i64, ptr addrspace(1) @Counters, i32 1
  %b = atomicrmw add ptr addrspace(1) %p, i64 %sum syncscope("agent") monotonic
  ret void
})");
  }
};

TEST_P(ScrambleAndHooks, CountTheSame) {
  for (const char *Kernel : {"branchesKernel", "callsKernel", "stackKernel"}) {
    SCOPED_TRACE(Kernel);
    Options.SelfTest.ScrambleSeed.reset();
    const Judgement Plain =
        expectUnchanged(Code, launch(Kernel, false), everywhere("count"));
    Options.SelfTest.ScrambleSeed = 0;
    const Judgement J =
        expectUnchanged(Code, launch(Kernel, false), everywhere("count"));
    ASSERT_GE(J.counters().size(), 2u);
    EXPECT_GT(Plain.counters().at(0), 0u);
    EXPECT_EQ(J.counters()[0], Plain.counters().at(0));
    EXPECT_EQ(J.counters()[1], Plain.counters().at(1));
    EXPECT_GT(J.Instrumented.Report.BytesAfter,
              Plain.Instrumented.Report.BytesAfter);
  }
}

TEST_P(ScrambleAndHooks, CountTheSameWithGarbageOnTheirStack) {
  for (const char *Kernel : {"branchesKernel", "callsKernel", "stackKernel"}) {
    SCOPED_TRACE(Kernel);
    auto both = [](LiftedRepresentation &LR, InstrumentationTask &Task) {
      everywhere("count")(LR, Task);
      luthier::detail::contentsOf(Task).Test.StackSeed = 1;
    };
    const Judgement Plain =
        expectUnchanged(Code, launch(Kernel, false), everywhere("count"));
    const Judgement J = expectUnchanged(Code, launch(Kernel, false), both);
    EXPECT_EQ(J.counters(), Plain.counters());
    EXPECT_GT(J.Instrumented.Report.Points, Plain.Instrumented.Report.Points);
  }
}

std::vector<std::tuple<EngineTarget, unsigned>> optimisedBuilds() {
  std::vector<std::tuple<EngineTarget, unsigned>> All = builds();
  erase_if(All, [](const auto &Build) { return std::get<1>(Build) == 0; });
  return All;
}
INSTANTIATE_TEST_SUITE_P(Targets, ScrambleAndHooks,
                         ::testing::ValuesIn(optimisedBuilds()),
                         [](const auto &Info) {
                           return std::get<0>(Info.param).name();
                         });

class GarbageIsThere : public EngineTest {};

TEST_P(GarbageIsThere, InRegistersThatNobodyReads) {
  Options.SelfTest.ScrambleSeed = 0;
  Options.RunAlone = false;
  Options.OnlyWhatIsRead = false;
  // v2 is not read after the store.
  AssemblyKernel K;
  K.Body = R"(
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    v_and_b32_e32 v0, 0x3ff, v0
    v_lshlrev_b32_e32 v1, 2, v0
    v_mov_b32_e32 v2, v0
    wait_all
    global_store_dword v1, v2, s[4:5]
    s_nop 0
    s_endpgm
)";
  KernelLaunch Launch;
  Launch.Arguments.words(64);
  Judgement J = judge(
      target(), fromAssembly(K), Launch, Hooks, [](auto &, auto &) {}, Options);
  EXPECT_NE(J.Problem.find("lockstep"), std::string::npos) << J.Problem;
  Options.OnlyWhatIsRead = true;
  expectUnchanged(fromAssembly(K), Launch, [](auto &, auto &) {});
}

INSTANTIATE_TEST_SUITE_P(Targets, GarbageIsThere,
                         ::testing::ValuesIn(allTargets()), targetName);

/// In all lanes, of which one is active.
TEST_P(GarbageIsThere, OnTheStackOfHooks) {
  setHooks(R"(
declare i32 @llvm.amdgcn.readfirstlane.i32(i32)
define void @look() #0 {
  %frame = alloca [16 x i32], align 4, addrspace(5)
  callbr void asm sideeffect "luthier::writeExec", "s,~{memory}"(i64 -1) #1 to label %all []
all:
  %last = getelementptr i32, ptr addrspace(5) %frame, i32 15
  %end = load volatile i32, ptr addrspace(5) %last, align 4
  %begin = load volatile i32, ptr addrspace(5) %frame, align 4
  %whole = icmp eq i32 %begin, %end
  %word = select i1 %whole, i32 %begin, i32 0
  %first = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %word)
  %same = icmp eq i32 %word, %first
  %some = icmp ne i32 %word, 0
  %both = and i1 %same, %some
  %one = zext i1 %both to i64
  %a = atomicrmw add ptr addrspace(1) @Counters, i64 %one syncscope("agent") monotonic
  ret void
})");
  AssemblyKernel K;
  K.Body = R"(
    s_nop 0
    s_nop 0
    s_endpgm
)";
  for (unsigned Own : {0, 16, 32, 48}) {
    SCOPED_TRACE(Own);
    K.Scratch = Own;
    Judgement J =
        expectUnchanged(fromAssembly(K), {{1, 1, 1}, {1, 1, 1}},
                        [](LiftedRepresentation &, InstrumentationTask &Task) {
                          Task.insertHookAtEndpgm(hook("look"));
                          luthier::detail::contentsOf(Task).Test.StackSeed = 1;
                        });
    EXPECT_EQ(J.counters().at(0), target().WaveSize);
  }
}

/// Scrambling that takes a register to be free that is not: what the judges
/// say.
class PlantedFault : public EngineTest {
protected:
  /// v2 and s6 are written in the middle and read at the end; SCC and VCC
  /// are read behind the instructions that write them.
  std::string body() const {
    const std::string Vcc = target().WaveSize == 32 ? "vcc_lo" : "vcc";
    return R"(
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    v_and_b32_e32 v0, 0x3ff, v0
    v_lshlrev_b32_e32 v1, 2, v0
    s_mov_b32 s6, 77
    v_mov_b32_e32 v2, v0
    s_cmp_eq_u32 s6, 77
    s_cselect_b32 s7, 5, 6
    v_cmp_gt_u32_e32 )" +
           Vcc + R"(, 40, v0
    s_nop 4
    v_cndmask_b32_e32 v3, 1, v0, )" +
           Vcc + R"(
    wait_all
    vadd v2, s6, v2
    vadd v2, s7, v2
    vadd v2, v3, v2
    global_store_dword v1, v2, s[4:5]
    s_endpgm
)";
  }
  /// The first, of scrambling with several seeds.
  std::string problemWith(std::vector<unsigned> Planted) {
    AssemblyKernel K;
    K.Body = body();
    KernelLaunch Launch;
    Launch.Arguments.words(64);
    Options.SelfTest.ScrambleSeed = 0;
    Options.SelfTest.Planted = std::move(Planted);
    std::string Problem;
    // One bit may happen to be right.
    for (uint64_t Seed = 1; Seed != 7 && Problem.empty(); ++Seed) {
      Options.SelfTest.ScrambleSeed = Seed;
      Problem = judge(
                    target(), fromAssembly(K), Launch, Hooks,
                    [](auto &, auto &) {}, Options)
                    .Problem;
    }
    return Problem;
  }
};

TEST_P(PlantedFault, IsCaughtInEachKindOfRegister) {
  using S = RegisterSet;
  EXPECT_EQ(problemWith({}), "");
  EXPECT_NE(problemWith({S::FirstVGPR + 2}), "") << "a vector register";
  EXPECT_NE(problemWith({6}), "") << "a scalar register";
  EXPECT_NE(problemWith({S::SCC}), "") << "SCC";
  EXPECT_NE(problemWith({S::VCCLo}), "") << "VCC";
}

INSTANTIATE_TEST_SUITE_P(Targets, PlantedFault,
                         ::testing::ValuesIn(allTargets()), targetName);

/// Registers above the application's exist and are overwritten.
TEST_P(GarbageIsThere, InRegistersAboveTheKernels) {
  Options.SelfTest.ScrambleSeed = 0;
  AssemblyKernel K;
  K.Body = R"(
    s_nop 0
    s_endpgm
)";
  K.VGPRs = 4;
  Judgement J = expectUnchanged(fromAssembly(K), {}, [](auto &, auto &) {});
  auto New = CodeObject::create(J.Instrumented.CodeObject);
  ASSERT_TRUE(bool(New)) << toString(New.takeError());
  const std::shared_ptr<const CodeObject> Object = std::move(*New);
  auto LR = liftKernel(Object, Object->kernels().front());
  ASSERT_TRUE(bool(LR)) << toString(LR.takeError());
  // Three work-item ids are the launch's at least.
  EXPECT_GT(registerUse(**LR).VGPRs, 6u);
}

} // namespace
} // namespace luthier::test
