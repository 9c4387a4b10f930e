// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hooks that load what they never look at: the loads have landed all the same
// before a payload ends, for the next payload, or the application, uses the
// registers that they write.
#include "EngineTest.h"

using namespace llvm;
using namespace luthier;
using namespace luthier::test;

namespace {

/// Each hook writes its registers again right away wherever it runs next.
constexpr const char *HookText = R"(
declare i64 @llvm.readsteadycounter()
declare i32 @llvm.amdgcn.workgroup.id.x()
declare i32 @llvm.amdgcn.workitem.id.x()
@shared = internal addrspace(3) global [64 x i32] poison
define void @global() #0 {
  %at = getelementptr i64, ptr addrspace(1) @Counters, i32 64
  %a = load volatile i32, ptr addrspace(1) @Counters
  %b = load volatile <4 x i32>, ptr addrspace(1) %at
  ret void
}
define void @flat() #0 {
  %at = addrspacecast ptr addrspace(1) @Counters to ptr
  %a = load volatile <4 x i32>, ptr %at
  %b = load volatile i32, ptr %at
  ret void
}
define void @lds() #0 {
  %l = call i32 @llvm.amdgcn.workitem.id.x()
  %i = and i32 %l, 31
  %at = getelementptr i32, ptr addrspace(3) @shared, i32 %i
  store volatile i32 %l, ptr addrspace(3) %at
  %a = load volatile i32, ptr addrspace(3) %at
  %b = load volatile i32, ptr addrspace(3) @shared
  ret void
}
define void @scratch() #0 {
  %array = alloca [8 x i32], addrspace(5)
  %l = call i32 @llvm.amdgcn.workitem.id.x()
  %i = and i32 %l, 7
  %at = getelementptr i32, ptr addrspace(5) %array, i32 %i
  store volatile i32 %l, ptr addrspace(5) %at
  %a = load volatile i32, ptr addrspace(5) %at
  %b = load volatile i32, ptr addrspace(5) %array
  ret void
}
define void @scalar() #0 {
  %a = call i64 @llvm.readsteadycounter()
  ret void
}
define void @onOneWay() #0 {
  %g = call i32 @llvm.amdgcn.workgroup.id.x()
  %to = getelementptr i64, ptr addrspace(1) @Counters, i32 %g
  %a = load <4 x i32>, ptr addrspace(1) @Counters
  store i32 1, ptr addrspace(1) %to
  %is = icmp eq i32 %g, 77
  br i1 %is, label %use, label %done
use:
  store <4 x i32> %a, ptr addrspace(1) %to
  br label %done
done:
  ret void
})";

/// v1 to v11 and s12 to s19 hold values from the beginning to the end.
constexpr const char *Body = R"(
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  v_and_b32_e32 v0, 0x3ff, v0
  .irp n, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
  v_mul_u32_u24_e32 v\n, \n + 2, v0
  .endr
  .irp n, 12, 13, 14, 15, 16, 17, 18, 19
  s_mov_b32 s\n, 100 + \n
  .endr
  s_cmp_lg_u32 s12, 0
  s_nop 0
  s_addc_u32 s6, s12, s13
  .irp n, 14, 15, 16, 17, 18, 19
  s_xor_b32 s6, s6, s\n
  .endr
  vadd v0, s6, v0
  .irp n, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
  v_xor_b32_e32 v0, v0, v\n
  .endr
  v_mul_u32_u24_e32 v1, 4, v1
  wait_all
  global_store_dword v1, v0, s[4:5]
  s_endpgm
)";

class HookLoads : public EngineTest {
protected:
  HookLoads() { setHooks(HookText); }

  /// In registers of its own, and in the kernel's.
  void land(const char *Hook) {
    AssemblyKernel K;
    K.Body = Body;
    K.VGPRs = 12;
    K.SGPRs = 20;
    KernelLaunch Launch;
    Launch.Arguments.words(256);
    for (auto Policy : {RegisterPolicy::Grow, RegisterPolicy::NoGrow}) {
      SCOPED_TRACE(unsigned(Policy));
      Options.Engine.Policy = Policy;
      Judgement J = expectUnchanged(fromAssembly(K), Launch, everywhere(Hook));
      EXPECT_GT(J.Instrumented.Report.Points, 40u);
    }
  }
};

TEST_P(HookLoads, OfGlobalMemoryLand) { land("global"); }
TEST_P(HookLoads, OfFlatMemoryLand) { land("flat"); }
TEST_P(HookLoads, OfSharedMemoryLand) { land("lds"); }
TEST_P(HookLoads, OfScratchMemoryLand) { land("scratch"); }
TEST_P(HookLoads, IntoScalarRegistersLand) { land("scalar"); }
TEST_P(HookLoads, ThatOnlyOneWayLooksAtLandOnTheOther) { land("onOneWay"); }

INSTANTIATE_TEST_SUITE_P(Targets, HookLoads, ::testing::ValuesIn(allTargets()),
                         targetName);

} // namespace
