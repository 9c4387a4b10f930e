// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hooks in LLVM IR, each compiled and executed on every target.
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "PayloadRun.h"
#include "amdgpu/RegisterFiles.h"

using namespace llvm;
using namespace luthier;
using namespace luthier::test;

namespace {

class Intrinsics : public ::testing::TestWithParam<EngineTarget> {
protected:
  PayloadRun Run{GetParam()};
  unsigned lanes() const { return GetParam().WaveSize; }
};
INSTANTIATE_TEST_SUITE_P(Every, Intrinsics, ::testing::ValuesIn(allTargets()),
                         targetName);

TEST_P(Intrinsics, WorkItemIdsComeUnpacked) {
  Run.parseHooks(R"(
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.workitem.id.y()
declare i32 @llvm.amdgcn.workitem.id.z()
define void @hook() #0 {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %y = call i32 @llvm.amdgcn.workitem.id.y()
  %z = call i32 @llvm.amdgcn.workitem.id.z()
  %y100 = mul i32 %y, 100
  %z10000 = mul i32 %z, 10000
  %xy = add i32 %x, %y100
  %xyz = add i32 %xy, %z10000
  call void @store(i32 %xyz)
  ret void
})");
  HookNeeds Needs = Run.needs("hook");
  EXPECT_TRUE(Needs.WorkItemIds);
  EXPECT_FALSE(Needs.State);
  Run.runHook("hook");
  auto Out = Run.out();
  for (unsigned Lane = 0; Lane < lanes(); ++Lane)
    EXPECT_EQ(Out[Lane], Lane % 8 + Lane / 8 * 100 + Lane % 3 * 10000);
}

TEST_P(Intrinsics, FirstWorkItemIsThatOfLaneZeroActiveOrNot) {
  Run.parseHooks(R"(
@Counter = external addrspace(1) global i64
declare void @"luthier::waveAdd.ptr.i64"(ptr, i64) #4
declare i32 @first() #9
define void @hook() #0 {
  %ids = call i32 @first()
  %n = zext i32 %ids to i64
  call void @"luthier::waveAdd.ptr.i64"(ptr addrspacecast (ptr addrspace(1) @Counter to ptr), i64 %n)
  ret void
}
attributes #9 = { convergent nounwind memory(inaccessiblemem: readwrite) "luthier_intrinsic"="luthier::detail::firstWorkItem" })");
  Run.Hooks.Variables["Counter"] = 0x1000;
  // Whether that takes the ids of all depends on the kernel.
  EXPECT_TRUE(Run.needs("hook").FirstWorkItem);
  EXPECT_FALSE(Run.needs("hook").WorkItemIds);
  for (uint64_t EXEC : {~uint64_t(0), uint64_t(0), uint64_t(0xa0)}) {
    Run.EXEC = EXEC;
    Run.State = {{24, 1}, {25, 0}};
    const PayloadABI ABI = Run.abi();
    auto P = Run.compile("hook", ABI);
    ASSERT_TRUE(bool(P)) << toString(P.takeError());
    WaveState Before = Run.initialState(ABI);
    Before.VGPRs[17][0] = 0x12345;
    EXPECT_EQ(Run.run(*P, ABI, Before).VGPRs[16][24], 0x12346u);
  }
}

