// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stack and shared memory of hooks, beside the application's.
#include "EngineTest.h"
#include "lift/Lifter.h"

using namespace llvm;
using namespace luthier;
using namespace luthier::test;

namespace {

/// Each work-item reverses an array of its own, and gets its neighbour's sum
/// through shared memory.
constexpr const char *Kernel = R"(
declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.amdgcn.s.barrier()
@shared = internal addrspace(3) global [64 x i32] poison
define amdgpu_kernel void @k(ptr addrspace(1) %p, i32 %n) {
entry:
  %a = alloca [16 x i32], addrspace(5)
  %l = call i32 @llvm.amdgcn.workitem.id.x()
  br label %fill
fill:
  %i = phi i32 [ 0, %entry ], [ %i1, %fill ]
  %at = getelementptr i32, ptr addrspace(5) %a, i32 %i
  %v = mul i32 %i, %l
  store volatile i32 %v, ptr addrspace(5) %at
  %i1 = add i32 %i, 1
  %more = icmp ult i32 %i1, %n
  br i1 %more, label %fill, label %sum
sum:
  %j = phi i32 [ 0, %fill ], [ %j1, %sum ]
  %s = phi i32 [ 0, %fill ], [ %s1, %sum ]
  %from = getelementptr i32, ptr addrspace(5) %a, i32 %j
  %w = load volatile i32, ptr addrspace(5) %from
  %s3 = mul i32 %s, 3
  %s1 = add i32 %s3, %w
  %j1 = add i32 %j, 1
  %again = icmp ult i32 %j1, %n
  br i1 %again, label %sum, label %done
done:
  %mine = getelementptr i32, ptr addrspace(3) @shared, i32 %l
  store volatile i32 %s1, ptr addrspace(3) %mine
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %other = xor i32 %l, 1
  %theirs = getelementptr i32, ptr addrspace(3) @shared, i32 %other
  %r = load volatile i32, ptr addrspace(3) %theirs
  %out = getelementptr i32, ptr addrspace(1) %p, i32 %l
  store i32 %r, ptr addrspace(1) %out
  ret void
})";

class Memory : public EngineTest {
protected:
  Judgement run() {
    KernelLaunch Launch{{64, 1, 1}, {64, 1, 1}};
    Launch.Arguments.words(64).value(uint32_t(13));
    return expectUnchanged(fromIR(Kernel), Launch, everywhere("h"));
  }
};

constexpr const char *StackHook = R"(
declare i32 @llvm.amdgcn.workitem.id.x()
define void @h() #0 {
  %a = alloca [32 x i32], addrspace(5)
  %l = call i32 @llvm.amdgcn.workitem.id.x()
  %i = and i32 %l, 31
  %at = getelementptr i32, ptr addrspace(5) %a, i32 %i
  store volatile i32 %l, ptr addrspace(5) %at
  %v = load volatile i32, ptr addrspace(5) %at
  %out = getelementptr i64, ptr addrspace(1) @Counters, i32 %l
  %v64 = zext i32 %v to i64
  store i64 %v64, ptr addrspace(1) %out
  ret void
})";

TEST_P(Memory, LocalArraysOfHooks) {
  setHooks(StackHook);
  for (auto Policy : {RegisterPolicy::Grow, RegisterPolicy::KeepOccupancy}) {
    Options.Engine.Policy = Policy;
    Judgement J = run();
    if (!J.Problem.empty())
      return;
    EXPECT_GE(J.Instrumented.Report.StackBytes, 128u);
    for (unsigned N = 0; N != 64; ++N)
      ASSERT_EQ(J.counters()[N], N);
  }
}

/// LLVM keeps such an array in registers that it numbers as the code runs, and
/// where it cannot, in a slot of the stack as aligned as all of it is long.
TEST_P(Memory, ArraysOfHooksThatAreIndexedByNumbersOfTheWave) {
  setHipHooks(R"(
__device__ uint64_t Hash;
LUTHIER_HOOK_ANNOTATE h(uint32_t K) {
  uint32_t A[24];
  for (int I = 0; I < 24; ++I)
    A[I] = (K >> (I & 7)) * 2654435761u;
  for (int I = 0; I < 24; ++I)
    for (int J = 0; J + 1 < 24 - I; ++J)
      if (A[J] > A[J + 1]) {
        const uint32_t Larger = A[J];
        A[J] = A[J + 1];
        A[J + 1] = Larger;
      }
  uint32_t Sum = 0;
  for (int I = 0; I < 24; ++I)
    Sum = Sum * 31 + A[I];
  if (threadIdx.x == 0)
    Hash = Sum;
}
)");
  KernelLaunch Launch{{64, 1, 1}, {64, 1, 1}};
  Launch.Arguments.words(64).value(uint32_t(13));
  Judgement J =
      expectUnchanged(fromIR(Kernel), Launch,
                      [&](LiftedRepresentation &LR, InstrumentationTask &Task) {
                        Task.insertHookAtKernelEntry(hook("h"), {12345u});
                      });
  if (J.Problem.empty())
    EXPECT_EQ(J.variable("Hash"), 3459838142u);
}

