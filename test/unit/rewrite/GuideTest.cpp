// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lines of code in the tables of docs/writing-a-tool.md, run. test/docs.py
// fails if the guide shows a line that is not here.
#include "AddressCases.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "luthier/Mnemonic.h"
#include "llvm/CodeGen/MachineFunction.h"

using namespace llvm;

namespace luthier::test {
namespace {

uint64_t Variable;

/// What the examples name: a load of four bytes, its block, the block behind.
struct Surroundings {
  InstrumentationTask &Task;
  const void *Hook;
  MachineInstr &MI;
  MachineBasicBlock &MBB, &From, &To;
  MachineFunction &MF;
};

struct Example {
  const char *Code;
  llvm::Error (*Insert)(Surroundings);
  /// How often the hook runs in a wave, and what it is given.
  unsigned Times = 1;
  std::optional<uint64_t> Value = std::nullopt;
};

#define EXAMPLE(...)                                                           \
  #__VA_ARGS__, [](Surroundings S) -> llvm::Error {                            \
    [[maybe_unused]] auto &[Task, Hook, MI, MBB, From, To, MF] = S;            \
    return __VA_ARGS__;                                                        \
  }

// clang-format off
const Example Points[] = {
    {EXAMPLE(Task.insertHookBefore(MI, Hook))},
    {EXAMPLE(Task.insertHookAfter(MI, Hook))},
    {EXAMPLE(Task.insertHookAtBlockBegin(MBB, Hook)), 2},
    {EXAMPLE(Task.insertHookAtBlockEnd(MBB, Hook)), 2},
    {EXAMPLE(Task.insertHookOnEdge(From, To, Hook))},
    {EXAMPLE(Task.insertHookAtFunctionEntry(MF, Hook))},
    {EXAMPLE(Task.insertHookAtFunctionExits(MF, Hook))},
    {EXAMPLE(Task.insertHookAtKernelEntry(Hook))},
    {EXAMPLE(Task.insertHookAtEndpgm(Hook))},
    {EXAMPLE(Task.insertHookAtWaveEnd(Hook))},
};

const Example Arguments[] = {
    {EXAMPLE(Task.insertHookBefore(MI, Hook, {42u})), 1, 42},
    {EXAMPLE(Task.insertHookBefore(MI, Hook, {&Variable})), 1, reinterpret_cast<uint64_t>(&Variable)},
    {EXAMPLE(Task.insertHookBefore(MI, Hook, {MCRegister(AMDGPU::SGPR8)})), 1, 7},
    {EXAMPLE(Task.insertHookBefore(MI, Hook, {HookArgument::part(AMDGPU::SGPR8_SGPR9_SGPR10_SGPR11, 2, 2)})), 1, uint64_t(9) << 32 | 8},
    {EXAMPLE(Task.insertHookBefore(MI, Hook, {MCRegister(AMDGPU::SCC)})), 1, 1},
    {EXAMPLE(Task.insertHookBefore(MI, Hook, {HookArgument::operand(3)})), 1, 4},
    {EXAMPLE(Task.insertHookBefore(MI, Hook, {HookArgument::address()}))},
    {EXAMPLE(Task.insertHookBefore(MI, Hook, {HookArgument::accessSize()})), 1, 4},
    {EXAMPLE(Task.insertHookBefore(MI, Hook, {HookArgument::accessKind()})), 1, accessKind(MemorySpace::Global, ReadsMemory)},
    {EXAMPLE(Task.insertHookBefore(MI, Hook, {HookArgument::activeLanes()})), 1, 0xffffffff},
    {EXAMPLE(Task.insertHookBefore(MI, Hook, {HookArgument::pc()}))},
    {EXAMPLE(Task.insertHookBefore(MI, Hook, {HookArgument::opcode()}))},
    {EXAMPLE(Task.insertHookBefore(MI, Hook, {HookArgument::mnemonic()}))},
    {EXAMPLE(Task.insertHookBefore(MI, Hook, {HookArgument::size()})), 1, 8},
    {EXAMPLE(Task.insertHookBefore(MI, Hook, {HookArgument::block()})), 1, 2},
    // No tool sets one here.
    {EXAMPLE(Task.insertHookBefore(MI, Hook, {HookArgument::dispatchValue()})), 1, 0},
};
// clang-format on

class GuideTest : public EngineTest {
protected:
  GuideTest() { Options.Seeds = {0}; }

  void run(const Example &E) {
    SCOPED_TRACE(E.Code);
    AssemblyKernel K;
    // Blocks: 0 set-up, 1 the loop, run twice, 2 the load and the end.
    K.Body = R"(
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    v_and_b32_e32 v0, 0x3ff, v0
    v_lshlrev_b32_e32 v1, 2, v0
    s_mov_b32 s8, 7
    s_mov_b32 s9, 2
    s_mov_b32 s10, 8
    s_mov_b32 s11, 9
  loop:
    s_sub_u32 s9, s9, 1
    s_cmp_lg_u32 s9, 0
    s_cbranch_scc1 loop
    wait_all
    s_mov_b32 s9, 0
    s_cmp_eq_u32 s9, 0
    global_load_dword v2, v1, s[4:5] offset:4
    s_cselect_b32 s12, 1, 2
    wait_all
    s_endpgm
)";
    K.SGPRs = 48;
    KernelLaunch Launch{{32, 1, 1}, {32, 1, 1}};
    Launch.Arguments.words(64);
    Judgement J = expectUnchanged(
        fromAssembly(K), Launch,
        [&](LiftedRepresentation &LR, InstrumentationTask &Task) {
          MachineFunction &MF = LR.kernel();
          MachineBasicBlock &Loop = *std::next(MF.begin());
          MachineBasicBlock &Rest = *std::next(MF.begin(), 2);
          MachineInstr *Load = nullptr;
          for (MachineInstr &MI : Rest)
            if (countMemoryAccesses(MI))
              Load = &MI;
          ASSERT_TRUE(Load);
          EXPECT_EQ(mnemonicOf(*Load), target().isRdna() && generation11()
                                           ? "global_load_b32"
                                           : "global_load_dword");
          cantFail(E.Insert({Task, hook("see"), *Load, Loop, Loop, Rest, MF}));
        });
    if (!J.Problem.empty())
      return;
    ASSERT_GE(J.counters().size(), 2u);
    EXPECT_EQ(J.counters()[0], 32u * E.Times);
    if (E.Value)
      EXPECT_EQ(J.counters()[1], *E.Value);
  }
  bool generation11() const {
    return std::string(target().Processor) > "gfx11";
  }
};

TEST_P(GuideTest, Points) {
  setHipHooks(R"(
__device__ unsigned long long Counters[2];
LUTHIER_HOOK_ANNOTATE see() { atomicAdd(&Counters[0], 1ull); }
)");
  for (const Example &E : Points)
    run(E);
}

TEST_P(GuideTest, Arguments) {
  setHipHooks(R"(
__device__ unsigned long long Counters[2];
LUTHIER_HOOK_ANNOTATE see(uint64_t Value) {
  atomicAdd(&Counters[0], 1ull);
  Counters[1] = Value;
}
)");
  for (const Example &E : Arguments)
    run(E);
}

INSTANTIATE_TEST_SUITE_P(Targets, GuideTest,
                         ::testing::Values(EngineTarget{"gfx90a", 64},
                                           EngineTarget{"gfx1100", 32}),
                         targetName);

} // namespace
} // namespace luthier::test
