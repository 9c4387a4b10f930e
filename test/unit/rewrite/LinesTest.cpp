// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Debug information of instrumented code: the application's lines follow its
// instructions to where they are now, and payloads have the hook's.
#include "EngineTest.h"
#include "codeobject/SourceLines.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/CodeGen/MachineFunction.h"

using namespace llvm;

namespace luthier::test {
namespace {

/// A hook of two lines with a function of its own, in a file of its own, and
/// one of a header.
constexpr const char *Hook = R"(
define internal i64 @one(i64 %n) alwaysinline !dbg !8 {
  %r = add i64 %n, 1, !dbg !9
  ret i64 %r, !dbg !9
}
define internal i64 @thrice(i64 %n) alwaysinline !dbg !11 {
  %r = mul i64 %n, 3, !dbg !12
  ret i64 %r, !dbg !12
}
define void @h() #0 !dbg !4 {
  %old = load volatile i64, ptr addrspace(1) @Counters, !dbg !6
  %new = call i64 @one(i64 %old), !dbg !7
  %newer = call i64 @thrice(i64 %new), !dbg !7
  store volatile i64 %newer, ptr addrspace(1) @Counters, !dbg !7
  ret void, !dbg !7
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2, !3}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !1, emissionKind: LineTablesOnly)
!1 = !DIFile(filename: "hook.hip", directory: "/tools")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !{i32 7, !"Dwarf Version", i32 4}
!4 = distinct !DISubprogram(name: "h", file: !1, line: 10, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!5 = !DISubroutineType(types: !{})
!6 = !DILocation(line: 11, column: 3, scope: !4)
!7 = !DILocation(line: 12, column: 3, scope: !4)
!8 = distinct !DISubprogram(name: "one", file: !1, line: 20, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!9 = !DILocation(line: 21, column: 3, scope: !8)
!10 = !DIFile(filename: "header.h", directory: "/tools")
!11 = distinct !DISubprogram(name: "thrice", file: !10, line: 30, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!12 = !DILocation(line: 31, column: 3, scope: !11)
)";

/// In two files, each of which is the first in the lines of its section, if
/// functions have sections of their own.
constexpr const char *Kernel = R"(
#line 100 "/app/mix.h"
using Words = unsigned [[clang::address_space(1)]];
[[gnu::noinline]] static unsigned mix(unsigned A, unsigned B) {
  unsigned Sum = 0;
  for (unsigned I = 0; I < B; ++I)
    Sum += (A ^ I) * 7;
  return Sum;
}
#line 200 "/app/kernel.cpp"
extern "C" [[clang::amdgpu_kernel, gnu::visibility("protected")]] void
k(Words *P, unsigned N) {
  unsigned I = __builtin_amdgcn_workitem_id_x();
  if (I % 3)
    P[I] = mix(I, N);
  else
    P[I] += N;
})";

class Lines : public EngineTest {
protected:
  void expectLinesOf(const Object &Original);
};

TEST_P(Lines, FollowTheMovedCodeAndNameTheHook) {
  setHooks(Hook);
  expectLinesOf(fromCpp(Kernel, {"-O2", "-g"}));
}

TEST_P(Lines, AreOfTheFileOfEachFunctionsSection) {
  setHooks(Hook);
  expectLinesOf(fromCpp(Kernel, {"-O2", "-g", "-ffunction-sections"}));
}

void Lines::expectLinesOf(const Object &Original) {
  ASSERT_TRUE(Original);
  KernelLaunch Launch{{64, 1, 1}, {64, 1, 1}};
  Launch.Arguments.words(64).value(5u);
  const Judgement J = expectUnchanged(Original, Launch, everywhere("h"));
  if (!J.Problem.empty())
    return;

  auto New = CodeObject::create(J.Instrumented.CodeObject);
  ASSERT_TRUE(bool(New)) << toString(New.takeError());
  const KernelInfo &Written = (*New)->kernels().front();
  const SourceLines &After = (*New)->lines(), &Before = Original->lines();

  std::set<std::string> Seen, Files;
  uint64_t End = 0; // Of the last instruction that was kept, at least.
  unsigned OfHook = 0;
  for (const PCPair &P : J.Instrumented.Map) {
    const std::string Line = Before.describe(P.Original);
    EXPECT_EQ(After.describe(Written.EntryAddress + P.Offset), Line)
        << "0x" << utohexstr(P.Original);
    EXPECT_FALSE(StringRef(Line).contains("hook.hip"));
    Seen.insert(Line);
    Files.insert(StringRef(Line).rsplit(':').first.str());
    // What was inserted before it has lines of the hook's file, or none.
    for (uint64_t Offset = End; Offset < P.Offset; Offset += 4) {
      const std::string Inserted =
          After.describe(Written.EntryAddress + Offset);
      if (Inserted.empty())
        continue;
      ++OfHook;
      EXPECT_TRUE(Inserted == "/tools/hook.hip:11" ||
                  Inserted == "/tools/hook.hip:12" ||
                  Inserted == "/tools/hook.hip:21")
          << Inserted;
    }
    // Instructions have at most 20 bytes; payloads begin later than that.
    End = P.Offset + 20;
  }
  EXPECT_GE(Seen.size(), 5u) << "lines of the application";
  EXPECT_TRUE(Files.contains("/app/mix.h"));
  EXPECT_TRUE(Files.contains("/app/kernel.cpp"));
  EXPECT_GT(OfHook, J.Instrumented.Map.size()) << "dwords of hooks";
}

INSTANTIATE_TEST_SUITE_P(Targets, Lines, ::testing::ValuesIn(allTargets()),
                         targetName);

} // namespace
} // namespace luthier::test
