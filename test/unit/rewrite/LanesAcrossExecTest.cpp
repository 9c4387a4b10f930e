// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What hooks compute before they define EXEC is right behind it, in lanes that
// become active, too.
#include "EngineTest.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "llvm/CodeGen/MachineFunction.h"
#include <cstring>

using namespace llvm;
using namespace luthier;
using namespace luthier::test;

namespace {

class LanesAcrossExec : public EngineTest {
protected:
  static constexpr unsigned Items = 64;

  /// One workgroup of 64 lanes that calls \p Hook before its only s_nop, with
  /// s8, which is 5, and v9, which is the lane's item.
  Judgement run(const char *Hook) {
    AssemblyKernel K;
    K.Body = "s_load_dwordx2 s[4:5], s[0:1], 0x0\n"
             "v_and_b32_e32 v0, 0x3ff, v0\n"
             "v_lshlrev_b32_e32 v8, 2, v0\n"
             "v_mov_b32_e32 v9, v0\n"
             "wait_all\n"
             "s_mov_b32 s8, 5\n"
             "s_nop 0\n"
             "global_store_dword v8, v9, s[4:5]\n"
             "s_endpgm\n";
    KernelLaunch Launch{{Items, 1, 1}, {Items, 1, 1}};
    Launch.Arguments.words(Items);
    return expectUnchanged(
        fromAssembly(K), Launch,
        [&](LiftedRepresentation &LR, InstrumentationTask &Task) {
          for (MachineInstr &MI : LR.kernel().front())
            if (MI.getOpcode() == AMDGPU::S_NOP)
              cantFail(Task.insertHookBefore(
                  MI, hook(Hook),
                  {MCRegister(AMDGPU::SGPR8), MCRegister(AMDGPU::VGPR9)}));
        });
  }

