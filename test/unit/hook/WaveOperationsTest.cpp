// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations of the wave happen, and decisions about them are made, whatever
// EXEC is.
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "PayloadRun.h"
#include "luthier/IntrinsicLowering.h"
#include "llvm/IR/IRBuilder.h"
#include <gmock/gmock.h>

using namespace llvm;
using namespace luthier;
using namespace luthier::test;

namespace {

class WaveOperations : public ::testing::TestWithParam<EngineTarget> {
protected:
  /// \p Hooks may use A, B (32 bits), L and M (64), which are scalar registers
  /// of the application, and V, a vector register.
  void setHooks(const std::string &Hooks) {
    auto reg = [](const char *Name, const char *Type, unsigned Reg) {
      return std::string("#define ") + Name + " luthier::readReg<" + Type +
             ">(" + std::to_string(Reg) + ")\n";
    };
    Run.compileHooks("__device__ unsigned Out[16384];\n"
                     "using namespace luthier;\n" +
                     reg("A", "uint32_t", AMDGPU::SGPR4) +
                     reg("B", "uint32_t", AMDGPU::SGPR5) +
                     reg("L", "uint64_t", AMDGPU::SGPR6_SGPR7) +
                     reg("M", "uint64_t", AMDGPU::SGPR8_SGPR9) +
                     reg("V", "uint32_t", AMDGPU::VGPR3) + Hooks);
  }
  /// After \p Hook, with these values, where lanes \p EXEC are active.
  WaveState run(const std::string &Hook, uint32_t A, uint32_t B, uint64_t L,
                uint64_t M, uint64_t EXEC) {
    const PayloadABI ABI = Run.abi();
    Expected<Payload> P = Run.compile(Hook, ABI);
    if (!P) {
      ADD_FAILURE() << toString(P.takeError());
      return {};
    }
    return Run.run(*P, ABI, before(ABI, A, B, L, M, EXEC));
  }
  /// The fault in which \p Hook ends, or nothing.
  std::string fault(const std::string &Hook, uint64_t L, uint64_t M,
                    uint64_t EXEC) {
    const PayloadABI ABI = Run.abi();
    Expected<Payload> P = Run.compile(Hook, ABI);
    if (!P)
      return toString(P.takeError());
    return Run.faultOf(*P, before(ABI, 0, 0, L, M, EXEC));
  }
  WaveState before(const PayloadABI &ABI, uint32_t A, uint32_t B, uint64_t L,
                   uint64_t M, uint64_t EXEC) {
    Run.EXEC = EXEC;
    WaveState Before = Run.initialState(ABI);
    Before.SGPRs[4] = A;
    Before.SGPRs[5] = B;
    Before.SGPRs[6] = L;
    Before.SGPRs[7] = L >> 32;
    Before.SGPRs[8] = M;
    Before.SGPRs[9] = M >> 32;
    Before.SGPRs[10] = 99;
    Before.M0 = 1234;
    return Before;
  }
  std::string refusal(const std::string &Hook) {
    Expected<Payload> P = Run.compile(Hook, Run.abi());
    return P ? "" : toString(P.takeError());
  }

