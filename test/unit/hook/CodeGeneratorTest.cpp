// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM's code generator is set up once and runs for one payload after the
// other, of different hooks and for different registers.
#include "PayloadRun.h"
#include "hook/PayloadArchive.h"

using namespace llvm;
using namespace luthier;
using namespace luthier::test;

namespace {

constexpr const char *Hooks = R"(
define void @plain(i32 %x) #0 {
  %v = mul i32 %x, 3
  call void @store(i32 %v)
  ret void
}
define void @loops(i32 %x) #0 {
entry:
  %lane = call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 0)
  br label %loop
loop:
  %n = phi i32 [ 0, %entry ], [ %next, %loop ]
  %next = add i32 %n, 1
  %ends = icmp uge i32 %next, %lane
  br i1 %ends, label %end, label %loop
end:
  %v = add i32 %next, %x
  call void @store(i32 %v)
  ret void
}
define i32 @twice(i32 %x) #1 {
  %v = shl i32 %x, 1
  ret i32 %v
}
define void @calls(i32 %x) #0 {
  %v = call i32 @twice(i32 %x)
  call void @store(i32 %v)
  ret void
}
define void @chooses(i32 %x) #0 {
  callbr void asm sideeffect "luthier::writeExec", "s,~{memory}"(i64 -1) to label %all []
all:
  call void @store(i32 %x)
  ret void
})";

class CodeGenerators : public ::testing::TestWithParam<EngineTarget> {
protected:
  struct Case {
    const char *Hook;
    uint64_t Constant;
    PayloadABI ABI;
  };
  std::optional<std::vector<uint8_t>> compile(const Case &C) {
    Expected<Payload> Compiled = Run.compile(C.Hook, C.ABI, {C.Constant});
    EXPECT_TRUE(bool(Compiled)) << toString(Compiled.takeError());
    if (!Compiled)
      return std::nullopt;
    Expected<std::vector<Payload>> Alone(std::vector<Payload>{*Compiled});
    return archive(Alone);
  }
  PayloadRun Run{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(Every, CodeGenerators,
                         ::testing::ValuesIn(allTargets()), targetName);

TEST_P(CodeGenerators, WhatRanBeforeChangesNothing) {
  Run.parseHooks(Hooks);
  PayloadABI Others = Run.abi();
  Others.FirstVGPR += 3;
  Others.FirstSGPR += 4;
  // None twice: that would not be compiled again.
  std::vector<Case> Cases;
  for (uint64_t Constant : {5, 70000})
    for (const char *Hook : {"plain", "chooses", "loops", "calls"})
      for (const PayloadABI &ABI : {Run.abi(), Others})
        Cases.push_back({Hook, Constant, ABI});
  std::vector<std::optional<std::vector<uint8_t>>> Alone, InTurn;
  for (const Case &C : Cases) {
    Run.forgetCompiled();
    Alone.push_back(compile(C));
  }
  Run.forgetCompiled();
  Run.setUpCompiler();
  for (const Case &C : Cases)
    InTurn.push_back(compile(C));
  EXPECT_EQ(InTurn, Alone);
  EXPECT_NE(Alone[0], Alone[1]);
  EXPECT_NE(Alone[0], Alone[2]);
}

} // namespace
