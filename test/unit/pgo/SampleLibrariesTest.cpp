// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pgo/SampleLibraries.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace luthier::pgo;
using testing::HasSubstr;

namespace {

class SampleLibrariesTest : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(sys::fs::createUniqueDirectory("libraries", Folder));
  }
  void TearDown() override { sys::fs::remove_directories(Folder); }

  std::string path(StringRef Name) const { return (Folder + "/" + Name).str(); }
  void write(StringRef Name, function_ref<void(raw_ostream &)> Print) const {
    std::error_code Wrong;
    raw_fd_ostream OS(path(Name), Wrong);
    Print(OS);
  }

  LLVMContext Context;
  SmallString<128> Folder;
};

TEST_F(SampleLibrariesTest, FunctionsWithABodyAreMarked) {
  SMDiagnostic Wrong;
  const auto Library =
      parseAssemblyString("declare void @other()\n"
                          "define void @plain() {\n  ret void\n}\n"
                          "define void @has() nounwind {\n  ret void\n}\n",
                          Wrong, Context);
  write("m.bc", [&](raw_ostream &OS) { WriteBitcodeToFile(*Library, OS); });
  write("readme.txt", [](raw_ostream &OS) { OS << "no library"; });
  EXPECT_EQ(cantFail(makeSampleLibraries(Folder, path("out"))), 1u);

  const auto File = MemoryBuffer::getFile(path("out/m.bc"));
  ASSERT_TRUE(bool(File));
  const auto Marked = cantFail(parseBitcodeFile(**File, Context));
  for (StringRef Name : {"plain", "has"})
    EXPECT_TRUE(
        Marked->getFunction(Name)->hasFnAttribute("use-sample-profile"));
  EXPECT_TRUE(Marked->getFunction("has")->hasFnAttribute(Attribute::NoUnwind));
  EXPECT_FALSE(
      Marked->getFunction("other")->hasFnAttribute("use-sample-profile"));
}

TEST_F(SampleLibrariesTest, FoldersWithoutLibrariesAndOtherFilesAreRefused) {
  auto Number = makeSampleLibraries(Folder, path("out"));
  EXPECT_THAT(toString(Number.takeError()),
              HasSubstr("has no device libraries"));
  write("m.bc", [](raw_ostream &OS) { OS << "no bitcode"; });
  Number = makeSampleLibraries(Folder, path("out"));
  EXPECT_THAT(toString(Number.takeError()), HasSubstr("m.bc: "));
}

TEST_F(SampleLibrariesTest, TheCompilerSaysWhereItsLibrariesAre) {
  EXPECT_EQ(deviceLibrariesIn(
                "clang version 22.1.8\n \"/bin/clang-22\" \"-cc1\" "
                "\"-mlink-builtin-bitcode\" \"/my rocm/lib/hip.bc\" "
                "\"-mlink-builtin-bitcode\" \"/my rocm/bitcode/ocml.bc\"\n"),
            "/my rocm/bitcode");
  EXPECT_EQ(deviceLibrariesIn("\"/bin/clang-22\" \"-cc1\" \"-x\" \"hip\"\n"),
            "");
}

} // namespace
