// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Floating point in hooks is what HIP says, whatever MODE the application has
// given itself, and the application keeps its MODE.
#include "EngineTest.h"
#include "llvm/CodeGen/MachineFunction.h"

using namespace llvm;

namespace luthier::test {
namespace {

/// Results of operations of which each depends on some part of MODE, against
/// those of the default: to nearest even, with denormals, clamp makes zero of
/// what is no number, overflow is infinite. Counters[1] is the number of calls,
/// Counters[8 + n] how often result n was another. Counters[0] is 0, which
/// compilers do not know.
constexpr const char *Hook = R"(
declare float @llvm.maxnum.f32(float, float)
declare float @llvm.minnum.f32(float, float)
define internal void @expect(i32 %n, i64 %seen, i64 %expected) #1 {
  %differ = icmp ne i64 %seen, %expected
  %one = zext i1 %differ to i64
  %at = getelementptr i64, ptr addrspace(1) @Counters, i32 %n
  %old = atomicrmw add ptr addrspace(1) %at, i64 %one syncscope("agent") monotonic
  ret void
}
define internal float @f32(i32 %bits) #1 {
  %zero = load volatile i32, ptr addrspace(1) @Counters
  %known = or i32 %zero, %bits
  %f = bitcast i32 %known to float
  ret float %f
}
define internal double @f64(i64 %bits) #1 {
  %zero = load volatile i64, ptr addrspace(1) @Counters
  %known = or i64 %zero, %bits
  %f = bitcast i64 %known to double
  ret double %f
}
define internal half @f16(i16 %bits) #1 {
  %zero = load volatile i16, ptr addrspace(1) @Counters
  %known = or i16 %zero, %bits
  %f = bitcast i16 %known to half
  ret half %f
}
define internal void @expect32(i32 %n, float %seen, i32 %expected) #1 {
  %bits = bitcast float %seen to i32
  %wide = zext i32 %bits to i64
  %other = zext i32 %expected to i64
  call void @expect(i32 %n, i64 %wide, i64 %other) #1
  ret void
}
define internal void @expect16(i32 %n, half %seen, i16 %expected) #1 {
  %bits = bitcast half %seen to i16
  %wide = zext i16 %bits to i64
  %other = zext i16 %expected to i64
  call void @expect(i32 %n, i64 %wide, i64 %other) #1
  ret void
}
define internal void @expect64(i32 %n, double %seen, i64 %expected) #1 {
  %bits = bitcast double %seen to i64
  call void @expect(i32 %n, i64 %bits, i64 %expected) #1
  ret void
}
define void @h() #0 {
  %p = getelementptr i64, ptr addrspace(1) @Counters, i32 1
  %old = atomicrmw add ptr addrspace(1) %p, i64 1 syncscope("agent") monotonic

  ; Denormals of each size.
  %tiny = call float @f32(i32 u0x00300000)
  %half = call float @f32(i32 u0x3f000000)
  %tinier = fmul float %tiny, %half
  call void @expect32(i32 8, float %tinier, i32 u0x00180000)
  %tinyd = call double @f64(i64 u0x0003000000000000)
  %halfd = call double @f64(i64 u0x3fe0000000000000)
  %tinierd = fmul double %tinyd, %halfd
  call void @expect64(i32 9, double %tinierd, i64 u0x0001800000000000)
  %tinyh = call half @f16(i16 u0x0030)
  %halfh = call half @f16(i16 u0x3800)
  %tinierh = fmul half %tinyh, %halfh
  call void @expect16(i32 10, half %tinierh, i16 u0x0018)

  ; Slightly more, and less, than half of the last place.
  %one = call float @f32(i32 u0x3f800000)
  %more = call float @f32(i32 u0x33800001)
  %less = call float @f32(i32 u0x337fffff)
  %up = fadd float %one, %more
  call void @expect32(i32 11, float %up, i32 u0x3f800001)
  %down = fadd float %one, %less
  call void @expect32(i32 12, float %down, i32 u0x3f800000)
  %oned = call double @f64(i64 u0x3ff0000000000000)
  %mored = call double @f64(i64 u0x3ca0000000000001)
  %lessd = call double @f64(i64 u0x3c9fffffffffffff)
  %upd = fadd double %oned, %mored
  call void @expect64(i32 13, double %upd, i64 u0x3ff0000000000001)
  %downd = fadd double %oned, %lessd
  call void @expect64(i32 14, double %downd, i64 u0x3ff0000000000000)
  %minus = fsub double %lessd, %oned
  call void @expect64(i32 15, double %minus, i64 u0xbfefffffffffffff)

  ; Past the largest half.
  %large = call half @f16(i16 u0x7b00)
  %twoh = call half @f16(i16 u0x4000)
  %infinite = fmul half %large, %twoh
  call void @expect16(i32 16, half %infinite, i16 u0x7c00)

  ; Becomes a clamp where the compiler may rely on MODE.
  %nan = call float @f32(i32 u0x7fc00000)
  %above = call float @llvm.maxnum.f32(float %nan, float 0.0)
  %clamped = call float @llvm.minnum.f32(float %above, float 1.0)
  call void @expect32(i32 17, float %clamped, i32 0)

  ; Divisions, which use all of it.
  %three = call float @f32(i32 u0x40400000)
  %third = fdiv float %one, %three
  call void @expect32(i32 18, float %third, i32 u0x3eaaaaab)
  %zero = load volatile i32, ptr addrspace(1) @Counters
  %n = or i32 %zero, 4294967295
  %d = or i32 %zero, 641
  %q = udiv i32 %n, %d
  %qw = zext i32 %q to i64
  call void @expect(i32 19, i64 %qw, i64 6700416)
  ret void
})";
constexpr unsigned FirstCheck = 8, LastCheck = 19;

