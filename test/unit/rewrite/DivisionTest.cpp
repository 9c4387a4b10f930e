// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// v_div_fmas takes a mask from VCC, and on gfx9 hardware does not wait for
// vector instructions that have written it shortly before: those of hooks, too.
#include "EngineTest.h"

namespace luthier::test {
namespace {

class Division : public EngineTest {};

TEST_P(Division, KeepsItsDistanceFromHooksThatWriteVCC) {
  setHooks(R"(
define void @h() #0 {
  %lo = call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 0)
  %few = icmp ult i32 %lo, 9
  %n = select i1 %few, i32 %lo, i32 5
  store volatile i32 %n, ptr addrspace(1) @Counters
  ret void
})");
  AssemblyKernel K;
  const std::string Vcc = target().WaveSize == 32 ? "vcc_lo" : "vcc";
  K.Body = "s_load_dwordx2 s[4:5], s[0:1], 0x0\n"
           "v_and_b32_e32 v0, 0x3ff, v0\n"
           "v_lshlrev_b32_e32 v1, 2, v0\n"
           "v_cvt_f32_u32_e32 v2, v0\n"
           "v_cmp_gt_u32_e32 " +
           Vcc +
           ", 20, v0\n"
           "s_nop 4\n"
           "v_div_fmas_f32 v2, v2, v2, v2\n"
           "wait_all\n"
           "global_store_dword v1, v2, s[4:5]\n"
           "s_endpgm\n";
  KernelLaunch Launch{{64, 1, 1}, {64, 1, 1}};
  Launch.Arguments.words(64);
  expectUnchanged(fromAssembly(K), Launch, everywhere("h"));
}

INSTANTIATE_TEST_SUITE_P(Targets, Division, ::testing::ValuesIn(allTargets()),
                         targetName);

} // namespace
} // namespace luthier::test
