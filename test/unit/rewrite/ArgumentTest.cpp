// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What hooks are given is what the application's instruction would see.
#include "AddressCases.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "lift/Lifter.h"
#include "luthier/Mnemonic.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"

using namespace llvm;

namespace luthier::test {
namespace {

/// Counters[64 * slot + lane] = value.
const char *const Store = R"(
define void @store(i64 %value, i32 %slot) #0 {
  %lo = call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 0)
  %lane = call i32 @llvm.amdgcn.mbcnt.hi(i32 -1, i32 %lo)
  %row = mul i32 %slot, 64
  %at = add i32 %row, %lane
  %p = getelementptr i64, ptr addrspace(1) @Counters, i32 %at
  store i64 %value, ptr addrspace(1) %p
  ret void
})";

class ArgumentTest : public EngineTest {
protected:
  ArgumentTest() {
    setHooks(Store);
    Options.Seeds = {0};
    K.VGPRs = 64;
    K.SGPRs = 96;
    K.AGPRs = hasAGPRs() ? 8 : 0;
    Launch = {{target().WaveSize, 1, 1}, {target().WaveSize, 1, 1}};
    Launch.Arguments.words(256);
  }

  bool hasAGPRs() const {
    return !target().isRdna() && std::string(target().Processor) != "gfx906";
  }

  /// An argument at the \p Count-th instruction whose opcode's name begins so,
  /// and what it has to be in each lane.
  struct Expectation {
    HookArgument Argument;
    std::function<uint64_t(unsigned Lane)> Value;
    std::string At = "S_SLEEP";
    unsigned Count = 0;
    bool IsAfter = false;
  };
  static std::function<uint64_t(unsigned)> always(uint64_t Value) {
    return [=](unsigned) { return Value; };
  }

  static MachineInstr &find(LiftedRepresentation &LR, StringRef Name,
                            unsigned Count) {
    const TargetInstrInfo &TII = *LR.kernel().getSubtarget().getInstrInfo();
    for (MachineBasicBlock &MBB : LR.kernel())
      for (MachineInstr &MI : MBB)
        if (TII.getName(MI.getOpcode()).starts_with(Name) && Count-- == 0)
          return MI;
    ADD_FAILURE() << "no " << Name.str();
    return LR.kernel().front().front();
  }

  /// Runs a kernel of \p Body, whose s[4:5] is the address of its buffer.
  Judgement expect(const std::string &Body,
                   const std::vector<Expectation> &Expected) {
    K.Body = "s_load_dwordx2 s[4:5], s[0:1], 0x0\n"
             "v_and_b32_e32 v0, 0x3ff, v0\nwait_all\n" +
             Body;
    Judgement J = expectUnchanged(
        fromAssembly(K), Launch,
        [&](LiftedRepresentation &LR, InstrumentationTask &Task) {
          for (unsigned Slot = 0; Slot < Expected.size(); ++Slot) {
            const Expectation &E = Expected[Slot];
            MachineInstr &MI = find(LR, E.At, E.Count);
            if (E.IsAfter)
              Task.insertHookAfter(MI, hook("store"), {E.Argument, Slot});
            else
              Task.insertHookBefore(MI, hook("store"), {E.Argument, Slot});
          }
        });
    if (!J.Problem.empty())
      return J;
    const std::vector<uint64_t> Seen = J.counters();
    for (unsigned Slot = 0; Slot < Expected.size(); ++Slot)
      for (unsigned Lane = 0; Lane < target().WaveSize; ++Lane)
        if (Seen[64 * Slot + Lane] != Expected[Slot].Value(Lane)) {
          ADD_FAILURE() << "argument " << Slot << ", lane " << Lane << ": 0x"
                        << std::hex << Seen[64 * Slot + Lane]
                        << " instead of 0x" << Expected[Slot].Value(Lane);
          break;
        }
    return J;
  }
  void refused(const std::string &Body, const Expectation &E,
               RefusalReason Reason = RefusalReason::HookArguments) {
    K.Body = Body;
    expectRefused(
        fromAssembly(K), Launch,
        [&](LiftedRepresentation &LR, InstrumentationTask &Task) {
          MachineInstr &MI = find(LR, E.At, E.Count);
          if (E.IsAfter)
            Task.insertHookAfter(MI, hook("store"), {E.Argument, 0});
          else
            Task.insertHookBefore(MI, hook("store"), {E.Argument, 0});
        },
        Reason);
  }

