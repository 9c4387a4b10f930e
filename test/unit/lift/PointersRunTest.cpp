// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that are called through pointers run with hooks, and compute the
// same, on every target. What else a pointer may lead to runs as it is.
#include "EngineTest.h"
#include "lift/LiftedImpl.h"
#include "llvm/CodeGen/MachineFunction.h"

using namespace llvm;
using namespace luthier;
using namespace luthier::test;

namespace {

constexpr const char *Prelude = R"(
using Words = unsigned [[clang::address_space(1)]];
using Function = unsigned (*)(unsigned);
#define NOINLINE extern "C" __attribute__((noinline))
#define KERNEL extern "C" [[clang::amdgpu_kernel, gnu::visibility("protected")]]
static unsigned id() {
  return __builtin_amdgcn_workgroup_id_x() * 64 +
         __builtin_amdgcn_workitem_id_x();
}
)";

class PointersRun : public EngineTest {
protected:
  PointersRun() {
    // Once per wave, also with EXEC = 0.
    setHooks(R"(
define void @h() #0 {
  %mask = call i64 @llvm.amdgcn.ballot.i64(i1 true)
  callbr void asm sideeffect "luthier::writeExec", "s,~{memory}"(i64 1) #1 to label %one []
one:
  %a = atomicrmw add ptr addrspace(1) @Counters, i64 1 syncscope("agent") monotonic
  callbr void asm sideeffect "luthier::writeExec", "s,~{memory}"(i64 %mask) #1 to label %back []
back:
  ret void
})");
    Launch = {{80, 1, 1}, {64, 1, 1}};
    Launch.Arguments.words(128).value(uint32_t(5));
  }
  Object compile(const std::string &Source,
                 std::vector<std::string> Flags = {"-O2"}) {
    // Kernels that call what they do not know have a stack of unknown size.
    Options.Engine.ApplicationStack = Launch.Scratch = 1024;
    Flags.push_back("-fno-rtti");
    return fromCpp(Prelude + Source, Flags);
  }
  /// Every instruction of all functions of the original. True in \p Follows if
  /// some call follows a pointer.
  Judgement run(const Object &Kernel) {
    Follows = false;
    return expectUnchanged(
        Kernel, Launch, [&](LiftedRepresentation &LR, InstrumentationTask &T) {
          Unfollowed = LR.impl().Unfollowed;
          LeftOut = LR.impl().LeftOut;
          for (const ControlTransfer &Transfer : LR.controlTransfers())
            Follows |= Transfer.FollowsPointer;
          for (auto &[Symbol, MF] : LR.functions())
            for (MachineBasicBlock &MBB : *MF)
              for (MachineInstr &MI : MBB)
                if (LR.originalAddress(MI))
                  T.insertHookBefore(MI, hook("h"));
        });
  }
  void expectAllCounted(const Object &Kernel) {
    const Judgement J = run(Kernel);
    EXPECT_TRUE(Follows);
    ASSERT_FALSE(J.counters().empty());
    EXPECT_GT(J.WaveInstructions, 20u);
    EXPECT_EQ(J.counters()[0], J.WaveInstructions);
  }
  /// Pointers are followed, or there is a reason why not.
  void expectPartlyCounted(const Object &Kernel, UnfollowedPointers Why) {
    const Judgement J = run(Kernel);
    EXPECT_EQ(Unfollowed, Why);
    ASSERT_FALSE(J.counters().empty());
    EXPECT_GT(J.counters()[0], 0u);
    EXPECT_LT(J.counters()[0], J.WaveInstructions);
  }
  KernelLaunch Launch;
  bool Follows = false;
  UnfollowedPointers Unfollowed = UnfollowedPointers::None;
  std::string LeftOut;
};

constexpr const char *Table = R"(
NOINLINE unsigned leaf(unsigned X) { return X * 3 + 1; }
NOINLINE unsigned other(unsigned X) { return leaf(X) ^ 5; }
static const Function Table[] = {leaf, other};
KERNEL void k(Words *P, unsigned N) {
  const unsigned I = id();
  P[I] = leaf(I) + Table[I & 1](N);
})";