TEST_P(Intrinsics, WorkgroupIdsAndDispatchIdComeFromLanes) {
  Run.parseHooks(R"(
declare i32 @llvm.amdgcn.workgroup.id.x()
declare i32 @llvm.amdgcn.workgroup.id.y()
declare i32 @llvm.amdgcn.workgroup.id.z()
declare i64 @llvm.amdgcn.dispatch.id()
define void @hook() #0 {
  %x = call i32 @llvm.amdgcn.workgroup.id.x()
  %y = call i32 @llvm.amdgcn.workgroup.id.y()
  %z = call i32 @llvm.amdgcn.workgroup.id.z()
  %id = call i64 @llvm.amdgcn.dispatch.id()
  %p1 = getelementptr i32, ptr addrspace(1) @Out, i64 1
  %p2 = getelementptr i32, ptr addrspace(1) @Out, i64 2
  %p4 = getelementptr i32, ptr addrspace(1) @Out, i64 4
  store i32 %x, ptr addrspace(1) @Out
  store i32 %y, ptr addrspace(1) %p1
  store i32 %z, ptr addrspace(1) %p2
  store i64 %id, ptr addrspace(1) %p4
  ret void
})");
  HookNeeds Needs = Run.needs("hook");
  EXPECT_TRUE(Needs.State);
  EXPECT_EQ(Needs.StateValues, stateBit(StateValue::WorkgroupIdX) |
                                   stateBit(StateValue::WorkgroupIdY) |
                                   stateBit(StateValue::WorkgroupIdZ) |
                                   stateBit(StateValue::DispatchId));
  Run.State = {{8, 11}, {9, 22}, {10, 33}, {6, 44}, {7, 55}};
  Run.runHook("hook");
  auto Out = Run.out(6);
  EXPECT_EQ(Out, (std::vector<uint32_t>{11, 22, 33, 0, 44, 55}));
}

TEST_P(Intrinsics, PointersLeadToArgumentsAndPacket) {
  Run.parseHooks(R"(
declare ptr addrspace(4) @llvm.amdgcn.dispatch.ptr()
declare ptr addrspace(4) @llvm.amdgcn.kernarg.segment.ptr()
declare ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
declare ptr addrspace(4) @llvm.amdgcn.queue.ptr()
define void @hook() #0 {
  %d = call ptr addrspace(4) @llvm.amdgcn.dispatch.ptr()
  %k = call ptr addrspace(4) @llvm.amdgcn.kernarg.segment.ptr()
  %i = call ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
  %q = call ptr addrspace(4) @llvm.amdgcn.queue.ptr()
  %dp = getelementptr i8, ptr addrspace(4) %d, i64 12
  %grid = load i32, ptr addrspace(4) %dp
  %arg = load i64, ptr addrspace(4) %k
  %p2 = getelementptr i32, ptr addrspace(1) @Out, i64 2
  %p4 = getelementptr i32, ptr addrspace(1) @Out, i64 4
  %p6 = getelementptr i32, ptr addrspace(1) @Out, i64 6
  store i32 %grid, ptr addrspace(1) @Out
  store i64 %arg, ptr addrspace(1) %p2
  store ptr addrspace(4) %i, ptr addrspace(1) %p4
  store ptr addrspace(4) %q, ptr addrspace(1) %p6
  ret void
})");
  const uint64_t Packet = Run.allocate(64), Arguments = Run.allocate(64);
  Run.write<uint32_t>(Packet + 12, 4711);
  Run.write<uint64_t>(Arguments, 0x123456789abc);
  Run.State = {{0, uint32_t(Arguments)},
               {1, uint32_t(Arguments >> 32)},
               {2, uint32_t(Packet)},
               {3, uint32_t(Packet >> 32)},
               {4, 0x1111},
               {5, 0x2222}};
  PayloadABI ABI = Run.abi();
  ABI.ExplicitKernargSize = 20;
  auto P = Run.compile("hook", ABI);
  ASSERT_TRUE(bool(P)) << toString(P.takeError());
  Run.run(*P, ABI, Run.initialState(ABI));
  EXPECT_EQ(Run.out(1)[0], 4711u);
  auto Out = Run.read<uint64_t>(Run.Out, 4);
  EXPECT_EQ(Out[1], 0x123456789abcu);
  EXPECT_EQ(Out[2], Arguments + 24);
  EXPECT_EQ(Out[3], 0x222200001111u);
}

