// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One ABI serves a kernel and all functions that it calls, by name or through
// pointers.
#include "EngineTest.h"

using namespace llvm;
using namespace luthier;
using namespace luthier::test;

namespace {

constexpr const char *Direct = R"(
declare i32 @llvm.amdgcn.workitem.id.x()
define internal i32 @leaf(i32 %x, i32 %y) noinline {
  %a = mul i32 %x, %y
  %b = xor i32 %a, %x
  ret i32 %b
}
define internal i32 @middle(i32 %x) noinline {
  %a = call i32 @leaf(i32 %x, i32 7)
  %b = call i32 @leaf(i32 %a, i32 %x)
  %c = add i32 %a, %b
  ret i32 %c
}
define amdgpu_kernel void @k(ptr addrspace(1) %p) {
  %l = call i32 @llvm.amdgcn.workitem.id.x()
  %v = call i32 @middle(i32 %l)
  %at = getelementptr i32, ptr addrspace(1) %p, i32 %l
  store i32 %v, ptr addrspace(1) %at
  ret void
})";

constexpr const char *Indirect = R"(
declare i32 @llvm.amdgcn.workitem.id.x()
define internal i32 @twice(i32 %x) noinline {
  %a = mul i32 %x, 2
  ret i32 %a
}
define internal i32 @square(i32 %x) noinline {
  %a = mul i32 %x, %x
  ret i32 %a
}
define amdgpu_kernel void @k(ptr addrspace(1) %p, i32 %n) {
  %l = call i32 @llvm.amdgcn.workitem.id.x()
  %c = icmp eq i32 %n, 3
  %f = select i1 %c, ptr @twice, ptr @square
  %v = call i32 %f(i32 %l)
  %at = getelementptr i32, ptr addrspace(1) %p, i32 %l
  store i32 %v, ptr addrspace(1) %at
  ret void
})";

/// Counts for the wave, even where no lane is active, and for its workgroup.
constexpr const char *HookText = R"(
declare i32 @llvm.amdgcn.workgroup.id.x()
define void @h() #0 {
  %g = call i32 @llvm.amdgcn.workgroup.id.x()
  %mask = call i64 @llvm.amdgcn.ballot.i64(i1 true)
  callbr void asm sideeffect "luthier::writeExec", "s,~{memory}"(i64 1) #1 to label %one []
one:
  %at = getelementptr i64, ptr addrspace(1) @Counters, i32 %g
  %a = atomicrmw add ptr addrspace(1) %at, i64 1 syncscope("agent") monotonic
  callbr void asm sideeffect "luthier::writeExec", "s,~{memory}"(i64 %mask) #1 to label %back []
back:
  ret void
})";

class Functions : public EngineTest {
protected:
  Functions() { setHooks(HookText); }
};

TEST_P(Functions, CalledDirectlyAreInstrumented) {
  for (auto Policy : {RegisterPolicy::Grow, RegisterPolicy::KeepOccupancy}) {
    Options.Engine.Policy = Policy;
    KernelLaunch Launch{{128, 1, 1}, {64, 1, 1}};
    Launch.Arguments.words(64);
    Judgement J = expectUnchanged(fromIR(Direct), Launch, everywhere("h"));
    if (!J.Problem.empty())
      return;
    // Both workgroups do the same.
    EXPECT_EQ(J.counters()[0], J.WaveInstructions / 2);
    EXPECT_EQ(J.counters()[1], J.WaveInstructions / 2);
  }
}

TEST_P(Functions, CalledThroughPointersAreInstrumented) {
  for (uint32_t Which : {3, 4}) {
    KernelLaunch Launch{{64, 1, 1}, {64, 1, 1}};
    Launch.Arguments.words(64).value(Which);
    // The stack that such a kernel may use is known only at the launch.
    Options.Engine.ApplicationStack = Launch.Scratch = 1024;
    const Judgement J =
        expectUnchanged(fromIR(Indirect), Launch, everywhere("h"));
    ASSERT_FALSE(J.counters().empty());
    EXPECT_EQ(J.counters()[0], J.WaveInstructions);
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, Functions, ::testing::ValuesIn(allTargets()),
                         targetName);

} // namespace
