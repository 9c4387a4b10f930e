// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that say of everything the opposite of what compilers do: how they
// are run stays as it is. That nothing is lost is checked in every test of the
// engine (CarriedOver.h).
#include "CarriedOver.h"
#include "EngineTest.h"

using namespace llvm;
using namespace luthier;
using namespace luthier::test;

namespace {

constexpr const char *HookText = R"(
declare i32 @llvm.amdgcn.workitem.id.y()
declare i32 @llvm.amdgcn.workgroup.id.z()
declare ptr addrspace(4) @llvm.amdgcn.dispatch.ptr()
@shared = internal addrspace(3) global i32 poison
define void @state() #0 {
  %a = alloca [4 x i32], addrspace(5)
  %y = call i32 @llvm.amdgcn.workitem.id.y()
  %z = call i32 @llvm.amdgcn.workgroup.id.z()
  %packet = call ptr addrspace(4) @llvm.amdgcn.dispatch.ptr()
  %n = load i32, ptr addrspace(4) %packet
  %i = and i32 %y, 3
  %on = getelementptr i32, ptr addrspace(5) %a, i32 %i
  store volatile i32 %z, ptr addrspace(5) %on
  %s = load volatile i32, ptr addrspace(5) %on
  %t = add i32 %s, %n
  store i32 %t, ptr addrspace(1) @Counters
  ret void
}
define void @share() #0 {
  store volatile i32 1, ptr addrspace(3) @shared
  ret void
})";

class Directives : public EngineTest {
protected:
  Directives() {
    setHooks(HookText);
    Launch.Arguments.words(64);
  }
  bool canSplit() const {
    const StringRef P = target().Processor;
    return P == "gfx90a" || P == "gfx942" || P == "gfx950";
  }
  AssemblyKernel unusual() const {
    AssemblyKernel K;
    K.Body = R"(
      s_load_dwordx2 s[4:5], s[0:1], 0x0
      v_and_b32_e32 v0, 0x3ff, v0
      v_lshlrev_b32_e32 v1, 2, v0
      v_cvt_f32_u32_e32 v2, v0
      v_mul_f32_e32 v2, 0x3eaaaaab, v2
      wait_all
      global_store_dword v1, v2, s[4:5]
      s_endpgm
)";
    K.Directives = ".amdhsa_float_round_mode_32 2\n"
                   ".amdhsa_float_round_mode_16_64 1\n"
                   ".amdhsa_float_denorm_mode_32 1\n"
                   ".amdhsa_float_denorm_mode_16_64 0\n"
                   ".amdhsa_fp16_overflow 1\n"
                   ".amdhsa_uses_dynamic_stack 0\n"
                   ".amdhsa_exception_fp_ieee_invalid_op 1\n"
                   ".amdhsa_exception_fp_ieee_div_zero 1\n"
                   ".amdhsa_exception_int_div_zero 1\n";
    const StringRef P = target().Processor;
    if (target().isRdna())
      K.Directives += ".amdhsa_workgroup_processor_mode 0\n"
                      ".amdhsa_memory_ordered 0\n"
                      ".amdhsa_forward_progress 0\n";
    if (P.starts_with("gfx11") || P.starts_with("gfx12"))
      K.Directives += ".amdhsa_inst_pref_size 3\n";
    if (P.starts_with("gfx12"))
      K.Directives += ".amdhsa_round_robin_scheduling 1\n";
    else
      K.Directives += ".amdhsa_dx10_clamp 0\n.amdhsa_ieee_mode 0\n";
    return K;
  }

  KernelLaunch Launch;
};

TEST_P(Directives, AreCarriedOver) {
  for (auto Policy : {RegisterPolicy::Grow, RegisterPolicy::NoGrow}) {
    Options.Engine.Policy = Policy;
    AssemblyKernel K = unusual();
    expectUnchanged(fromAssembly(K), Launch, everywhere("state"));
    expectUnchanged(fromAssembly(K), Launch, everywhere("share"));
    if (canSplit()) {
      K.Directives += ".amdhsa_tg_split 1\n";
      expectUnchanged(fromAssembly(K), Launch, everywhere("state"));
    }
  }
}

class SplitDirectives : public Directives {};
INSTANTIATE_TEST_SUITE_P(
    Targets, SplitDirectives,
    ::testing::ValuesIn(targetsOf({"gfx90a", "gfx942", "gfx950"})), targetName);

/// Waves of split workgroups are on several compute units, each of which has
/// shared memory of its own.
TEST_P(SplitDirectives, LeaveHooksNoSharedMemory) {
  AssemblyKernel K = unusual();
  K.Directives += ".amdhsa_tg_split 1\n";
  expectRefused(fromAssembly(K), Launch, everywhere("share"),
                RefusalReason::SharedMemory);
}

INSTANTIATE_TEST_SUITE_P(Targets, Directives, ::testing::ValuesIn(allTargets()),
                         targetName);

/// The check itself.
TEST(DirectivesCheck, FindsEveryLostBit) {
  const EngineTarget T{"gfx90a", 64};
  amdhsa::kernel_descriptor_t Raw = {};
  Raw.compute_pgm_rsrc1 = Raw.compute_pgm_rsrc2 = Raw.compute_pgm_rsrc3 = ~0u;
  Raw.kernel_code_properties = uint16_t(~0u);
  Raw.kernarg_size = 8;
  const KernelDescriptor Original(Raw);
  EXPECT_EQ(notCarriedOver(T, Original, Original), "");
  auto expectFound = [&](auto Member, unsigned Bits) {
    for (unsigned Bit = 0; Bit != Bits; ++Bit) {
      KernelDescriptor Changed = Original;
      Changed.raw().*Member ^= 1u << Bit;
      EXPECT_NE(notCarriedOver(T, Original, Changed), "") << Bit;
    }
  };
  using D = amdhsa::kernel_descriptor_t;
  expectFound(&D::compute_pgm_rsrc1, 32);
  expectFound(&D::compute_pgm_rsrc2, 32);
  expectFound(&D::compute_pgm_rsrc3, 32);
  expectFound(&D::kernel_code_properties, 16);
  KernelDescriptor Smaller = Original;
  Smaller.raw().kernarg_size = 4;
  EXPECT_NE(notCarriedOver(T, Original, Smaller), "");
}

} // namespace