  template <class T>
  static std::vector<T> values(const Judgement &J, const char *Name) {
    const Bytes &Contents = J.Variables.at(Name);
    std::vector<T> Result(Contents.size() / sizeof(T));
    std::memcpy(Result.data(), Contents.data(), Contents.size());
    return Result;
  }
  template <class T, class Function>
  void expectForEach(const Judgement &J, const char *Name, Function Expected) {
    const std::vector<T> Seen = values<T>(J, Name);
    for (unsigned Item = 0; Item < Items; ++Item)
      EXPECT_EQ(Seen.at(Item), T(Expected(Item))) << Name << " of " << Item;
  }
  unsigned lanes() const { return target().WaveSize; }
  unsigned waves() const { return Items / lanes(); }
};

TEST_P(LanesAcrossExec, MasksAreThoseOfTheLanesThatThereWere) {
  setHipHooks(R"(
using namespace luthier;
__device__ uint64_t Odd, Few, Combined, Mask[2], Own;
LUTHIER_HOOK_ANNOTATE ballots(uint32_t Five, uint32_t Item) {
  const uint64_t Active = __builtin_amdgcn_read_exec();
  const uint32_t Wave = __builtin_amdgcn_readfirstlane(Item / warpSize);
  const uint64_t NumOdd = __popcll(__ballot(Item & 1));
  const uint64_t Low = __ballot(Item % warpSize < Five);
  writeExec(1);
  atomicAdd((unsigned long long *)&Odd, NumOdd);
  Mask[Wave] = Low;
  writeExec(Active);
  waveAtomicAdd(&Few, uint64_t(__popcll(__ballot(Item % 16 < Five))));
  waveAtomicAdd(&Combined,
                uint64_t(__popcll(__ballot(Item & 2) & __ballot(Item & 4))));
  const uint64_t High = __ballot(Item % warpSize > 20);
  writeExec(High);
  if (__lane_id() == 21)
    atomicAdd((unsigned long long *)&Own, uint64_t(__popcll(High)));
  writeExec(Active);
}
)");
  const Judgement J = run("ballots");
  if (!J.Problem.empty())
    return;
  EXPECT_EQ(J.variable("Odd"), Items / 2);
  EXPECT_EQ(J.variable("Few"), 5 * Items / 16);
  EXPECT_EQ(J.variable("Combined"), Items / 4);
  EXPECT_EQ(J.variable("Own"), (lanes() - 21) * waves());
  for (unsigned Wave = 0; Wave < waves(); ++Wave)
    EXPECT_EQ(values<uint64_t>(J, "Mask")[Wave], 0x1fu);
}

TEST_P(LanesAcrossExec, ArithmeticIsRightInLanesThatBecomeActive) {
  setHipHooks(R"(
using namespace luthier;
__device__ uint64_t Sum[64], Product[64], Square[64], Before[64];
__device__ int64_t Difference[64];
__device__ float Quotient[64];
LUTHIER_HOOK_ANNOTATE compute(uint32_t Five, uint32_t) {
  const uint64_t Active = __builtin_amdgcn_read_exec();
  const uint32_t Item = threadIdx.x;
  writeExec(0xaaaaaaaaaaaaaaaa);
  const uint64_t S = Item * 0xfffffffbull + Five * 0x7fffffffull;
  const uint64_t P = uint64_t(Item) * 24 * Five + Item;
  const uint64_t Q = uint64_t(Item) * Item + 0xffffffff;
  const int64_t D = (int64_t(Item) - 20) * Five - 5;
  const float R = float(Item) / float(Five + Item);
  Before[Item] = S + P + Q + D + uint64_t(R * 1000);
  writeExec(~0ull);
  Sum[Item] = S;
  Product[Item] = P;
  Square[Item] = Q;
  Difference[Item] = D;
  Quotient[Item] = R;
  writeExec(Active);
}
)");
  const Judgement J = run("compute");
  if (!J.Problem.empty())
    return;
  expectForEach<uint64_t>(J, "Sum", [](uint64_t I) {
    return I * 0xfffffffbull + 5 * 0x7fffffffull;
  });
  expectForEach<uint64_t>(J, "Product",
                          [](uint64_t I) { return I * 24 * 5 + I; });
  expectForEach<uint64_t>(J, "Square",
                          [](uint64_t I) { return I * I + 0xffffffff; });
  expectForEach<int64_t>(J, "Difference",
                         [](int64_t I) { return (I - 20) * 5 - 5; });
  expectForEach<float>(J, "Quotient", [](float I) { return I / (5 + I); });
}

TEST_P(LanesAcrossExec, ConditionsAreRightInLanesThatBecomeActive) {
  setHipHooks(R"(
using namespace luthier;
__device__ uint32_t Both[64], Either[64], Other[64], Before[64];
LUTHIER_HOOK_ANNOTATE choose(uint32_t Five, uint32_t) {
  const uint64_t Active = __builtin_amdgcn_read_exec();
  const uint32_t Item = threadIdx.x;
  writeExec(0xaaaaaaaaaaaaaaaa);
  const bool A = (Item * 7 % 11 > Five) && (Item & 2);
  const bool O = Item < Five || Item * 3 % 8 == Five;
  const bool X = (Item & 4) != 0 ^ Item > 30 + Five;
  Before[Item] = A ? Item : O ? 77 : X ? 3 : 2;
  writeExec(~0ull);
  Both[Item] = A ? 5 : 9;
  Either[Item] = O ? 6 : 8;
  Other[Item] = X ? 4 : 3;
  writeExec(Active);
}
)");
  const Judgement J = run("choose");
  if (!J.Problem.empty())
    return;
  expectForEach<uint32_t>(
      J, "Both", [](unsigned I) { return I * 7 % 11 > 5 && (I & 2) ? 5 : 9; });
  expectForEach<uint32_t>(
      J, "Either", [](unsigned I) { return I < 5 || I * 3 % 8 == 5 ? 6 : 8; });
  expectForEach<uint32_t>(J, "Other", [](unsigned I) {
    return ((I & 4) != 0) != (I > 35) ? 4 : 3;
  });
}

INSTANTIATE_TEST_SUITE_P(Targets, LanesAcrossExec,
                         ::testing::ValuesIn(allTargets()), targetName);

} // namespace
