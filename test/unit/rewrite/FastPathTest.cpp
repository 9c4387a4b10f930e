// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hooks in registers above the kernel's own, on every target.
#include "EngineTest.h"
#include "llvm/CodeGen/MachineFunction.h"

using namespace llvm;
using namespace luthier;
using namespace luthier::test;

namespace {

class FastPath : public EngineTest {};

/// A loop that lanes leave at different times, with SCC and VCC in use.
constexpr const char *Loop = R"(
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.workgroup.id.x()
define amdgpu_kernel void @k(ptr addrspace(1) %p, i32 %n) {
entry:
  %l = call i32 @llvm.amdgcn.workitem.id.x()
  %g = call i32 @llvm.amdgcn.workgroup.id.x()
  %b = mul i32 %g, 64
  %i = add i32 %b, %l
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %k1, %loop ]
  %sum = phi i32 [ %i, %entry ], [ %sum1, %loop ]
  %sum1 = mul i32 %sum, 1664525
  %k1 = add i32 %k, 1
  %more = icmp ult i32 %k1, %l
  %end = icmp ult i32 %k1, %n
  %go = and i1 %more, %end
  br i1 %go, label %loop, label %done
done:
  %at = getelementptr i32, ptr addrspace(1) %p, i32 %i
  store i32 %sum1, ptr addrspace(1) %at
  ret void
})";

TEST_P(FastPath, CountsActiveLanesOfEachInstruction) {
  setHooks(R"(
define void @h() #0 {
  %a = atomicrmw add ptr addrspace(1) @Counters, i64 1 syncscope("agent") monotonic
  ret void
})");
  KernelLaunch Launch{{150, 1, 1}, {64, 1, 1}};
  Launch.Arguments.words(160).value(uint32_t(9));
  Judgement J = expectUnchanged(fromIR(Loop), Launch, everywhere("h"));
  EXPECT_EQ(J.Instrumented.Report.SavedVGPRs, 0u);

  // One lane for all of them.
  setHooks(R"(
define void @h() #0 {
  %mask = call i64 @llvm.amdgcn.ballot.i64(i1 true)
  %low = trunc i64 %mask to i32
  %upper = lshr i64 %mask, 32
  %high = trunc i64 %upper to i32
  %some = call i32 @llvm.amdgcn.mbcnt.lo(i32 %low, i32 0)
  %before = call i32 @llvm.amdgcn.mbcnt.hi(i32 %high, i32 %some)
  %first = icmp eq i32 %before, 0
  br i1 %first, label %add, label %done
add:
  %n = call i64 @llvm.ctpop.i64(i64 %mask)
  %a = atomicrmw add ptr addrspace(1) @Counters, i64 %n syncscope("agent") monotonic
  br label %done
done:
  ret void
})");
  Judgement K = expectUnchanged(fromIR(Loop), Launch, everywhere("h"));
  EXPECT_GT(K.counters()[0], 150u * 10);
  EXPECT_EQ(J.counters()[0], K.counters()[0]);
}

INSTANTIATE_TEST_SUITE_P(Targets, FastPath, ::testing::ValuesIn(allTargets()),
                         targetName);

} // namespace
