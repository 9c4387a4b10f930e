// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hooks name registers of the application: what readReg yields is what the
// application's instructions see, and what writeReg puts there is, too.
#include "EngineTest.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "llvm/CodeGen/MachineFunction.h"

using namespace llvm;

namespace luthier::test {
namespace {

/// Counters[64 * slot + lane] = value, and changes of registers in place.
const char *const SomeHooks = R"(
declare i32 @"luthier::readReg.i32.i32"(i32) #2
declare i64 @"luthier::readReg.i64.i32"(i32) #2
declare void @"luthier::writeReg.i32.i32"(i32, i32) #3
declare void @"luthier::writeReg.i32.i64"(i32, i64) #3
define void @store(i64 %value, i32 %slot) #0 {
  %lo = call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 0)
  %lane = call i32 @llvm.amdgcn.mbcnt.hi(i32 -1, i32 %lo)
  %row = mul i32 %slot, 64
  %at = add i32 %row, %lane
  %p = getelementptr i64, ptr addrspace(1) @Counters, i32 %at
  store i64 %value, ptr addrspace(1) %p
  ret void
}
define void @read32(i32 %reg, i32 %slot) #0 {
  %x = call i32 @"luthier::readReg.i32.i32"(i32 %reg)
  %value = zext i32 %x to i64
  call void @store(i64 %value, i32 %slot)
  ret void
}
define void @read64(i32 %reg, i32 %slot) #0 {
  %value = call i64 @"luthier::readReg.i64.i32"(i32 %reg)
  call void @store(i64 %value, i32 %slot)
  ret void
}
define void @flip32(i32 %reg, i32 %bits) #0 {
  %x = call i32 @"luthier::readReg.i32.i32"(i32 %reg)
  %y = xor i32 %x, %bits
  call void @"luthier::writeReg.i32.i32"(i32 %reg, i32 %y)
  ret void
}
define void @flip64(i32 %reg, i64 %bits) #0 {
  %x = call i64 @"luthier::readReg.i64.i32"(i32 %reg)
  %y = xor i64 %x, %bits
  call void @"luthier::writeReg.i32.i64"(i32 %reg, i64 %y)
  ret void
})";

class NamedRegisters : public EngineTest {
protected:
  NamedRegisters() {
    setHooks(SomeHooks);
    Options.Seeds = {0};
    K.VGPRs = 64;
    K.SGPRs = 96;
    K.AGPRs = hasAGPRs() ? 8 : 0;
    Launch = {{target().WaveSize, 1, 1}, {target().WaveSize, 1, 1}};
    Launch.Arguments.words(256);
  }

  std::string processor() const { return target().Processor; }
  bool isWave64() const { return target().WaveSize == 64; }
  bool hasAGPRs() const {
    return !target().isRdna() && processor() != "gfx906";
  }

  /// The place of all hooks.
  static MachineInstr &sleep(LiftedRepresentation &LR) {
    for (MachineBasicBlock &MBB : LR.kernel())
      for (MachineInstr &MI : MBB)
        if (MI.getOpcode() == AMDGPU::S_SLEEP)
          return MI;
    ADD_FAILURE() << "no s_sleep";
    return LR.kernel().front().front();
  }

  AssemblyKernel K;
  KernelLaunch Launch;
};

