// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pgo/CompileCommand.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/raw_ostream.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace llvm;
using namespace luthier::pgo;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

CompileCommand read(StringRef Text) {
  SmallVector<StringRef> Words;
  Text.split(Words, ' ');
  return cantFail(CompileCommand::read(
      std::vector<std::string>(Words.begin(), Words.end())));
}

std::vector<std::string> inputsOf(const CompileCommand &Command) {
  std::vector<std::string> Names;
  for (size_t Input : Command.inputs())
    Names.push_back(Command.words()[Input]);
  return Names;
}

std::vector<std::string> sourcesOf(const CompileCommand &Command) {
  std::vector<std::string> Names;
  for (size_t Input : Command.inputs())
    if (Command.isSource(Input))
      Names.push_back(Command.words()[Input]);
  return Names;
}

TEST(CompileCommandTest, PartsAreTold) {
  const CompileCommand Command = read(
      "ccache /usr/bin/clang++ -x hip -I include -include first.h -DX=a.hip "
      "-Xarch_device -O1 -mllvm b.hip --offload-arch=gfx90a,gfx1030 -O3 "
      "--offload-arch=gfx908:xnack- main.hip other.cpp lib.a -o bin/app "
      "-lamdhip64");
  EXPECT_EQ(Command.compiler(), "/usr/bin/clang++");
  EXPECT_THAT(Command.targets(),
              ElementsAre("gfx90a", "gfx1030", "gfx908:xnack-"));
  EXPECT_THAT(inputsOf(Command), ElementsAre("main.hip", "other.cpp", "lib.a"));
  EXPECT_TRUE(Command.isSource(Command.inputs()[1]));
  EXPECT_FALSE(Command.isSource(Command.inputs()[2]));
  EXPECT_EQ(Command.output(), "bin/app");
  EXPECT_TRUE(Command.links());
}

TEST(CompileCommandTest, LanguagesAreThoseInEffectAtTheInput) {
  const auto SourcesOf = [](StringRef Text) { return sourcesOf(read(Text)); };
  EXPECT_THAT(SourcesOf("clang++ -x hip k.cpp"), ElementsAre("k.cpp"));
  EXPECT_THAT(SourcesOf("clang++ -xhip k.cpp"), ElementsAre("k.cpp"));
  EXPECT_THAT(SourcesOf("clang++ --language=hip k.cpp"), ElementsAre("k.cpp"));
  EXPECT_THAT(SourcesOf("clang++ -x hip a.cpp -x none b.o c.cpp"),
              ElementsAre("a.cpp"));
  EXPECT_THAT(SourcesOf("clang++ -x c++ h.cpp -x hip d.cpp"),
              ElementsAre("d.cpp"));
  EXPECT_THAT(SourcesOf("clang++ -x c++ a.hip --offload-arch=gfx90a"),
              IsEmpty());
  EXPECT_THAT(SourcesOf("/opt/rocm/bin/hipcc k.cpp b.o"), ElementsAre("k.cpp"));
}

TEST(CompileCommandTest, ConfigurationFilesMaySayTheLanguage) {
  EXPECT_THAT(sourcesOf(read("clang++ --offload-arch=gfx90a k.cpp b.o")),
              ElementsAre("k.cpp"));
  EXPECT_THAT(sourcesOf(read("clang++ --config=hip-program.cfg k.cpp")),
              ElementsAre("k.cpp"));
  EXPECT_THAT(sourcesOf(read("clang++ --offload-arch=gfx90a a.hip host.cpp")),
              ElementsAre("a.hip"));
}

TEST(CompileCommandTest, SourceMayBeForTheHostAlone) {
  for (const char *Words : {"clang++ a.cpp", "clang++ a.cpp b.o -o b",
                            "clang++ -x c++ a.hip", "clang++ -c -x c a.inc"})
    EXPECT_TRUE(read(Words).isForHostAlone()) << Words;
  for (const char *Words :
       {"clang++ a.hip", "clang++ a.cpp b.hip", "clang++ -x hip a.cpp",
        "clang++ a.o -o a", "clang++ --offload-arch=gfx90a a.cpp",
        "clang++ -x hip a.inc", "hipcc a.cpp"})
    EXPECT_FALSE(read(Words).isForHostAlone()) << Words;
}

TEST(CompileCommandTest, NotAllMakeAProgramOrNameTargets) {
  const CompileCommand Command = read("clang++ -c app.hip -oapp.o");
  EXPECT_FALSE(Command.links());
  EXPECT_EQ(Command.output(), "app.o");
  EXPECT_THAT(Command.targets(), IsEmpty());
  EXPECT_TRUE(read("clang++ a.hip").isSource(1));
  EXPECT_FALSE(read("clang++ host.cpp").isSource(1));
  EXPECT_THAT(read("clang++ --offload-arch=native a.hip").targets(), IsEmpty());
  EXPECT_EQ(read("clang++ a.hip").output(), "");
}