class Mode : public EngineTest {
protected:
  bool isGfx12() const {
    return StringRef(target().Processor).starts_with("gfx12");
  }
  /// A kernel that computes under its MODE between \p Changes of it.
  AssemblyKernel kernel(ArrayRef<std::string> Changes) const {
    AssemblyKernel K;
    K.SGPRs = 64;
    K.Body = R"(
      s_load_dwordx2 s[4:5], s[0:1], 0x0
      v_and_b32_e32 v0, 0x3ff, v0
      v_lshlrev_b32_e32 v1, 2, v0
      v_cvt_f32_u32_e32 v2, v0
      v_mov_b32_e32 v3, 0x33c00000
      wait_all
)";
    for (unsigned Row = 0; Row != Changes.size(); ++Row)
      K.Body += "s_nop 7\n" + Changes[Row] + "\n.set seen, " +
                std::to_string(16 + 2 * Row) + R"(
      s_nop 7
      v_mul_f32_e32 v4, 0x00712345, v2
      v_add_f32_e32 v5, 1.0, v3
      v_xor_b32_e32 v4, v4, v5
      v_cvt_f16_f32_e32 v6, v2
      v_mul_f16_e32 v6, 0x7bff, v6
      v_xor_b32_e32 v4, v4, v6
      v_mov_b32_e32 v7, 0x7fc00000
      v_add_f32_e64 v7, v7, v7 clamp
      v_xor_b32_e32 v4, v4, v7
      s_getreg_b32 s[seen], hwreg(HW_REG_MODE)
      s_nop 1
      v_xor_b32_e32 v4, s[seen], v4
      global_store_dword v1, v4, s[4:5]
      s_add_u32 s4, s4, 0x100
      s_addc_u32 s5, s5, 0
)";
    K.Body += "s_endpgm\n";
    return K;
  }
  void expectIndependent(const AssemblyKernel &K, unsigned Changes) {
    setHooks(Hook);
    KernelLaunch Launch{{64, 1, 1}, {64, 1, 1}};
    Launch.Arguments.words(64 * 64);
    Judgement J = expectUnchanged(fromAssembly(K), Launch, everywhere("h"));
    if (!J.Problem.empty())
      return;
    const std::vector<uint64_t> Seen = J.counters();
    EXPECT_GE(Seen[1], 64u * 15 * Changes);
    for (unsigned N = FirstCheck; N <= LastCheck; ++N)
      EXPECT_EQ(Seen[N], 0u) << "result " << N << " of " << Seen[1] << " calls";
  }
};

/// s_setreg of everything that is about arithmetic, also of single fields.
TEST_P(Mode, ChangedInTheMiddle) {
  std::vector<std::string> Changes = {"s_nop 0"};
  for (unsigned Round = 0; Round != 4; ++Round)
    Changes.push_back("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 8), " +
                      std::to_string(Round * 5));
  Changes.push_back("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 3");
  Changes.push_back("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 6, 2), 3");
  Changes.push_back("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 23, 1), 1");
  if (!isGfx12())
    for (unsigned Both = 0; Both != 4; ++Both)
      Changes.push_back("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 8, 2), " +
                        std::to_string(Both));
  Changes.push_back("s_mov_b32 s9, 0x35\n"
                    "s_setreg_b32 hwreg(HW_REG_MODE, 0, 10), s9");
  expectIndependent(kernel(Changes), Changes.size());
}

/// Where there are s_round_mode and s_denorm_mode.
class RdnaMode : public Mode {};
INSTANTIATE_TEST_SUITE_P(Targets, RdnaMode, ::testing::ValuesIn(rdnaTargets()),
                         targetName);

TEST_P(RdnaMode, ChangedByInstructionsOfItsOwn) {
  std::vector<std::string> Changes;
  for (unsigned Round = 0; Round <= 15; Round += 5) {
    Changes.push_back("s_denorm_mode " + std::to_string(Round));
    Changes.push_back("s_round_mode " + std::to_string(15 - Round));
  }
  expectIndependent(kernel(Changes), Changes.size());
}

TEST_P(Mode, GivenByTheDescriptor) {
  AssemblyKernel K = kernel({"s_nop 0", "s_nop 1"});
  K.Directives = ".amdhsa_float_round_mode_32 1\n"
                 ".amdhsa_float_round_mode_16_64 3\n"
                 ".amdhsa_float_denorm_mode_32 0\n"
                 ".amdhsa_float_denorm_mode_16_64 0\n"
                 ".amdhsa_fp16_overflow 1\n"
                 ".amdhsa_exception_fp_ieee_inexact 1\n";
  if (!isGfx12())
    K.Directives += ".amdhsa_dx10_clamp 0\n.amdhsa_ieee_mode 0\n";
  expectIndependent(K, 2);
}

INSTANTIATE_TEST_SUITE_P(Targets, Mode, ::testing::ValuesIn(allTargets()),
                         targetName);

} // namespace
} // namespace luthier::test
