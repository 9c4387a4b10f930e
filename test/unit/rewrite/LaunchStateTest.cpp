// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hooks see the launch state wherever they are, whatever the kernel itself
// asked for, and however the state value array is kept in between.
#include "EngineTest.h"
#include "llvm/CodeGen/MachineFunction.h"

using namespace llvm;
using namespace luthier;
using namespace luthier::test;

namespace {

/// Asks for the first work-item and workgroup ids only.
constexpr const char *Kernel = R"(
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.workgroup.id.x()
define amdgpu_kernel void @k(ptr addrspace(1) %p, i32 %n) {
entry:
  %l = call i32 @llvm.amdgcn.workitem.id.x()
  %g = call i32 @llvm.amdgcn.workgroup.id.x()
  %b = mul i32 %g, 8
  %i = add i32 %b, %l
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %k1, %loop ]
  %sum = phi i32 [ %i, %entry ], [ %sum1, %loop ]
  %sum1 = mul i32 %sum, 1664525
  %k1 = add i32 %k, 1
  %more = icmp ult i32 %k1, %l
  %end = icmp ult i32 %k1, %n
  %go = and i1 %more, %end
  br i1 %go, label %loop, label %done
done:
  %at = getelementptr i32, ptr addrspace(1) %p, i32 %i
  store i32 %sum1, ptr addrspace(1) %at
  ret void
})";

/// Writes, for each work-item, what it knows about itself.
constexpr const char *Hook = R"(
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.workitem.id.y()
declare i32 @llvm.amdgcn.workitem.id.z()
declare i32 @llvm.amdgcn.workgroup.id.x()
declare i32 @llvm.amdgcn.workgroup.id.y()
declare i32 @llvm.amdgcn.workgroup.id.z()
declare ptr addrspace(4) @llvm.amdgcn.dispatch.ptr()
declare ptr addrspace(4) @llvm.amdgcn.kernarg.segment.ptr()
define void @h() #0 {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %y = call i32 @llvm.amdgcn.workitem.id.y()
  %z = call i32 @llvm.amdgcn.workitem.id.z()
  %gx = call i32 @llvm.amdgcn.workgroup.id.x()
  %gy = call i32 @llvm.amdgcn.workgroup.id.y()
  %gz = call i32 @llvm.amdgcn.workgroup.id.z()
  %y8 = mul i32 %y, 8
  %z32 = mul i32 %z, 32
  %a = add i32 %x, %y8
  %lane = add i32 %a, %z32
  %gy3 = mul i32 %gy, 3
  %gz6 = mul i32 %gz, 6
  %b = add i32 %gx, %gy3
  %group = add i32 %b, %gz6
  %base = mul i32 %group, 64
  %item = add i32 %base, %lane
  %i = mul i32 %item, 2
  %at = getelementptr i64, ptr addrspace(1) @Counters, i32 %i
  %packet = call ptr addrspace(4) @llvm.amdgcn.dispatch.ptr()
  %gridAt = getelementptr i8, ptr addrspace(4) %packet, i32 12
  %grid = load i32, ptr addrspace(4) %gridAt
  %grid64 = zext i32 %grid to i64
  %item64 = zext i32 %item to i64
  %high = shl i64 %grid64, 32
  %first = or i64 %high, %item64
  store i64 %first, ptr addrspace(1) %at
  %args = call ptr addrspace(4) @llvm.amdgcn.kernarg.segment.ptr()
  %nAt = getelementptr i8, ptr addrspace(4) %args, i32 8
  %n = load i32, ptr addrspace(4) %nAt
  %n64 = zext i32 %n to i64
  %next = getelementptr i64, ptr addrspace(1) %at, i32 1
  store i64 %n64, ptr addrspace(1) %next
  ret void
})";