  PayloadRun Run{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(Every, WaveOperations,
                         ::testing::ValuesIn(allTargets()), targetName);

/// The interrupt; what is sent is in M0.
TEST_P(WaveOperations, MessagesAreSentWithoutLanes) {
  setHooks(R"(
LUTHIER_HOOK_ANNOTATE sends() {
  __builtin_amdgcn_s_sendmsg(1, (A == 3) + (L < M) * 16 + 64);
}
LUTHIER_HOOK_ANNOTATE sendsOne() {
  if (L < M && A != 7)
    __builtin_amdgcn_s_sendmsg(1, 77);
}
LUTHIER_HOOK_ANNOTATE sendsBehindLoop() {
  unsigned N = 0;
  for (unsigned I = Out[1]; I; I = Out[I & 15])
    ++N;
  Out[2] = N;
  __builtin_amdgcn_s_sendmsg(1, B);
}
)");
  for (uint64_t EXEC : {0, 8}) {
    SCOPED_TRACE(EXEC);
    EXPECT_EQ(run("sends", 3, 0, 1, 2, EXEC).M0, 81u);
    EXPECT_EQ(run("sends", 3, 0, 2, 1, EXEC).M0, 65u);
    EXPECT_EQ(run("sends", 4, 0, 1ull << 40, 5ull << 40, EXEC).M0, 80u);
    EXPECT_EQ(run("sendsOne", 3, 0, 1, 2, EXEC).M0, 77u);
    EXPECT_EQ(run("sendsOne", 7, 0, 1, 2, EXEC).M0, 1234u);
    EXPECT_EQ(run("sendsOne", 3, 0, 2, 1, EXEC).M0, 1234u);
    EXPECT_EQ(run("sendsBehindLoop", 3, 55, 2, 1, EXEC).M0, 55u);
  }
}

/// Nobody is there to decide.
TEST_P(WaveOperations, LanesDecideAboutTheWaveOnlyWhereThereAreSome) {
  setHooks(R"(
LUTHIER_HOOK_ANNOTATE sends() {
  if (Out[0] == 0)
    __builtin_amdgcn_s_sendmsg(1, 77);
  else
    __builtin_amdgcn_s_sendmsg(1, 78);
}
LUTHIER_HOOK_ANNOTATE sendsOne() {
  if (Out[0] == 0)
    __builtin_amdgcn_s_sendmsg(1, 77);
}
LUTHIER_HOOK_ANNOTATE adds() {
  if (Out[0] == 0)
    waveAtomicAdd(Out + 2, 1u);
}
LUTHIER_HOOK_ANNOTATE writes() {
  if (Out[0] == 0)
    writeReg<uint32_t>()" +
           std::to_string(AMDGPU::SGPR10) + R"(, 5);
}
LUTHIER_HOOK_ANNOTATE sendsByLane() {
  if (V != 0)
    __builtin_amdgcn_s_sendmsg(1, 77);
}
)");
  EXPECT_EQ(run("sendsOne", 0, 0, 0, 0, 0).M0, 1234u);
  EXPECT_EQ(run("sendsOne", 0, 0, 0, 0, 8).M0, 77u);
  EXPECT_EQ(run("writes", 0, 0, 0, 0, 0).SGPRs[10], 99u);
  EXPECT_EQ(run("writes", 0, 0, 0, 0, 8).SGPRs[10], 5u);
  run("adds", 0, 0, 0, 0, 0);
  EXPECT_EQ(Run.out(3)[2], 0u);
  run("adds", 0, 0, 0, 0, 8);
  EXPECT_EQ(Run.out(3)[2], 1u);
  EXPECT_EQ(run("sends", 0, 0, 0, 0, 0).M0, 1234u);
  EXPECT_EQ(run("sends", 0, 0, 0, 0, 8).M0, 77u);
  EXPECT_EQ(run("sendsByLane", 0, 0, 0, 0, 0).M0, 1234u);
  EXPECT_EQ(run("sendsByLane", 0, 0, 0, 0, 8).M0, 77u);
}

TEST_P(WaveOperations, TrapsStopWavesWithoutLanes) {
  setHooks(R"(
LUTHIER_HOOK_ANNOTATE traps() {
  if (L < M)
    __builtin_trap();
}
LUTHIER_HOOK_ANNOTATE trapsBehindLoop() {
  unsigned N = 0;
  for (unsigned I = Out[1]; I; I = Out[I & 15])
    ++N;
  Out[2] = N;
  if (L < M)
    __builtin_trap();
}
)");
  for (const char *Hook : {"traps", "trapsBehindLoop"})
    for (uint64_t EXEC : {0, 8}) {
      SCOPED_TRACE(std::string(Hook) + (EXEC ? "" : " without lanes"));
      EXPECT_THAT(fault(Hook, 1, 2, EXEC), ::testing::HasSubstr("s_trap"));
      EXPECT_EQ(fault(Hook, 2, 1, EXEC), "");
    }
}

TEST_P(WaveOperations, LanesDecideAboutTrapsOnlyWhereThereAreSome) {
  setHooks(R"(
LUTHIER_HOOK_ANNOTATE traps() {
  if (Out[0] == 0)
    __builtin_trap();
}
LUTHIER_HOOK_ANNOTATE trapsByLane() {
  if (V != 0)
    __builtin_trap();
}
LUTHIER_HOOK_ANNOTATE trapsOrSends() {
  if (Out[0] == 0)
    __builtin_trap();
  if (Out[1] == 0)
    __builtin_amdgcn_s_sendmsg(1, 77);
}
)");
  for (const char *Hook : {"traps", "trapsByLane", "trapsOrSends"}) {
    EXPECT_EQ(fault(Hook, 0, 0, 0), "") << Hook;
    EXPECT_THAT(fault(Hook, 0, 0, 8), ::testing::HasSubstr("s_trap")) << Hook;
  }
  Run.write(Run.Out, uint32_t(1));
  EXPECT_EQ(fault("trapsOrSends", 0, 0, 8), "");
  EXPECT_EQ(run("trapsOrSends", 0, 0, 0, 0, 0).M0, 1234u);
  EXPECT_EQ(run("trapsOrSends", 0, 0, 0, 0, 8).M0, 77u);
}

TEST_P(WaveOperations, AtomicsInLoopsTurnAsOftenAsScalarsSay) {
  registerIntrinsic(
      "mine::turns", [](IntrinsicCall &Call) -> Expected<Value *> {
        IRBuilderBase &B = Call.builder();
        return B.CreateAdd(Call.readReg(AMDGPU::SGPR4, B.getInt32Ty()),
                           B.getInt32(1));
      });
  setHooks(R"(
LUTHIER_HOOK_ANNOTATE ofARegister() {
  for (unsigned I = 0; I < A; ++I)
    waveAtomicAdd(Out + 2, 1u);
}
LUTHIER_HOOK_ANNOTATE ofTheLastTurn() {
  for (unsigned I = 0; I < firstLane(V & 0, 5u); ++I)
    if (waveAtomicAdd(Out + 2, 1u) == A)
      break;
}
namespace mine {
LUTHIER_SCALAR_INTRINSIC_ANNOTATE unsigned turns() { __builtin_trap(); }
}
LUTHIER_HOOK_ANNOTATE ofOne() {
  for (unsigned I = 0; I < mine::turns(); ++I)
    waveAtomicAdd(Out + 2, 1u);
}
)");
  auto sum = [&](const char *Hook, uint32_t Number, uint64_t EXEC) {
    Run.write(Run.Out + 8, uint32_t(0));
    run(Hook, Number, 0, 0, 0, EXEC);
    return Run.out(3)[2];
  };
  for (uint64_t EXEC : {0, 9})
    for (uint32_t Number : {0, 1, 4}) {
      SCOPED_TRACE(std::to_string(Number) + (EXEC ? "" : " without lanes"));
      EXPECT_EQ(sum("ofARegister", Number, EXEC), Number);
      EXPECT_EQ(sum("ofTheLastTurn", Number, EXEC), EXEC ? 0 : Number + 1);
      EXPECT_EQ(sum("ofOne", Number, EXEC), Number + 1);
    }
  registerIntrinsic("mine::turns", nullptr);
}

/// Whatever its author says, what the lowering makes is seen.
TEST_P(WaveOperations, IntrinsicsThatAreNoScalarsAreRefusedWithHookAndLine) {
  registerIntrinsic("mine::value",
                    [](IntrinsicCall &Call) -> Expected<Value *> {
                      return Call.readReg(AMDGPU::VGPR3, Call.resultType());
                    });
  setHooks(R"(
namespace mine {
LUTHIER_SCALAR_INTRINSIC_ANNOTATE unsigned value() { __builtin_trap(); }
}
LUTHIER_HOOK_ANNOTATE writes() {
  writeReg<uint32_t>()" +
           std::to_string(AMDGPU::SGPR10) + R"(, mine::value());
}
LUTHIER_HOOK_ANNOTATE turns() {
  for (unsigned I = 0; I < mine::value(); ++I)
    waveAtomicAdd(Out + 2, 1u);
}
)");
  const std::string Writes = refusal("writes"), Turns = refusal("turns");
  registerIntrinsic("mine::value", nullptr);
  for (const std::string &Text : {Writes, Turns}) {
    EXPECT_NE(Text.find("hook '"), std::string::npos) << Text;
    EXPECT_NE(Text.find(".hip:"), std::string::npos) << Text;
  }
  EXPECT_NE(Writes.find("what luthier::writeReg gives a scalar register is not "
                        "made of scalars"),
            std::string::npos)
      << Writes;
  EXPECT_NE(Turns.find("in a loop that lanes leave at different times"),
            std::string::npos)
      << Turns;
}

} // namespace