  Judgement expectRegisters();

  AssemblyKernel K;
  KernelLaunch Launch;
};

Judgement ArgumentTest::expectRegisters() {
  std::string Body = R"(
    v_mov_b32_e32 v63, v0
    s_mov_b32 s95, 1
    v_mul_u32_u24_e32 v6, 3, v0
    vadd v7, 100, v0
    s_mov_b32 s8, 0x12345678
    s_mov_b32 s9, 0x9abcdef0
    s_mov_b32 s10, 77
    s_mov_b32 s11, 78
    s_mov_b32 m0, 0x4321
)";
  if (hasAGPRs())
    Body += "v_accvgpr_write_b32 a2, v6\nv_accvgpr_write_b32 a3, v7\ns_nop 7\n";
  if (target().WaveSize == 32)
    Body += "s_mov_b32 vcc_lo, 0x55aa1234\ns_mov_b32 vcc_hi, 0x77\n";
  else
    Body += "s_mov_b32 vcc_lo, 0x55aa1234\ns_mov_b32 vcc_hi, 0x1177\n";
  Body += "s_cmp_eq_u32 s10, 77\ns_sleep 1\ns_cselect_b32 s12, 1, 2\n"
          "s_mov_b64 s[14:15], vcc\ns_mov_b32 s16, m0\nv_mov_b32_e32 v1, v6\n"
          "v_mov_b32_e32 v1, v7\ns_mov_b64 s[14:15], s[8:9]\ns_endpgm\n";
  auto tripled = [](uint64_t Lane) { return 3 * Lane; };
  auto plus = [](uint64_t Lane) { return Lane + 100; };
  auto both = [=](uint64_t Lane) { return tripled(Lane) | plus(Lane) << 32; };
  const uint64_t All = target().WaveSize == 64 ? ~uint64_t(0) : 0xffffffffu;
  const uint64_t Vcc =
      (target().WaveSize == 64 ? uint64_t(0x1177) : uint64_t(0x77)) << 32 |
      0x55aa1234;
  std::vector<Expectation> Expected = {
      {MCRegister(AMDGPU::VGPR6), tripled},
      {MCRegister(AMDGPU::VGPR6_VGPR7), both},
      {MCRegister(AMDGPU::SGPR8), always(0x12345678)},
      {MCRegister(AMDGPU::SGPR8_SGPR9), always(0x9abcdef012345678)},
      {HookArgument::part(AMDGPU::SGPR8_SGPR9_SGPR10_SGPR11, 2, 2),
       always(77 | uint64_t(78) << 32)},
      {HookArgument::part(AMDGPU::SGPR8_SGPR9_SGPR10_SGPR11, 1, 2),
       always(0x9abcdef0 | uint64_t(77) << 32)},
      {HookArgument::part(AMDGPU::SGPR8_SGPR9_SGPR10_SGPR11, 3, 1), always(78)},
      {HookArgument::part(AMDGPU::VGPR5_VGPR6_VGPR7, 1, 2), both},
      {MCRegister(AMDGPU::SCC), always(1)},
      {MCRegister(AMDGPU::M0), always(0x4321)},
      {MCRegister(AMDGPU::VCC), always(Vcc & All)},
      {MCRegister(AMDGPU::VCC_LO), always(0x55aa1234)},
      {MCRegister(AMDGPU::VCC_HI), always(Vcc >> 32)},
      {MCRegister(AMDGPU::EXEC_LO), always(0xffffffff)},
      {HookArgument::activeLanes(), always(All)},
      {MCRegister(AMDGPU::SRC_SCC), always(1)},
      {MCRegister(AMDGPU::VGPR7_LO16), plus},
      {MCRegister(AMDGPU::SGPR8_LO16), always(0x5678)},
      {MCRegister(AMDGPU::SGPR8_HI16), always(0x1234)},
  };
  // The workgroup's number, where it is not in an SGPR.
  if (std::string(target().Processor) == "gfx1201")
    Expected.push_back({MCRegister(AMDGPU::TTMP9), always(0)});
  if (hasAGPRs()) {
    Expected.push_back({MCRegister(AMDGPU::AGPR2), tripled});
    Expected.push_back({MCRegister(AMDGPU::AGPR2_AGPR3), both});
  }
  return expect(Body, Expected);
}

