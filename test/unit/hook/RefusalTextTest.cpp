// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whichever pass refuses a hook, the text names the hook and its line.
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "PayloadRun.h"

using namespace llvm;
using namespace luthier;
using namespace luthier::test;

namespace {

class RefusalText : public ::testing::TestWithParam<EngineTarget> {
protected:
  /// The refusal of hook "hook", in line 12 of Tool.hip, with \p Body.
  std::string refusalOf(const std::string &Body, const PayloadABI &ABI,
                        const std::string &Declarations = "") {
    Run.parseHooks(Declarations + "define void @hook() #0 !dbg !2 {\n" + Body +
                   R"(}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!4}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "Tool.hip", directory: "/")
!2 = distinct !DISubprogram(name: "hook", file: !1, line: 12, type: !3, unit: !0, spFlags: DISPFlagDefinition)
!3 = !DISubroutineType(types: !{null})
!4 = !{i32 2, !"Debug Info Version", i32 3}
)");
    Expected<Payload> P = Run.compile("hook", ABI);
    return P ? "compiled" : toString(P.takeError());
  }
  PayloadRun Run{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(Every, RefusalText, ::testing::ValuesIn(allTargets()),
                         targetName);

TEST_P(RefusalText, OfPreparationNamesHookAndLine) {
  const std::string Text = refusalOf(R"(
  %n = load i32, ptr addrspace(1) @Out
  %v = alloca i32, i32 %n, align 4, addrspace(5)
  store volatile i32 1, ptr addrspace(5) %v
  ret void
)",
                                     Run.abi());
  EXPECT_NE(Text.find("hook 'hook' (Tool.hip:12): a hook's local variable has "
                      "a size known only when it runs"),
            std::string::npos)
      << Text;
}

TEST_P(RefusalText, OfLoweringNamesHookAndLine) {
  PayloadABI ABI = Run.abi();
  ABI.WorkItemIds = MCRegister();
  const std::string Text = refusalOf(R"(
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  call void @store(i32 %x)
  ret void
)",
                                     ABI);
  EXPECT_NE(Text.find("hook 'hook' (Tool.hip:12): a hook reads launch state"),
            std::string::npos)
      << Text;
}

/// Which otherwise end the process.
TEST_P(RefusalText, OfFatalErrorsOfLLVMNamesHookAndLine) {
  // Of processors that come after these.
  const std::string Text = refusalOf(R"(
  %x = load i32, ptr addrspace(1) @Out
  %y = call i32 @llvm.amdgcn.permlane.bcast(i32 %x, i32 1, i32 2)
  call void @store(i32 %y)
  ret void
)",
                                     Run.abi());
  EXPECT_NE(Text.find("hook 'hook' (Tool.hip:12): LLVM cannot compile it: "
                      "Cannot select: intrinsic %llvm.amdgcn.permlane.bcast"),
            std::string::npos)
      << Text;
  EXPECT_EQ(Text.find('\n'), std::string::npos) << Text;
}

TEST_P(RefusalText, OfFlagsWithoutACopyNamesTheFlag) {
  PayloadABI ABI = Run.abi();
  ABI.SccSave = MCRegister();
  const std::string Text =
      refusalOf("  %x = call i32 @\"luthier::readReg.i32.i32\"(i32 " +
                    std::to_string(AMDGPU::SCC) +
                    ")\n  call void @store(i32 %x)\n  ret void\n",
                ABI, "declare i32 @\"luthier::readReg.i32.i32\"(i32) #2\n");
  EXPECT_NE(Text.find("hook 'hook' (Tool.hip:12): a hook reads or writes SCC, "
                      "and no register is left to keep the application's value "
                      "in"),
            std::string::npos)
      << Text;
}

/// The rest would be lost, or be something that nobody has written.
TEST_P(RefusalText, OfRegistersOfAnotherWidthNamesBoth) {
  const std::string Declarations = R"(
declare i32 @"luthier::readReg.i32.i32"(i32) #2
declare i64 @"luthier::readReg.i64.i32"(i32) #2
declare void @"luthier::writeReg.i32.i32"(i32, i32) #3
declare void @"luthier::writeReg.i32.i64"(i32, i64) #3
)";
  auto textOf = [&](unsigned Reg, unsigned Bits, bool IsRead) {
    const std::string Type = "i" + std::to_string(Bits),
                      Number = "(i32 " + std::to_string(Reg);
    const std::string Read = "  %x = call " + Type + " @\"luthier::readReg." +
                             Type + ".i32\"" + Number + ")\n",
                      Write = "  call void @\"luthier::writeReg.i32." + Type +
                              "\"" + Number + ", " + Type + " 1)\n";
    return refusalOf((IsRead ? Read : Write) + "  ret void\n", Run.abi(),
                     Declarations);
  };
  EXPECT_NE(textOf(AMDGPU::SGPR0_SGPR1, 32, true)
                .find("hook 'hook' (Tool.hip:12): register SGPR0_SGPR1 has 64 "
                      "bits, not the 32 that a hook reads"),
            std::string::npos);
  for (bool IsRead : {true, false}) {
    EXPECT_NE(textOf(AMDGPU::SGPR0, 64, IsRead).find("has 32 bits, not the 64"),
              std::string::npos);
    EXPECT_NE(textOf(AMDGPU::VGPR0_VGPR1, 32, IsRead).find("has 64 bits"),
              std::string::npos);
    EXPECT_EQ(textOf(AMDGPU::SGPR0_SGPR1, 64, IsRead), "compiled");
    EXPECT_EQ(textOf(AMDGPU::EXEC, 64, IsRead), "compiled");
    EXPECT_EQ(textOf(AMDGPU::EXEC, 32, IsRead) == "compiled",
              Run.Target.WaveSize == 32);
  }
}

TEST_P(RefusalText, OfTheFinishedPayloadNamesHookAndLine) {
  PayloadABI ABI = Run.abi();
  ABI.StackPointer = MCRegister();
  const std::string Text = refusalOf(R"(
  %v = alloca i32, align 4, addrspace(5)
  store volatile i32 1, ptr addrspace(5) %v
  ret void
)",
                                     ABI);
  EXPECT_NE(Text.find("hook 'hook' (Tool.hip:12): a hook needs stack memory"),
            std::string::npos)
      << Text;
}

} // namespace