TEST_P(PointersRun, OptimisedCodeWhoseLanesCallDifferentFunctions) {
  expectAllCounted(compile(Table));
}
TEST_P(PointersRun, UnoptimisedCodeWhoseLanesCallDifferentFunctions) {
  expectAllCounted(compile(Table, {"-O0"}));
}

/// The second call of `call` has its address in registers that only the calling
/// convention keeps.
TEST_P(PointersRun, AddressesThatCodeComputesAndThatOnlyItKnows) {
  expectAllCounted(compile(R"(
NOINLINE unsigned leaf(unsigned X) { return X * 3 + 1; }
NOINLINE unsigned other(unsigned X) { return X ^ 5; }
NOINLINE unsigned call(Function F, unsigned X) { return F(X) + F(X + 1); }
KERNEL void k(Words *P, unsigned N) {
  P[id()] = call(N == 5 ? leaf : other, N) + call(other, N);
})"));
}

/// What the compiler knows of `leaf` lets it keep the address in registers that
/// calls otherwise overwrite.
TEST_P(PointersRun, AddressesThatAreCalledFirstAndHandedOnThen) {
  expectAllCounted(compile(R"(
NOINLINE unsigned leaf(unsigned X) { return X * 3 + 1; }
NOINLINE unsigned other(unsigned X) { return X ^ 5; }
NOINLINE unsigned apply(Function F, unsigned X) { return F(X) + F(X + 1); }
KERNEL void k(Words *P, unsigned N) {
  const unsigned I = id();
  P[I] = leaf(I) + apply(leaf, N) + apply(other, N);
})",
                           {"-O2", "-fvisibility=hidden"}));
}
TEST_P(PointersRun, AddressesThatAreCalledFirstAndMovedThen) {
  expectAllCounted(compile(R"(
NOINLINE unsigned leaf(unsigned X) { return X * 3 + 1; }
KERNEL void k(Words *P, unsigned N) {
  const unsigned I = id(), A = leaf(I);
  Function F = leaf;
  asm volatile("" : "+v"(F));
  P[I] = A + F(N);
})",
                           {"-O2", "-fvisibility=hidden"}));
}

TEST_P(PointersRun, FunctionsWithoutSymbols) {
  expectAllCounted(compile(R"(
#define STATIC static __attribute__((noinline))
STATIC unsigned leaf(unsigned X) { return X * 3 + 1; }
NOINLINE unsigned other(unsigned X) { return leaf(X) ^ 5; }
STATIC unsigned computed(unsigned X) { return X * 7; }
static const Function Table[] = {leaf, other};
KERNEL void k(Words *P, unsigned N) {
  const unsigned I = id();
  Function F = computed;
  asm volatile("" : "+v"(F));
  P[I] = leaf(I) + Table[I & 1](N) + F(I);
})",
                           {"-O2", "-fvisibility=hidden", "-Wl,-s"}));
}