TEST_P(ArgumentTest, Registers) { expectRegisters(); }

/// Hooks borrow registers of the application, among them those they are given.
TEST_P(ArgumentTest, BorrowedRegisters) {
  K.VGPRs = 64;
  K.SGPRs = 96;
  K.AGPRs = hasAGPRs() ? 4 : 0;
  Options.Engine.Policy = RegisterPolicy::NoGrow;
  const InstrumentationReport Report = expectRegisters().Instrumented.Report;
  EXPECT_EQ(Report.VGPRsAfter, Report.VGPRsBefore);
}

/// The application has no use for any of these any more, and no hook before the
/// one that is given it may take it for free.
TEST_P(ArgumentTest, ValuesThatOnlyLaterHooksRead) {
  K.VGPRs = 24;
  K.SGPRs = 80;
  K.AGPRs = 0;
  std::string Body;
  std::vector<Expectation> Expected = {
      {MCRegister(AMDGPU::SGPR12), always(1012)}};
  auto after = [&](MCRegister Reg, std::function<uint64_t(unsigned)> Value) {
    Expected.push_back({Reg, Value, "S_SLEEP", 1});
  };
  for (unsigned N = 12; N != 76; ++N) {
    Body += "s_mov_b32 s" + std::to_string(N) + ", " +
            std::to_string(1000 + N) + "\n";
    if (N % 2)
      after(AMDGPU::SGPR0 + N, always(1000 + N));
  }
  for (unsigned N = 2; N != 23; ++N) {
    Body += "v_mul_u32_u24_e32 v" + std::to_string(N) + ", " +
            std::to_string(N) + ", v0\n";
    after(AMDGPU::VGPR0 + N, [=](unsigned Lane) { return N * Lane; });
  }
  after(AMDGPU::SCC, always(1));
  after(AMDGPU::VCC_LO, always(0x1234));
  after(AMDGPU::M0, always(0x77));
  Body += "s_mov_b32 vcc_lo, 0x1234\ns_mov_b32 m0, 0x77\n"
          "s_cmp_eq_u32 s12, 1012\ns_sleep 1\ns_sleep 2\ns_endpgm\n";
  for (auto Policy : {RegisterPolicy::Grow, RegisterPolicy::NoGrow}) {
    SCOPED_TRACE(Policy == RegisterPolicy::Grow ? "grow" : "no-grow");
    Options.Engine.Policy = Policy;
    expect(Body, Expected);
  }
}