/// Three hooks at one place, which the application therefore does not notice:
/// one that flips bits, one that is given the register, one that flips them
/// back.
TEST_P(NamedRegisters, WhatIsWrittenIsThereForWhateverFollows) {
  K.Body = R"(
    v_and_b32_e32 v0, 0x3ff, v0
    v_mul_u32_u24_e32 v6, 3, v0
    vadd v7, 0x10000, v0
    s_mov_b32 s8, 0x12345678
    s_mov_b32 s9, 0x9abcdef0
    s_mov_b32 m0, 0x4321
    s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 8), 0xf0
    s_mov_b32 vcc_lo, 0x55aa1234
    s_mov_b32 vcc_hi, 0x1177
)";
  if (hasAGPRs())
    K.Body += "v_accvgpr_write_b32 a2, v7\ns_nop 7\n";
  K.Body += R"(
    s_cmp_eq_u32 s8, s8
    s_sleep 1
    s_cselect_b32 s12, 1, 2
    s_mov_b32 s13, vcc_lo
    s_mov_b32 s13, vcc_hi
    s_mov_b32 s14, m0
    s_mov_b64 s[14:15], s[8:9]
    v_mov_b32_e32 v1, v6
    v_mov_b32_e32 v1, v7
)";
  if (hasAGPRs())
    K.Body += "v_accvgpr_read_b32 v1, a2\n";
  K.Body += "s_endpgm\n";

  struct Case {
    unsigned Named, Given;
    uint64_t Flipped;
    std::function<uint64_t(unsigned Lane)> Value;
    bool Is64 = false;
    unsigned GivenShift = 0; ///< Of Flipped, in the register given.
  };
  auto always = [](uint64_t Value) {
    return [=](unsigned) -> uint64_t { return Value; };
  };
  auto plus = [](unsigned Lane) -> uint64_t { return 0x10000 + Lane; };
  const uint64_t All = isWave64() ? ~uint64_t(0) : 0xffffffffu;
  std::vector<Case> Cases = {
      {AMDGPU::SGPR8, AMDGPU::SGPR8, 0x101, always(0x12345678)},
      {AMDGPU::SGPR8_SGPR9, AMDGPU::SGPR8_SGPR9, 0x1000000000000001,
       always(0x9abcdef012345678), true},
      {AMDGPU::SGPR8_LO16, AMDGPU::SGPR8, 0x8001, always(0x12345678)},
      {AMDGPU::SGPR8_HI16, AMDGPU::SGPR8, 0x8001, always(0x12345678), false,
       16},
      {AMDGPU::VGPR6, AMDGPU::VGPR6, 0x80000000,
       [](unsigned Lane) -> uint64_t { return 3 * Lane; }},
      {AMDGPU::VGPR7_LO16, AMDGPU::VGPR7, 0xf00f, plus},
      {AMDGPU::VGPR7_HI16, AMDGPU::VGPR7, 0xf00f, plus, false, 16},
      {AMDGPU::SCC, AMDGPU::SCC, 1, always(1)},
      {AMDGPU::M0, AMDGPU::M0, 0x1111, always(0x4321)},
      {AMDGPU::MODE, AMDGPU::MODE, 0x35, {}},
      {AMDGPU::VCC_LO, AMDGPU::VCC_LO, 0xff, always(0x55aa1234)},
      {AMDGPU::VCC_HI, AMDGPU::VCC_HI, 0xff, always(0x1177)},
      {AMDGPU::EXEC_LO, AMDGPU::EXEC_LO, 0xff00, always(0xffffffff)},
  };
  if (isWave64()) {
    Cases.push_back(
        {AMDGPU::VCC, AMDGPU::VCC, 0x300000003, always(0x117755aa1234), true});
    Cases.push_back(
        {AMDGPU::EXEC_HI, AMDGPU::EXEC_HI, 0xff, always(0xffffffff)});
    Cases.push_back(
        {AMDGPU::EXEC, AMDGPU::EXEC, 0x700000001, always(All), true});
  }
  if (hasAGPRs()) {
    Cases.push_back({AMDGPU::AGPR2, AMDGPU::AGPR2, 0x700, plus});
    Cases.push_back(
        {AMDGPU::AGPR2_HI16, AMDGPU::AGPR2, 0xf00f, plus, false, 16});
  }
  Judgement J = expectUnchanged(
      fromAssembly(K), Launch,
      [&](LiftedRepresentation &LR, InstrumentationTask &Task) {
        MachineInstr &MI = sleep(LR);
        unsigned Slot = 0;
        for (const Case &C : Cases) {
          auto flip = [&] {
            if (C.Is64)
              Task.insertHookBefore(MI, hook("flip64"), {C.Named, C.Flipped});
            else
              Task.insertHookBefore(MI, hook("flip32"),
                                    {C.Named, uint32_t(C.Flipped)});
          };
          flip();
          Task.insertHookBefore(MI, hook("store"),
                                {MCRegister(C.Given), Slot++});
          flip();
          Task.insertHookBefore(MI, hook("store"),
                                {MCRegister(C.Given), Slot++});
        }
      });
  if (!J.Problem.empty())
    return;
  const std::vector<uint64_t> Seen = J.counters();
  for (unsigned I = 0; I < Cases.size(); ++I) {
    const Case &C = Cases[I];
    SCOPED_TRACE(C.Named);
    const uint64_t *Between = &Seen[128 * I], *After = Between + 64;
    uint64_t Active = All;
    if (C.Named == AMDGPU::EXEC || C.Named == AMDGPU::EXEC_LO)
      Active ^= C.Flipped;
    else if (C.Named == AMDGPU::EXEC_HI)
      Active ^= C.Flipped << 32;
    for (unsigned Lane = 0; Lane < target().WaveSize; ++Lane) {
      const uint64_t Value = C.Value ? C.Value(Lane) : After[Lane];
      ASSERT_EQ(After[Lane], Value) << "after, lane " << Lane;
      ASSERT_EQ(Between[Lane],
                Active >> Lane & 1 ? Value ^ C.Flipped << C.GivenShift : 0)
          << "lane " << Lane;
    }
    if (C.Named == AMDGPU::MODE)
      EXPECT_EQ(After[0] & 0xff, 0xf0u);
  }
}