TEST_P(PointersRun, VirtualFunctionsAndRecursion) {
  expectAllCounted(compile(R"(
struct Shape {
  virtual unsigned area(unsigned N) const = 0;
};
struct Square : Shape {
  unsigned area(unsigned N) const override { return N * N; }
};
struct Nested : Shape {
  const Shape *Inner;
  explicit Nested(const Shape *Inner) : Inner(Inner) {}
  unsigned area(unsigned N) const override {
    return N ? Inner->area(N) + area2(N - 1) : 1;
  }
  __attribute__((noinline)) unsigned area2(unsigned N) const {
    const Shape *Self = this;
    asm volatile("" : "+v"(Self));
    return Self->area(N);
  }
};
KERNEL void k(Words *P, unsigned N) {
  const unsigned I = id();
  Square S;
  Nested T(&S);
  const Shape *Either = I & 1 ? static_cast<const Shape *>(&S) : &T;
  P[I] = Either->area(N & 3);
})"));
}

TEST_P(PointersRun, PointersAreComparedAndKeptAsTheyAre) {
  const Judgement J = run(compile(R"(
NOINLINE unsigned leaf(unsigned X) { return X * 3 + 1; }
NOINLINE unsigned other(unsigned X) { return X ^ 5; }
static Function Table[] = {leaf, other};
KERNEL void k(Words *P, unsigned N) {
  const unsigned I = id();
  Function F = Table[N & 1], G = other;
  asm volatile("" : "+v"(F), "+v"(G));
  P[I] = F(N) + (F == G) * 1000;
})"));
  EXPECT_TRUE(Follows);
  ASSERT_FALSE(J.Buffers.empty() || J.counters().empty());
  EXPECT_EQ(J.Buffers[0][3], (5u ^ 5) + 1000);
  EXPECT_EQ(J.counters()[0], J.WaveInstructions);
}

/// Before the call, SCC and a scalar are arguments; behind it, the pointer is
/// called again. The second function goes on to the first for good.
std::string callingWithSCC(unsigned SCC, const char *Data) {
  return R"(
    workgroup_id_x s12
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    v_and_b32_e32 v0, 0x3ff, v0
    s_lshl_b32 s12, s12, 6
    vadd v1, s12, v0
    v_lshlrev_b32_e32 v1, 2, v1
    s_getpc_b64 s[8:9]
    s_add_u32 s8, s8, table@rel32@lo+4
    s_addc_u32 s9, s9, table@rel32@hi+12
    s_load_dwordx2 s[16:17], s[8:9], )" +
         std::string(Data) + R"(
    wait_all
    s_movk_i32 s14, 0
    s_cmp_eq_u32 s14, )" +
         std::to_string(1 - SCC) + R"(
    s_swappc_b64 s[30:31], s[16:17]
    s_cmp_eq_u32 s14, s14
    s_swappc_b64 s[30:31], s[16:17]
    vadd v2, s14, v0
    global_store_dword v1, v2, s[4:5]
    s_endpgm
)";
}

constexpr const char *FunctionsOfSCC = R"(
  .type first,@function
  first:
    s_cselect_b32 s15, 100, 10
    s_add_u32 s14, s14, s15
    s_setpc_b64 s[30:31]
  .Lfirst: .size first, .Lfirst-first
  .type second,@function
  second:
    s_cselect_b32 s15, 60, 50
    s_getpc_b64 s[20:21]
    s_cselect_b32 s18, 1, 0
    s_add_u32 s20, s20, table@rel32@lo+8
    s_addc_u32 s21, s21, table@rel32@hi+16
    s_load_dwordx2 s[20:21], s[20:21], 0x0
    wait_all
    s_add_u32 s14, s14, s15
    s_cmp_lg_u32 s18, 0
    s_setpc_b64 s[20:21]
  .Lsecond: .size second, .Lsecond-second
  .section .data,"aw"
  .p2align 3
  table:
    .quad first
    .quad second
  .text
)";

TEST_P(PointersRun, TailCallsAndEverythingThatACallMayHandOn) {
  for (unsigned SCC : {0, 1})
    for (bool IsSecond : {false, true}) {
      SCOPED_TRACE(SCC);
      AssemblyKernel K;
      K.SGPRs = 64;
      K.Body = callingWithSCC(SCC, IsSecond ? "0x8" : "0x0");
      K.Functions = FunctionsOfSCC;
      const Judgement J = run(fromAssembly(K));
      EXPECT_TRUE(Follows);
      ASSERT_FALSE(J.Buffers.empty() || J.counters().empty());
      const unsigned First = (SCC ? 100 : 10) + 100,
                     Second = (SCC ? 60 : 50) + 60;
      EXPECT_EQ(J.Buffers[0][7], First + IsSecond * Second + 7);
      EXPECT_EQ(J.counters()[0], J.WaveInstructions);
    }
}

/// The function that `table` names calls `hidden`, with an address that no code
/// or table shows. The kernel calls it twice.
constexpr const char *CallsHidden = R"(
  .type first,@function
  first:
    s_add_u32 s18, s16, hidden-first
    s_addc_u32 s19, s17, 0
    s_mov_b64 s[20:21], s[30:31]
    s_swappc_b64 s[30:31], s[18:19]
    s_setpc_b64 s[20:21]
  .Lfirst: .size first, .Lfirst-first
  .type hidden,@function
  hidden:
    s_add_u32 s14, s14, 100
    s_setpc_b64 s[30:31]
  .Lhidden: .size hidden, .Lhidden-hidden
  .section .data.rel.ro,"aw"
  .p2align 3
  table:
    .quad first
  .text
)";

