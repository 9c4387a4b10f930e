// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the analysis says of registers, held against execution as in
// EffectsOnEmulatorTest.cpp, for every operation in scope of every target,
// memory operations included. What does not run is listed, with the reason, in
// NotRun.def.
#include "EmulatedWave.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "OperationSamples.h"
#include "llvm/CodeGen/MachineFunction.h"
#include <gtest/gtest.h>
#include <iostream>

using namespace llvm;
using namespace luthier;
using namespace luthier::test;

namespace {

constexpr struct {
  StringLiteral Operation, Reason;
} NotRun[] = {
#define LUTHIER_NOT_RUN(Operation, Reason) {Operation, Reason},
#include "NotRun.def"
};

bool readsClock(const MachineInstr &MI) {
  return MI.getOpcode() == AMDGPU::S_MEMTIME ||
         MI.getOpcode() == AMDGPU::S_MEMREALTIME;
}

class EffectsOfAllOperations : public ::testing::TestWithParam<TargetCase> {
protected:
  static constexpr unsigned Seed = 20261123;

  void lift();
  /// Whether it ran.
  bool check(const std::string &Operation, const MachineInstr &MI,
             const InstructionEffects &E, uint64_t PC);

  EmulatedWave Wave{GetParam(), OperationSamples::VGPRs, Seed};
  OperationSamples All = makeSamples(GetParam(), Wave.random());
  LiftedKernel Kernel;
  std::map<uint64_t, const OperationSample *> SampleAt;
};

void EffectsOfAllOperations::lift() {
  std::string Text;
  uint64_t Offset = 0;
  for (const OperationSample &S : All.Samples) {
    SampleAt[Offset] = &S;
    Offset += 4 * S.Code.size();
    for (uint32_t Word : S.Code)
      Text += ".long " + std::to_string(Word) + "\n";
  }
  Kernel = liftAssembly(Text + "s_endpgm\n", GetParam());
  ASSERT_TRUE(Kernel.LR);
  const KernelInfo &Info = Kernel.Object->kernels().front();
  Wave.load(
      cantFail(Kernel.Object->contents(Info.EntryAddress, Info.CodeSize)));
}

bool EffectsOfAllOperations::check(const std::string &Operation,
                                   const MachineInstr &MI,
                                   const InstructionEffects &E, uint64_t PC) {
  const std::string Text = Wave.disassemble(PC);
  // LLVM decodes more than it, or hardware, has a meaning for.
  if (Text.find("/*Invalid") != std::string::npos)
    return false;
  if (E.ReadsEverything || readsClock(MI) ||
      MI.getOpcode() == AMDGPU::S_SETKILL)
    return false;
  WaveState A = Wave.randomState();
  giveAddresses(MI, Wave.memory().address(), GetParam(), A);
  WaveState B = Wave.whatIsRead(E, A, Wave.randomState());
  auto AfterA = Wave.run(A, PC);
  auto AfterB = AfterA ? Wave.run(B, PC) : std::nullopt;
  if (!AfterA) {
    All.Operations[Operation] = Text + ": " + Wave.error();
    return false;
  }
  if (!AfterB) {
    ADD_FAILURE() << Text << ": faults by what it is not said to read";
    return true;
  }
  const std::string Wrong = Wave.differences(E, A, *AfterA, *AfterB);
  EXPECT_EQ(Wrong.substr(0, 300), "") << Text;
  return true;
}

TEST_P(EffectsOfAllOperations, AreWhatTheyAreSaidToBe) {
  lift();
  if (HasFatalFailure())
    return;
  const uint64_t Entry = Kernel.Object->kernels().front().EntryAddress;
  const EffectsTable Table = EffectsTable::run(*Kernel.LR);
  std::map<std::string, unsigned> Ran;
  for (const MachineBasicBlock &MBB : Kernel.LR->kernel())
    for (auto [MI, E] : zip(MBB, Table.of(MBB))) {
      const auto Address = Kernel.LR->originalAddress(MI);
      const auto Sample =
          Address ? SampleAt.find(*Address - Entry) : SampleAt.end();
      if (Sample == SampleAt.end())
        continue;
      const std::string &Operation = Sample->second->Operation;
      if (check(Operation, MI, E, Wave.codeBase() + *Address - Entry))
        ++Ran[Operation];
    }
  unsigned Missing = 0;
  for (const auto &[Operation, Why] : All.Operations) {
    const auto *Row = find_if(
        NotRun, [&](const auto &R) { return R.Operation == Operation; });
    const bool IsListed = Row != std::end(NotRun);
    if (Ran.count(Operation)) {
      EXPECT_FALSE(IsListed) << Operation << " runs: take it off NotRun.def";
      continue;
    }
    ++Missing;
    std::cout << "not run: " << Operation << ": "
              << (IsListed ? Row->Reason.str() : Why) << '\n';
    EXPECT_TRUE(IsListed) << Operation << " did not run. " << Why;
  }
  std::cout << Ran.size() << " operations ran, " << Missing << " did not\n";
  EXPECT_GT(Ran.size(), 700u);
}

INSTANTIATE_TEST_SUITE_P(Targets, EffectsOfAllOperations,
                         ::testing::ValuesIn(allTargets()),
                         [](const auto &Info) { return nameOf(Info.param); });

} // namespace
