// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hooks for which LLVM would end the process, among others.
#include "PayloadRun.h"

using namespace llvm;
using namespace luthier;
using namespace luthier::test;

namespace {

class FatalHooks : public ::testing::TestWithParam<EngineTarget> {
protected:
  void SetUp() override {
    // The intrinsic is of processors that come after these.
    Run.parseHooks(R"(
declare i32 @llvm.amdgcn.permlane.bcast(i32, i32, i32)
define void @fine(i32 %x) #0 {
  call void @store(i32 %x)
  ret void
}
define void @fatal() #0 {
  %x = load i32, ptr addrspace(1) @Out
  %y = call i32 @llvm.amdgcn.permlane.bcast(i32 %x, i32 1, i32 2)
  call void @store(i32 %y)
  ret void
}
define void @wrong() #0 {
  call void asm sideeffect "s_no_such_instruction", ""()
  ret void
})");
    Compiler = cantFail(
        PayloadCompiler::create(*Run.MC, Run.Hooks, Run.Target.WaveSize));
  }
  PayloadVariant fine(uint64_t Number) {
    PayloadVariant Variant{{&Run.Hooks, "fine"}, {}};
    Variant.Arguments.push_back(Number);
    return Variant;
  }
  PayloadVariant fatal() { return {{&Run.Hooks, "fatal"}, {}}; }
  PayloadVariant wrong() { return {{&Run.Hooks, "wrong"}, {}}; }
  /// What is said instead of compiling \p Variants.
  std::string refusalOf(ArrayRef<PayloadVariant> Variants) {
    auto Payloads = Compiler->compile(Variants, Run.abi());
    return Payloads ? "compiled" : toString(Payloads.takeError());
  }
  PayloadRun Run{GetParam()};
  std::unique_ptr<PayloadCompiler> Compiler;
  const std::string Refusal =
      "unsupported-hook: hook 'fatal': LLVM cannot compile it: Cannot select: "
      "intrinsic %llvm.amdgcn.permlane.bcast";
};
INSTANTIATE_TEST_SUITE_P(Every, FatalHooks, ::testing::ValuesIn(allTargets()),
                         targetName);

TEST_P(FatalHooks, AreFoundAmongOthers) {
  EXPECT_EQ(refusalOf({fine(3), fatal(), fine(4)}), Refusal);
}

TEST_P(FatalHooks, LeaveOthersAsTheyAre) {
  EXPECT_EQ(refusalOf(fatal()), Refusal);
  const PayloadABI ABI = Run.abi();
  auto Payloads = Compiler->compile(fine(7), ABI);
  ASSERT_TRUE(bool(Payloads)) << toString(Payloads.takeError());
  Run.run(Payloads->front(), ABI, Run.initialState(ABI));
  EXPECT_EQ(Run.out()[5], 7u);
}

/// What was noted before LLVM gave up is the refusal.
TEST_P(FatalHooks, AreToldFromThoseWithOtherErrors) {
  const std::string Noted = "unsupported-hook: hook 'wrong': inline assembly "
                            "with text, 's_no_such_instruction'";
  EXPECT_EQ(refusalOf({wrong(), fatal()}), Noted);
  EXPECT_EQ(refusalOf({fine(3), fatal()}), Refusal);
  EXPECT_EQ(refusalOf({fine(3), wrong()}), Noted);
  EXPECT_EQ(refusalOf(fine(7)), "compiled");
}

/// LLVM gives up with memory that nobody can free.
TEST_P(FatalHooks, AreNotTriedTwice) {
  EXPECT_EQ(refusalOf({fine(3), fatal()}), Refusal);
  const unsigned Compiled = Compiler->counts().Compiled;
  EXPECT_EQ(refusalOf({fatal(), fine(5)}), Refusal);
  auto Needs = Compiler->needs(fatal());
  EXPECT_EQ(Needs ? "known" : toString(Needs.takeError()), Refusal);
  EXPECT_EQ(Compiler->counts().Compiled, Compiled);
}

} // namespace
