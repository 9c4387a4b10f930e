// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tests' own tools: kernels from all sources run on all targets, and a hook
// that does harm is caught.
#include "EngineTest.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "llvm/CodeGen/MachineFunction.h"

using namespace llvm;

namespace luthier::test {
namespace {

const char *const AddIndex = R"(
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.workgroup.id.x()
define amdgpu_kernel void @k(ptr addrspace(1) %p, i32 %plus) {
  %l = call i32 @llvm.amdgcn.workitem.id.x()
  %g = call i32 @llvm.amdgcn.workgroup.id.x()
  %b = mul i32 %g, 64
  %i = add i32 %b, %l
  %v = add i32 %i, %plus
  %at = getelementptr i32, ptr addrspace(1) %p, i32 %i
  store i32 %v, ptr addrspace(1) %at
  ret void
})";

/// Kernels that put index + 7 into each word of a buffer.
class Builders : public EngineTest {
protected:
  void expectRuns(const Object &Kernel) {
    KernelLaunch Launch{{150, 1, 1}, {64, 1, 1}};
    Launch.Arguments.words(160).value(uint32_t(7));
    // Nothing is inserted; some targets are refused.
    Judgement J =
        judge(target(), Kernel, Launch, Hooks, [](auto &, auto &) {}, Options);
    if (!J.Refused)
      EXPECT_EQ(J.Problem, "");
    ASSERT_EQ(J.Buffers.size(), 1u) << J.Problem;
    for (uint32_t N = 0; N != 160; ++N)
      ASSERT_EQ(J.Buffers[0][N], N < 150 ? N + 7 : 0) << N;
  }
  Builders() { setHooks("define void @none() #0 { ret void }"); }
};

TEST_P(Builders, LlvmIr) {
  for (unsigned Version : {4, 5, 6})
    expectRuns(fromIR(AddIndex, Version));
  expectRuns(fromIR(AddIndex, 5, CodeGenOptLevel::None));
}

TEST_P(Builders, Assembly) {
  AssemblyKernel K;
  K.Body = R"(
    workgroup_id_x s10
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    s_load_dword s6, s[0:1], 0x8
    v_and_b32_e32 v0, 0x3ff, v0
    s_lshl_b32 s10, s10, 6
    vadd v1, s10, v0
    wait_all
    vadd v2, s6, v1
    v_lshlrev_b32_e32 v1, 2, v1
    global_store_dword v1, v2, s[4:5]
    s_endpgm
)";
  for (unsigned Version : {4, 5, 6})
    expectRuns(fromAssembly(K, Version));
  // The same with a stack that it leaves alone.
  K.Scratch = 32;
  expectRuns(fromAssembly(K));
}

TEST_P(Builders, Cpp) {
  expectRuns(fromCpp(R"(
    using Words = unsigned [[clang::address_space(1)]];
    extern "C" [[clang::amdgpu_kernel, gnu::visibility("protected")]] void
    k(Words *P, unsigned Plus) {
      unsigned I = __builtin_amdgcn_workgroup_id_x() * 64 +
                   __builtin_amdgcn_workitem_id_x();
      P[I] = I + Plus;
    })"));
}

/// HIP 5.2's headers refuse to be compiled for the one that is left out.
class HipBuilder : public Builders {};
INSTANTIATE_TEST_SUITE_P(Targets, HipBuilder,
                         ::testing::ValuesIn(targetsWhere([](const auto &T) {
                           return T.name() != "gfx1030w64";
                         })),
                         targetName);

TEST_P(HipBuilder, Hip) {
  expectRuns(fromHip(R"(
    __global__ void k(unsigned *P, unsigned Plus) {
      unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
      P[I] = I + Plus;
    })"));
}

INSTANTIATE_TEST_SUITE_P(Targets, Builders, ::testing::ValuesIn(allTargets()),
                         targetName);

class Judging : public EngineFixture {
protected:
  Judging() {
    Kernel = fromIR(AddIndex);
    Launch = {{150, 1, 1}, {64, 1, 1}};
    Launch.Arguments.words(160).value(uint32_t(7));
  }
  Object Kernel;
  KernelLaunch Launch;
};

TEST_F(Judging, CountsEveryInstruction) {
  setHooks(R"(
define void @count() #0 {
  %mask = call i64 @llvm.amdgcn.ballot.i64(i1 true)
  callbr void asm sideeffect "luthier::writeExec", "s,~{memory}"(i64 1) #1 to label %one []
one:
  %a = atomicrmw add ptr addrspace(1) @Counters, i64 1 syncscope("agent") monotonic
  callbr void asm sideeffect "luthier::writeExec", "s,~{memory}"(i64 %mask) #1 to label %back []
back:
  ret void
})");
  Judgement J = expectUnchanged(Kernel, Launch, everywhere("count"));
  EXPECT_GT(J.WaveInstructions, 0u);
  ASSERT_FALSE(J.counters().empty());
  EXPECT_EQ(J.counters()[0], J.WaveInstructions);
}

TEST_F(Judging, HipHooksHaveVariablesOfTheirOwn) {
  setHipHooks(R"(
__device__ unsigned long long Counters[4];
LUTHIER_HOOK_ANNOTATE count(uint32_t By) {
  uint64_t Mask = __builtin_amdgcn_read_exec();
  luthier::writeExec(1);
  atomicAdd(&Counters[1], (unsigned long long)By);
  luthier::writeExec(Mask);
})");
  Judgement J =
      expectUnchanged(Kernel, Launch, everywhere("count", {uint32_t(3)}));
  ASSERT_EQ(J.counters().size(), 4u);
  EXPECT_EQ(J.counters()[1], 3 * J.WaveInstructions);
}

/// Hook "harm" destroys \p Register.
std::string zeroing(unsigned Register) {
  return R"(
declare void @"luthier::writeReg.i32.i32"(i32, i32) #3
define void @harm() #0 {
  call void @"luthier::writeReg.i32.i32"(i32 )" +
         std::to_string(Register) + R"(, i32 0)
  ret void
})";
}

