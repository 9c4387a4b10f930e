// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// As many counters of a wave's own as there is room for, and one more.
#include "EngineTest.h"
#include "hook/StateValueArray.h"
#include "luthier/Refusal.h"

using namespace llvm;

namespace luthier::test {
namespace {

class Counters : public EngineTest {
protected:
  /// "add" adds N + I to counter I of \p Count, "flush" gives all of them back;
  /// "more" takes another one.
  static std::string hooksWith(unsigned Count) {
    std::string Variables = "__device__ uint64_t More;\n", Add, Flush;
    for (unsigned I = 0; I < Count; ++I) {
      const std::string Name = "C" + std::to_string(I);
      Variables += "__device__ uint64_t " + Name + ";\n";
      Add += "luthier::waveAdd(" + Name + ", N + " + std::to_string(I) + ");\n";
      Flush += "luthier::waveFlush(" + Name + ");\n";
    }
    return Variables + "LUTHIER_HOOK_ANNOTATE add(uint64_t N) {\n" + Add +
           "}\nLUTHIER_HOOK_ANNOTATE flush() {\n" + Flush +
           "}\nLUTHIER_HOOK_ANNOTATE more() { luthier::waveAdd(More, 1); }\n";
  }
};

TEST_P(Counters, AreTheWavesOwnAsFarAsThereIsRoom) {
  constexpr uint64_t Large = 0x1fffffff8;
  const unsigned Count = accumulatorCount(target().WaveSize);
  EXPECT_EQ(Count, target().WaveSize / 8);
  setHipHooks(hooksWith(Count));
  AssemblyKernel K;
  K.Body = R"(
    v_mov_b32_e32 v1, v0
    s_nop 0
    s_endpgm
)";
  const Object Kernel = fromAssembly(K);
  auto all = [](LiftedRepresentation &LR, InstrumentationTask &Task) {
    everywhere("add", {Large})(LR, Task);
    Task.insertHookAtWaveEnd(hook("flush"));
  };
  // Five waves, the last with one lane.
  const unsigned Items = 4 * target().WaveSize + 1;
  Judgement J = expectUnchanged(Kernel, {{Items, 1, 1}, {Items, 1, 1}}, all);
  ASSERT_EQ(J.Problem, "");
  for (unsigned I = 0; I < Count; ++I)
    EXPECT_EQ(J.variable("C" + std::to_string(I)),
              J.WaveInstructions * (Large + I))
        << I;
  expectRefused(
      Kernel, {},
      [&](LiftedRepresentation &LR, InstrumentationTask &Task) {
        all(LR, Task);
        everywhere("more")(LR, Task);
      },
      RefusalReason::UnsupportedHook);
}

INSTANTIATE_TEST_SUITE_P(Targets, Counters, ::testing::ValuesIn(allTargets()),
                         targetName);

} // namespace
} // namespace luthier::test
