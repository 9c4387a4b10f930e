// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "EngineTest.h"
#include "llvm/CodeGen/MachineFunction.h"
#include <cstdlib>

using namespace llvm;

namespace luthier::test {

EngineFixture::EngineFixture(EngineTarget T) : T(T) {
  if (const char *Seed = std::getenv("LUTHIER_TEST_SCRAMBLE"))
    Options.SelfTest.ScrambleSeed = std::strtoull(Seed, nullptr, 10);
}

EngineFixture::Object EngineFixture::check(Expected<Bytes> Built) {
  if (!Built) {
    ADD_FAILURE() << T.name() << ": " << toString(Built.takeError());
    return nullptr;
  }
  auto Parsed = CodeObject::create(*Built);
  if (!Parsed) {
    ADD_FAILURE() << T.name() << ": " << toString(Parsed.takeError());
    return nullptr;
  }
  return std::move(*Parsed);
}

EngineFixture::Object EngineFixture::fromIR(const std::string &IR,
                                            unsigned Version,
                                            CodeGenOptLevel Level) {
  return check(compileIR(T, IR, Version, Level));
}

EngineFixture::Object EngineFixture::fromAssembly(const AssemblyKernel &Kernel,
                                                  unsigned Version) {
  return check(assembleKernel(T, Kernel, Version));
}

EngineFixture::Object
EngineFixture::fromCpp(const std::string &Source,
                       const std::vector<std::string> &Flags,
                       unsigned Version) {
  return check(compileCpp(T, Source, Flags, Version));
}

EngineFixture::Object
EngineFixture::fromHip(const std::string &Source,
                       const std::vector<std::string> &Flags,
                       unsigned Version) {
  return check(compileHip(T, Source, Flags, Version));
}

void EngineFixture::setHooks(const std::string &IR) {
  Expected<TestHooks> New = hooksFromIR(IR);
  ASSERT_TRUE(bool(New)) << toString(New.takeError());
  Hooks = std::move(*New);
}

void EngineFixture::setHipHooks(const std::string &Source) {
  Expected<TestHooks> New = hooksFromHip(T, Source);
  ASSERT_TRUE(bool(New)) << toString(New.takeError());
  Hooks = std::move(*New);
}

Judgement EngineFixture::expectUnchanged(const Object &Kernel,
                                         const KernelLaunch &Launch,
                                         const Mutator &Mutate) {
  if (!Kernel)
    return {};
  Judgement J = judge(T, Kernel, Launch, Hooks, Mutate, Options);
  EXPECT_EQ(J.Problem, "");
  return J;
}

void EngineFixture::expectRefused(const Object &Kernel,
                                  const KernelLaunch &Launch,
                                  const Mutator &Mutate, RefusalReason Reason,
                                  const std::string &Text) {
  ASSERT_TRUE(Kernel);
  Judgement J = judge(T, Kernel, Launch, Hooks, Mutate, Options);
  ASSERT_TRUE(J.Refused) << "not refused; " << J.Problem;
  EXPECT_EQ(toString(*J.Refused), toString(Reason)) << J.Problem;
  EXPECT_NE(J.Problem.find(Text), std::string::npos)
      << J.Problem << "\ndoes not say: " << Text;
}

Mutator EngineFixture::everywhere(const char *Name,
                                  std::vector<HookArgument> Arguments) {
  return [=](LiftedRepresentation &LR, InstrumentationTask &Task) {
    for (auto &[Symbol, MF] : LR.functions())
      for (MachineBasicBlock &MBB : *MF)
        for (MachineInstr &MI : MBB)
          Task.insertHookBefore(MI, hook(Name), Arguments);
  };
}

} // namespace luthier::test
