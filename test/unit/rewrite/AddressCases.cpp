// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "AddressCases.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "llvm/CodeGen/MachineFunction.h"

using namespace llvm;

namespace luthier::test {

/// Counters[256 * case + 4 * lane]: address, what is there, size and kind,
/// active lanes.
static const char *const Peek = R"(
define void @peek(i64 %ea, i32 %size, i32 %kind, i64 %active, i32 %case) #0 {
  %lo = call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 0)
  %lane = call i32 @llvm.amdgcn.mbcnt.hi(i32 -1, i32 %lo)
  %row = mul i32 %case, 256
  %at = mul i32 %lane, 4
  %slot = add i32 %row, %at
  %p0 = getelementptr i64, ptr addrspace(1) @Counters, i32 %slot
  %p1 = getelementptr i64, ptr addrspace(1) %p0, i32 1
  %p2 = getelementptr i64, ptr addrspace(1) %p0, i32 2
  %p3 = getelementptr i64, ptr addrspace(1) %p0, i32 3
  store i64 %ea, ptr addrspace(1) %p0
  %s = zext i32 %size to i64
  %k = zext i32 %kind to i64
  %kh = shl i64 %k, 32
  %sk = or i64 %s, %kh
  store i64 %sk, ptr addrspace(1) %p2
  store i64 %active, ptr addrspace(1) %p3
  %p = inttoptr i64 %ea to ptr
  %is1 = icmp eq i32 %size, 1
  br i1 %is1, label %byte, label %more
byte:
  %b = load i8, ptr %p
  %bz = zext i8 %b to i64
  store i64 %bz, ptr addrspace(1) %p1
  ret void
more:
  %is2 = icmp eq i32 %size, 2
  br i1 %is2, label %short, label %word
short:
  %h = load i16, ptr %p
  %hz = zext i16 %h to i64
  store i64 %hz, ptr addrspace(1) %p1
  ret void
word:
  %w = load i32, ptr %p
  %wz = zext i32 %w to i64
  store i64 %wz, ptr addrspace(1) %p1
  ret void
})";

AddressTest::AddressTest() {
  setHooks(Peek);
  Options.Seeds = {0};
}

/// s_nop with this number stands before each instruction of interest.
static constexpr int64_t Marker = 3;

std::string AddressTest::kernelText(const std::vector<AddressCase> &Cases,
                                    uint64_t Exec) {
  const bool Is32 = target().WaveSize == 32;
  const std::string SetExec =
      Is32 ? "s_mov_b32 exec_lo, " + std::to_string(uint32_t(Exec)) + "\n"
           : "s_mov_b32 exec_lo, " + std::to_string(uint32_t(Exec)) +
                 "\ns_mov_b32 exec_hi, " + std::to_string(Exec >> 32) + "\n";
  const std::string AllLanes =
      Is32 ? "s_mov_b32 exec_lo, -1\n" : "s_mov_b64 exec, -1\n";
  std::string Text = R"(
    s_load_dwordx2 s[24:25], s[0:1], 0x8
    s_load_dwordx2 s[26:27], s[0:1], 0x0
    v_and_b32_e32 v0, 0x3ff, v0
    v_lshlrev_b32_e32 v9, 2, v0
    v_mul_u32_u24_e32 v1, 13, v0
    v_and_b32_e32 v1, 63, v1
    v_lshlrev_b32_e32 v1, 4, v1
    wait_all
)";
  if (Scratch && generation() == 10)
    Text += "s_add_u32 s2, s2, s5\ns_addc_u32 s3, s3, 0\n"
            "s_setreg_b32 hwreg(HW_REG_FLAT_SCR_LO), s2\n"
            "s_setreg_b32 hwreg(HW_REG_FLAT_SCR_HI), s3\n";
  else if (Scratch && isAnyOf({"gfx906", "gfx908", "gfx90a"}))
    Text += "s_add_u32 flat_scratch_lo, s2, s5\n"
            "s_addc_u32 flat_scratch_hi, s3, 0\n";
  Text += R"(
    s_mov_b64 s[4:5], s[26:27]
    v_mov_b32_e32 v3, s5
    vadd v2, s4, v1
    s_mov_b32 m0, -1
    s_mov_b32 s8, 0
    v_mov_b32_e32 v4, v9
  fill:
    global_load_dword v5, v4, s[4:5]
    wait_all
    ds_write_b32 v4, v5
    vadd v4, WAVE_BYTES, v4
    s_add_u32 s8, s8, 1
    s_cmp_lt_u32 s8, LDS_ROWS
    s_cbranch_scc1 fill
    wait_all
)";
  for (const AddressCase &C : Cases) {
    Text += R"(
    v_mov_b32_e32 v10, 0
    v_mul_u32_u24_e32 v12, 0x10203, v0
    v_xor_b32_e32 v13, 0x55555555, v12
    v_xor_b32_e32 v14, 0x33333333, v12
    v_xor_b32_e32 v15, 0xff00ff, v12
)";
    Text += C.Setup + "\n" + SetExec + "s_nop " + std::to_string(Marker) +
            "\n" + C.Instruction + "\nwait_all\n" + C.Post + "\n" + AllLanes;
    Text += "v_mov_b32_e32 v16, " + C.Value + "\n";
    Text += R"(
    global_store_dword v9, v16, s[24:25]
    s_add_u32 s24, s24, 0x100
    s_addc_u32 s25, s25, 0
    wait_all
)";
  }
  return Text + "s_endpgm\n";
}