TEST(CompileCommandTest, FlagsAndOutputsAreReplaced) {
  const CompileCommand Command = read("clang++ a.hip -o app -lm");
  EXPECT_EQ(join(Command.with({"-g"}), " "), "clang++ a.hip -o app -lm -g");
  EXPECT_EQ(join(Command.with({"-g"}, "other"), " "),
            "clang++ a.hip -lm -g -o other");
}

TEST(CompileCommandTest, RulesForMakeStayThoseOfTheUsersOutput) {
  const auto With = [](const std::string &Flags) {
    return join(read("clang++ a.hip -o bin/app.exe" + Flags).with({}, "other"),
                " ");
  };
  const std::string Command = "clang++ a.hip";
  EXPECT_EQ(With(" -MD"), Command + " -MD -MQ bin/app.exe -MF bin/app.d -o "
                                    "other");
  EXPECT_EQ(With(" -MMD -MF app.d"),
            Command + " -MMD -MF app.d -MQ bin/app.exe -o other");
  EXPECT_EQ(With(" -MD -MTapp"),
            Command + " -MD -MTapp -MF bin/app.d -o other");
  EXPECT_EQ(With(" -Wp,-MD,x.d"),
            Command + " -Wp,-MD,x.d -MQ bin/app.exe -o other");
  EXPECT_EQ(With(" -Wp,-MMD,x.d -MQ app"),
            Command + " -Wp,-MMD,x.d -MQ app -o other");
  EXPECT_EQ(With(" -MF app.d"), Command + " -MF app.d -o other");
}

TEST(CompileCommandTest, DevicesAreCompiledForFromOneSource) {
  const CompileCommand Command = read("clang++ -O3 a.hip b.hip c.o -o app");
  EXPECT_EQ(join(Command.deviceOnly(Command.inputs()[1], {"-g"}, "code"), " "),
            "clang++ -O3 b.hip -g --offload-device-only --gpu-bundle-output -o "
            "code");
}

TEST(CompileCommandTest, WordsThatBelongToFlagsAreNoInputs) {
  for (const char *Flag : {"-imacros",
                           "-include-pch",
                           "-B",
                           "-iprefix",
                           "-iwithprefix",
                           "-iwithprefixbefore",
                           "-iwithsysroot",
                           "-isystem-after",
                           "-cxx-isystem",
                           "-stdlib++-isystem",
                           "-ivfsoverlay",
                           "-rpath",
                           "-e",
                           "-dumpdir",
                           "-working-directory",
                           "-serialize-diagnostics",
                           "--serialize-diagnostics",
                           "--param",
                           "-Xanalyzer",
                           "-Xopenmp-target",
                           "-Xopenmp-target=amdgcn-amd-amdhsa",
                           "-Xcuda-ptxas",
                           "-Xcuda-fatbinary"})
    EXPECT_THAT(
        inputsOf(read(("clang++ " + Twine(Flag) + " b.hip a.hip").str())),
        ElementsAre("a.hip"))
        << Flag;
  const CompileCommand Command = read("clang++ a.hip --output app -g");
  EXPECT_EQ(Command.output(), "app");
  EXPECT_EQ(join(Command.with({}, "other"), " "), "clang++ a.hip -g -o other");
}

TEST(CompileCommandTest, FilesOfWordsAreRead) {
  SmallString<128> Path;
  ASSERT_FALSE(sys::fs::createTemporaryFile("words", "txt", Path));
  const FileRemover Remover(Path);
  std::error_code Failure;
  raw_fd_ostream(Path, Failure) << "-x hip \"a b.cpp\"\n-o app\n";
  ASSERT_FALSE(Failure);
  const CompileCommand Command = read(("clang++ -O3 @" + Path).str());
  EXPECT_THAT(Command.words(), ElementsAre("clang++", "-O3", "-x", "hip",
                                           "a b.cpp", "-o", "app"));
  EXPECT_THAT(sourcesOf(Command), ElementsAre("a b.cpp"));
}

TEST(CompileCommandTest, ACompilerIsNeeded) {
  for (const std::vector<std::string> &Words :
       {std::vector<std::string>(), {"ccache"}}) {
    auto Command = CompileCommand::read(Words);
    ASSERT_FALSE(bool(Command));
    EXPECT_THAT(toString(Command.takeError()), HasSubstr("no command"));
  }
}

TEST(CompileCommandTest, UnitsAreLinkedForTheGpuIfTheLastFlagSaysSo) {
  EXPECT_FALSE(read("clang++ a.hip -o a").linksUnits());
  EXPECT_TRUE(read("clang++ -fno-gpu-rdc -fgpu-rdc a.hip -o a").linksUnits());
  EXPECT_FALSE(read("clang++ -fgpu-rdc -fno-gpu-rdc a.hip -o a").linksUnits());
  EXPECT_FALSE(read("clang++ -Xclang -fgpu-rdc a.hip -o a").linksUnits());
}

} // namespace
