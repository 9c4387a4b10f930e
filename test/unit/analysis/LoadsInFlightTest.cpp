// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/LoadsInFlight.h"
#include "Kernels.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/Support/raw_ostream.h"
#include <gtest/gtest.h>

using namespace llvm;
using namespace luthier;
using namespace luthier::test;

namespace {

class LoadsInFlightTest : public ::testing::TestWithParam<TargetCase> {
protected:
  void analyse(const std::string &Assembly) {
    Kernel = liftAssembly(Assembly, GetParam());
    if (!Kernel.LR)
      FAIL();
    Loads = LoadsInFlight::run(*Kernel.LR);
    Registers = RegistersInFlight::run(*Kernel.LR);
    expectWalksAgree();
  }
  /// Forwards and backwards.
  void expectWalksAgree() {
    LoadsWalk Forth(Loads), Back(Loads);
    const RegisterSet All = RegisterSet::all();
    for (const MachineBasicBlock &MBB : Kernel.LR->kernel()) {
      for (const MachineInstr &MI : MBB)
        EXPECT_TRUE(Forth.waitsAt(InsertionPoint::before(MI), All) ==
                    Loads.waitsAt(InsertionPoint::before(MI), All));
      for (const MachineInstr &MI : reverse(MBB))
        EXPECT_TRUE(Back.waitsAt(InsertionPoint::before(MI), All) ==
                    Loads.waitsAt(InsertionPoint::before(MI), All));
    }
  }
  bool isGfx12() const { return GetParam().Processor == "gfx1201"; }
  std::string waitVm(unsigned Count) const {
    return (isGfx12() ? "s_wait_loadcnt " + std::to_string(Count)
                      : "s_waitcnt vmcnt(" + std::to_string(Count) + ")") +
           "\n";
  }
  std::string waitLgkm(unsigned Count) const {
    return (isGfx12() ? "s_wait_dscnt " + std::to_string(Count)
                      : "s_waitcnt lgkmcnt(" + std::to_string(Count) + ")") +
           "\n";
  }
  std::string waitScalar() const {
    return isGfx12() ? "s_wait_kmcnt 0\n" : "s_waitcnt lgkmcnt(0)\n";
  }
  std::string before(StringRef Label) const {
    std::string Text;
    raw_string_ostream(Text)
        << Registers.at(InsertionPoint::before(Kernel.at(Label)));
    return Text;
  }
  /// "vm:1 lgkm:0"
  std::string waits(StringRef Label, ArrayRef<MCRegister> Registers) const {
    RegisterSet Set;
    for (MCRegister Reg : Registers)
      Set.add(Reg);
    static const char *Names[] = {"vm", "lgkm", "exp", "km", "sample", "bvh"};
    std::string Text;
    for (auto [I, Count] : enumerate(
             Loads.waitsAt(InsertionPoint::before(Kernel.at(Label)), Set)))
      if (Count)
        Text += (Text.empty() ? "" : " ") + std::string(Names[I]) + ":" +
                std::to_string(*Count);
    return Text;
  }
  LiftedKernel Kernel;
  LoadsInFlight Loads;
  RegistersInFlight Registers;
};

constexpr const char *TwoLoads = R"(
    a: global_load_dword v1, v[8:9], off
    b: global_load_dwordx2 v[2:3], v[8:9], off
)";

TEST_P(LoadsInFlightTest, VectorLoadsArriveInOrder) {
  analyse(TwoLoads + std::string("c: ") + waitVm(1) + "d: " + waitVm(0) +
          "e: s_endpgm\n");
  EXPECT_EQ(before("a"), "none");
  EXPECT_EQ(before("b"), "v1");
  EXPECT_EQ(before("c"), "v1-v3");
  EXPECT_EQ(before("d"), "v2-v3");
  EXPECT_EQ(before("e"), "none");
  EXPECT_EQ(waits("c", {AMDGPU::VGPR1}), "vm:1");
  EXPECT_EQ(waits("c", {AMDGPU::VGPR1, AMDGPU::VGPR3}), "vm:0");
  EXPECT_EQ(waits("c", {AMDGPU::VGPR4, AMDGPU::SGPR1}), "");
}

TEST_P(LoadsInFlightTest, ScalarLoadsAreWaitedForAllAtOnce) {
  analyse(
      R"(
    s_load_dword s4, s[0:1], 0x0
    s_load_dwordx2 s[6:7], s[0:1], 0x8
    a: s_nop 0
  )" +
      (isGfx12() ? "s_wait_kmcnt 1\n" : std::string("s_waitcnt lgkmcnt(1)\n")) +
      "b: " + waitScalar() + "c: s_endpgm\n");
  EXPECT_EQ(before("a"), "s4 s6-s7");
  EXPECT_EQ(before("b"), "s4 s6-s7");
  EXPECT_EQ(before("c"), "none");
  EXPECT_EQ(waits("b", {AMDGPU::SGPR6}), isGfx12() ? "km:0" : "lgkm:0");
}