TEST_P(ArgumentTest, SpecialRegisters) {
  // The application reads the same registers, and stores what it finds.
  std::string Body = R"(
    s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 8), 0x35
    s_sleep 1
    s_nop 1
    s_getreg_b32 s8, hwreg(HW_REG_MODE)
    s_mov_b64 s[10:11], src_shared_base
    s_mov_b64 s[12:13], src_private_base
)";
  // Elsewhere the launch gives it a value, which differs with the stack's size.
  const std::string P = target().Processor;
  const bool HasFlatScratch =
      P == "gfx906" || P == "gfx908" || P == "gfx90a" || P == "gfx1030";
  if (P == "gfx1030")
    Body = "s_setreg_imm32_b32 hwreg(HW_REG_FLAT_SCR_LO), 0x1230\n"
           "s_setreg_imm32_b32 hwreg(HW_REG_FLAT_SCR_HI), 0x45\n" +
           Body +
           "s_getreg_b32 s14, hwreg(HW_REG_FLAT_SCR_LO)\n"
           "s_getreg_b32 s15, hwreg(HW_REG_FLAT_SCR_HI)\n";
  else if (HasFlatScratch)
    Body = "s_mov_b32 flat_scratch_lo, 0x1230\n"
           "s_mov_b32 flat_scratch_hi, 0x45\n" +
           Body + "s_mov_b64 s[14:15], flat_scratch\n";
  for (unsigned I = 0; I < (HasFlatScratch ? 8 : 6); ++I)
    Body += "v_mov_b32_e32 v2, s" + std::to_string(8 + I) +
            "\nv_mov_b32_e32 v1, " + std::to_string(4 * I) +
            "\nglobal_store_dword v1, v2, s[4:5]\nwait_all\n";
  Body += "s_endpgm\n";
  std::vector<uint32_t> Own;
  auto own = [&](unsigned I) { return Own[I] | uint64_t(Own[I + 1]) << 32; };
  std::vector<HookArgument> Arguments = {MCRegister(AMDGPU::MODE),
                                         MCRegister(AMDGPU::SRC_SHARED_BASE),
                                         MCRegister(AMDGPU::SRC_PRIVATE_BASE)};
  if (HasFlatScratch)
    Arguments.push_back(MCRegister(AMDGPU::FLAT_SCR));
  K.Body = "s_load_dwordx2 s[4:5], s[0:1], 0x0\nwait_all\n" + Body;
  Judgement J = expectUnchanged(
      fromAssembly(K), Launch,
      [&](LiftedRepresentation &LR, InstrumentationTask &Task) {
        for (unsigned Slot = 0; Slot < Arguments.size(); ++Slot)
          Task.insertHookBefore(find(LR, "S_SLEEP", 0), hook("store"),
                                {Arguments[Slot], Slot});
      });
  if (!J.Problem.empty())
    return;
  Own = J.Buffers[0];
  const std::vector<uint64_t> Seen = J.counters();
  EXPECT_EQ(Seen[0], Own[0]) << "MODE";
  EXPECT_EQ(Seen[0] & 0xff, 0x35u) << "MODE";
  EXPECT_EQ(Seen[64], own(2)) << "shared base";
  EXPECT_EQ(Seen[128], own(4)) << "private base";
  if (HasFlatScratch)
    EXPECT_EQ(Seen[192], 0x4500001230u) << "flat scratch";
}

TEST_P(ArgumentTest, MasksAreAsWideAsTheWave) {
  K.Body = R"(
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    s_mov_b32 vcc_lo, 0x1234
    s_mov_b32 vcc_hi, 0x77
    wait_all
    s_sleep 1
    v_mov_b32_e32 v1, 0
    v_mov_b32_e32 v2, vcc_hi
    global_store_dword v1, v2, s[4:5]
    s_endpgm
)";
  Judgement J = expectUnchanged(
      fromAssembly(K), Launch,
      [&](LiftedRepresentation &LR, InstrumentationTask &Task) {
        MachineInstr &At = find(LR, "S_SLEEP", 0);
        Task.insertHookBefore(At, hook("store"), {MCRegister(AMDGPU::VCC), 0u});
        Task.insertHookBefore(At, hook("store"),
                              {MCRegister(AMDGPU::EXEC), 1u});
        Task.insertHookBefore(At, hook("store"),
                              {HookArgument::activeLanes(), 2u});
      });
  if (!J.Problem.empty())
    return;
  const bool Is64 = target().WaveSize == 64;
  const std::vector<uint64_t> Seen = J.counters();
  EXPECT_EQ(Seen[0], Is64 ? 0x7700001234u : 0x1234u);
  EXPECT_EQ(Seen[64], Seen[128]);
  EXPECT_EQ(Seen[64] >> 32 == 0, !Is64);
}