void AddressTest::expectFound(const std::vector<AddressCase> &Cases,
                              uint64_t Exec) {
  ASSERT_LE(Cases.size(), 32u);
  if (target().WaveSize == 32)
    Exec = uint32_t(Exec);
  AssemblyKernel K;
  K.Body = ".set WAVE_BYTES, " + std::to_string(4 * target().WaveSize) +
           "\n.set LDS_ROWS, " + std::to_string(Lds / 4 / target().WaveSize) +
           "\n" + kernelText(Cases, Exec);
  K.Lds = Lds;
  K.Scratch = Scratch;
  K.VGPRs = 48;
  K.SGPRs = 64;
  K.MaxWorkgroup = 256;
  Object Kernel = fromAssembly(K);
  ASSERT_TRUE(Kernel);
  std::vector<uint32_t> Contents(DataWords);
  for (uint32_t I = 0; I < DataWords; ++I)
    Contents[I] = dataWord(I);
  KernelLaunch Launch{{target().WaveSize, 1, 1}, {target().WaveSize, 1, 1}};
  Launch.Arguments.buffer(Contents).words(64 * Cases.size());

  Judgement J = expectUnchanged(
      Kernel, Launch, [&](LiftedRepresentation &LR, InstrumentationTask &Task) {
        unsigned Number = 0;
        for (MachineBasicBlock &MBB : LR.kernel())
          for (MachineInstr &MI : MBB) {
            const MachineInstr *Before = MI.getPrevNode();
            if (!Before || Before->getOpcode() != AMDGPU::S_NOP ||
                Before->getOperand(0).getImm() != Marker)
              continue;
            const AddressCase &C = Cases[Number];
            const std::vector<HookArgument> Arguments = {
                HookArgument::address(C.Access),
                HookArgument::accessSize(C.Access),
                HookArgument::accessKind(C.Access), HookArgument::activeLanes(),
                Number++};
            if (C.IsStore)
              Task.insertHookAfter(MI, hook("peek"), Arguments);
            else
              Task.insertHookBefore(MI, hook("peek"), Arguments);
          }
        EXPECT_EQ(Number, Cases.size());
      });
  if (!J.Problem.empty())
    return;
  const std::vector<uint64_t> Seen = J.counters();
  ASSERT_EQ(J.Buffers.size(), 2u);
  for (unsigned Number = 0; Number < Cases.size(); ++Number) {
    const AddressCase &C = Cases[Number];
    const uint32_t Mask = C.Bytes >= 4 ? ~0u : (1u << (8 * C.Bytes)) - 1;
    for (unsigned Lane = 0; Lane < target().WaveSize; ++Lane) {
      SCOPED_TRACE(C.Setup + "; " + C.Instruction + ", lane " +
                   std::to_string(Lane));
      const uint64_t *Row = &Seen[256 * Number + 4 * Lane];
      const bool IsActive = Exec >> Lane & 1;
      ASSERT_EQ(Row[3], IsActive ? Exec : 0);
      if (!IsActive)
        continue;
      ASSERT_EQ(uint32_t(Row[2]), C.Bytes);
      ASSERT_EQ(Row[2] >> 32, accessKind(C.Space, C.Flags));
      ASSERT_EQ(Row[1] & Mask, J.Buffers[1][64 * Number + Lane] & Mask)
          << std::hex << "at 0x" << Row[0];
    }
  }
}

} // namespace luthier::test