TEST_P(Memory, FunctionsThatHooksCallThroughVariables) {
  setHipHooks(R"(
__device__ uint64_t Sum;
static __device__ uint32_t plus(uint32_t N) { return N + 1; }
static __device__ uint32_t times(uint32_t N) { return N * 5; }
LUTHIER_HOOK_ANNOTATE h() {
  uint32_t (*F)(uint32_t) = threadIdx.x & 1 ? plus : times;
  atomicAdd((unsigned long long *)&Sum, F(threadIdx.x));
}
)");
  KernelLaunch Launch{{64, 1, 1}, {64, 1, 1}};
  Launch.Arguments.words(64).value(uint32_t(13));
  Judgement J =
      expectUnchanged(fromIR(Kernel), Launch,
                      [&](LiftedRepresentation &LR, InstrumentationTask &Task) {
                        Task.insertHookAtKernelEntry(hook("h"));
                      });
  uint64_t Expected = 0;
  for (unsigned N = 0; N < 64; ++N)
    Expected += N & 1 ? N + 1 : N * 5;
  if (J.Problem.empty())
    EXPECT_EQ(J.variable("Sum"), Expected);
}

TEST_P(Memory, SharedMemoryOfHooks) {
  setHooks(R"(
declare i32 @llvm.amdgcn.workitem.id.x()
@l = internal addrspace(3) global [64 x i32] poison
define void @h() #0 {
  %l = call i32 @llvm.amdgcn.workitem.id.x()
  %at = getelementptr i32, ptr addrspace(3) @l, i32 %l
  store volatile i32 %l, ptr addrspace(3) %at
  %v = load volatile i32, ptr addrspace(3) %at
  %out = getelementptr i64, ptr addrspace(1) @Counters, i32 %l
  %v64 = zext i32 %v to i64
  store i64 %v64, ptr addrspace(1) %out
  ret void
})");
  Judgement J = run();
  if (!J.Problem.empty())
    return;
  EXPECT_EQ(J.Instrumented.ExtraGroupSegment, 256u);
  for (unsigned N = 0; N != 64; ++N)
    ASSERT_EQ(J.counters()[N], N);
}

TEST_P(Memory, TooMuchSharedMemoryIsRefused) {
  setHooks(R"(
@l = internal addrspace(3) global [50000 x i32] poison
define void @h() #0 {
  store volatile i32 1, ptr addrspace(3) @l
  ret void
})");
  KernelLaunch Launch{{64, 1, 1}, {64, 1, 1}};
  Launch.Arguments.words(64).value(uint32_t(13));
  expectRefused(fromIR(Kernel), Launch, everywhere("h"),
                RefusalReason::SharedMemory);
}

TEST_P(Memory, WithoutADispatchNobodyKnowsWhereADynamicStackEnds) {
  Object K = fromIR(R"(
define amdgpu_kernel void @k(ptr addrspace(1) %p, i32 %n) {
  br label %then
then:
  %a = alloca i32, i32 %n, addrspace(5)
  store volatile i32 7, ptr addrspace(5) %a
  %v = load volatile i32, ptr addrspace(5) %a
  store i32 %v, ptr addrspace(1) %p
  ret void
})");
  ASSERT_TRUE(K);
  ASSERT_TRUE(K->kernels().front().Descriptor.usesDynamicStack());
  auto instrument = [&](const char *IR) {
    setHooks(IR);
    HookModule Module;
    Module.ToolName = "test";
    Module.Bitcode = Hooks.Bitcode;
    Module.Variables["Counters"] = 0x1000;
    auto LR = liftKernel(K, K->kernels().front());
    InstrumentationTask Task;
    Task.insertHookAtKernelEntry(hook("h"));
    return instrumentKernel(*cantFail(std::move(LR)), Task,
                            [&](const void *Handle) -> Expected<HookReference> {
                              return HookReference{
                                  &Module, static_cast<const char *>(Handle)};
                            },
                            {});
  };
  auto Refused = instrument(StackHook);
  ASSERT_FALSE(bool(Refused));
  const std::string Why = toString(Refused.takeError());
  EXPECT_TRUE(StringRef(Why).starts_with("dynamic-stack: ")) << Why;
  EXPECT_NE(Why.find("onDispatch"), std::string::npos) << Why;
  // Without a stack of its own, a hook does not ask.
  auto Version = instrument("define void @h() #0 {\n"
                            "store i64 7, ptr addrspace(1) @Counters\n"
                            "ret void }");
  EXPECT_TRUE(bool(Version)) << toString(Version.takeError());
}

INSTANTIATE_TEST_SUITE_P(Targets, Memory, ::testing::ValuesIn(allTargets()),
                         targetName);

} // namespace