class LaunchState : public EngineTest {
protected:
  void expectState(const Object &K) {
    setHooks(Hook);
    KernelLaunch Launch{{24, 8, 4}, {8, 4, 2}};
    Launch.Arguments.words(64).value(uint32_t(5));
    Judgement J = expectUnchanged(K, Launch, everywhere("h"));
    if (!J.Problem.empty())
      return;
    for (unsigned Item = 0; Item != 12 * 64; ++Item) {
      ASSERT_EQ(J.counters()[2 * Item], uint64_t(24) << 32 | Item);
      ASSERT_EQ(J.counters()[2 * Item + 1], 5u) << Item;
    }
    LastReport = J.Instrumented.Report;
  }
  bool hasAGPRs() const {
    StringRef P = target().Processor;
    return P != "gfx906" && P.starts_with("gfx9");
  }
  InstrumentationReport LastReport;
};

TEST_P(LaunchState, IsSeenAtEveryInstruction) {
  expectState(fromIR(Kernel));
  EXPECT_EQ(LastReport.Storage, StateValueArrayForm::Vgpr);
}

TEST_P(LaunchState, IsSeenInKernelsWithPreloadedArguments) {
  std::string Preloading = Kernel;
  const std::string Plain = "ptr addrspace(1) %p, i32 %n";
  Preloading.replace(Preloading.find(Plain), Plain.size(),
                     "ptr addrspace(1) inreg %p, i32 inreg %n");
  Object K = fromIR(Preloading);
  const StringRef P = target().Processor;
  EXPECT_EQ(K->kernels().front().Descriptor.raw().kernarg_preload != 0,
            P == "gfx90a" || P == "gfx942" || P == "gfx950");
  expectState(K);
  // Without any launch state, too.
  setHooks("define void @h() #0 {\n"
           "%a = atomicrmw add ptr addrspace(1) @Counters, i64 1 "
           "syncscope(\"agent\") monotonic\nret void }");
  KernelLaunch Launch{{24, 8, 4}, {8, 4, 2}};
  Launch.Arguments.words(64).value(uint32_t(5));
  expectUnchanged(K, Launch, everywhere("h"));
}

TEST_P(LaunchState, FindsHiddenArguments) {
  // Version 5 has them behind the kernel's own: block_count_x first.
  setHooks(R"(
declare ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
define void @h() #0 {
  %p = call ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
  %c = ptrtoint ptr addrspace(4) %p to i64
  store i64 %c, ptr addrspace(1) @Counters
  %k = call ptr addrspace(4) @llvm.amdgcn.kernarg.segment.ptr()
  %d = ptrtoint ptr addrspace(4) %k to i64
  %next = getelementptr i64, ptr addrspace(1) @Counters, i32 1
  store i64 %d, ptr addrspace(1) %next
  ret void
}
declare ptr addrspace(4) @llvm.amdgcn.kernarg.segment.ptr())");
  KernelLaunch Launch{{24, 8, 4}, {8, 4, 2}};
  Launch.Arguments.words(64).value(uint32_t(5));
  Judgement J = expectUnchanged(fromIR(Kernel), Launch, everywhere("h"));
  if (J.Problem.empty())
    EXPECT_EQ(J.counters()[0] - J.counters()[1], 16u);
}

TEST_P(LaunchState, IsKeptInEveryStorageForm) {
  for (StateValueArrayForm Form :
       {StateValueArrayForm::Vgpr, StateValueArrayForm::Agpr,
        StateValueArrayForm::TwoAgprs, StateValueArrayForm::AgprAnd3Sgprs,
        StateValueArrayForm::SpilledWith3Sgprs,
        StateValueArrayForm::SpilledWith1Sgpr}) {
    const bool IsAGPR = Form == StateValueArrayForm::Agpr ||
                        Form == StateValueArrayForm::TwoAgprs ||
                        Form == StateValueArrayForm::AgprAnd3Sgprs;
    if (IsAGPR && !hasAGPRs())
      continue;
    SCOPED_TRACE(unsigned(Form));
    Options.Engine.Storage = Form;
    expectState(fromIR(Kernel));
    EXPECT_EQ(LastReport.Storage, Form);
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, LaunchState,
                         ::testing::ValuesIn(allTargets()), targetName);

} // namespace
