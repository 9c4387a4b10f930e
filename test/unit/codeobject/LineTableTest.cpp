// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codeobject/LineTable.h"
#include "TestInputs.h"
#include "codeobject/CodeObjectWriter.h"
#include "codeobject/LineProgram.h"
#include "codeobject/SourceLines.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/DebugInfo/DWARF/DWARFContext.h"
#include "llvm/Object/ELFObjectFile.h"
#include <set>

using namespace llvm;
using namespace luthier;
using namespace luthier::test;

TEST(LineTable, ReadsWhatTheCompilerWrote) {
  const auto Object = take(CodeObject::create(readFile("lines.co")));
  for (const KernelInfo &Kernel : Object->kernels()) {
    SCOPED_TRACE(Kernel.Name);
    const LineTable &Lines = Object->lines().around(Kernel.EntryAddress);
    const LineTable::Row *Entry = Lines.find(Kernel.EntryAddress);
    ASSERT_NE(Entry, nullptr);
    EXPECT_TRUE(StringRef(Lines.files()[Entry->File]).ends_with("kernels.cpp"));
    EXPECT_GT(Entry->Line, 0u);
  }
  const auto [CodeAddress, Code] = Object->code().front();
  EXPECT_TRUE(Object->lines().around(CodeAddress - 4).empty());
  EXPECT_TRUE(Object->lines().around(CodeAddress + Code.size()).empty());
}

TEST(LineTable, HasNothingOfWhatTheLinkerHasDropped) {
  const auto Object = take(CodeObject::create(readFile("dropped.co")));
  const KernelInfo &Kept = *Object->findKernel("kept");
  // The lines that it must not have are about these addresses, too.
  constexpr uint64_t EndOfDropped = 4 * 3001;
  ASSERT_LT(Kept.EntryAddress, EndOfDropped);
  ASSERT_GT(Kept.EntryAddress + Kept.CodeSize, EndOfDropped + 8);
  EXPECT_EQ(Object->lines().around(0).find(0), nullptr);
  const LineTable &Lines = Object->lines().around(Kept.EntryAddress);
  const LineTable::Row *Entry = Lines.find(Kept.EntryAddress);
  ASSERT_NE(Entry, nullptr);
  // The last instruction has a line of its own.
  for (uint64_t N = 0; N + 4 < Kept.CodeSize; N += 4) {
    const LineTable::Row *Row = Lines.find(Kept.EntryAddress + N);
    ASSERT_NE(Row, nullptr) << N;
    EXPECT_EQ(Row->Line, Entry->Line) << N;
  }
}

TEST(LineTable, HasTheLinesOfOneKernelIfItsCodeIsASectionOfItsOwn) {
  const auto Object = take(CodeObject::create(readFile("sections.co")));
  ASSERT_GE(Object->kernels().size(), 2u);
  std::set<const LineTable *> Tables;
  for (const KernelInfo &Kernel : Object->kernels()) {
    SCOPED_TRACE(Kernel.Name);
    const LineTable &Lines = Object->lines().around(Kernel.EntryAddress);
    EXPECT_TRUE(Tables.insert(&Lines).second);
    ASSERT_FALSE(Lines.empty());
    EXPECT_EQ(Lines.rows().front().Address, Kernel.EntryAddress);
    const uint64_t End = Kernel.EntryAddress + Kernel.CodeSize;
    EXPECT_LE(Lines.rows().back().Address, End);
    EXPECT_TRUE(Lines.covers(Kernel.EntryAddress));
    EXPECT_FALSE(Lines.covers(Kernel.EntryAddress - 4));
    EXPECT_FALSE(Lines.covers(End));
    EXPECT_EQ(&Object->lines().around(End - 4), &Lines);
  }
}

/// Where LLVM has a line, and the one that it has.
TEST(LineTable, SaysWhatLLVMSays) {
  unsigned Count = 0;
  const std::vector<uint8_t> Bytes = readFile("lines.co");
  const auto File = take(object::ObjectFile::createELFObjectFile(
      MemoryBufferRef(toStringRef(Bytes), "lines.co")));
  const auto Context = DWARFContext::create(*File);
  const auto Object = take(CodeObject::create(Bytes));
  for (const KernelInfo &Kernel : Object->kernels())
    for (uint64_t N = 0; N < Kernel.CodeSize; N += 4) {
      const uint64_t Address = Kernel.EntryAddress + N;
      SCOPED_TRACE(Kernel.Name + " at " + utohexstr(Address));
      const auto Theirs = Context->getLineInfoForAddress(
          {Address, object::SectionedAddress::UndefSection},
          DILineInfoSpecifier::FileLineInfoKind::AbsoluteFilePath);
      const LineTable &Lines = Object->lines().around(Address);
      const LineTable::Row *Row = Lines.find(Address);
      ASSERT_EQ(Row != nullptr, Theirs && Theirs->Line != 0);
      if (!Row)
        continue;
      EXPECT_EQ(Lines.files()[Row->File], Theirs->FileName);
      EXPECT_EQ(Row->Line, Theirs->Line);
      EXPECT_EQ(Row->Column, Theirs->Column);
      ++Count;
    }
  EXPECT_GT(Count, 20u);
}