TEST_P(NamedRegisters, AreReadAsTheApplicationReadsThem) {
  struct Case {
    unsigned Named;
    std::string Low, High = ""; ///< Of the application's, into s# and s#+1.
  };
  std::vector<Case> Cases = {
      {AMDGPU::SRC_SHARED_BASE, "s_mov_b64 #, src_shared_base", "-"},
      {AMDGPU::SRC_SHARED_LIMIT, "s_mov_b64 #, src_shared_limit", "-"},
      {AMDGPU::SRC_PRIVATE_BASE, "s_mov_b64 #, src_private_base", "-"},
      {AMDGPU::MODE, "s_getreg_b32 #, hwreg(HW_REG_MODE)"},
      {AMDGPU::VCC_HI, "s_mov_b32 #, vcc_hi"},
      {AMDGPU::EXEC_HI, "s_mov_b32 #, exec_hi"},
  };
  std::string Setup = "s_mov_b32 vcc_hi, 0x1177\n";
  const std::string P = processor();
  // There it has the workgroup's number; only the last one goes on.
  if (P == "gfx1201") {
    Setup += "s_cmp_lg_u32 ttmp9, 2\ns_cbranch_scc1 .Lexit\n";
    Cases.push_back({AMDGPU::TTMP9, "s_mov_b32 #, ttmp9"});
  }
  // Elsewhere the launch gives it a value, which differs with the stack's size.
  if (P == "gfx1030") {
    Setup += "s_setreg_imm32_b32 hwreg(HW_REG_FLAT_SCR_LO), 0x1230\n"
             "s_setreg_imm32_b32 hwreg(HW_REG_FLAT_SCR_HI), 0x45\n";
    const std::string Low = "s_getreg_b32 #, hwreg(HW_REG_FLAT_SCR_LO)",
                      High = "s_getreg_b32 #, hwreg(HW_REG_FLAT_SCR_HI)";
    Cases.push_back({AMDGPU::FLAT_SCR, Low, High});
    Cases.push_back({AMDGPU::FLAT_SCR_LO, Low});
    Cases.push_back({AMDGPU::FLAT_SCR_HI, High});
  } else if (P == "gfx906" || P == "gfx908" || P == "gfx90a") {
    Setup += "s_mov_b32 flat_scratch_lo, 0x1230\n"
             "s_mov_b32 flat_scratch_hi, 0x45\n";
    Cases.push_back({AMDGPU::FLAT_SCR, "s_mov_b64 #, flat_scratch", "-"});
    Cases.push_back({AMDGPU::FLAT_SCR_LO, "s_mov_b32 #, flat_scratch_lo"});
    Cases.push_back({AMDGPU::FLAT_SCR_HI, "s_mov_b32 #, flat_scratch_hi"});
  }
  K.Body = "s_load_dwordx2 s[4:5], s[0:1], 0x0\nwait_all\n" + Setup +
           "s_nop 1\ns_sleep 1\n";
  auto line = [](StringRef Read, unsigned Sgpr) {
    const bool IsPair = Read.starts_with("s_mov_b64");
    auto [Before, After] = Read.split('#');
    const std::string Number = std::to_string(Sgpr);
    return (Before +
            (IsPair ? "s[" + Number + ":" + std::to_string(Sgpr + 1) + "]"
                    : "s" + Number) +
            After + "\n")
        .str();
  };
  std::string Stores;
  for (unsigned I = 0; I < Cases.size(); ++I) {
    const unsigned Low = 8 + 2 * I;
    K.Body += line(Cases[I].Low, Low);
    if (Cases[I].High != "-")
      K.Body += line(Cases[I].High.empty() ? "s_mov_b32 #, 0" : Cases[I].High,
                     Low + 1);
    Stores += "v_mov_b32_e32 v2, s" + std::to_string(Low) +
              "\nv_mov_b32_e32 v3, s" + std::to_string(Low + 1) +
              "\nv_mov_b32_e32 v1, " + std::to_string(8 * I) +
              "\nglobal_store_dwordx2 v1, v[2:3], s[4:5]\nwait_all\n";
  }
  K.Body += Stores + ".Lexit:\ns_endpgm\n";
  Launch.Grid[0] = 3 * target().WaveSize;
  Judgement J = expectUnchanged(
      fromAssembly(K), Launch,
      [&](LiftedRepresentation &LR, InstrumentationTask &Task) {
        for (unsigned Slot = 0; Slot < Cases.size(); ++Slot)
          Task.insertHookBefore(
              sleep(LR), hook(Cases[Slot].High.empty() ? "read32" : "read64"),
              {Cases[Slot].Named, Slot});
      });
  if (!J.Problem.empty())
    return;
  const std::vector<uint64_t> Seen = J.counters();
  for (unsigned I = 0; I < Cases.size(); ++I) {
    const uint64_t Own = J.Buffers[0][2 * I] | uint64_t(J.Buffers[0][2 * I + 1])
                                                   << 32;
    EXPECT_EQ(Seen[64 * I], Own) << "case " << I;
  }
}

