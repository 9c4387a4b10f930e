// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hooks that need stack memory, in large windows and in tiny ones.
#include "PayloadRun.h"
#include "amdgpu/RegisterFiles.h"

using namespace llvm;
using namespace luthier;
using namespace luthier::test;

namespace {

class Pressure : public ::testing::TestWithParam<EngineTarget> {
protected:
  PayloadRun Run{GetParam()};
  unsigned lanes() const { return GetParam().WaveSize; }
  /// LLVM puts a slot of its own behind room that payloads do not use.
  unsigned slack() const {
    return StringRef(GetParam().Processor).starts_with("gfx12") ? 8192 : 0;
  }
  /// A window of the given sizes somewhere in the middle.
  PayloadABI tiny(unsigned SGPRs, unsigned VGPRs) {
    PayloadABI ABI = Run.abi();
    ABI.FirstSGPR = 50;
    ABI.SGPRLimit = 50 + SGPRs;
    ABI.FirstVGPR = 21;
    ABI.VGPRLimit = 21 + VGPRs;
    return ABI;
  }
};
INSTANTIATE_TEST_SUITE_P(Every, Pressure, ::testing::ValuesIn(allTargets()),
                         targetName);

/// Registers are reserved 32 at a time where that fits.
TEST_P(Pressure, WindowsAreKeptWhereverTheyLie) {
  Run.parseHooks(R"(
define void @hook(i32 %n) #0 {
  %lo = call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 0)
  %lane = call i32 @llvm.amdgcn.mbcnt.hi(i32 -1, i32 %lo)
  %v = mul i32 %lane, %n
  call void @store(i32 %v)
  ret void
})");
  for (unsigned First : {18u, 30u, 31u, 32u, 33u, 56u}) {
    SCOPED_TRACE(First);
    constexpr unsigned Vectors = 6, Scalars = 8;
    PayloadABI ABI = Run.abi();
    ABI.FirstVGPR = First;
    ABI.VGPRLimit = First + Vectors;
    ABI.FirstSGPR = First + 26; // From 44 on, and around 64.
    ABI.SGPRLimit = ABI.FirstSGPR + Scalars;
    auto P = Run.compile("hook", ABI, {3});
    ASSERT_TRUE(bool(P)) << toString(P.takeError());
    Run.run(*P, ABI, Run.initialState(ABI));
    const auto Out = Run.out();
    for (unsigned Lane = 0; Lane < lanes(); ++Lane)
      EXPECT_EQ(Out[Lane], 3 * Lane);
    EXPECT_GT(P->VGPRs.count(), 0u);
    for (unsigned Number : P->VGPRs.set_bits())
      EXPECT_TRUE(First <= Number && Number < ABI.VGPRLimit) << "v" << Number;
    for (unsigned Number : P->SGPRs.set_bits())
      EXPECT_TRUE(ABI.FirstSGPR <= Number && Number < ABI.SGPRLimit)
          << "s" << Number;
    EXPECT_TRUE(P->AGPRs.none());
  }
}

TEST_P(Pressure, LocalArraysLieOnTheStack) {
  Run.parseHooks(R"(
define void @hook(i32 %n) #0 {
entry:
  %a = alloca [40 x i32], align 4, addrspace(5)
  %lo = call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 0)
  %lane = call i32 @llvm.amdgcn.mbcnt.hi(i32 -1, i32 %lo)
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %loop ]
  %p = getelementptr [40 x i32], ptr addrspace(5) %a, i32 0, i32 %i
  %v = mul i32 %i, %lane
  store i32 %v, ptr addrspace(5) %p
  %i1 = add i32 %i, 1
  %more = icmp ult i32 %i1, %n
  br i1 %more, label %loop, label %done
done:
  %k = and i32 %lane, 31
  %q = getelementptr [40 x i32], ptr addrspace(5) %a, i32 0, i32 %k
  %g = addrspacecast ptr addrspace(5) %q to ptr
  %x = load i32, ptr addrspace(5) %q
  %y = load volatile i32, ptr %g
  %s = add i32 %x, %y
  call void @store(i32 %s)
  ret void
})");
  EXPECT_TRUE(Run.needs("hook", {32}).Stack);
  PayloadABI ABI = Run.abi();
  auto P = Run.compile("hook", ABI, {32});
  ASSERT_TRUE(bool(P)) << toString(P.takeError());
  EXPECT_GE(P->StackSize, 160u);
  EXPECT_LE(P->StackSize, slack() + 192u);
  Run.run(*P, ABI, Run.initialState(ABI));
  auto Out = Run.out();
  for (unsigned Lane = 0; Lane < lanes(); ++Lane)
    EXPECT_EQ(Out[Lane], 2 * (Lane & 31) * Lane);
  ABI.StackPointer = MCRegister();
  auto Refused = Run.compile("hook", ABI, {32});
  ASSERT_FALSE(bool(Refused));
  EXPECT_NE(toString(Refused.takeError()).find("stack"), std::string::npos);
}

