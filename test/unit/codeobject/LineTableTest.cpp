// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codeobject/LineTable.h"
#include "TestInputs.h"
#include "codeobject/CodeObjectWriter.h"

using namespace llvm;
using namespace luthier;
using namespace luthier::test;

TEST(LineTable, ReadsWhatTheCompilerWrote) {
  const auto Object = take(CodeObject::create(readFile("lines.co")));
  const LineTable &Lines = Object->lines();
  for (const KernelInfo &Kernel : Object->kernels()) {
    SCOPED_TRACE(Kernel.Name);
    const LineTable::Row *Entry = Lines.find(Kernel.EntryAddress);
    ASSERT_NE(Entry, nullptr);
    EXPECT_TRUE(StringRef(Lines.files()[Entry->File]).ends_with("kernels.cpp"));
    EXPECT_GT(Entry->Line, 0u);
  }
  const auto [CodeAddress, Code] = Object->code().front();
  EXPECT_EQ(Lines.find(CodeAddress - 4), nullptr);
  EXPECT_EQ(Lines.find(CodeAddress + Code.size()), nullptr);
  EXPECT_EQ(&Object->lines(), &Lines);
}

TEST(LineTable, HasNothingOfWhatTheLinkerHasDropped) {
  const auto Object = take(CodeObject::create(readFile("dropped.co")));
  const KernelInfo &Kept = *Object->findKernel("kept");
  // The lines that it must not have are about these addresses, too.
  constexpr uint64_t EndOfDropped = 4 * 3001;
  ASSERT_LT(Kept.EntryAddress, EndOfDropped);
  ASSERT_GT(Kept.EntryAddress + Kept.CodeSize, EndOfDropped + 8);
  const LineTable &Lines = Object->lines();
  EXPECT_EQ(Lines.find(0), nullptr);
  const LineTable::Row *Entry = Lines.find(Kept.EntryAddress);
  ASSERT_NE(Entry, nullptr);
  // The last instruction has a line of its own.
  for (uint64_t N = 0; N + 4 < Kept.CodeSize; N += 4) {
    const LineTable::Row *Row = Lines.find(Kept.EntryAddress + N);
    ASSERT_NE(Row, nullptr) << N;
    EXPECT_EQ(Row->Line, Entry->Line) << N;
  }
}

TEST(LineTable, IsEmptyWithoutDebugInformation) {
  const auto Object = compiledKernels("gfx90a-v5");
  EXPECT_TRUE(Object->lines().empty());
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
  const LineTable &Read = Written->lines();
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
  const LineTable &Read = Written->lines();
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