TEST_P(ArgumentTest, OperandValues) {
  expect(R"(
    v_mul_u32_u24_e32 v6, 5, v0
    s_mov_b32 s8, 42
    v_add_f32_e32 v7, 1.0, v6
    v_mul_f32_e32 v7, 0x3dcccccd, v7
    s_add_u32 s9, s8, 0x12345
    s_mov_b64 s[10:11], -7
    v_mov_b32_e32 v8, v6
    v_mov_b32_e32 v9, s8
    s_endpgm
)",
         {
             {HookArgument::operand(1), always(0x3f800000), "V_ADD_F32"},
             {HookArgument::operand(2), [](uint64_t L) { return 5 * L; },
              "V_ADD_F32"},
             {HookArgument::operand(1), always(0x3dcccccd), "V_MUL_F32"},
             {HookArgument::operand(1), always(42), "S_ADD_U32"},
             {HookArgument::operand(2), always(0x12345), "S_ADD_U32"},
             {HookArgument::operand(1), always(uint64_t(-7)), "S_MOV_B64"},
             {HookArgument::operand(1), [](uint64_t L) { return 5 * L; },
              "V_MOV_B32"},
             {HookArgument::operand(1), always(42), "V_MOV_B32", 1},
             {HookArgument::operand(0), always(42 + 0x12345), "S_ADD_U32", 0,
              true},
             {HookArgument::operand(1), always(42), "S_ADD_U32", 0, true},
         });
}

/// Constants are those the operation has, whatever its type.
TEST_P(ArgumentTest, OperandsOfOtherTypes) {
  const bool IsLater = std::string(target().Processor) >= "gfx1100" &&
                       target().isRdna() &&
                       std::string(target().Processor) != "gfx1030";
  std::vector<Expectation> Expected = {
      {HookArgument::operand(2), always(0x3ff0000000000000), "V_FMA_F64"},
      {HookArgument::operand(4),
       [](uint64_t L) { return 5 * L | (7 * L) << 32; }, "V_FMA_F64"},
      {HookArgument::operand(2), always(0x9abcdef012345678), "V_FMA_F64", 1},
      {HookArgument::operand(1), always(0x12345678), "S_AND_B64"},
      {HookArgument::operand(1), always(0x4321), "S_ADD_I32"},
      {HookArgument::operand(0), always(0x4321 + 99), "S_ADD_I32", 0, true},
      {HookArgument::operand(1),
       always(target().WaveSize == 64 ? ~uint64_t(0) : 0xffffffff),
       target().WaveSize == 64 ? "S_OR_B64" : "S_OR_B32"},
  };
  std::string Body = R"(
    v_mul_u32_u24_e32 v6, 5, v0
    v_mul_u32_u24_e32 v7, 7, v0
    s_mov_b32 s8, 0x12345678
    s_mov_b32 s9, 0x9abcdef0
    s_mov_b32 m0, 0x4321
    v_fma_f64 v[10:11], 1.0, v[6:7], v[6:7]
    v_fma_f64 v[10:11], s[8:9], v[6:7], v[6:7]
    s_and_b64 s[12:13], 0x12345678, s[8:9]
    s_add_i32 m0, m0, 99
)";
  Body += target().WaveSize == 64 ? "s_or_b64 s[12:13], exec, s[8:9]\n"
                                  : "s_or_b32 s12, exec_lo, s8\n";
  if (IsLater) {
    // Halves of registers.
    Body += "v_xor_b16 v12, v6, v7\n";
    Expected.push_back({HookArgument::operand(2),
                        [](uint64_t L) { return 5 * L; }, "V_XOR_B16"});
    Expected.push_back({HookArgument::operand(4),
                        [](uint64_t L) { return 7 * L; }, "V_XOR_B16"});
  }
  if (hasAGPRs()) {
    Body += "v_accvgpr_write_b32 a2, v7\ns_nop 7\n"
            "v_accvgpr_read_b32 v12, a2\n";
    Expected.push_back({HookArgument::operand(1),
                        [](uint64_t L) { return 7 * L; }, "V_ACCVGPR_READ"});
  }
  expect(Body + "s_endpgm\n", Expected);
}

/// Where there are such operations, and their base is not hidden.
class ScalarScratchArgumentTest : public ArgumentTest {};
INSTANTIATE_TEST_SUITE_P(
    Targets, ScalarScratchArgumentTest,
    ::testing::ValuesIn(targetsOf({"gfx906", "gfx908", "gfx90a"})), targetName);