TEST_P(Pressure, LocalsAreAlignedAsTheySay) {
  Run.parseHooks(R"(
define void @hook() #0 {
  %small = alloca i32, align 4, addrspace(5)
  %wide = alloca [8 x i32], align 256, addrspace(5)
  %lo = call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 0)
  %lane = call i32 @llvm.amdgcn.mbcnt.hi(i32 -1, i32 %lo)
  store volatile i32 %lane, ptr addrspace(5) %small
  %i = and i32 %lane, 7
  %p = getelementptr [8 x i32], ptr addrspace(5) %wide, i32 0, i32 %i
  store volatile i32 %lane, ptr addrspace(5) %p
  %g = addrspacecast ptr addrspace(5) %wide to ptr
  %bits = ptrtoint ptr %g to i64
  %low = trunc i64 %bits to i32
  ; Past LLVM's own conclusions from the alignment.
  %seen = call i32 asm sideeffect "", "=v,0"(i32 %low)
  %rest = and i32 %seen, 255
  %x = load volatile i32, ptr addrspace(5) %small
  %y = load volatile i32, ptr addrspace(5) %p
  %xy = add i32 %x, %y
  %shifted = shl i32 %xy, 8
  %s = or i32 %rest, %shifted
  call void @store(i32 %s)
  ret void
})");
  const PayloadABI ABI = Run.abi();
  auto P = Run.compile("hook", ABI);
  ASSERT_TRUE(bool(P)) << toString(P.takeError());
  // In this stack, only one of all multiples of 16 would do.
  WaveState Before = Run.initialState(ABI);
  Before.SGPRs[39] += 48;
  EXPECT_LE(P->StackSize, slack() + 320u);
  Run.run(*P, ABI, Before);
  for (unsigned Lane = 0; Lane < lanes(); ++Lane)
    EXPECT_EQ(Run.out()[Lane], 2 * Lane << 8) << Lane;
}

TEST_P(Pressure, ComputedSizesNeedABound) {
  Run.parseHooks(R"(
declare ptr addrspace(5) @llvm.stacksave.p5()
declare void @llvm.stackrestore.p5(ptr addrspace(5))
define void @hook() #0 {
entry:
  %lo = call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 0)
  %lane = call i32 @llvm.amdgcn.mbcnt.hi(i32 -1, i32 %lo)
  br label %outer
outer:
  %round = phi i32 [ 0, %entry ], [ %round1, %freed ]
  %sum = phi i32 [ 0, %entry ], [ %sum2, %freed ]
  %stack = call ptr addrspace(5) @llvm.stacksave.p5()
  %rest = and i32 %lane, 7
  %n = add i32 %rest, 1
  %a = alloca i32, i32 %n, align 4, addrspace(5)
  br label %fill
fill:
  %i = phi i32 [ 0, %outer ], [ %i1, %fill ]
  %p = getelementptr i32, ptr addrspace(5) %a, i32 %i
  %v = add i32 %i, %round
  store volatile i32 %v, ptr addrspace(5) %p
  %i1 = add i32 %i, 1
  %more = icmp ult i32 %i1, %n
  br i1 %more, label %fill, label %freed
freed:
  %q = getelementptr i32, ptr addrspace(5) %a, i32 %rest
  %last = load volatile i32, ptr addrspace(5) %q
  %sum2 = add i32 %sum, %last
  call void @llvm.stackrestore.p5(ptr addrspace(5) %stack)
  %round1 = add i32 %round, 1
  %again = icmp ult i32 %round1, 3
  br i1 %again, label %outer, label %done
done:
  call void @store(i32 %sum2)
  ret void
})");
  const PayloadABI ABI = Run.abi();
  auto P = Run.compile("hook", ABI);
  ASSERT_TRUE(bool(P)) << toString(P.takeError());
  EXPECT_GE(P->StackSize, 32u);
  Run.run(*P, ABI, Run.initialState(ABI));
  for (unsigned Lane = 0; Lane < lanes(); ++Lane)
    EXPECT_EQ(Run.out()[Lane], 3 * (Lane % 8) + 3) << Lane;
}