TEST_P(Intrinsics, HiddenArgumentsAreWhereTheKernelHasThem) {
  Run.parseHooks(R"(
declare ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
define void @hook() #0 {
  %i = call ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
  %p = getelementptr i8, ptr addrspace(4) %i, i64 24
  %hostcall = load i64, ptr addrspace(4) %p
  store i64 %hostcall, ptr addrspace(1) @Out
  ret void
})");
  EXPECT_EQ(Run.needs("hook").HiddenArguments,
            hiddenBit(HiddenArgument::HostcallBuffer));
  const uint64_t Arguments = Run.allocate(256);
  Run.write<uint64_t>(Arguments + 88, 0x123456789abc);
  Run.State = {{0, uint32_t(Arguments)}, {1, uint32_t(Arguments >> 32)}};
  PayloadABI ABI = Run.abi();
  ABI.ExplicitKernargSize = 8;
  auto Refused = Run.compile("hook", ABI);
  EXPECT_FALSE(bool(Refused));
  EXPECT_NE(toString(Refused.takeError()).find("hidden_hostcall_buffer"),
            std::string::npos);
  ABI.HiddenArguments[HiddenArgument::HostcallBuffer] = 88;
  auto P = Run.compile("hook", ABI);
  ASSERT_TRUE(bool(P)) << toString(P.takeError());
  Run.run(*P, ABI, Run.initialState(ABI));
  EXPECT_EQ(Run.read<uint64_t>(Run.Out, 1)[0], 0x123456789abcu);
}

TEST_P(Intrinsics, SharedMemoryLiesAboveTheBase) {
  Run.parseHooks(R"(
@Small = external addrspace(3) global [3 x i8], align 1
@Table = external addrspace(3) global [64 x i32], align 8
define void @hook() #0 {
  %lo = call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 0)
  %lane = call i32 @llvm.amdgcn.mbcnt.hi(i32 -1, i32 %lo)
  %p = getelementptr [64 x i32], ptr addrspace(3) @Table, i32 0, i32 %lane
  %v = add i32 %lane, 500
  store i32 %v, ptr addrspace(3) %p
  store i8 9, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @Small, i32 2)
  %x = load i32, ptr addrspace(3) %p
  call void @store(i32 %x)
  ret void
})");
  HookNeeds Needs = Run.needs("hook");
  EXPECT_EQ(Needs.LdsBytes, 8u + 256);
  EXPECT_EQ(Needs.LdsAlign, 8u);
  Run.State = {{11, PayloadRun::LdsBase}};
  PayloadABI ABI = Run.abi();
  ABI.Module.LdsOffset = 64;
  auto P = Run.compile("hook", ABI);
  ASSERT_TRUE(bool(P)) << toString(P.takeError());
  Run.run(*P, ABI, Run.initialState(ABI));
  EXPECT_EQ(Run.out()[5], 505u);
  EXPECT_EQ(Run.Lds[PayloadRun::LdsBase + 64 + 2], 9);
  EXPECT_EQ(Run.Lds[PayloadRun::LdsBase + 64 + 8 + 4 * 3], uint8_t(503));
}

