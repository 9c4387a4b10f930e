// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codeobject/LineTable.h"
#include "TestInputs.h"
#include "codeobject/CodeObjectWriter.h"

using namespace llvm;
using namespace luthier;
using namespace luthier::test;

namespace {

LineTable linesOf(const CodeObject &Object, const KernelInfo &Kernel) {
  return Object.lines().part(Kernel.EntryAddress,
                             Kernel.EntryAddress + Kernel.CodeSize);
}

} // namespace

TEST(LineTable, ReadsWhatTheCompilerWrote) {
  const auto Object = take(CodeObject::create(readFile("lines.co")));
  for (const KernelInfo &Kernel : Object->kernels()) {
    SCOPED_TRACE(Kernel.Name);
    const LineTable Lines = linesOf(*Object, Kernel);
    ASSERT_FALSE(Lines.empty());
    const LineTable::Row *Entry = Lines.find(Kernel.EntryAddress);
    ASSERT_NE(Entry, nullptr);
    EXPECT_TRUE(StringRef(Lines.files()[Entry->File]).ends_with("kernels.cpp"));
    EXPECT_GT(Entry->Line, 0u);
    EXPECT_EQ(Lines.find(Kernel.EntryAddress - 4), nullptr);
  }
}

TEST(LineTable, OfAKernelIsAPartOfWhatIsReadOnceForAll) {
  const auto Object = take(CodeObject::create(readFile("lines.co")));
  const LineTable &All = Object->lines();
  for (const KernelInfo &Kernel : Object->kernels()) {
    const LineTable Lines = linesOf(*Object, Kernel);
    for (uint64_t A = Kernel.EntryAddress;
         A < Kernel.EntryAddress + Kernel.CodeSize; A += 4)
      EXPECT_EQ(Lines.describe(A), All.describe(A)) << Kernel.Name << ' ' << A;
  }
  EXPECT_EQ(&Object->lines(), &All);
}

TEST(LineTable, PartHasTheRowThatHoldsAtItsBeginning) {
  LineTable All;
  All.append({8, All.fileIndex("/src/a.hip"), 1, 2});
  All.append({16, All.fileIndex("/src/b.hip"), 3, 4});
  All.append({24, 0, 0, 0});
  All.append({32, All.fileIndex("/src/a.hip"), 5, 6});
  const LineTable Part = All.part(20, 32);
  ASSERT_EQ(Part.rows().size(), 2u);
  EXPECT_EQ(Part.rows()[0].Address, 20u);
  EXPECT_EQ(Part.describe(20), "/src/b.hip:3");
  EXPECT_EQ(Part.find(24), nullptr);
  EXPECT_EQ(Part.files().size(), 1u);
  EXPECT_EQ(All.part(0, 12).describe(8), "/src/a.hip:1");
  EXPECT_TRUE(All.part(24, 32).empty());
  EXPECT_TRUE(All.part(0, 8).empty());
}

TEST(LineTable, IsEmptyWithoutDebugInformation) {
  const auto Object = compiledKernels("gfx90a-v5");
  EXPECT_TRUE(linesOf(*Object, Object->kernels()[0]).empty());
}

TEST(LineTable, SurvivesBeingWrittenIntoACodeObject) {
  const auto Object = compiledKernels("gfx90a-v5");
  const KernelInfo &Kernel = Object->kernels()[0];
  LineTable Lines;
  const unsigned A = Lines.fileIndex("/src/hook.hip");
  const unsigned B = Lines.fileIndex("/src/app.hip");
  ASSERT_GT(Kernel.CodeSize, 24u);
  Lines.append({0, B, 7, 3});
  Lines.append({4, A, 100000, 1});
  Lines.append({8, A, 2, 0});
  Lines.append({16, B, 0, 0});
  Lines.append({20, B, 8, 65});
  KernelImage Image{
      Kernel.Name, take(Object->contents(Kernel.EntryAddress, Kernel.CodeSize)),
      0, Kernel.Descriptor, &Lines};
  const auto Written =
      take(CodeObject::create(take(writeCodeObject(*Object, Image, {}))));
  const KernelInfo &Copy = Written->kernels()[0];
  const LineTable Read = linesOf(*Written, Copy);
  for (uint64_t Offset = 0; Offset < Kernel.CodeSize; Offset += 4)
    EXPECT_EQ(Read.describe(Copy.EntryAddress + Offset), Lines.describe(Offset))
        << Offset;
  EXPECT_EQ(Read.describe(Copy.EntryAddress + 4), "/src/hook.hip:100000");
  EXPECT_EQ(Read.describe(Copy.EntryAddress + 16), "");
}

TEST(LineTable, WrittenSaysNothingOfCodeBeforeItsFirstRow) {
  const auto Object = compiledKernels("gfx90a-v5");
  const KernelInfo &Kernel = Object->kernels()[0];
  LineTable Lines;
  Lines.append({8, Lines.fileIndex("/src/hook.hip"), 1, 200});
  KernelImage Image{
      Kernel.Name, take(Object->contents(Kernel.EntryAddress, Kernel.CodeSize)),
      0, Kernel.Descriptor, &Lines};
  const auto Written =
      take(CodeObject::create(take(writeCodeObject(*Object, Image, {}))));
  const KernelInfo &Copy = Written->kernels()[0];
  const LineTable Read = linesOf(*Written, Copy);
  EXPECT_EQ(Read.find(Copy.EntryAddress + 4), nullptr);
  const LineTable::Row *First = Read.find(Copy.EntryAddress + 8);
  ASSERT_NE(First, nullptr);
  EXPECT_EQ(First->Line, 1u);
  EXPECT_EQ(First->Column, 200u);
}

TEST(LineTable, KeepsOneRowPerAddressAndLine) {
  LineTable Lines;
  const unsigned File = Lines.fileIndex("a");
  EXPECT_EQ(Lines.fileIndex("a"), File);
  Lines.append({0, File, 1, 0});
  Lines.append({4, File, 1, 0});
  Lines.append({8, File, 2, 0});
  Lines.append({8, File, 3, 0});
  ASSERT_EQ(Lines.rows().size(), 2u);
  EXPECT_EQ(Lines.find(7)->Line, 1u);
  EXPECT_EQ(Lines.find(8)->Line, 3u);
}
