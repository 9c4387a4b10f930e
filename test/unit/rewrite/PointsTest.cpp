// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hooks at points of every kind run as often as control passes there, in the
// stated order, and the kernel computes what it did.
#include "AddressCases.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "llvm/CodeGen/MachineFunction.h"

using namespace llvm;

namespace luthier::test {
namespace {

/// Counters[4095] is the length of the list in Counters[0] and on, to which the
/// hook appends a number, once per wave, also where no lane is active.
const char *const Append = R"(
define void @append(i32 %number) #0 {
  %mask = call i64 @llvm.amdgcn.ballot.i64(i1 true)
  callbr void asm sideeffect "luthier::writeExec", "s,~{memory}"(i64 1) #1 to label %one []
one:
  %end = getelementptr i64, ptr addrspace(1) @Counters, i32 4095
  %at = atomicrmw add ptr addrspace(1) %end, i64 1 syncscope("agent") monotonic
  %p = getelementptr i64, ptr addrspace(1) @Counters, i64 %at
  %n = zext i32 %number to i64
  store i64 %n, ptr addrspace(1) %p
  callbr void asm sideeffect "luthier::writeExec", "s,~{memory}"(i64 %mask) #1 to label %back []
back:
  ret void
})";

class PointsTest : public EngineTest {
protected:
  PointsTest() {
    setHooks(Append);
    Options.Seeds = {0};
    Launch = {{target().WaveSize, 1, 1}, {target().WaveSize, 1, 1}};
    Launch.Arguments.words(256);
  }

  /// What the hooks of \p Mutate append when one wave runs \p Body, whose
  /// s[4:5] is the address of its buffer.
  std::vector<unsigned> run(const std::string &Body, const Mutator &Mutate,
                            const std::string &Functions = "") {
    AssemblyKernel K;
    K.Body = "s_load_dwordx2 s[4:5], s[0:1], 0x0\n"
             "v_and_b32_e32 v0, 0x3ff, v0\nwait_all\n" +
             Body;
    K.Functions = Functions;
    K.SGPRs = 48;
    Judgement J = expectUnchanged(fromAssembly(K), Launch, Mutate);
    std::vector<unsigned> Result;
    if (!J.Problem.empty())
      return Result;
    const std::vector<uint64_t> Seen = J.counters();
    for (uint64_t I = 0; I < Seen[4095]; ++I)
      Result.push_back(Seen[I]);
    return Result;
  }
  static MachineBasicBlock &block(LiftedRepresentation &LR, unsigned Number) {
    return *std::next(LR.kernel().begin(), Number);
  }
  static const void *append() { return hook("append"); }

  KernelLaunch Launch;
};

using List = std::vector<unsigned>;

/// Blocks: 0 set-up; 1 a loop, run three times; 2 jumps to 4, past 3.
constexpr const char *Loop = R"(
    s_mov_b32 s8, 3
    s_mov_b32 s9, 0
  loop:
    s_add_u32 s9, s9, 10
    s_sub_u32 s8, s8, 1
    s_cmp_lg_u32 s8, 0
    s_cbranch_scc1 loop
    v_mov_b32_e32 v1, v0
    s_cmp_eq_u32 s9, 30
    s_cbranch_scc1 last
    s_sleep 1
  last:
    v_lshlrev_b32_e32 v2, 2, v0
    vadd v1, s9, v1
    global_store_dword v2, v1, s[4:5]
    s_endpgm
)";

TEST_P(PointsTest, EdgesAndBlocksAsOftenAsTaken) {
  EXPECT_EQ(
      run(Loop,
          [](LiftedRepresentation &LR, InstrumentationTask &Task) {
            Task.insertHookOnEdge(block(LR, 1), block(LR, 1), append(), {11u});
            Task.insertHookOnEdge(block(LR, 0), block(LR, 1), append(), {1u});
            Task.insertHookOnEdge(block(LR, 1), block(LR, 2), append(), {12u});
            Task.insertHookOnEdge(block(LR, 2), block(LR, 4), append(), {24u});
            Task.insertHookOnEdge(block(LR, 2), block(LR, 3), append(), {23u});
            Task.insertHookAtBlockBegin(block(LR, 1), append(), {100u});
            Task.insertHookAtBlockEnd(block(LR, 1), append(), {101u});
            Task.insertHookAtBlockBegin(block(LR, 3), append(), {300u});
          }),
      (List{1, 100, 101, 11, 100, 101, 11, 100, 101, 12, 24}));
}

TEST_P(PointsTest, AfterABranchOnEachOfItsWays) {
  EXPECT_EQ(run(Loop,
                [](LiftedRepresentation &LR, InstrumentationTask &Task) {
                  Task.insertHookAfter(block(LR, 1).back(), append(), {7u});
                  Task.insertHookBefore(block(LR, 1).back(), append(), {6u});
                  Task.insertHookAfter(block(LR, 0).back(), append(), {1u});
                }),
            (List{1, 6, 7, 6, 7, 6, 7}));
}