TEST_P(LoadsInFlightTest, SharedMemoryIsInOrderAmongItself) {
  analyse(R"(
    ds_read_b32 v1, v0
    ds_read_b32 v2, v0 offset:4
    s_load_dword s4, s[0:1], 0x0
    a: s_nop 0
  )" + waitLgkm(1) +
          "b: " + waitLgkm(0) + "c: s_endpgm\n");
  EXPECT_EQ(before("a"), "s4 v1-v2");
  EXPECT_EQ(waits("a", {AMDGPU::VGPR1}), "lgkm:1");
  EXPECT_EQ(before("b"), "s4 v2");
  EXPECT_EQ(before("c"), isGfx12() ? "s4" : "none");
}

TEST_P(LoadsInFlightTest, GenericLoadsCountTwice) {
  analyse(R"(
    flat_load_dword v1, v[8:9]
    a: global_load_dword v2, v[8:9], off
  )" + waitVm(0) +
          "b: " + waitLgkm(0) + "c: s_endpgm\n");
  EXPECT_EQ(before("a"), "v1");
  EXPECT_EQ(waits("a", {AMDGPU::VGPR1}), "vm:0 lgkm:0");
  EXPECT_EQ(before("b"), "v1") << "it may have come from LDS";
  EXPECT_EQ(before("c"), "none");
}

TEST_P(LoadsInFlightTest, StoresCountWhereTheyShareTheCounter) {
  analyse(R"(
    global_load_dword v1, v[8:9], off
    global_store_dword v[8:9], v2, off
    a: s_nop 0
  )" + waitVm(1) +
          "b: s_endpgm\n");
  EXPECT_EQ(before("a"), "v1");
  EXPECT_EQ(before("b"), GetParam().isGfx9() ? "none" : "v1");
}

TEST_P(LoadsInFlightTest, AtomicsWithoutResultWriteNoRegister) {
  analyse(R"(
    global_atomic_add v[8:9], v2, off
    a: s_endpgm
  )");
  EXPECT_EQ(before("a"), "none");
}

TEST_P(LoadsInFlightTest, JoinsTakeTheLaterOfBothWays) {
  analyse(R"(
    global_load_dword v1, v[8:9], off
    s_cbranch_scc1 join
    global_load_dword v2, v[8:9], off
    global_load_dword v3, v[8:9], off
  join:
    s_nop 0
    a: s_nop 0
  )" + waitVm(2) +
          "b: s_endpgm\n");
  EXPECT_EQ(before("a"), "v1-v3");
  EXPECT_EQ(waits("a", {AMDGPU::VGPR1}), "vm:0");
  EXPECT_EQ(before("b"), "v1-v3");
}

TEST_P(LoadsInFlightTest, LoopsCarryLoadsAround) {
  analyse(R"(
  loop:
    a: s_nop 0
    global_load_dword v1, v[8:9], off
    s_cbranch_scc1 loop
  )" + waitVm(0) +
          "b: s_endpgm\n");
  EXPECT_EQ(before("a"), "v1");
  EXPECT_EQ(before("b"), "none");
}

TEST_P(LoadsInFlightTest, AnythingMayBeInFlightAfterUnknownCode) {
  analyse("s_swappc_b64 s[30:31], s[4:5]\na: s_nop 0\ns_endpgm\n");
  EXPECT_TRUE(Registers.at(InsertionPoint::before(Kernel.at("a"))).vgpr(77));
}

TEST_P(LoadsInFlightTest, LongBlocksMayBeAskedForInAnyOrder) {
  std::string Block;
  for (unsigned I = 0; I < 200; ++I)
    Block += "global_load_dword v" + std::to_string(10 + I) +
             ", v[8:9], off\n" + (I % 50 == 7 ? waitVm(3) : "");
  analyse(Block + "s_endpgm\n");
}

/// Before gfx12, one s_waitcnt holds several counts.
class CombinedWaits : public LoadsInFlightTest {};
INSTANTIATE_TEST_SUITE_P(Targets, CombinedWaits,
                         ::testing::ValuesIn(allTargets().begin(),
                                             allTargets().end() - 2),
                         [](const auto &Info) { return nameOf(Info.param); });

TEST_P(CombinedWaits, WaitsAreEncodedAsTheAssemblerDoes) {
  analyse("a: s_waitcnt vmcnt(41)\nb: s_waitcnt vmcnt(3) lgkmcnt(7)\n"
          "c: s_waitcnt expcnt(2)\nd: s_waitcnt vmcnt(62)\ns_endpgm\n");
  auto encode = [&](std::optional<unsigned> Vm, std::optional<unsigned> Lgkm,
                    std::optional<unsigned> Exp) {
    WaitCounts Counts;
    Counts[unsigned(WaitCounter::Vm)] = Vm;
    Counts[unsigned(WaitCounter::Lgkm)] = Lgkm;
    Counts[unsigned(WaitCounter::Exp)] = Exp;
    return encodeWaits(Counts, Loads.traits());
  };
  auto at = [&](StringRef Label) {
    return Kernel.at(Label).getOperand(0).getImm();
  };
  EXPECT_EQ(encode(41, {}, {}), at("a"));
  EXPECT_EQ(encode(3, 7, {}), at("b"));
  EXPECT_EQ(encode({}, {}, 2), at("c"));
  // 63 would mean no wait.
  EXPECT_EQ(encode(63, {}, {}), at("d"));
}

INSTANTIATE_TEST_SUITE_P(Targets, LoadsInFlightTest,
                         ::testing::ValuesIn(allTargets()),
                         [](const auto &Info) { return nameOf(Info.param); });

} // namespace