TEST(RefusedHooks, SayWhatTheyDo) {
  PayloadRun Run({"gfx90a", 64});
  Run.parseHooks(R"(
declare void @llvm.amdgcn.s.barrier()
declare void @unknown(ptr addrspace(5))
@Dynamic = external addrspace(3) global [0 x i32]
define void @barrier() #0 {
  call void @llvm.amdgcn.s.barrier()
  ret void
}
define void @dynamic(i32 %n) #0 {
  %x = load i32, ptr addrspace(1) @Out
  %a = alloca i32, i32 %x, addrspace(5)
  store volatile i32 1, ptr addrspace(5) %a
  ret void
}
define void @loop(i32 %n) #0 {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %loop ]
  %a = alloca i32, i32 %i, addrspace(5)
  store volatile i32 1, ptr addrspace(5) %a
  %i1 = add nuw i32 %i, 1
  %x = load volatile i32, ptr addrspace(1) @Out
  %more = icmp ult i32 %i1, %x
  br i1 %more, label %loop, label %done
done:
  ret void
}
define void @pointer(ptr %f) #0 {
  %x = load ptr, ptr addrspace(1) @Out
  call void %x()
  ret void
}
define void @recursive(i32 %n) #1 {
  %p = getelementptr i32, ptr addrspace(1) @Out, i32 %n
  %v = load volatile i32, ptr addrspace(1) %p
  call void @recursive(i32 %v)
  ret void
}
define void @recursion() #0 {
  call void @recursive(i32 3)
  ret void
}
define void @extern() #0 {
  store i32 1, ptr addrspace(3) @Dynamic
  ret void
})");
  auto expect = [&](const char *Hook, std::vector<uint64_t> Constants,
                    StringRef Reason, StringRef Text) {
    auto P = Run.compile(Hook, Run.abi(), Constants);
    ASSERT_FALSE(bool(P)) << Hook;
    const std::string Message = toString(P.takeError());
    EXPECT_TRUE(StringRef(Message).starts_with(Reason)) << Message;
    EXPECT_TRUE(StringRef(Message).contains(Text)) << Message;
  };
  expect("dynamic", {1}, "no-stack", "known only when it runs");
  expect("loop", {1}, "no-stack", "in a loop");
  expect("pointer", {1}, "unsupported-hook", "through a pointer");
  expect("barrier", {}, "unsupported-hook", "s.barrier");
  expect("extern", {}, "unsupported-hook", "Dynamic has its size from");
  expect("recursion", {}, "unsupported-hook",
         "recursive, which is not inlined");
}