TEST_P(NamedRegisters, FlatScratchIsReadWhereTheTargetHasIt) {
  K.Body = "s_sleep 1\ns_endpgm\n";
  K.Scratch = 256; // Which gives it a value.
  auto insert = [](HookArgument Argument) -> Mutator {
    return [=](LiftedRepresentation &LR, InstrumentationTask &Task) {
      Task.insertHookBefore(sleep(LR), hook("read64"),
                            {uint32_t(AMDGPU::FLAT_SCR), 0u});
      Task.insertHookBefore(sleep(LR), hook("store"), {Argument, 1u});
    };
  };
  const MCRegister Reg(AMDGPU::FLAT_SCR);
  if (processor() == "gfx1201") {
    expectRefused(
        fromAssembly(K), Launch,
        [=](LiftedRepresentation &LR, InstrumentationTask &Task) {
          Task.insertHookBefore(sleep(LR), hook("store"), {Reg, 1u});
        },
        RefusalReason::HookArguments);
    expectRefused(fromAssembly(K), Launch, insert(1ull),
                  RefusalReason::UnsupportedHook);
    return;
  }
  Judgement J = expectUnchanged(fromAssembly(K), Launch, insert(Reg));
  if (!J.Problem.empty())
    return;
  const std::vector<uint64_t> Seen = J.counters();
  for (unsigned Lane = 0; Lane < target().WaveSize; ++Lane)
    EXPECT_EQ(Seen[Lane], Seen[64 + Lane]);
  // What no launch sets, only the kernel's own code would.
  if (processor() == "gfx942" || processor() == "gfx950" ||
      processor() == "gfx1100")
    EXPECT_NE(Seen[0], 0u);
}

TEST_P(NamedRegisters, WhatOthersRelyOnCannotBeWritten) {
  K.Body = "s_sleep 1\ns_endpgm\n";
  auto expectRefusedFor = [&](unsigned Reg, const char *Hook) {
    SCOPED_TRACE(Reg);
    expectRefused(
        fromAssembly(K), Launch,
        [&](LiftedRepresentation &LR, InstrumentationTask &Task) {
          Task.insertHookBefore(sleep(LR), hook(Hook), {Reg, 1u});
        },
        RefusalReason::UnsupportedHook);
  };
  for (unsigned Reg : {AMDGPU::FLAT_SCR_LO, AMDGPU::FLAT_SCR_HI, AMDGPU::TTMP9})
    expectRefusedFor(Reg, "flip32");
  if (!isWave64())
    expectRefusedFor(AMDGPU::EXEC_HI, "flip32");
  // No processor has it without XNACK, and the last one is no register.
  expectRefusedFor(AMDGPU::XNACK_MASK_LO, "read32");
  expectRefusedFor(AMDGPU::LDS_DIRECT, "read32");
}

INSTANTIATE_TEST_SUITE_P(Targets, NamedRegisters,
                         ::testing::ValuesIn(allTargets()), targetName);

} // namespace
} // namespace luthier::test