/// Scratch as scalar instructions see it: an offset in a register counts blocks
/// of 64 bytes.
TEST_P(ScalarScratchArgumentTest, ScalarScratchAddresses) {
  const std::string P = target().Processor;
  K.Scratch = 256;
  K.Body = R"(
    s_add_u32 flat_scratch_lo, s2, s5
    s_addc_u32 flat_scratch_hi, s3, 0
    s_mov_b64 s[8:9], flat_scratch
    s_mov_b32 s12, 3
    s_mov_b32 s16, 0x1234567
    s_scratch_store_dword s16, s[8:9], s12
    s_scratch_load_dwordx2 s[18:19], s[8:9], 0xbc
    s_dcache_wb
    wait_all
    s_endpgm
)";
  if (P == "gfx90a")
    K.Body.erase(K.Body.find("s_scratch_store"), 40);
  const MCRegister Base = AMDGPU::SGPR8_SGPR9;
  const char *const Where[] = {"S_SCRATCH_LOAD", "S_SCRATCH_STORE"};
  const unsigned Count = P == "gfx90a" ? 1 : 2;
  Judgement J = expectUnchanged(
      fromAssembly(K), Launch,
      [&](LiftedRepresentation &LR, InstrumentationTask &Task) {
        for (unsigned I = 0; I < Count; ++I) {
          MachineInstr &MI = find(LR, Where[I], 0);
          Task.insertHookBefore(MI, hook("store"),
                                {HookArgument::address(), 2 * I});
          Task.insertHookBefore(MI, hook("store"), {Base, 2 * I + 1});
        }
      });
  if (!J.Problem.empty())
    return;
  const std::vector<uint64_t> Seen = J.counters();
  const uint64_t Offsets[] = {0xbc, 3 * 64};
  for (unsigned I = 0; I < Count; ++I) {
    EXPECT_NE(Seen[128 * I + 64], 0u);
    EXPECT_EQ(Seen[128 * I], Seen[128 * I + 64] + Offsets[I]) << Where[I];
  }
}

TEST_P(ArgumentTest, InstructionProperties) {
  // The kernel asks for its own position; blocks: entry, skipped, rest.
  K.Body = R"(
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    s_getpc_b64 s[8:9]
    s_sleep 1
    s_add_u32 s10, s8, 0x12345
    s_cmp_eq_u32 s8, s8
    s_cbranch_scc1 rest
    s_sleep 2
  rest:
    v_mov_b32_e32 v1, 0
    v_mov_b32_e32 v2, s8
    v_mov_b32_e32 v3, s9
    wait_all
    global_store_dwordx2 v1, v[2:3], s[4:5]
    s_endpgm
)";
  const std::vector<std::pair<const char *, HookArgument>> Asked = {
      {"S_SLEEP", HookArgument::pc()},
      {"S_ADD_U32", HookArgument::pc()},
      {"S_ADD_U32", HookArgument::size()},
      {"S_SLEEP", HookArgument::size()},
      {"GLOBAL_STORE_DWORDX2", HookArgument::size()},
      {"S_ADD_U32", HookArgument::opcode()},
      {"S_ADD_U32", HookArgument::mnemonic()},
      {"V_MOV_B32", HookArgument::mnemonic()},
      {"S_ADD_U32", HookArgument::block()},
      {"V_MOV_B32", HookArgument::block()},
  };
  Judgement J = expectUnchanged(
      fromAssembly(K), Launch,
      [&](LiftedRepresentation &LR, InstrumentationTask &Task) {
        for (unsigned Slot = 0; Slot < Asked.size(); ++Slot)
          Task.insertHookBefore(find(LR, Asked[Slot].first, 0), hook("store"),
                                {Asked[Slot].second, Slot});
      });
  if (!J.Problem.empty())
    return;
  const std::vector<uint64_t> Seen = J.counters();
  const uint64_t Own = J.Buffers[0][0] | uint64_t(J.Buffers[0][1]) << 32;
  auto seen = [&](unsigned Slot) { return Seen[64 * Slot]; };
  EXPECT_EQ(seen(0), Own);
  EXPECT_EQ(seen(1), Own + 4);
  EXPECT_EQ(seen(2), 8u) << "with its literal";
  EXPECT_EQ(seen(3), 4u);
  EXPECT_EQ(seen(4), std::string(target().Processor) == "gfx1201" ? 12u : 8u);
  EXPECT_EQ(seen(5), uint64_t(AMDGPU::S_ADD_U32));
  EXPECT_EQ(seen(6), mnemonicID(std::string(target().Processor) == "gfx1201"
                                    ? "s_add_co_u32"
                                    : "s_add_u32"));
  EXPECT_EQ(seen(7), mnemonicID("v_mov_b32"));
  EXPECT_EQ(seen(8), 0u);
  EXPECT_EQ(seen(9), 2u);
}

