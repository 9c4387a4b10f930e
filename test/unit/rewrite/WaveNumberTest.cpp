// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hooks learn which wave of the workgroup they run in, and where on the device,
// as docs/writing-a-tool.md says.
#include "EngineTest.h"
#include "luthier/Instructions.h"
#include "luthier/Mnemonic.h"
#include <cstring>
#include <set>

using namespace llvm;

namespace luthier::test {
namespace {

constexpr unsigned MostItems = 512, ItemsOfGroup = 128;

/// HW_ID, or HW_ID1 from GFX10 on.
std::string placeOf(const EngineTarget &T) {
  return "__builtin_amdgcn_s_getreg(" + std::string(T.isRdna() ? "23" : "4") +
         " | 31 << 11)";
}

class WaveNumber : public EngineTest {};

TEST_P(WaveNumber, IsKnownInWholeAndPartialGroups) {
  setHipHooks(R"(
__device__ unsigned Numbers[512], Places[512];
LUTHIER_HOOK_ANNOTATE note() {
  uint64_t Active = __builtin_amdgcn_read_exec();
  luthier::writeExec(1); // Lane 0 is there in every wave.
  unsigned Item = threadIdx.x +
                  blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  unsigned Wave = __builtin_amdgcn_readfirstlane(Item / warpSize);
  luthier::writeExec(Active);
  unsigned At = 128 * blockIdx.x + threadIdx.x + 16 * threadIdx.y +
                64 * threadIdx.z;
  Numbers[At] = 1 + Wave;
  Places[At] = )" +
              placeOf(target()) + R"(;
})");
  Options.Seeds = {0};
  Object K = fromCpp(R"(
extern "C" [[clang::amdgpu_kernel, gnu::visibility("protected")]] void
k(unsigned *To) {
  To[128 * __builtin_amdgcn_workgroup_id_x() +
     __builtin_amdgcn_workitem_id_x() + 16 * __builtin_amdgcn_workitem_id_y() +
     64 * __builtin_amdgcn_workitem_id_z()] = )" +
                         placeOf(target()) + ";\n}\n",
                     {"-O2"}, /*Version=*/4);
  // The grid cuts the last group off in the middle.
  KernelLaunch Launch{{56, 4, 2}, {16, 4, 2}};
  Launch.Arguments.words(MostItems);
  Judgement J = expectUnchanged(
      K, Launch, [](LiftedRepresentation &, InstrumentationTask &Task) {
        Task.insertHookAtKernelEntry(hook("note"));
      });
  if (!J.Problem.empty())
    return;
  auto word = [&](const char *Name, unsigned I) {
    uint32_t Word;
    std::memcpy(&Word, &J.Variables.at(Name)[4 * I], 4);
    return Word;
  };
  std::set<unsigned> Places;
  for (unsigned Group = 0; Group < 4; ++Group) {
    const unsigned Width = Group == 3 ? 8 : 16;
    for (unsigned I = 0; I < ItemsOfGroup; ++I) {
      const unsigned X = I % 16, Y = I / 16 % 4, Z = I / 64;
      const unsigned At = ItemsOfGroup * Group + I;
      const unsigned Item = X + Width * (Y + 4 * Z);
      EXPECT_EQ(word("Numbers", At),
                X < Width ? 1 + Item / target().WaveSize : 0)
          << At;
      EXPECT_EQ(word("Places", At), J.Buffers[0][At]) << At;
      if (X < Width)
        Places.insert(word("Places", At));
    }
  }
  EXPECT_GT(Places.size(), 1u);
}

/// By scalar instructions in kernels with few vector registers, else by vector
/// instructions.
TEST_P(WaveNumber, IsKeptWhateverVectorRegistersTheKernelHas) {
  setHipHooks(R"(
__device__ uint32_t First, Last;
LUTHIER_HOOK_ANNOTATE begin() {
  luthier::waveAtomicAdd(&First, 1u << 4 * luthier::waveInGroup());
}
LUTHIER_HOOK_ANNOTATE end() {
  luthier::waveAtomicAdd(&Last, 1u << 4 * luthier::waveInGroup());
}
)");
  for (unsigned VGPRs : {1, 4, 5, 6, 32})
    for (unsigned Ids : {1, 3}) {
      SCOPED_TRACE(std::to_string(VGPRs) + " registers, " +
                   std::to_string(Ids) + " axes");
      AssemblyKernel K;
      K.VGPRs = VGPRs;
      K.WorkItemIds = Ids;
      K.Body = "v_mov_b32_e32 v" + std::to_string(VGPRs - 1) + R"(, v0
    s_endpgm
)";
      // Four waves, the last with one lane.
      const unsigned Items = 3 * target().WaveSize + 1;
      Judgement J = expectUnchanged(
          fromAssembly(K), {{3 * Items, 1, 1}, {Items, 1, 1}},
          [](LiftedRepresentation &, InstrumentationTask &Task) {
            Task.insertHookAtKernelEntry(hook("begin"));
            Task.insertHookAtWaveEnd(hook("end"));
          });
      ASSERT_EQ(J.Problem, "");
      EXPECT_EQ(uint32_t(J.variable("First")), 0x3333u);
      EXPECT_EQ(uint32_t(J.variable("Last")), 0x3333u);
    }
}