TEST_P(PointersRun, WhatCannotBeFoundRunsAsItIs) {
  AssemblyKernel K;
  K.SGPRs = 64;
  K.Body = callingWithSCC(1, "0x0");
  K.Functions = CallsHidden;
  expectPartlyCounted(fromAssembly(K), UnfollowedPointers::None);
  EXPECT_TRUE(Follows);
}

TEST_P(PointersRun, HooksOnLeavingRunOnlyWhereNoCopyIsFound) {
  for (unsigned SCC : {0, 1}) {
    SCOPED_TRACE(SCC);
    AssemblyKernel K;
    K.SGPRs = 64;
    K.Body = callingWithSCC(SCC, "0x0");
    K.Functions = CallsHidden;
    Options.Engine.ApplicationStack = Launch.Scratch = 1024;
    unsigned Calls = 0;
    const Judgement J = expectUnchanged(
        fromAssembly(K), Launch,
        [&](LiftedRepresentation &LR, InstrumentationTask &T) {
          Calls = 0;
          for (const ControlTransfer &Transfer : LR.controlTransfers())
            if (Transfer.Kind == ControlTransfer::UnresolvedCall) {
              EXPECT_TRUE(Transfer.FollowsPointer);
              T.insertHookOnLeaving(*Transfer.MI, hook("h"));
              ++Calls;
            }
        });
    // Two in the kernel, which find their function, and one in that.
    EXPECT_EQ(Calls, 3u);
    ASSERT_FALSE(J.counters().empty());
    const unsigned Waves = target().WaveSize == 64 ? 2 : 3;
    EXPECT_EQ(J.counters()[0], 2 * Waves);
  }
}

/// In s[16:17].
std::string addressOf(const std::string &Name) {
  return "s_getpc_b64 s[16:17]\n s_add_u32 s16, s16, " + Name +
         "@rel32@lo+4\n s_addc_u32 s17, s17, " + Name + "@rel32@hi+12\n";
}

/// Where ways meet, the pair has one of two addresses.
TEST_P(PointersRun, AddressesThatDependOnTheWayToTheCall) {
  for (unsigned Way : {0, 1}) {
    SCOPED_TRACE(Way);
    AssemblyKernel K;
    K.SGPRs = 64;
    K.Body = R"(
    s_movk_i32 s14, 0
    s_cmp_eq_u32 s14, )" +
             std::to_string(Way) + "\n s_cbranch_scc1 .Lsecond_way\n" +
             addressOf("first") + "s_branch .Lcall\n .Lsecond_way:\n" +
             addressOf("second") + R"(
    .Lcall:
    s_swappc_b64 s[30:31], s[16:17]
    s_endpgm
)";
    K.Functions = R"(
  .type first,@function
  first: s_add_u32 s14, s14, 1
    s_setpc_b64 s[30:31]
  .Lfirst: .size first, .Lfirst-first
  .type second,@function
  second: s_add_u32 s14, s14, 2
    s_setpc_b64 s[30:31]
  .Lsecond: .size second, .Lsecond-second
)";
    const Judgement J = run(fromAssembly(K));
    EXPECT_TRUE(Follows);
    ASSERT_FALSE(J.counters().empty());
    EXPECT_EQ(J.counters()[0], J.WaveInstructions);
  }
}

/// The way on which \p Broken lies is never gone.
std::string functionWith(const std::string &Broken) {
  return R"(
  .type first,@function
  first:
    s_add_u32 s14, s14, 100
    s_cmp_lg_u32 s14, s14
    s_cbranch_scc1 .Lbroken
    s_setpc_b64 s[30:31]
  .Lbroken:
    )" + Broken +
         R"(
    s_setpc_b64 s[30:31]
  .Lfirst: .size first, .Lfirst-first
)";
}

