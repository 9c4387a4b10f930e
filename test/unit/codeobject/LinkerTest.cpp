// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TestInputs.h"
#include "codeobject/CodeObjectWriter.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Parallel.h"
#include <csignal>

using namespace llvm;
using namespace luthier;
using namespace luthier::test;

namespace {

cl::opt<unsigned> Ours("luthier-linker-test", cl::init(1));

void linkAKernel() {
  const auto Object = compiledKernels("gfx90a-v5");
  const KernelInfo &Kernel = Object->kernels().front();
  const KernelImage Image{
      Kernel.Name, take(Object->contents(Kernel.EntryAddress, Kernel.CodeSize)),
      0, Kernel.Descriptor};
  EXPECT_GT(take(writeCodeObject(*Object, Image, Kernel.Metadata)).size(),
            Image.Code.size());
}

/// The program's own, and one of LLVM's that it has set.
TEST(Linker, LeavesTheOptionsOfTheProgram) {
  const char *Arguments[] = {"test", "--luthier-linker-test=5",
                             "--align-all-blocks=3"};
  ASSERT_TRUE(cl::ParseCommandLineOptions(std::size(Arguments), Arguments));
  auto *Theirs = static_cast<cl::opt<unsigned> *>(
      cl::getRegisteredOptions().lookup("align-all-blocks"));
  ASSERT_TRUE(Theirs);
  parallel::strategy = hardware_concurrency(7);

  linkAKernel();

  EXPECT_EQ(Ours, 5u);
  EXPECT_EQ(Ours.getNumOccurrences(), 1);
  EXPECT_EQ(*Theirs, 3u);
  EXPECT_EQ(parallel::strategy.ThreadsRequested, 7u);
  parallel::strategy = {};
  *Theirs = 0;
}

/// LLVM's, for what it has to remove when the program is killed, would be there
/// from then on.
TEST(Linker, LeavesTheSignalHandlersOfTheProgram) {
  struct sigaction Before = {};
  Before.sa_handler = SIG_IGN;
  ASSERT_EQ(sigaction(SIGUSR2, &Before, nullptr), 0);
  ASSERT_EQ(sigaction(SIGTERM, nullptr, &Before), 0);
  linkAKernel();
  for (auto [Signal, Handler] :
       {std::pair(SIGTERM, Before.sa_handler), std::pair(SIGUSR2, SIG_IGN)}) {
    struct sigaction After = {};
    ASSERT_EQ(sigaction(Signal, nullptr, &After), 0);
    EXPECT_EQ(After.sa_handler, Handler) << Signal;
  }
  signal(SIGUSR2, SIG_DFL);
}

} // namespace
