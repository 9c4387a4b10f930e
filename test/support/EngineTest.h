// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests of the whole engine on every target: a kernel and hooks in, and the
// emulator says whether the instrumented kernel computes the same. Link
// luthier-test-support. A complete test:
//
//   TEST_P(MyTest, CountsLanes) {                 // class MyTest : EngineTest
//     setHooks("define void @h() #0 { ... @Counters ... }");       // LLVM IR
//     auto Object = fromIR(R"(define amdgpu_kernel void @k(ptr addrspace(1)
//     %p)
//                             { ... })");
//     KernelLaunch Launch{{100, 2, 1}, {64, 2, 1}};     // partial workgroups
//     Launch.Arguments.words(200).value(7u);           // a buffer, a number
//     Judgement J = expectUnchanged(Object, Launch, everywhere("h"));
//     EXPECT_EQ(J.counters()[0], J.WaveInstructions);
//   }
//   INSTANTIATE_TEST_SUITE_P(Targets, MyTest,
//                            ::testing::ValuesIn(allTargets()), targetName);
//
// Kernels come from IR, assembly (CodeBuilder.h has macros that are the same on
// all targets), C++ or HIP; hooks from IR or HIP (setHipHooks: "LUTHIER_HOOK_
// ANNOTATE h(uint32_t N) {...}", variables __device__, read back through
// J.Variables). Options says how strictly to judge; code object versions are
// arguments of fromIR() and the others. What is checked: EmulatedRun.h.
#ifndef LUTHIER_TEST_SUPPORT_ENGINETEST_H
#define LUTHIER_TEST_SUPPORT_ENGINETEST_H

#include "EmulatedRun.h"
#include <gtest/gtest.h>

namespace luthier::test {

/// Without a parameter, for tests that choose targets themselves.
class EngineFixture : public ::testing::Test {
protected:
  /// With LUTHIER_TEST_SCRAMBLE set, every test runs on scrambled kernels
  /// (seeded by its value).
  explicit EngineFixture(EngineTarget T = {});

  const EngineTarget &target() const { return T; }
  using Object = std::shared_ptr<const CodeObject>;

  // Kernels. A failure to build is a failure of the test; null then.
  Object fromIR(const std::string &IR, unsigned Version = 5,
                llvm::CodeGenOptLevel Level = llvm::CodeGenOptLevel::Default);
  Object fromAssembly(const AssemblyKernel &Kernel, unsigned Version = 5);
  Object fromCpp(const std::string &Source,
                 const std::vector<std::string> &Flags = {"-O2"},
                 unsigned Version = 5);
  Object fromHip(const std::string &Source,
                 const std::vector<std::string> &Flags = {"-O2"},
                 unsigned Version = 5);

  // Hooks, for all calls that follow.
  void setHooks(const std::string &IR);
  void setHipHooks(const std::string &Source);

  /// Instruments, runs, compares; the test fails with the first difference.
  Judgement expectUnchanged(const Object &Kernel, const KernelLaunch &Launch,
                            const Mutator &Mutate);
  /// The test fails unless the engine refuses for \p Reason, in a message that
  /// contains \p Text.
  void expectRefused(const Object &Kernel, const KernelLaunch &Launch,
                     const Mutator &Mutate, RefusalReason Reason,
                     const std::string &Text = "");
  /// Calls hook \p Name, with \p Arguments, before every instruction of the
  /// kernel and its functions.
  static Mutator everywhere(const char *Name,
                            std::vector<HookArgument> Arguments = {});

  JudgeOptions Options;
  TestHooks Hooks;

private:
  Object check(llvm::Expected<Bytes> Built);
  const EngineTarget T;
};

class EngineTest : public EngineFixture,
                   public ::testing::WithParamInterface<EngineTarget> {
protected:
  EngineTest() : EngineFixture(GetParam()) {}
};

} // namespace luthier::test

#endif // LUTHIER_TEST_SUPPORT_ENGINETEST_H