TEST_P(ArgumentTest, OffsetsDoNotMultiplyCompilations) {
  std::string Body = "v_lshlrev_b32_e32 v1, 2, v0\n";
  std::vector<Expectation> Expected;
  const unsigned Count = 12;
  for (unsigned I = 0; I < Count; ++I)
    Body += "global_load_dword v2, v1, s[4:5] offset:" + std::to_string(4 * I) +
            "\nwait_all\n";
  K.Body = "s_load_dwordx2 s[4:5], s[0:1], 0x0\n"
           "v_and_b32_e32 v0, 0x3ff, v0\nwait_all\n" +
           Body + "s_endpgm\n";
  Judgement J = expectUnchanged(
      fromAssembly(K), Launch,
      [&](LiftedRepresentation &LR, InstrumentationTask &Task) {
        for (unsigned I = 0; I < Count; ++I)
          Task.insertHookBefore(find(LR, "GLOBAL_LOAD_DWORD", I), hook("store"),
                                {HookArgument::address(), I});
      });
  if (!J.Problem.empty())
    return;
  EXPECT_EQ(J.Instrumented.Report.Payloads, 1u);
  const std::vector<uint64_t> Seen = J.counters();
  for (unsigned I = 0; I < Count; ++I)
    for (unsigned Lane = 0; Lane < target().WaveSize; ++Lane)
      EXPECT_EQ(Seen[64 * I + Lane], Seen[0] + 4 * (I + Lane));
}

TEST_P(ArgumentTest, WhatHasNoValueIsRefused) {
  const std::string Body = R"(
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    v_lshlrev_b32_e32 v1, 2, v0
    wait_all
    global_load_dword v1, v1, s[4:5]
    wait_all
    v_mov_b32_e32 v2, v2
    s_endpgm
)";
  refused(Body, {HookArgument::address(), {}, "GLOBAL_LOAD", 0, true});
  refused(Body, {HookArgument::address(1), {}, "GLOBAL_LOAD"});
  refused(Body, {HookArgument::address(), {}, "V_MOV_B32"});
  refused(Body, {HookArgument::operand(99), {}, "V_MOV_B32"});
  refused(Body, {HookArgument::operand(1), {}, "V_MOV_B32", 0, true});
  refused(Body, {MCRegister(AMDGPU::VGPR20), {}, "V_MOV_B32"});
  refused(Body, {MCRegister(AMDGPU::SGPR4_SGPR5_SGPR6_SGPR7), {}, "V_MOV_B32"});
  refused(Body,
          {HookArgument::part(AMDGPU::SGPR4_SGPR5, 1, 2), {}, "V_MOV_B32"});
  refused(Body, {MCRegister(AMDGPU::LDS_DIRECT), {}, "V_MOV_B32"});
  // No processor has it without XNACK.
  refused(Body, {MCRegister(AMDGPU::XNACK_MASK), {}, "V_MOV_B32"});
}

INSTANTIATE_TEST_SUITE_P(Targets, ArgumentTest,
                         ::testing::ValuesIn(instrumentedTargets()),
                         targetName);

} // namespace
} // namespace luthier::test