TEST_P(PointersRun, FunctionsThatCannotBeLiftedRunAsTheyAre) {
  AssemblyKernel K;
  K.SGPRs = 64;
  K.Body = callingWithSCC(1, "0x0");
  K.Functions = functionWith(".long 0xffffffff") +
                ".data\n.p2align 3\ntable: .quad first\n.text\n";
  expectPartlyCounted(fromAssembly(K), UnfollowedPointers::NotLifted);
  EXPECT_FALSE(Follows);
  EXPECT_NE(LeftOut.find("first: undecodable-instruction"), LeftOut.npos)
      << LeftOut;
}

/// Kernels with this instruction are refused.
TEST_P(PointersRun, FunctionsWithUnknownInstructionsRunAsTheyAre) {
  if (std::string(target().Processor) != "gfx1030")
    return;
  AssemblyKernel K;
  K.SGPRs = 64;
  K.Body = callingWithSCC(1, "0x0");
  K.Functions = functionWith("s_subvector_loop_end s15, .Lbroken") +
                ".data\n.p2align 3\ntable: .quad first\n.text\n";
  expectPartlyCounted(fromAssembly(K), UnfollowedPointers::NotLifted);
  EXPECT_NE(LeftOut.find("nothing is known about S_SUBVECTOR_LOOP_END"),
            LeftOut.npos)
      << LeftOut;
}

/// Also what only `caller` calls is in the way of nothing else.
TEST_P(PointersRun, FunctionsThatCannotBeLiftedLeaveOthersTheirHooks) {
  AssemblyKernel K;
  K.SGPRs = 64;
  K.Body = callingWithSCC(1, "0x8");
  K.Functions = std::string(FunctionsOfSCC) + R"(
  .type broken,@function
  broken: .long 0xffffffff
    s_setpc_b64 s[30:31]
  .Lbroken: .size broken, .Lbroken-broken
  .type caller,@function
  caller:
    s_mov_b64 s[20:21], s[30:31]
    )" + addressOf("broken") +
                R"(
    s_swappc_b64 s[30:31], s[16:17]
    s_setpc_b64 s[20:21]
  .Lcaller: .size caller, .Lcaller-caller
  .data
    .quad caller
  .text
)";
  expectAllCounted(fromAssembly(K));
  EXPECT_EQ(Unfollowed, UnfollowedPointers::None);
  EXPECT_NE(LeftOut.find("caller: undecodable-instruction"), LeftOut.npos)
      << LeftOut;
}

TEST_P(PointersRun, ManyFunctionsAreFollowedUpToALimit) {
  const std::pair<size_t, const char *> Cases[] = {
      {MostAddressTaken, "0x50"},
      {MostAddressTaken, "0x1f8"},
      {MostAddressTaken + 1, "0x50"}};
  for (auto [Count, Entry] : Cases) {
    SCOPED_TRACE(std::to_string(Count) + " functions, the one at " + Entry);
    std::string Functions, Pointers;
    for (size_t N = 0; N != Count; ++N) {
      const std::string Name = "f" + std::to_string(N);
      Functions += ".type " + Name + ",@function\n" + Name +
                   ":\n s_add_u32 s14, s14, " + std::to_string(N) +
                   "\n s_setpc_b64 s[30:31]\n.L" + Name + ": .size " + Name +
                   ", .L" + Name + "-" + Name + "\n";
      Pointers += ".quad " + Name + "\n";
    }
    AssemblyKernel K;
    K.SGPRs = 64;
    K.Body = callingWithSCC(1, Entry);
    K.Functions =
        Functions + ".data\n.p2align 3\ntable:\n" + Pointers + ".text\n";
    const bool IsMany = Count > MostAddressTaken;
    if (IsMany)
      expectPartlyCounted(fromAssembly(K), UnfollowedPointers::TooMany);
    else
      expectAllCounted(fromAssembly(K));
    EXPECT_EQ(Follows, !IsMany);
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, PointersRun,
                         ::testing::ValuesIn(allTargets()), targetName);

} // namespace