TEST_P(Intrinsics, RegistersOfEveryKindAreRead) {
  std::string IR = R"(
declare i32 @"luthier::readReg.i32.i32"(i32) #2
declare i64 @"luthier::readReg.i64.i32"(i32) #2
declare i128 @"luthier::readReg.i128.i32"(i32) #2
)";
  struct Case {
    unsigned Reg;
    unsigned Bits;
  };
  const Case Cases[] = {
      {AMDGPU::SGPR5, 32},
      {AMDGPU::SGPR6_SGPR7, 64},
      {AMDGPU::SGPR8_SGPR9_SGPR10_SGPR11, 128},
      {AMDGPU::VGPR3, 32},
      {AMDGPU::VGPR3_VGPR4, 64},
      {AMDGPU::VGPR3_VGPR4_VGPR5_VGPR6, 128},
      {AMDGPU::SGPR5_LO16, 32},
      {AMDGPU::SGPR5_HI16, 32},
      {AMDGPU::VGPR3_LO16, 32},
      {AMDGPU::VGPR3_HI16, 32},
      {AMDGPU::SCC, 32},
      {AMDGPU::VCC_LO, 32},
      {AMDGPU::VCC, 64},
      {AMDGPU::EXEC, 64},
      {AMDGPU::M0, 32},
      {AMDGPU::MODE, 32},
      {AMDGPU::AGPR1_AGPR2, 64},
      {AMDGPU::AGPR1_HI16, 32},
  };
  for (const Case &C : Cases) {
    const std::string T = "i" + std::to_string(C.Bits);
    IR += "define void @read" + std::to_string(C.Reg) + "() #0 {\n%x = call " +
          T + " @\"luthier::readReg." + T + ".i32\"(i32 " +
          std::to_string(C.Reg) + ")\n%w = " +
          (C.Bits == 128 ? "add i128 0, %x" : "zext " + T + " %x to i128") +
          R"(
  %lo = call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 0)
  %lane = call i32 @llvm.amdgcn.mbcnt.hi(i32 -1, i32 %lo)
  %p = getelementptr i128, ptr addrspace(1) @Out, i32 %lane
  store i128 %w, ptr addrspace(1) %p
  ret void
})";
  }
  Run.parseHooks(IR);
  for (const Case &C : Cases) {
    const StringRef Name = Run.MC->registers().getName(C.Reg);
    if (Name.starts_with("AGPR") && !Run.hasAGPRs())
      continue;
    SCOPED_TRACE(Name.str());
    PayloadABI ABI = Run.abi();
    auto P = Run.compile("read" + std::to_string(C.Reg), ABI);
    ASSERT_TRUE(bool(P)) << toString(P.takeError());
    WaveState S = Run.initialState(ABI);
    Run.run(*P, ABI, S);
    const unsigned Lane = 7;
    std::vector<uint32_t> Expected(4);
    auto quad = [&](uint64_t V) {
      Expected[0] = V;
      Expected[1] = V >> 32;
    };
    switch (C.Reg) {
    case AMDGPU::SCC:
      quad(S.SCC);
      break;
    case AMDGPU::VCC_LO:
      quad(uint32_t(S.VCC));
      break;
    case AMDGPU::VCC:
      quad(S.VCC);
      break;
    case AMDGPU::EXEC:
      quad(S.EXEC);
      break;
    case AMDGPU::M0:
      quad(S.M0);
      break;
    case AMDGPU::MODE:
      quad(S.MODE);
      break;
    default: {
      auto Range = Run.MC->registerFiles().rangeOf(MCRegister(C.Reg));
      for (unsigned I = 0; I < Range.Count; ++I)
        Expected[I] = Range.File == amdgpu::RegisterFile::SGPR
                          ? S.SGPRs[Range.First + I]
                      : Range.File == amdgpu::RegisterFile::VGPR
                          ? S.VGPRs[Range.First + I][Lane]
                          : S.AGPRs[Range.First + I][Lane];
      if (Name.ends_with("_HI16"))
        Expected[0] >>= 16;
      else if (Name.ends_with("_LO16"))
        Expected[0] &= 0xffff;
      EXPECT_EQ(P->Reads.size(), 1u);
    }
    }
    EXPECT_EQ(Run.read<uint32_t>(Run.Out + 16 * Lane, 4), Expected);
  }
}