/// The first of the kernel, and null if it has none.
const MachineInstr *firstWait(const LiftedRepresentation &LR) {
  for (const MachineInstr &MI : LR.instructions())
    if (StringRef(mnemonicOf(MI)).starts_with("s_wait"))
      return &MI;
  return nullptr;
}

constexpr StringLiteral HooksThatAsk = R"(
__device__ uint32_t First, Last;
LUTHIER_HOOK_ANNOTATE note() {
  luthier::waveAtomicAdd(&First, 1u << 8 * luthier::waveInGroup());
}
LUTHIER_HOOK_ANNOTATE end() {
  luthier::waveAtomicAdd(&Last, 1u << 8 * luthier::waveInGroup());
}
)";

/// Behind the kernel's own loads, at whose wait SCC is needed.
const std::string Loads = R"(
    s_load_dword s4, s[0:1], 0x0
    s_cmp_eq_u32 s0, s0
)";
const std::string Waits = R"(
    wait_all
    s_cselect_b32 s5, s4, 0
    v_mov_b32_e32 v8, s5
    s_endpgm
)";

/// Bytes in front of instruction \p N that are not in the original.
uint64_t addedAt(const Judgement &J, unsigned N) {
  const PCPair &At = J.Instrumented.Map[N], &Before = J.Instrumented.Map[N - 1];
  return (At.Offset - Before.Offset) - (At.Original - Before.Original);
}

TEST_P(WaveNumber, IsComputedWhereTheKernelFirstWaits) {
  setHipHooks(HooksThatAsk.str());
  const unsigned Items = 2 * target().WaveSize + 1;
  auto expectComputed = [&](unsigned Ids) {
    SCOPED_TRACE(std::to_string(Ids) + " axes");
    AssemblyKernel K;
    K.WorkItemIds = Ids;
    K.Body = Loads + Waits;
    Judgement J = expectUnchanged(
        fromAssembly(K), {{4 * Items, 1, 1}, {Items, 1, 1}},
        [](LiftedRepresentation &LR, InstrumentationTask &Task) {
          Task.insertHookAfter(*firstWait(LR), hook("note"));
          Task.insertHookAtWaveEnd(hook("end"));
        });
    ASSERT_EQ(J.Problem, "");
    EXPECT_EQ(uint32_t(J.variable("First")), 0x040404u);
    EXPECT_EQ(uint32_t(J.variable("Last")), 0x040404u);
    EXPECT_GT(addedAt(J, 2), 0u);
  };
  for (unsigned Ids : {1, 3})
    expectComputed(Ids);
  // What is computed there takes an address that the kernel needs no more.
  Options.SelfTest.ScrambleSeed = 7;
  expectComputed(1);
}

/// Where the address that it is computed from is gone by then, and where a hook
/// asks before.
TEST_P(WaveNumber, IsComputedWhenTheWaveBeginsIfItCannotBeLater) {
  setHipHooks(HooksThatAsk.str());
  const unsigned Items = 2 * target().WaveSize + 1;
  for (bool IsAskedBefore : {false, true}) {
    SCOPED_TRACE(IsAskedBefore);
    AssemblyKernel K;
    K.Body = Loads + (IsAskedBefore ? "" : "s_mov_b32 s0, 0\n") + Waits;
    Judgement J = expectUnchanged(
        fromAssembly(K), {{4 * Items, 1, 1}, {Items, 1, 1}},
        [&](LiftedRepresentation &LR, InstrumentationTask &Task) {
          if (IsAskedBefore)
            Task.insertHookAtKernelEntry(hook("note"));
          else
            Task.insertHookAfter(*firstWait(LR), hook("note"));
          Task.insertHookAtWaveEnd(hook("end"));
        });
    ASSERT_EQ(J.Problem, "");
    EXPECT_EQ(uint32_t(J.variable("First")), 0x040404u);
    EXPECT_EQ(uint32_t(J.variable("Last")), 0x040404u);
    // Garbage may be anywhere.
    if (!Options.SelfTest.ScrambleSeed)
      EXPECT_EQ(addedAt(J, IsAskedBefore ? 2 : 3), 0u);
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, WaveNumber, ::testing::ValuesIn(allTargets()),
                         targetName);

} // namespace
} // namespace luthier::test