TEST_P(PointsTest, KindsAtOnePlaceRunInTheirOrder) {
  // Given in the opposite order; hooks of one kind keep the order of the calls.
  EXPECT_EQ(run("s_sleep 1\ns_endpgm\n",
                [](LiftedRepresentation &LR, InstrumentationTask &Task) {
                  MachineBasicBlock &MBB = LR.kernel().front();
                  MachineInstr &End = MBB.back();
                  Task.insertHookAtWaveEnd(append(), {9u});
                  Task.insertHookAtEndpgm(append(), {8u});
                  Task.insertHookAtFunctionExits(LR.kernel(), append(), {7u});
                  Task.insertHookBefore(End, append(), {5u});
                  Task.insertHookBefore(End, append(), {6u});
                  Task.insertHookAtBlockEnd(MBB, append(), {4u});
                  Task.insertHookAfter(*End.getPrevNode(), append(), {3u});
                  Task.insertHookAtBlockBegin(MBB, append(), {2u});
                  Task.insertHookAtFunctionEntry(LR.kernel(), append(), {1u});
                  Task.insertHookAtKernelEntry(append(), {0u});
                }),
            (List{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
}

TEST_P(PointsTest, EntriesOnceAlsoWhereALoopGoesBackThere) {
  AssemblyKernel K;
  K.Body = R"(
  start:
    s_add_u32 s2, s2, 1
    s_and_b32 s2, s2, 3
    s_cmp_lg_u32 s2, 3
    s_cbranch_scc1 start
    s_endpgm
)";
  K.SGPRs = 48;
  auto count = [&](auto Insert) {
    Judgement J = expectUnchanged(fromAssembly(K), Launch, Insert);
    return J.Problem.empty() ? J.counters()[4095] : uint64_t(0);
  };
  // s2 is the number of the workgroup, 0, where it is in an SGPR at all.
  if (std::string(target().Processor).starts_with("gfx12"))
    K.Body = "s_mov_b32 s2, 0\n" + K.Body;
  const auto Entry = [](LiftedRepresentation &LR, InstrumentationTask &Task) {
    Task.insertHookAtKernelEntry(append(), {1u});
  };
  const auto Begin = [](LiftedRepresentation &LR, InstrumentationTask &Task) {
    for (MachineBasicBlock &MBB : LR.kernel())
      if (MBB.isSuccessor(&MBB))
        Task.insertHookAtBlockBegin(MBB, append(), {1u});
  };
  EXPECT_EQ(count(Entry), 1u);
  EXPECT_EQ(count(Begin), 3u);
}

TEST_P(PointsTest, TheWaveEndsOnceOnEveryWay) {
  // Waves of the first workgroup end elsewhere than those of the second, and
  // give their registers back where there is a message for it.
  const bool HasMessage = std::string(target().Processor) >= "gfx11" &&
                          !std::string(target().Processor).starts_with("gfx9");
  AssemblyKernel K;
  K.Body = std::string(R"(
    workgroup_id_x s8
    s_cmp_eq_u32 s8, 0
    s_cbranch_scc1 first
)") + (HasMessage ? "s_nop 0\ns_sendmsg sendmsg(MSG_DEALLOC_VGPRS)\n" : "") +
           R"(
    s_endpgm
  first:
    s_mov_b64 exec, 0
    s_endpgm
)";
  K.SGPRs = 48;
  Launch.Grid = {3 * target().WaveSize, 1, 1};
  Judgement J = expectUnchanged(
      fromAssembly(K), Launch,
      [](LiftedRepresentation &LR, InstrumentationTask &Task) {
        Task.insertHookAtWaveEnd(append(), {1u});
        Task.insertHookAtEndpgm(append(), {2u});
        Task.insertHookAtFunctionExits(LR.kernel(), append(), {3u});
      });
  if (!J.Problem.empty())
    return;
  std::map<uint64_t, unsigned> Times;
  const std::vector<uint64_t> Seen = J.counters();
  for (uint64_t I = 0; I < Seen[4095]; ++I)
    ++Times[Seen[I]];
  EXPECT_EQ(Times, (std::map<uint64_t, unsigned>{{1, 3}, {2, 3}, {3, 3}}));
}

/// Blocks: 0 set-up; 1 a loop, run three times, which leaves for 3; 2 goes back
/// to it, and 3 on to 5, past 4, through registers.
constexpr const char *FarJumps = R"(
    s_mov_b32 s8, 3
    s_mov_b32 s9, 0
  loop:
    s_add_u32 s9, s9, 10
    s_sub_u32 s8, s8, 1
    s_cmp_eq_u32 s8, 0
    s_cbranch_scc1 out
    s_getpc_b64 s[16:17]
  .Lback:
    s_add_u32 s16, s16, loop-.Lback
    s_addc_u32 s17, s17, -1
    s_setpc_b64 s[16:17]
  out:
    s_getpc_b64 s[16:17]
  .Lahead:
    s_add_u32 s16, s16, last-.Lahead
    s_addc_u32 s17, s17, 0
    s_setpc_b64 s[16:17]
    s_nop 7
  last:
    v_lshlrev_b32_e32 v2, 2, v0
    vadd v1, s9, v0
    global_store_dword v2, v1, s[4:5]
    s_endpgm
)";