TEST_P(Intrinsics, RegistersOfEveryKindAreWritten) {
  auto write = [](unsigned Reg, const std::string &T, const std::string &V) {
    return "call void @\"luthier::writeReg.i32." + T + "\"(i32 " +
           std::to_string(Reg) + ", " + T + " " + V + ")\n";
  };
  std::string IR = R"(
declare void @"luthier::writeReg.i32.i32"(i32, i32) #3
declare void @"luthier::writeReg.i32.i64"(i32, i64) #3
declare void @"luthier::writeReg.i32.i128"(i32, i128) #3
define void @hook() #0 {
  %lo = call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 0)
  %lane = call i32 @llvm.amdgcn.mbcnt.hi(i32 -1, i32 %lo)
  %w = zext i32 %lane to i64
)";
  IR += write(AMDGPU::SGPR3, "i32", "33");
  IR += write(AMDGPU::SGPR6_SGPR7, "i64", "8589934593");
  IR += write(AMDGPU::VGPR3, "i32", "%lane");
  IR += write(AMDGPU::VGPR5_VGPR6, "i64", "%w");
  IR += write(AMDGPU::SGPR12_SGPR13_SGPR14_SGPR15, "i128", "3");
  IR += write(AMDGPU::SCC, "i32", "1");
  IR += write(AMDGPU::VCC, "i64", "77");
  IR += write(AMDGPU::M0, "i32", "88");
  IR += write(AMDGPU::EXEC, "i64", "99");
  IR += write(AMDGPU::MODE, "i32", "1000");
  IR += write(AMDGPU::SGPR4_LO16, "i32", "305419896"); // 0x12345678
  IR += write(AMDGPU::VGPR7_HI16, "i32", "%lane");
  if (Run.hasAGPRs())
    IR += write(AMDGPU::AGPR2, "i32", "%lane");
  Run.parseHooks(IR + "ret void\n}");
  Run.EXEC = 0xfffffffe;
  PayloadABI ABI = Run.abi();
  auto P = Run.compile("hook", ABI);
  ASSERT_TRUE(bool(P)) << toString(P.takeError());
  EXPECT_TRUE(P->UsesSCC && P->UsesVCC && P->UsesM0);
  EXPECT_TRUE(P->UsesEXEC && P->UsesMODE);
  EXPECT_EQ(P->Writes.size(), Run.hasAGPRs() ? 8u : 7u);
  WaveState Before = Run.initialState(ABI);
  WaveState After = Run.run(*P, ABI, Before);
  EXPECT_EQ(After.SGPRs[3], 33u);
  EXPECT_EQ(After.SGPRs[6], 1u);
  EXPECT_EQ(After.SGPRs[7], 2u);
  EXPECT_EQ(After.SGPRs[12], 3u);
  EXPECT_EQ(After.SGPRs[15], 0u);
  EXPECT_EQ(After.VGPRs[3][0], Before.VGPRs[3][0]); // Not active.
  EXPECT_EQ(After.VGPRs[3][9], 9u);
  EXPECT_EQ(After.VGPRs[6][9], 0u);
  EXPECT_EQ(After.SGPRs[36], 1u);
  EXPECT_EQ(After.SGPRs[32], 77u);
  EXPECT_EQ(After.SGPRs[37], 88u);
  EXPECT_EQ(After.SGPRs[34], 99u);
  EXPECT_EQ(After.SGPRs[38], 1000u);
  EXPECT_EQ(After.SGPRs[4], (Before.SGPRs[4] & 0xffff0000) | 0x5678);
  EXPECT_EQ(After.VGPRs[7][9], (Before.VGPRs[7][9] & 0xffff) | 9 << 16);
  EXPECT_EQ(After.VGPRs[7][0], Before.VGPRs[7][0]);
  if (Run.hasAGPRs())
    EXPECT_EQ(After.AGPRs[2][9], 9u);
}

