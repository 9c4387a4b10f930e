// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TestInputs.h"
#include "codeobject/CodeObjectWriter.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Parallel.h"

using namespace llvm;
using namespace luthier;
using namespace luthier::test;

namespace {

cl::opt<unsigned> Ours("luthier-linker-test", cl::init(1));

/// The program's own, and one of LLVM's that it has set.
TEST(Linker, LeavesTheOptionsOfTheProgram) {
  const char *Arguments[] = {"test", "--luthier-linker-test=5",
                             "--align-all-blocks=3"};
  ASSERT_TRUE(cl::ParseCommandLineOptions(std::size(Arguments), Arguments));
  auto *Theirs = static_cast<cl::opt<unsigned> *>(
      cl::getRegisteredOptions().lookup("align-all-blocks"));
  ASSERT_TRUE(Theirs);
  parallel::strategy = hardware_concurrency(7);

  const auto Object = compiledKernels("gfx90a-v5");
  const KernelInfo &Kernel = Object->kernels().front();
  const KernelImage Image{
      Kernel.Name, take(Object->contents(Kernel.EntryAddress, Kernel.CodeSize)),
      0, Kernel.Descriptor};
  take(writeCodeObject(*Object, Image, Kernel.Metadata));

  EXPECT_EQ(Ours, 5u);
  EXPECT_EQ(Ours.getNumOccurrences(), 1);
  EXPECT_EQ(*Theirs, 3u);
  EXPECT_EQ(parallel::strategy.ThreadsRequested, 7u);
  parallel::strategy = {};
  *Theirs = 0;
}

} // namespace
