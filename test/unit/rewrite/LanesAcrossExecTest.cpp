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

  LanesAcrossExec() {
    Launch = {{Items, 1, 1}, {Items, 1, 1}};
    Launch.Arguments.words(Items);
    K.Body = "s_load_dwordx2 s[4:5], s[0:1], 0x0\n"
             "v_and_b32_e32 v0, 0x3ff, v0\n"
             "v_lshlrev_b32_e32 v8, 2, v0\n"
             "v_mov_b32_e32 v9, v0\n"
             "wait_all\n"
             "s_mov_b32 s8, 5\n"
             "s_nop 0\n"
             "global_store_dword v8, v9, s[4:5]\n"
             "s_endpgm\n";
  }
  /// Called before the only s_nop of one workgroup of 64 lanes, with s8, which
  /// is 5, and v9, which is the lane's item.
  Mutator calls(const char *Hook) {
    return [=](LiftedRepresentation &LR, InstrumentationTask &Task) {
      for (MachineInstr &MI : LR.kernel().front())
        if (MI.getOpcode() == AMDGPU::S_NOP)
          Task.insertHookBefore(
              MI, hook(Hook),
              {MCRegister(AMDGPU::SGPR8), MCRegister(AMDGPU::VGPR9)});
    };
  }
  Judgement run(const char *Hook) {
    return expectUnchanged(fromAssembly(K), Launch, calls(Hook));
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
  AssemblyKernel K;
  KernelLaunch Launch;
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

/// Lanes leave the inner loop with the condition that they had then.
TEST_P(LanesAcrossExec, WhatLanesTakeOutOfALoopStays) {
  setHipHooks(R"(
using namespace luthier;
__device__ uint32_t Chosen[64], Computed[64], Seen, One;
LUTHIER_HOOK_ANNOTATE loop(uint32_t Five, uint32_t Item) {
#pragma clang loop unroll(disable)
  for (uint32_t K = 0; K < Five; ++K) {
    uint32_t I = 0, X = 0, Y;
    bool C;
#pragma clang loop unroll(disable)
    do {
      ++I;
      X = X * 5 + Five;
      Y = X ^ Item * 3;
      C = (Item ^ I * 3) & 4;
      atomicAdd(&Seen, C ? Y : 2);
    } while (I * I <= Item + K);
    waveAtomicAdd(&One, 1u);
    atomicAdd(&Chosen[threadIdx.x], C ? 11 : 22);
    atomicAdd(&Computed[threadIdx.x], Y);
  }
}
)");
  const Judgement J = run("loop");
  if (!J.Problem.empty())
    return;
  std::vector<uint32_t> Chosen(Items), Computed(Items);
  for (uint32_t Item = 0; Item < Items; ++Item)
    for (uint32_t K = 0; K < 5; ++K) {
      uint32_t I = 0, X = 0, Y;
      bool C;
      do {
        ++I;
        X = X * 5 + 5;
        Y = X ^ Item * 3;
        C = (Item ^ I * 3) & 4;
      } while (I * I <= Item + K);
      Chosen[Item] += C ? 11 : 22;
      Computed[Item] += Y;
    }
  EXPECT_EQ(values<uint32_t>(J, "Chosen"), Chosen);
  EXPECT_EQ(values<uint32_t>(J, "Computed"), Computed);
}

TEST_P(LanesAcrossExec, WhatIsUsedBeforeADefinitionInALoopIsUsedBehindItToo) {
  setHipHooks(R"(
using namespace luthier;
__device__ uint32_t Once[64], Twice[64], Single;
LUTHIER_HOOK_ANNOTATE loop(uint32_t Five, uint32_t) {
  const uint64_t Active = __builtin_amdgcn_read_exec();
  const uint32_t Item = threadIdx.x;
  writeExec(0xaaaaaaaaaaaaaaaa);
#pragma clang loop unroll(disable)
  for (uint32_t I = 0; I < Five; ++I) {
    atomicAdd(&Once[Item], Item * 7 + 3);
    writeExec(~0ull);
  }
  writeExec(0xaaaaaaaaaaaaaaaa);
#pragma clang loop unroll(disable)
  for (uint32_t I = 0; I < Five; ++I) {
    atomicAdd(&Twice[Item], Item * 7 + 3);
    writeExec(1);
    atomicAdd(&Single, 1);
    writeExec(~0ull);
  }
  writeExec(Active);
}
)");
  const Judgement J = run("loop");
  if (!J.Problem.empty())
    return;
  auto expected = [](unsigned I) { return (I * 7 + 3) * (I & 1 ? 5 : 4); };
  expectForEach<uint32_t>(J, "Once", expected);
  expectForEach<uint32_t>(J, "Twice", expected);
  EXPECT_EQ(J.variable("Single"), 5 * waves());
}

TEST_P(LanesAcrossExec, ConditionsThatPathsBringAlongAreRight) {
  setHipHooks(R"(
using namespace luthier;
__device__ uint32_t Chosen[64], Before[64];
LUTHIER_HOOK_ANNOTATE join(uint32_t Five, uint32_t) {
  const uint64_t Active = __builtin_amdgcn_read_exec();
  writeExec(0xaaaaaaaaaaaaaaaa);
  const uint32_t Item = threadIdx.x;
  bool C = Item * 7 % 11 > 5;
  Before[Item] = C ? 7 : 8;
  if (Five > 3) {
    C = C != (Item > 20);
    Before[Item ^ 1] = C ? 5 : 6;
    writeExec(~0ull);
  } else {
    writeExec(~0ull);
    Before[Item & 3] = 2;
    writeExec(~1ull);
    writeExec(~0ull);
  }
  Chosen[Item] = C ? 3 : 4;
  writeExec(Active);
}
)");
  const Judgement J = run("join");
  if (J.Problem.empty())
    expectForEach<uint32_t>(J, "Chosen", [](unsigned I) {
      return (I * 7 % 11 > 5) != (I > 20) ? 3 : 4;
    });
}

/// Reads of arrays in registers cannot be made again.
TEST_P(LanesAcrossExec, WhereExecComesBackEverythingStays) {
  setHipHooks(R"(
using namespace luthier;
__device__ uint32_t Before[64], Behind[64], One;
LUTHIER_HOOK_ANNOTATE array(uint32_t Five, uint32_t Item) {
  uint32_t A[16];
  for (int I = 0; I < 16; ++I)
    A[I] = Item * (I + 2) + I;
  const uint32_t X = A[Five & 15];
  A[(Five + 2) & 15] = 3;
  A[(Five * 3) & 15] = 7;
  const uint32_t Y = A[(Five + 1) & 15];
  Before[threadIdx.x] = X * Y;
  waveAtomicAdd(&One, 1u);
  Behind[threadIdx.x] = X + Y;
}
)");
  const Judgement J = run("array");
  if (J.Problem.empty())
    expectForEach<uint32_t>(J, "Behind",
                            [](unsigned I) { return I * 7 + 5 + I * 8 + 6; });
}

TEST_P(LanesAcrossExec, ValuesThatCannotBeComputedAgainAreRefused) {
  setHipHooks(R"(
using namespace luthier;
__device__ uint32_t Behind[64], Left[64], Right[64];
LUTHIER_HOOK_ANNOTATE join(uint32_t Five, uint32_t) {
  const uint64_t Active = __builtin_amdgcn_read_exec();
  writeExec(0xaaaaaaaaaaaaaaaa);
  const uint32_t Item = threadIdx.x;
  uint32_t X;
  if (Five > 4) {
    X = Item * Five + 1;
    Left[Item] = X;
  } else {
    X = Item * Item + 3;
    Right[Item ^ 1] = X;
  }
  writeExec(~0ull);
  Behind[Item] = X;
  writeExec(Active);
}
)");
  expectRefused(fromAssembly(K), Launch, calls("join"),
                RefusalReason::UnsupportedHook);
}

/// Where there is v_permlane64_b32.
class HalvesAcrossExec : public LanesAcrossExec {};
INSTANTIATE_TEST_SUITE_P(Targets, HalvesAcrossExec,
                         ::testing::Values(EngineTarget{"gfx1100", 64},
                                           EngineTarget{"gfx1201", 64}),
                         targetName);

TEST_P(HalvesAcrossExec, WhatOtherLanesGaveStays) {
  setHipHooks(R"(
using namespace luthier;
__device__ uint32_t All[64], Some[64];
LUTHIER_HOOK_ANNOTATE exchange(uint32_t, uint32_t) {
#if __has_builtin(__builtin_amdgcn_permlane64)
  const uint64_t Active = __builtin_amdgcn_read_exec();
  const uint32_t X = __builtin_amdgcn_permlane64(threadIdx.x * 3);
  All[threadIdx.x] = X;
  writeExec(0xffff);
  Some[threadIdx.x] = X;
  writeExec(Active);
#endif
}
)");
  const Judgement J = run("exchange");
  if (!J.Problem.empty())
    return;
  expectForEach<uint32_t>(J, "All", [](unsigned I) { return (I ^ 32) * 3; });
  expectForEach<uint32_t>(J, "Some",
                          [](unsigned I) { return I < 16 ? (I + 32) * 3 : 0; });
}

/// Each step uses both results of the one before.
TEST_P(LanesAcrossExec, LongScalarComputationsAreNoTrouble) {
  std::string Steps;
  for (unsigned N = 0; N < 30; ++N) {
    const std::string Odd = std::to_string(2 * N + 3);
    Steps += "{ const uint32_t Y = X; X = (X & (Five * " + Odd +
             ")) ^ Z; Z = (Z | (First * " + Odd + ")) ^ (Y & (Five * 7)); }\n";
  }
  const std::string Source = R"(
using namespace luthier;
__device__ uint32_t Out[64], One;
LUTHIER_HOOK_ANNOTATE compute(uint32_t Five, uint32_t Item) {
  const uint32_t First = __builtin_amdgcn_readfirstlane(Item) + Five;
  uint32_t X = Five, Z = First;
)" + Steps + R"(
  waveAtomicAdd(&One, 1u);
  Out[threadIdx.x] = (X ^ Z) + Item;
}
)";
  setHipHooks(Source.c_str());
  const Judgement J = run("compute");
  if (!J.Problem.empty())
    return;
  expectForEach<uint32_t>(J, "Out", [&](uint32_t Item) {
    const uint32_t First = Item / lanes() * lanes() + 5;
    uint32_t X = 5, Z = First;
    for (unsigned N = 0; N < 30; ++N) {
      const uint32_t Y = X, Odd = 2 * N + 3;
      X = (X & (5 * Odd)) ^ Z;
      Z = (Z | (First * Odd)) ^ (Y & 35);
    }
    return (X ^ Z) + Item;
  });
}

INSTANTIATE_TEST_SUITE_P(Targets, LanesAcrossExec,
                         ::testing::ValuesIn(allTargets()), targetName);

} // namespace