/// Operations that compilers make little use of.
TEST(LineTable, RunsAllOperationsOfAProgram) {
  DWARFDebugLine::Prologue P;
  P.FormParams = {4, 0, dwarf::DWARF32};
  P.MinInstLength = 4;
  P.LineBase = -5;
  P.LineRange = 14;
  P.OpcodeBase = 14; // One more than there are: it has two operands.
  P.StandardOpcodeLengths = {0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1, 2};
  const std::vector<uint8_t> Code = {
      0,           9,    2,   0,  0x10, 0, 0,  0,
      0,           0,    0,       // set_address 0x1000
      3,           0x7f, 3,   10, // advance_line -1, 10
      5,           7,    4,   2,  12,   1, 13, 0x81,
      1,           3,       // column, file, isa, the unknown one
      1,                    // copy: 0x1000, line 10
      8,                    // const_add_pc: 17 * 4
      9,           6,    0, // fixed_advance_pc 6
      6,           7,    10,  11, 0,    2, 4,  9, // no matter; discriminator
      14 + 14 + 6,                                // special: 4 bytes, line + 1
      2,           3,    0,   1,  1,              // advance_pc 3; end_sequence
      0,           9,    2,   0,  0x8,  0, 0,  0,
      0,           0,    0,                // another one, before that
      1,           2,    1,   0,  1,    1, //
      1,           3,    0x80};            // Neither complete nor ended.
  const std::vector<LineSequence> Found = findSequences(Code, P);
  ASSERT_EQ(Found.size(), 2u);
  const std::vector<LineProgramRow> First = rowsOf(Found[0], P);
  const std::vector<LineProgramRow> Second = rowsOf(Found[1], P);
  EXPECT_EQ(Found[0].First, 0x1000u);
  EXPECT_EQ(Found[1].First, 0x800u);
  EXPECT_EQ(Found[0].End, 0x1000u + 17 * 4 + 6 + 4 + 3 * 4);
  ASSERT_EQ(First.size(), 2u);
  const LineProgramRow &A = First[0], &B = First[1];
  EXPECT_EQ(A.Address, 0x1000u);
  EXPECT_EQ(A.Line, 10u);
  EXPECT_EQ(A.Column, 7u);
  EXPECT_EQ(A.File, 2u);
  EXPECT_EQ(B.Address, 0x1000u + 17 * 4 + 6 + 4);
  EXPECT_EQ(B.Line, 11u);
  EXPECT_EQ(Found[1].End, 0x804u);
  ASSERT_EQ(Second.size(), 1u);
  const LineProgramRow &C = Second[0];
  EXPECT_EQ(C.Address, 0x800u);
  EXPECT_EQ(C.Line, 1u);
  EXPECT_EQ(C.File, 1u);
}

TEST(LineTable, FindsRowsThatAreNotInOrder) {
  DWARFDebugLine::Prologue P;
  P.FormParams = {4, 0, dwarf::DWARF32};
  P.MinInstLength = 4;
  P.LineBase = 0;
  P.LineRange = 1;
  P.OpcodeBase = 10;
  P.StandardOpcodeLengths = {0, 1, 1, 1, 1, 0, 0, 0, 1};
  const std::vector<uint8_t> Code = {
      0, 9, 2, 0,    0x1, 0, 0, 0, 0, 0, 0, 1, // 0x100
      0, 9, 2, 0x80, 0,   0, 0, 0, 0, 0, 0, 1, // 0x80
      0, 9, 2, 0x10, 0x1, 0, 0, 0, 0, 0, 0, 0, 1, 1};
  const std::vector<LineSequence> Found = findSequences(Code, P);
  ASSERT_EQ(Found.size(), 1u);
  EXPECT_EQ(Found[0].First, 0x100u);
  EXPECT_EQ(Found[0].End, 0x110u);
  EXPECT_EQ(Found[0].Low, 0x80u);
  EXPECT_EQ(Found[0].High, 0x110u);
  EXPECT_EQ(rowsOf(Found[0], P).size(), 2u);
}

TEST(LineTable, IsEmptyWithoutDebugInformation) {
  EXPECT_TRUE(SourceLines({}).around(0).empty());
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
  const SourceLines &Read = Written->lines();
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
  const LineTable &Read = Written->lines().around(Copy.EntryAddress + 8);
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