/// LLVM's structurizer moves the cast up and forgets one of the ways.
TEST_P(Intrinsics, ValuesThatCostNothingAreThereOnEveryWay) {
  Run.parseHooks(R"(
define void @hook() #0 {
entry:
  %lo = call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 0)
  %lane = call i32 @llvm.amdgcn.mbcnt.hi(i32 -1, i32 %lo)
  %i = add i32 %lane, 256
  %j = add i32 %lane, 320
  %low = and i32 %lane, 1
  %a = icmp eq i32 %low, 0
  br i1 %a, label %edge, label %first
first:
  %t1 = load volatile i32, ptr addrspace(1) @Out
  %b = icmp ult i32 %lane, 20
  br i1 %b, label %second, label %edge
second:
  %t2 = load volatile i32, ptr addrspace(1) @Out
  %bit = and i32 %lane, 2
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %edge, label %inner
inner:
  %v = load i32, ptr addrspace(1) @Out
  %one = add i32 %v, 1
  %z1 = zext i32 %j to i64
  br label %join
edge:
  %z2 = zext i32 %i to i64
  %p = getelementptr i32, ptr addrspace(1) @Out, i64 %z2
  %w = load i32, ptr addrspace(1) %p
  %two = add i32 %w, 2
  br label %join
join:
  %z = phi i64 [ %z1, %inner ], [ %z2, %edge ]
  %s = phi i32 [ %one, %inner ], [ %two, %edge ]
  %q = getelementptr i32, ptr addrspace(1) @Out, i64 %z
  store i32 %s, ptr addrspace(1) %q
  ret void
})");
  Run.runHook("hook");
  std::vector<uint32_t> Expected(384);
  for (unsigned Lane = 0; Lane < lanes(); ++Lane)
    if (Lane % 2 && Lane < 20 && (Lane & 2))
      Expected[320 + Lane] = 1;
    else
      Expected[256 + Lane] = 2;
  EXPECT_EQ(Run.out(384), Expected);
}

/// Lanes leave the loop one by one, so what it counts is no scalar behind it.
TEST_P(Intrinsics, ValuesThatCostNothingMayComeFromLoopsThatLanesLeave) {
  Run.parseHooks(R"(
define void @hook() #0 {
entry:
  %lo = call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 0)
  %lane = call i32 @llvm.amdgcn.mbcnt.hi(i32 -1, i32 %lo)
  %first = getelementptr i32, ptr addrspace(1) @Out, i32 %lane
  br label %loop
loop:
  %n = phi i32 [ 0, %entry ], [ %next, %loop ]
  %next = add i32 %n, 1
  %entryp = getelementptr i32, ptr addrspace(1) %first, i32 %next
  %e = load volatile i32, ptr addrspace(1) %entryp
  %more = icmp ugt i32 %e, 3
  br i1 %more, label %loop, label %behind
behind:
  %odd = and i32 %lane, 1
  %isodd = icmp ne i32 %odd, 0
  br i1 %isodd, label %then, label %join
then:
  %v = load volatile i32, ptr addrspace(1) @Out
  %z = zext i32 %next to i64
  br label %join
join:
  %s = phi i64 [ 0, %behind ], [ %z, %then ]
  %i = add i32 %lane, 128
  %l = zext i32 %i to i64
  %p = getelementptr i64, ptr addrspace(1) @Out, i64 %l
  store i64 %s, ptr addrspace(1) %p
  ret void
})");
  constexpr unsigned Size = 71;
  for (unsigned I = 0; I < Size; ++I)
    Run.write<uint32_t>(Run.Out + 4 * I, I % 7 ? 9 : 0);
  Run.runHook("hook");
  std::vector<uint64_t> Expected(lanes());
  for (unsigned Lane = 1; Lane < lanes(); Lane += 2)
    Expected[Lane] = 7 - Lane % 7;
  EXPECT_EQ(Run.read<uint64_t>(Run.Out + 8 * 128, lanes()), Expected);
}