TEST_F(Judging, HarmIsFoundAndNamed) {
  setHooks(zeroing(AMDGPU::VGPR2));
  Options.Seeds = {};
  Judgement J =
      judge(target(), Kernel, Launch, Hooks, everywhere("harm"), Options);
  EXPECT_NE(J.Problem.find("alone: word"), std::string::npos) << J.Problem;
  EXPECT_FALSE(J.IsUnfit);
  Options.RunAlone = false;
  Options.Seeds = {0};
  J = judge(target(), Kernel, Launch, Hooks, everywhere("harm"), Options);
  EXPECT_NE(J.Problem.find("lockstep, seed 0"), std::string::npos) << J.Problem;
}

TEST_F(Judging, ResultsThatDependOnTheAddressOfCodeAreNoFault) {
  setHooks("define void @nothing() #0 { ret void }");
  AssemblyKernel K;
  // A return address.
  K.Body = "s_call_b64 s[6:7], function\ns_endpgm\n";
  K.Functions = "function:\n"
                "s_load_dwordx2 s[4:5], s[0:1], 0x0\n"
                "v_mov_b32_e32 v0, 0\n"
                "v_mov_b32_e32 v1, s6\n"
                "s_waitcnt lgkmcnt(0)\n"
                "global_store_dword v0, v1, s[4:5]\n"
                "s_endpgm\n";
  KernelLaunch One{{64, 1, 1}, {64, 1, 1}};
  One.Arguments.words(1);
  Options.Seeds = {};
  const Judgement J = judge(target(), fromAssembly(K), One, Hooks,
                            everywhere("nothing"), Options);
  EXPECT_TRUE(J.IsUnfit) << J.Problem;
}

TEST_F(Judging, HarmBesideSuchResultsIsFound) {
  setHooks(zeroing(AMDGPU::VGPR3));
  AssemblyKernel K;
  K.Body = "v_mov_b32_e32 v3, 5\ns_call_b64 s[6:7], function\ns_endpgm\n";
  K.Functions = "function:\n"
                "s_load_dwordx2 s[4:5], s[0:1], 0x0\n"
                "v_mov_b32_e32 v0, 0\n"
                "v_mov_b32_e32 v2, s6\n"
                "s_waitcnt lgkmcnt(0)\n"
                "global_store_dwordx2 v0, v[2:3], s[4:5]\n"
                "s_endpgm\n";
  KernelLaunch One{{64, 1, 1}, {64, 1, 1}};
  One.Arguments.words(2);
  Options.Seeds = {};
  const Judgement J =
      judge(target(), fromAssembly(K), One, Hooks, everywhere("harm"), Options);
  EXPECT_FALSE(J.IsUnfit) << J.Problem;
  EXPECT_NE(J.Problem.find("word 1 of buffer 0 is 0x0, not 0x5"),
            std::string::npos)
      << J.Problem;
}

} // namespace
} // namespace luthier::test