TEST_P(Pressure, SpillsInTinyWindows) {
  // Values that are alive at once, half of them in scalar registers.
  constexpr unsigned Count = 64;
  std::string IR = "declare i32 @llvm.amdgcn.readfirstlane.i32(i32)\n"
                   "define void @hook(i32 %n) #0 {\n"
                   "%lo = call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 0)\n"
                   "%lane = call i32 @llvm.amdgcn.mbcnt.hi(i32 -1, i32 %lo)\n";
  for (unsigned I = 0; I < Count; ++I) {
    const std::string N = std::to_string(I);
    IR += "%p" + N + " = getelementptr i32, ptr addrspace(1) @Out, " +
          (I % 2 ? "i32 " + std::to_string(1000 + I) : "i32 %i" + N) + "\n";
    if (I % 2 == 0)
      IR.insert(IR.rfind("%p" + N), "%i" + N + " = add i32 %lane, " +
                                        std::to_string(2000 + 64 * I) + "\n");
    IR += "%w" + N + " = load volatile i32, ptr addrspace(1) %p" + N + "\n";
    IR += "%v" + N + " = " +
          (I % 2 ? "call i32 @llvm.amdgcn.readfirstlane.i32(i32 %w" + N + ")\n"
                 : "add i32 0, %w" + N + "\n");
  }
  IR += "%s0 = add i32 %v0, %n\n";
  for (unsigned I = 1; I < Count; ++I) {
    const std::string N = std::to_string(I), B = std::to_string(I - 1);
    IR += "%m" + N + " = mul i32 %s" + B + ", 3\n%s" + N + " = add i32 %m" + N +
          ", %v" + N + "\n";
  }
  // The second half uses them again, so that none can be computed early.
  IR += "%t0 = xor i32 %s63, %v0\n";
  for (unsigned I = 1; I < Count; ++I) {
    const std::string N = std::to_string(I), B = std::to_string(I - 1);
    IR += "%u" + N + " = mul i32 %t" + B + ", 5\n%t" + N + " = xor i32 %u" + N +
          ", %v" + N + "\n";
  }
  IR += "call void @store(i32 %t63)\nret void\n}";
  Run.parseHooks(IR);
  std::vector<uint32_t> Memory(16384);
  for (unsigned I = 0; I < 16384; ++I)
    Memory[I] = I * 2654435761u;
  auto expected = [&](unsigned Lane) {
    uint32_t V[Count];
    for (unsigned I = 0; I < Count; ++I)
      V[I] = I % 2 ? Memory[1000 + I] : Memory[2000 + 64 * I + Lane];
    uint32_t S = V[0] + 9;
    for (unsigned I = 1; I < Count; ++I)
      S = S * 3 + V[I];
    uint32_t T = S ^ V[0];
    for (unsigned I = 1; I < Count; ++I)
      T = T * 5 ^ V[I];
    return T;
  };
  for (auto [SGPRs, VGPRs] :
       {std::pair{24u, 8u}, {40u, 30u}, {24u, 30u}, {40u, 8u}}) {
    SCOPED_TRACE(std::to_string(SGPRs) + " SGPRs, " + std::to_string(VGPRs) +
                 " VGPRs");
    PayloadABI ABI = tiny(SGPRs, VGPRs);
    auto P = Run.compile("hook", ABI, {9});
    ASSERT_TRUE(bool(P)) << toString(P.takeError());
    if (VGPRs == 8)
      EXPECT_GT(P->StackSize, 0u);
    for (unsigned I = 0; I < 16384; ++I)
      Run.write(Run.Out + 4 * I, Memory[I]);
    Run.EXEC = 0xfffffff0fffffffb;
    Run.run(*P, ABI, Run.initialState(ABI));
    auto Out = Run.out();
    for (unsigned Lane = 0; Lane < lanes(); ++Lane)
      EXPECT_EQ(Out[Lane], Run.EXEC >> Lane & 1 ? expected(Lane) : Memory[Lane])
          << Lane;
  }
}

/// LLVM renames the registers that it spills scalars to, and those that are
/// reserved alone with them.
TEST_P(Pressure, WhatIsKeptWithinAWindowStaysWhereItIs) {
  constexpr unsigned Count = 40;
  std::string IR = "declare i32 @llvm.amdgcn.readfirstlane.i32(i32)\n"
                   "declare i32 @llvm.amdgcn.workitem.id.x()\n"
                   "define void @hook(i32 %n) #0 {\n";
  for (unsigned I = 0; I < Count; ++I) {
    const std::string N = std::to_string(I);
    IR += "%p" + N + " = getelementptr i32, ptr addrspace(1) @Out, i32 " +
          std::to_string(1000 + I) + "\n%w" + N +
          " = load volatile i32, ptr addrspace(1) %p" + N + "\n%v" + N +
          " = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %w" + N + ")\n";
  }
  IR += "%x = call i32 @llvm.amdgcn.workitem.id.x()\n%s0 = add i32 %x, %n\n";
  for (unsigned I = 0; I < Count; ++I) {
    const std::string N = std::to_string(I);
    IR += "%m" + N + " = mul i32 %s" + N + ", 3\n%s" + std::to_string(I + 1) +
          " = add i32 %m" + N + ", %v" + N + "\n";
  }
  IR += "call void @store(i32 %s40)\nret void\n}";
  Run.parseHooks(IR);
  PayloadABI ABI = tiny(16, 40);
  ABI.WorkItemIds = Run.MC->registerFiles().vgpr(50);
  ABI.Kept.push_back(ABI.WorkItemIds);
  auto P = Run.compile("hook", ABI, {9});
  ASSERT_TRUE(bool(P)) << toString(P.takeError());
  EXPECT_TRUE(P->UsesWorkItemIds);
  EXPECT_FALSE(P->VGPRs.test(50));
  for (unsigned I = 0; I < Count; ++I)
    Run.write(Run.Out + 4 * (1000 + I), I * 2654435761u);
  Run.run(*P, ABI, Run.initialState(ABI));
  const auto Out = Run.out();
  for (unsigned Lane = 0; Lane < lanes(); ++Lane) {
    uint32_t S = Lane % 8 + 9;
    for (unsigned I = 0; I < Count; ++I)
      S = S * 3 + I * 2654435761u;
    EXPECT_EQ(Out[Lane], S) << Lane;
  }
}

} // namespace