TEST_P(PointsTest, FarJumpsAreFollowedWithinTheirFunction) {
  EXPECT_EQ(run(FarJumps,
                [](LiftedRepresentation &LR, InstrumentationTask &Task) {
                  ASSERT_EQ(LR.kernel().size(), 6u);
                  Task.insertHookAtFunctionEntry(LR.kernel(), append(), {1u});
                  Task.insertHookAtFunctionExits(LR.kernel(), append(), {9u});
                  Task.insertHookAtBlockBegin(block(LR, 1), append(), {10u});
                  Task.insertHookAtBlockEnd(block(LR, 2), append(), {20u});
                  Task.insertHookOnEdge(block(LR, 2), block(LR, 1), append(),
                                        {21u});
                  Task.insertHookAfter(block(LR, 2).back(), append(), {22u});
                  Task.insertHookBefore(block(LR, 3).back(), append(), {30u});
                  Task.insertHookAfter(block(LR, 3).back(), append(), {35u});
                  Task.insertHookAtBlockBegin(block(LR, 4), append(), {40u});
                  Task.insertHookAtBlockBegin(block(LR, 5), append(), {50u});
                }),
            (List{1, 10, 20, 21, 22, 10, 20, 21, 22, 10, 30, 35, 50, 9}));
}

/// Calls, a tail call and recursion, in uniform control flow.
constexpr const char *Calls = R"(
declare i32 @llvm.amdgcn.workitem.id.x()
define internal i32 @leaf(i32 %x) noinline {
  %a = mul i32 %x, 7
  ret i32 %a
}
define internal i32 @tail(i32 %x) noinline {
  %y = xor i32 %x, 5
  %r = tail call i32 @leaf(i32 %y)
  ret i32 %r
}
define internal i32 @again(i32 %n) noinline {
  %last = icmp eq i32 %n, 0
  br i1 %last, label %end, label %more
more:
  %m = sub i32 %n, 1
  %r = call i32 @again(i32 %m)
  %s = add i32 %r, %n
  ret i32 %s
end:
  ret i32 1
}
define amdgpu_kernel void @k(ptr addrspace(1) %p, i32 %n) {
  %l = call i32 @llvm.amdgcn.workitem.id.x()
  %a = call i32 @again(i32 %n)
  %b = call i32 @tail(i32 %l)
  %c = call i32 @leaf(i32 %b)
  %v = add i32 %a, %c
  %at = getelementptr i32, ptr addrspace(1) %p, i32 %l
  store i32 %v, ptr addrspace(1) %at
  ret void
})";

TEST_P(PointsTest, FunctionsAreEnteredAndLeftAsOftenAsCalled) {
  Launch.Arguments = {};
  Launch.Arguments.words(256).value(2u);
  // Recursion: the stack is known only at the launch.
  Options.Engine.ApplicationStack = Launch.Scratch = 1024;
  Judgement J = expectUnchanged(
      fromIR(Calls), Launch,
      [](LiftedRepresentation &LR, InstrumentationTask &Task) {
        for (auto &[Symbol, MF] : LR.functions()) {
          const unsigned Number = Symbol.IsKernel          ? 1
                                  : Symbol.Name == "leaf"  ? 2
                                  : Symbol.Name == "tail"  ? 3
                                  : Symbol.Name == "again" ? 4
                                                           : 9;
          Task.insertHookAtFunctionEntry(*MF, append(), {10 * Number});
          Task.insertHookAtFunctionExits(*MF, append(), {10 * Number + 9});
          for (MachineBasicBlock &MBB : *MF)
            for (MachineInstr &MI : MBB)
              if (MI.isCall() && !MI.isReturn())
                Task.insertHookAfter(MI, append(), {10 * Number + 5});
        }
      });
  if (!J.Problem.empty())
    return;
  const std::vector<uint64_t> Seen = J.counters();
  EXPECT_EQ(List(Seen.begin(), Seen.begin() + Seen[4095]),
            (List{10,                         // The kernel calls
                  40, 40, 40, 49, 45, 49, 45, // again(2), which calls itself,
                  49, 15, 30, 39, 20, 29, 15, // tail, which becomes leaf,
                  20, 29, 15, 19}));          // and leaf.
}

INSTANTIATE_TEST_SUITE_P(Targets, PointsTest,
                         ::testing::ValuesIn(instrumentedTargets()),
                         targetName);

} // namespace
} // namespace luthier::test
