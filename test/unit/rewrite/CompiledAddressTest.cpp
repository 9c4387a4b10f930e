// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In compiled kernels, a hook before each load reads from the address that it
// is given, and one behind it finds the same in the register that was loaded.
#include "AddressCases.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "luthier/Mnemonic.h"
#include "llvm/CodeGen/MachineFunction.h"

using namespace llvm;

namespace luthier::test {
namespace {

/// Counters[lane] is what a lane has peeked at; Counters[128] counts loads that
/// agree, Counters[129] those that do not, Counters[130] is the last such PC.
const char *const PeekAndCheck = R"(
define void @peek(i64 %ea, i32 %size) #0 {
  %lo = call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 0)
  %lane = call i32 @llvm.amdgcn.mbcnt.hi(i32 -1, i32 %lo)
  %slot = getelementptr i64, ptr addrspace(1) @Counters, i32 %lane
  %p = inttoptr i64 %ea to ptr
  %b = load i8, ptr %p
  %bz = zext i8 %b to i64
  store i64 %bz, ptr addrspace(1) %slot
  %is1 = icmp eq i32 %size, 1
  br i1 %is1, label %done, label %more
more:
  %h = load i16, ptr %p
  %hz = zext i16 %h to i64
  store i64 %hz, ptr addrspace(1) %slot
  %is2 = icmp eq i32 %size, 2
  br i1 %is2, label %done, label %word
word:
  %w = load i32, ptr %p
  %wz = zext i32 %w to i64
  store i64 %wz, ptr addrspace(1) %slot
  br label %done
done:
  ret void
}
define void @check(i32 %value, i32 %mask, i64 %pc) #0 {
  %lo = call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 0)
  %lane = call i32 @llvm.amdgcn.mbcnt.hi(i32 -1, i32 %lo)
  %slot = getelementptr i64, ptr addrspace(1) @Counters, i32 %lane
  %seen = load i64, ptr addrspace(1) %slot
  %masked = and i32 %value, %mask
  %wide = zext i32 %masked to i64
  %same = icmp eq i64 %seen, %wide
  %which = select i1 %same, i32 128, i32 129
  %count = getelementptr i64, ptr addrspace(1) @Counters, i32 %which
  %old = atomicrmw add ptr addrspace(1) %count, i64 1 syncscope("agent") monotonic
  br i1 %same, label %done, label %bad
bad:
  %last = getelementptr i64, ptr addrspace(1) @Counters, i32 130
  store i64 %pc, ptr addrspace(1) %last
  br label %done
done:
  ret void
})";

const char *const Kernel = R"(
using Words = unsigned [[clang::address_space(1)]];
[[clang::loader_uninitialized]] static unsigned
    [[clang::address_space(3)]] Tile[64];
extern "C" [[clang::amdgpu_kernel, gnu::visibility("protected")]] void
k(Words *P, unsigned N) {
  unsigned I = __builtin_amdgcn_workitem_id_x();
  volatile unsigned Local[16];
  volatile unsigned char Bytes[32];
  volatile short Shorts[8];
  volatile unsigned long long Longs[4];
  for (unsigned J = 0; J < 16; ++J)
    Local[J] = P[64 + (I * 7 + J) % 128];
  for (unsigned J = 0; J < 32; ++J)
    Bytes[J] = (unsigned char)(I * 3 + J);
  for (unsigned J = 0; J < 8; ++J)
    Shorts[J] = (short)(I * 5 - J * N);
  for (unsigned J = 0; J < 4; ++J)
    Longs[J] = (unsigned long long)P[I] << (J + N);
  Tile[I] = Local[I % 16] + Bytes[I % 32];
  __builtin_amdgcn_s_barrier();
  unsigned Sum = Tile[(I + 5) % 32];
  if (I % 3 == 0)
    for (unsigned J = 0; J < I % 8; ++J)
      Sum += Local[(I + J) % 16] + Bytes[J * 2] + Shorts[J] + (unsigned)Longs[J % 4];
  P[I] = Sum + Shorts[I % 8] + (unsigned)Longs[I % 4];
})";

class CompiledAddressTest : public EngineTest {
protected:
  void expectAgreement(const char *Level) {
    setHooks(PeekAndCheck);
    Options.Seeds = {0};
    // Reloaded registers may hold lanes that nobody has written, which the
    // hook then compares.
    Options.Strict = "hazards,loads=latest";
    KernelLaunch Launch{{32, 1, 1}, {32, 1, 1}};
    std::vector<uint32_t> Contents(256);
    for (uint32_t I = 0; I < 256; ++I)
      Contents[I] = I * 2654435761u;
    Launch.Arguments.buffer(Contents).value(uint32_t(3));
    unsigned Loads = 0;
    std::set<uint32_t> Kinds;
    auto Mutate = [&](LiftedRepresentation &LR, InstrumentationTask &Task) {
      for (auto &[Symbol, MF] : LR.functions())
        for (MachineBasicBlock &MBB : *MF)
          for (MachineInstr &MI : MBB)
            if (isPlainLoad(MI)) {
              ++Loads;
              Kinds.insert(memoryAccessKind(MI));
              instrument(MI, Task);
            }
    };
    Judgement J = expectUnchanged(fromCpp(Kernel, {Level}), Launch, Mutate);
    if (!J.Problem.empty())
      return;
    const std::vector<uint64_t> Seen = J.counters();
    EXPECT_GT(Loads, 10u);
    EXPECT_GE(Kinds.size(), 3u) << "memory, LDS, scratch";
    EXPECT_GT(Seen[128], 32u * 10);
    EXPECT_EQ(Seen[129], 0u) << "at 0x" << std::hex << Seen[130];
  }

private:
  /// One whose first register holds what memory has at the address.
  static bool isPlainLoad(const MachineInstr &MI) {
    const uint32_t Kind = memoryAccessKind(MI);
    if ((Kind & 7) != ReadsMemory || countMemoryAccesses(MI) != 1)
      return false;
    return MI.getOperand(0).isReg() && MI.getOperand(0).isDef() &&
           !StringRef(mnemonicOf(MI)).contains("_hi");
  }
  static void instrument(MachineInstr &MI, InstrumentationTask &Task) {
    const std::string Text = mnemonicOf(MI);
    const StringRef Name = Text;
    const bool IsByte = Name.contains("byte") || Name.contains("_u8") ||
                        Name.contains("_i8") || Name.contains("_d16_u8") ||
                        Name.contains("_d16_i8");
    const bool IsShort =
        !IsByte && (Name.contains("short") || Name.contains("16"));
    const uint32_t Mask = IsByte ? 0xff : IsShort ? 0xffff : ~0u;
    Task.insertHookBefore(
        MI, hook("peek"),
        {HookArgument::address(), HookArgument::accessSize()});
    Task.insertHookAfter(
        MI, hook("check"),
        {HookArgument::part(MI.getOperand(0).getReg().asMCReg(), 0, 1), Mask,
         HookArgument::pc()});
  }
};

TEST_P(CompiledAddressTest, Unoptimised) { expectAgreement("-O0"); }
TEST_P(CompiledAddressTest, Optimised) { expectAgreement("-O2"); }

INSTANTIATE_TEST_SUITE_P(Targets, CompiledAddressTest,
                         ::testing::ValuesIn(instrumentedTargets()),
                         targetName);

} // namespace
} // namespace luthier::test