TEST_P(Intrinsics, ExecIsWrittenInEveryWaveSize) {
  Run.parseHooks(R"(
declare i64 @llvm.amdgcn.ballot.i64(i1)
define void @hook() #0 {
entry:
  %mask = call i64 @llvm.amdgcn.ballot.i64(i1 true)
  callbr void asm sideeffect "luthier::writeExec", "s,~{memory}"(i64 4) to label %one []
one:
  call void @store(i32 1)
  callbr void asm sideeffect "luthier::writeExec", "s,~{memory}"(i64 -1) to label %all []
all:
  %lo = call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 0)
  %lane = call i32 @llvm.amdgcn.mbcnt.hi(i32 -1, i32 %lo)
  %p = getelementptr i32, ptr addrspace(1) @Out, i32 %lane
  %q = getelementptr i8, ptr addrspace(1) %p, i64 1024
  store i32 %lane, ptr addrspace(1) %q
  callbr void asm sideeffect "luthier::writeExec", "s,~{memory}"(i64 %mask) to label %back []
back:
  ret void
})");
  for (uint64_t EXEC : {~uint64_t(0), uint64_t(0), uint64_t(0x10)}) {
    Run.EXEC = EXEC;
    Run.write(Run.Out, std::array<uint32_t, 512>{});
    Run.runHook("hook");
    std::vector<uint32_t> One(64);
    One[2] = 1;
    EXPECT_EQ(Run.out(), One);
    auto All = Run.read<uint32_t>(Run.Out + 1024, lanes());
    for (unsigned Lane = 0; Lane < lanes(); ++Lane)
      EXPECT_EQ(All[Lane], Lane);
  }
}

TEST_P(Intrinsics, UsesFloatTellsWhetherModeMatters) {
  Run.parseHooks(R"(
define void @integers(i32 %x) #0 {
  %v = mul i32 %x, 77
  call void @store(i32 %v)
  ret void
}
define void @floats(float %x) #0 {
  %lo = call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 0)
  %f = uitofp i32 %lo to float
  %v = fmul float %f, %x
  %i = bitcast float %v to i32
  call void @store(i32 %i)
  ret void
}
define void @division(i32 %x) #0 {
  %lo = call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 1)
  %v = udiv i32 4711, %lo
  call void @store(i32 %v)
  ret void
}
define void @atomic(float %x) #0 {
  %old = atomicrmw fadd ptr addrspace(1) @Out, float %x syncscope("agent") monotonic
  ret void
})");
  auto usesFloat = [&](const char *Hook) {
    auto P = Run.compile(Hook, Run.abi(), {0x40400000});
    EXPECT_TRUE(bool(P)) << Hook << ": " << toString(P.takeError());
    EXPECT_TRUE(Run.needs(Hook, {0x40400000}).Float || !P->UsesFloat);
    return P->UsesFloat;
  };
  EXPECT_FALSE(usesFloat("integers"));
  EXPECT_TRUE(usesFloat("floats"));
  EXPECT_TRUE(usesFloat("division"));
  EXPECT_TRUE(usesFloat("atomic"));
  Run.runHook("floats", {0x40400000});
  EXPECT_EQ(Run.out()[1], 0x40400000u);
}

TEST_P(Intrinsics, VariablesWithoutAddressesBecomeFixups) {
  Run.parseHooks(R"(
@Other = external addrspace(1) global [16 x i32]
define void @hook() #0 {
  store i32 5, ptr addrspace(1) @Out
  %p = getelementptr i32, ptr addrspace(1) @Other, i64 3
  store i32 6, ptr addrspace(1) %p
  ret void
})");
  const uint64_t Other = Run.allocate(64);
  Run.Hooks.Variables.clear();
  Run.Hooks.SymbolicVariables = true;
  PayloadABI ABI = Run.abi();
  auto P = Run.compile("hook", ABI);
  ASSERT_TRUE(bool(P)) << toString(P.takeError());
  ASSERT_GE(P->Fixups.size(), 4u);
  for (const Fixup &F : P->Fixups) {
    const uint64_t Address = (F.Variable == "Out" ? Run.Out : Other) + F.Addend;
    const uint32_t Half = F.Kind == Fixup::Abs32Lo ? Address : Address >> 32;
    std::memcpy(P->Code.data() + F.Offset, &Half, 4);
  }
  Run.run(*P, ABI, Run.initialState(ABI));
  EXPECT_EQ(Run.out(1)[0], 5u);
  EXPECT_EQ(Run.read<uint32_t>(Other, 4)[3], 6u);
}

} // namespace
