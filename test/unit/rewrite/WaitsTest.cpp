// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Before a payload, code waits for the loads that may still write what it
// touches, and for no others.
#include "EngineTest.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "analysis/WaitCounters.h"
#include "lift/Lifter.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include <set>

using namespace llvm;
using namespace luthier;
using namespace luthier::test;

namespace {

/// v4 and v5 are loaded in this order, s6 too; the hook is called before
/// s_nop.
constexpr const char *LoadingKernel = R"(
s_load_dwordx2 s[4:5], s[0:1], 0x0
v_and_b32_e32 v0, 0x3ff, v0
v_mul_u32_u24_e32 v1, 4, v0
s_waitcnt lgkmcnt(0)
global_load_dword v4, v1, s[4:5]
global_load_dword v5, v1, s[4:5] offset:256
s_load_dword s6, s[4:5], 0x10
v_mov_b32_e32 v6, v1
s_mov_b32 s7, 5
s_nop 0
s_waitcnt vmcnt(0) lgkmcnt(0)
vadd v4, v4, v5
vadd v4, s6, v4
vadd v4, s7, v4
vadd v4, v6, v4
global_store_dword v1, v4, s[4:5] offset:512
s_endpgm
)";

using Counts = std::multiset<std::pair<WaitCounter, unsigned>>;

class Waits : public EngineTest {
protected:
  Waits() {
    setHooks(R"(
define void @h(i32 %x) #0 {
  %w = zext i32 %x to i64
  %a = atomicrmw add ptr addrspace(1) @Counters, i64 %w syncscope("agent") monotonic
  ret void
})");
  }

  /// What the instrumented kernel waits for and the original does not.
  Counts added(MCRegister Argument) {
    AssemblyKernel K;
    K.Body = LoadingKernel;
    Object Original = fromAssembly(K);
    KernelLaunch Launch{{64, 1, 1}, {64, 1, 1}};
    Launch.Arguments.words(256);
    Judgement J = expectUnchanged(
        Original, Launch, [&](LiftedRepresentation &LR, auto &Task) {
          for (MachineBasicBlock &MBB : LR.kernel())
            for (MachineInstr &MI : MBB)
              if (MI.getOpcode() == AMDGPU::S_NOP)
                Task.insertHookBefore(MI, hook("h"), {Argument});
        });
    if (!J.Problem.empty())
      return {};
    Counts Result =
        waitsIn(cantFail(CodeObject::create(J.Instrumented.CodeObject)));
    for (const auto &Wait : waitsIn(Original))
      Result.erase(Result.find(Wait));
    return Result;
  }

private:
  static Counts waitsIn(const Object &Code) {
    auto LR = cantFail(liftKernel(Code, Code->kernels().front()));
    Counts Result;
    for (MachineBasicBlock &MBB : LR->kernel())
      for (MachineInstr &MI : MBB)
        for (CounterWait Wait :
             waitsOf(MI, waitTraits(MI.getMF()->getSubtarget())))
          Result.insert({Wait.Counter, Wait.Count});
    return Result;
  }
};

TEST_P(Waits, ForTheLoadOfAnArgumentAndThoseBeforeIt) {
  EXPECT_EQ(added(AMDGPU::VGPR4), (Counts{{WaitCounter::Vm, 1}}));
  EXPECT_EQ(added(AMDGPU::VGPR5), (Counts{{WaitCounter::Vm, 0}}));
}

TEST_P(Waits, ForScalarLoadsByTheirOwnCounter) {
  const bool IsSplit = StringRef(target().Processor) == "gfx1201";
  EXPECT_EQ(added(AMDGPU::SGPR6),
            (Counts{{IsSplit ? WaitCounter::Km : WaitCounter::Lgkm, 0}}));
}

TEST_P(Waits, ForNothingWhereNoLoadIsUnderWay) {
  EXPECT_EQ(added(AMDGPU::VGPR6), Counts());
  EXPECT_EQ(added(AMDGPU::SGPR7), Counts());
}

INSTANTIATE_TEST_SUITE_P(Targets, Waits, ::testing::ValuesIn(allTargets()),
                         targetName);

} // namespace
