// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What operations of the wave take is computed by scalar instructions, exactly
// as the hook says, whatever EXEC is. The same source, compiled for the host,
// says what that is.
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "PayloadRun.h"
#include "amdgpu/RegisterFiles.h"
#include "llvm/ADT/Twine.h"

using namespace llvm;
using namespace luthier;
using namespace luthier::test;

namespace {

struct Computation {
  const char *Name, *Text;
  uint64_t (*OnHost)(uint32_t A, uint32_t B, uint64_t L, uint64_t M);
};

#define COMPUTATION(Name, ...)                                                 \
  {                                                                            \
    #Name, #__VA_ARGS__,                                                       \
        [](uint32_t A, uint32_t B, uint64_t L, uint64_t M) -> uint64_t {       \
          __VA_ARGS__                                                          \
        }                                                                      \
  }

const Computation Computations[] = {
    COMPUTATION(sumInAShift, uint64_t T = L & M;
                return 1 + ((uint64_t(T == 0) + (T == L)) << 8);),
    COMPUTATION(sumOfThree, return uint64_t(A > 16) + (A > 48) + (A == 0);),
    COMPUTATION(sumOfMasks, return uint32_t(L == 0) + uint32_t(M == 0);),
    COMPUTATION(sumWithConstants,
                return (L == 0) + (L == 1) + (L == 2) + 1;),
    COMPUTATION(either, return uint64_t(A == 0 || B == 3) << 32 | 1;),
    COMPUTATION(both, return uint64_t(A < B && L < M) * 5 + 2;),
    COMPUTATION(exclusive, return ((A > 3) ^ (B > 3)) + 2 * !(A & 1);),
    COMPUTATION(unsigned64, return (L < M) | (L <= M) << 1 | (L > M) << 2 |
                                   (L >= M) << 3 | (L == M) << 4 |
                                   (L != M) << 5;),
    COMPUTATION(signed64, int64_t X = L, Y = M;
                return (X < Y) | (X <= Y) << 1 | (X > Y) << 2 | (X >= Y) << 3;),
    COMPUTATION(signed32, int32_t X = A, Y = B;
                return (X < Y) | (X <= Y) << 1 | (X > Y) << 2 | (X >= Y) << 3;),
    COMPUTATION(choice, return A > B ? L : M;),
    COMPUTATION(choices, return A == B ? A : L > M ? B : 7;),
    COMPUTATION(choiceByBoth, return (A > 4 || B * 3 > 14) ? 3 : 5;),
    COMPUTATION(sameConditionTwice, bool C = L < M;
                return (C ? A : B) + (C ? 100 : 200) + C;),
    COMPUTATION(minima, uint64_t Least = L < M ? L : M;
                uint32_t Most = A > B ? A : B;
                int64_t Signed = int64_t(L) < int64_t(M) ? M : L;
                return (Least ^ Most) + Signed;),
    COMPUTATION(bytes, return (uint8_t(A) > uint8_t(B)) +
                              2 * (int8_t(A) > int8_t(B)) +
                              4 * (uint8_t(A + B) < 9);),
    COMPUTATION(halfWords, int16_t X = A; int16_t Y = B;
                return uint16_t(X * Y) + (X > Y) + (uint16_t(A + B) < 5) +
                       uint64_t(int64_t(int16_t(X + Y)));),
    COMPUTATION(halfWordsInAStructure, struct Pair {
      uint16_t First, Second;
    } P;
                __builtin_memcpy(&P, &A, 4);
                return P.First > P.Second ? P.First : P.Second + 65536u;),
    COMPUTATION(counts, return __builtin_popcountll(L) > 3
                                   ? __builtin_popcount(A)
                                   : 64 + (__builtin_popcountll(M) == 0);),
    COMPUTATION(zeros, return __builtin_clzll(L | 1) +
                              100 * __builtin_ctz(A | 0x80000000u) +
                              10000 * __builtin_ffsll(M);),
    COMPUTATION(reversals, return __builtin_bswap64(L) ^
                                  __builtin_bitreverse32(A) ^
                                  __builtin_bswap32(B);),
    COMPUTATION(rotations, return __builtin_rotateleft32(A, B) +
                                  __builtin_rotateright64(L, A & 63);),
    COMPUTATION(absolute, int32_t X = A; int64_t Y = M;
                return (X < 0 ? 0u - A : A) + (Y < 0 ? 0 - M : M);),
    COMPUTATION(saturated, uint32_t Sum = A + B;
                uint64_t Rest = L < M ? 0 : L - M;
                return (Sum < A ? ~0u : Sum) + Rest;),
    COMPUTATION(quotients, return A / (B | 1) + (int32_t(A) / 7) % 1000 +
                                  (A % 10 == 3 ? 5 : 6);),
    COMPUTATION(wideQuotients, return L / (M | 1) + L % 10 +
                                      uint64_t(int64_t(L) % int64_t(B | 1));),
    COMPUTATION(loop, uint64_t Sum = 0; for (uint32_t I = 0; I < (A & 15); ++I) {
      if (I == (B & 7))
        break;
      Sum += I + (I > 3 && L > M);
    } return Sum + 1;),
    COMPUTATION(loopOfBits, uint64_t Sum = 0;
                for (uint64_t Rest = L & 0xff00ff; Rest; Rest &= Rest - 1)
                  Sum = Sum * 3 + __builtin_ctzll(Rest); return Sum;),
    COMPUTATION(paths, uint64_t X = 3; if (A > B) {
      X = L * 5;
      if (L == M || B == 0)
        X += 7;
    } else if (A == B) X = M;
                return X + 1;),
    COMPUTATION(cases, switch (A & 7) {
      case 0:
        return L;
      case 1:
        return B > 5 ? 17 : M;
      case 5:
        return A * 1000003u;
      default:
        return 12345;
    }),
    COMPUTATION(truthOfMasks, return (L ? 1 : 0) + (A ? 2 : 0) + !M * 4 +
                                     bool(B & 64) * 8;),
    COMPUTATION(shifts, return (L >> (A & 63)) + (uint64_t(B) << (A & 31)) +
                               uint64_t(int64_t(M) >> (B & 63)) +
                               (int32_t(A) >> (B & 31));),
    COMPUTATION(overflow, uint32_t Sum = 0;
                bool Over = __builtin_add_overflow(A, B, &Sum);
                uint64_t Rest = 0;
                bool Under = __builtin_sub_overflow(L, M, &Rest);
                return Sum + (Over ? 3 : 0) + Rest + (Under ? 1 : 0);),
    COMPUTATION(casesOfConstants, uint64_t X = 0; switch (A & 15) {
      case 0:
        X = 17;
        break;
      case 1:
        X = 3;
        break;
      case 3:
        X = 99;
        break;
      case 5:
        X = 1ull << 40;
        break;
      case 15:
        X = 7;
        break;
      default:
        X = 5;
    } switch (B % 3) {
      case 0:
        X += 1;
      case 1:
        X *= 3;
        break;
      default:
        X ^= 0x55;
    } return X;),
    COMPUTATION(orders, int8_t X = int8_t(A > B) - int8_t(A < B);
                int64_t Y = (int64_t(L) > int64_t(M)) -
                            (int64_t(L) < int64_t(M));
                int64_t Z = int64_t(A > B) - int64_t(A < B);
                return uint64_t(X) + uint64_t(Y) * 1000 + uint64_t(Z) * 77;),
    COMPUTATION(floatsAsBits, float X = A > B ? 1.5f : -2.25f;
                double Y = L == M ? 0.1 : 3e40; if (A & 1) Y = -0.0;
                uint32_t Low = 0; uint64_t High = 0;
                __builtin_memcpy(&Low, &X, 4); __builtin_memcpy(&High, &Y, 8);
                return Low ^ High;),
    COMPUTATION(floatsInALoop, double X = 1; float Y = 2;
                for (uint32_t I = 0; I < (A & 7); ++I) {
                  if (I == (B & 3)) {
                    X = 5.5;
                    Y = 7;
                  }
                } uint64_t High = 0;
                uint32_t Low = 0; __builtin_memcpy(&High, &X, 8);
                __builtin_memcpy(&Low, &Y, 4); return Low ^ High;),
    COMPUTATION(pointers,
                uint64_t *P = reinterpret_cast<uint64_t *>((L >> 8) + 64);
                P += A & 3; if (P > reinterpret_cast<uint64_t *>(M)) P -= B & 1;
                if (L & 1) P = reinterpret_cast<uint64_t *>(M);
                return reinterpret_cast<uint64_t>(P) +
                       (P == reinterpret_cast<uint64_t *>(M)) + !P;),
    COMPUTATION(bitTests, return (L >> (A & 63) & 1) +
                                 (M & 1ull << (B & 63) ? 10 : 20) +
                                 __builtin_parityll(L) * 100 +
                                 __builtin_parity(B) * 1000 +
                                 __builtin_clrsb(int(A)) * 10000ull;),
    COMPUTATION(narrowBits, return __builtin_popcount(uint8_t(A)) +
                                   __builtin_popcount(uint16_t(B)) * 16 +
                                   __builtin_clz(uint16_t(A) | 1) * 512 +
                                   (__builtin_ctz(uint8_t(B) | 256) << 16) +
                                   (uint64_t(__builtin_bswap16(A)) << 24) +
                                   (uint64_t(__builtin_bitreverse8(B)) << 44);),
    COMPUTATION(narrowRotations, return __builtin_rotateleft8(A, B) +
                                        __builtin_rotateright16(B, A) * 256u +
                                        (uint64_t(uint16_t(
                                             (A & 0xffff) << (B & 15) |
                                             (A & 0xffff) >> (-B & 15)))
                                         << 32);),
    COMPUTATION(oddSizes, unsigned _BitInt(24) X = A; X = X << 12 | X >> 12;
                unsigned _BitInt(48) Y = L; Y = Y << 40 | Y >> 8;
                signed _BitInt(7) Z = B; Z = (Z < 3) + Z * 3;
                unsigned _BitInt(40) W = M; W += X; W = W > 5 ? W : X;
                return uint64_t(X) ^ uint64_t(Y) ^ uint64_t(int64_t(Z)) ^
                       uint64_t(W) << 20;),
    COMPUTATION(clamped, int32_t X = A; int32_t Y = B;
                X = X < -100 ? -100 : X > 100 ? 100 : X;
                uint16_t S = uint16_t(A) > uint16_t(B)
                                 ? uint16_t(A) - uint16_t(B)
                                 : 0;
                int64_t Z = int64_t(L) < Y ? Y : int64_t(L);
                return uint64_t(X) + S + Z;),
    COMPUTATION(narrowQuotients, int8_t X = A; int16_t Y = B | 1;
                return uint64_t(X / 3 + X % 5) + (Y == 1 ? 7 : 1000 / Y) +
                       uint8_t(B) / (uint8_t(A) | 1) + (A & 0xff) % 8 +
                       uint64_t(int64_t(M) / 4096);),
    COMPUTATION(
        fields, struct {
          uint32_t X : 5;
          int32_t Y : 11;
          uint64_t Z : 33;
        } F = {};
        F.X = A; F.Y = B; F.Z = L; if (F.X > 3) F.Z += F.X;
        return F.Z * 3 + F.X + (F.Y < 0 ? 1 : 2) * uint64_t(F.Y);),
    COMPUTATION(
        structures, struct Pair {
          uint32_t X;
          uint64_t Y;
        };
        Pair P = {A, L}; Pair Q = {B, M}; Pair R = A > B ? P : Q;
        if (L == M) __builtin_memcpy(&R, &Q, sizeof(R));
        uint8_t Bytes[8]; __builtin_memcpy(Bytes, &R.Y, 8);
        return R.X + R.Y + Bytes[3] * 256u + (Bytes[0] > Bytes[7]);),
    COMPUTATION(vectors,
                typedef uint32_t Four __attribute__((ext_vector_type(4)));
                typedef uint16_t Halves __attribute__((ext_vector_type(4)));
                Four V = {A, B, 3, uint32_t(L)}; V = A == B ? V.wzyx : V.yxzw;
                if (L > M) V.z = 8; Halves H;
                __builtin_memcpy(&H, &M, 8); H = H.wxyz; H.y = A; uint64_t N;
                __builtin_memcpy(&N, &H, 8);
                return V.x * 3u + V.y + V.z + V.w + N;),
    COMPUTATION(flagsInALoop, bool Odd = false; bool Any = false;
                for (uint32_t I = A & 15; I; I >>= 1) {
                  Odd ^= I & 1;
                  Any |= I == (B & 7);
                  if (Any && L > M)
                    break;
                } return Odd + 2 * Any;),
    COMPUTATION(nestedLoops, uint64_t Sum = 1;
                for (uint32_t I = 0; I < (A & 7); ++I) {
                  uint64_t J = B & 3;
                  do {
                    Sum += I * J + (L > M);
                    if (Sum > 1000)
                      return Sum;
                  } while (J-- > 0);
                  switch (I) {
                  case 2:
                    Sum *= 5;
                    break;
                  case 4:
                    Sum ^= M & 0xff;
                    continue;
                  }
                  Sum += 1;
                } return Sum;),
    COMPUTATION(widened, return (uint64_t(A) * B >> 32) +
                                uint64_t(int64_t(int32_t(A)) * int32_t(B)) +
                                L * M + (L >> 7 | M << 57);),
};

struct Values {
  uint32_t A, B;
  uint64_t L, M;
};
const Values Cases[] = {
    {0, 0, 0, 0},
    {5, 3, ~uint64_t(0), 0xff},
    {3, 5, 0x8000000000000000, 0x7fffffffffffffff},
    {0xffffffff, 0x80000001, 0x1234567890abcdef, 0x1234567890abcdee},
    {0x80008000, 0x7fff, 0x00000000ffffffff, 0xffffffff00000000},
    {49, 49, 2, 2},
};

class ScalarConditions : public ::testing::TestWithParam<EngineTarget> {
protected:
  /// A hook for each computation, called like it, that does \p Action with what
  /// HERE computes of scalar registers.
  void compileHooks(StringRef Action) {
    std::string Source = "__device__ unsigned Out[16384];\n"
                         "using namespace luthier;\n";
    for (const Computation &C : Computations) {
      const std::string Name = C.Name;
      Source += "static __device__ uint64_t " + Name +
                "Of(uint32_t A, uint32_t B, uint64_t L, uint64_t M) {" +
                C.Text + "}\n";
      Source += "#define HERE " + Name + "Of(" +
                read("uint32_t", AMDGPU::SGPR4) + ", " +
                read("uint32_t", AMDGPU::SGPR5) + ", " +
                read("uint64_t", AMDGPU::SGPR6_SGPR7) + ", " +
                read("uint64_t", AMDGPU::SGPR8_SGPR9) + ")\n";
      Source += ("LUTHIER_HOOK_ANNOTATE " + Name + "() { " + Action +
                 " }\n#undef HERE\n")
                    .str();
    }
    Run.compileHooks(Source);
  }
  static std::string read(const char *Type, unsigned Reg) {
    return std::string("readReg<") + Type + ">(" + std::to_string(Reg) + ")";
  }
  Payload compile(const std::string &Hook, const PayloadABI &ABI) {
    Expected<Payload> P = Run.compile(Hook, ABI);
    if (P)
      return std::move(*P);
    ADD_FAILURE() << toString(P.takeError());
    return {};
  }
  WaveState run(const Payload &P, const PayloadABI &ABI, const Values &V,
                uint64_t EXEC) {
    Run.EXEC = EXEC;
    WaveState Before = Run.initialState(ABI);
    Before.SGPRs[4] = V.A;
    Before.SGPRs[5] = V.B;
    Before.SGPRs[6] = V.L;
    Before.SGPRs[7] = V.L >> 32;
    Before.SGPRs[8] = V.M;
    Before.SGPRs[9] = V.M >> 32;
    Before.SGPRs[10] = 99;
    return Run.run(P, ABI, Before);
  }
  /// Each case without lanes, and one with some.
  template <typename Check>
  void forEachCase(const std::string &Hook, Check Checked) {
    const PayloadABI ABI = Run.abi();
    const Payload P = compile(Hook, ABI);
    for (const Values &V : Cases)
      for (uint64_t EXEC : {uint64_t(0), uint64_t(8)}) {
        if (EXEC && &V != &Cases[3])
          continue;
        SCOPED_TRACE(Twine(EXEC ? "lane 3, A = " : "no lane, A = ")
                         .concat(Twine(V.A))
                         .str());
        Checked(V, [&] { return run(P, ABI, V, EXEC); });
      }
  }

  PayloadRun Run{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(Every, ScalarConditions,
                         ::testing::ValuesIn(allTargets()), targetName);

TEST_P(ScalarConditions, AreExactInScalarRegisters) {
  compileHooks("writeReg<uint64_t>(" + std::to_string(AMDGPU::SGPR10_SGPR11) +
               ", HERE);");
  for (const Computation &C : Computations) {
    SCOPED_TRACE(C.Name);
    forEachCase(C.Name, [&](const Values &V, auto Execute) {
      const WaveState After = Execute();
      EXPECT_EQ(After.SGPRs[10] | uint64_t(After.SGPRs[11]) << 32,
                C.OnHost(V.A, V.B, V.L, V.M));
    });
  }
}

TEST_P(ScalarConditions, AreExactInAtomicOperations) {
  compileHooks("waveAtomicExchange((uint64_t *)Out, HERE);");
  for (const Computation &C : Computations) {
    SCOPED_TRACE(C.Name);
    forEachCase(C.Name, [&](const Values &V, auto Execute) {
      Execute();
      EXPECT_EQ(Run.read<uint64_t>(Run.Out, 1).front(),
                C.OnHost(V.A, V.B, V.L, V.M));
    });
  }
}

TEST_P(ScalarConditions, AreExactInAddresses) {
  compileHooks("waveAtomicAdd(Out + (HERE & 15), 1u);");
  for (const Computation &C : Computations) {
    SCOPED_TRACE(C.Name);
    forEachCase(C.Name, [&](const Values &V, auto Execute) {
      Run.write(Run.Out, std::array<uint32_t, 16>{});
      Execute();
      std::vector<uint32_t> Expected(16);
      Expected[C.OnHost(V.A, V.B, V.L, V.M) & 15] = 1;
      EXPECT_EQ(Run.out(16), Expected);
    });
  }
}

TEST_P(ScalarConditions, DecideExactly) {
  compileHooks("if (HERE & 1) writeReg<uint32_t>(" +
               std::to_string(AMDGPU::SGPR10) +
               ", 77); else waveAtomicAdd(Out + 2, 5u);");
  for (const Computation &C : Computations) {
    SCOPED_TRACE(C.Name);
    forEachCase(C.Name, [&](const Values &V, auto Execute) {
      Run.write(Run.Out + 8, uint32_t(0));
      const WaveState After = Execute();
      const bool Holds = C.OnHost(V.A, V.B, V.L, V.M) & 1;
      EXPECT_EQ(After.SGPRs[10], Holds ? 77u : 99u);
      EXPECT_EQ(Run.out(3)[2], Holds ? 0u : 5u);
    });
  }
}

TEST_P(ScalarConditions, AreExactAsSetsOfLanes) {
  compileHooks("writeExec(HERE); Out[8 + __lane_id()] = 1;");
  for (const Computation &C : Computations) {
    SCOPED_TRACE(C.Name);
    forEachCase(C.Name, [&](const Values &V, auto Execute) {
      Run.write(Run.Out + 32, std::array<uint32_t, 64>{});
      Execute();
      uint64_t Lanes = 0;
      for (unsigned Lane = 0; Lane < GetParam().WaveSize; ++Lane)
        Lanes |= uint64_t(Run.out(72)[8 + Lane]) << Lane;
      const uint64_t All =
          GetParam().WaveSize == 64 ? ~uint64_t(0) : 0xffffffff;
      EXPECT_EQ(Lanes, C.OnHost(V.A, V.B, V.L, V.M) & All);
    });
  }
}

/// Where a flag is all that the hook writes. The ABI has copies of them.
TEST_P(ScalarConditions, DecideAboutFlagsExactly) {
  const PayloadABI ABI = Run.abi();
  const std::tuple<const char *, unsigned, MCRegister> Flags[] = {
      {"Vcc", AMDGPU::VCC_LO, ABI.VccSave},
      {"Scc", AMDGPU::SCC, ABI.SccSave},
      {"Exec", AMDGPU::EXEC_LO, ABI.ExecSave},
      {"M0", AMDGPU::M0, ABI.M0Save},
      {"Mode", AMDGPU::MODE, ABI.ModeSave}};
  std::string Source;
  for (auto [Name, Number, Copy] : Flags) {
    const std::string Head = std::string("LUTHIER_HOOK_ANNOTATE ") + Name;
    const std::string Write =
        "luthier::writeReg<uint32_t>(" + std::to_string(Number) + ", 0x155);";
    Source +=
        Head +
        "Condition() { if (luthier::" + read("uint64_t", AMDGPU::SGPR6_SGPR7) +
        " < luthier::" + read("uint64_t", AMDGPU::SGPR8_SGPR9) + ") " + Write +
        " }\n";
    // A loop that only lanes end does not keep the wave from writing.
    Source += Head +
              "Loop() { unsigned N = 0; for (unsigned I = Out[1]; I; "
              "I = Out[I & 15]) ++N; Out[2] = N; " +
              Write + " }\n";
  }
  Run.compileHooks("__device__ unsigned Out[64];\n" + Source);
  for (auto [Name, Number, Copy] : Flags) {
    SCOPED_TRACE(Name);
    const unsigned At = Run.MC->registerFiles().rangeOf(Copy).First;
    forEachCase(Name + std::string("Condition"),
                [&](const Values &V, auto Execute) {
                  EXPECT_EQ(Execute().SGPRs[At] == 0x155, V.L < V.M);
                });
    const Payload Loop = compile(Name + std::string("Loop"), ABI);
    EXPECT_FALSE(Loop.SkipsWithoutLanes);
    EXPECT_EQ(run(Loop, ABI, Cases[0], 0).SGPRs[At], 0x155u);
  }
}

/// Numbers for the wave by a comparison and by a choice, between a comparison
/// of scalars and the choice by it, which is not a number for the wave.
std::string hooksThatCompareInBetween() {
  std::string IR = R"(
declare i32 @"luthier::readReg.i32.i32"(i32) #2
declare void @"luthier::writeReg.i32.i32"(i32, i32) #3
)";
  for (const char *Number :
       {"zext i1 %is7 to i32", "select i1 %is7, i32 %s2, i32 %s3"}) {
    IR += std::string("define void @") +
          (StringRef(Number).starts_with("zext") ? "compares" : "chooses") +
          "() #0 {\n";
    IR += readsOfFourScalars() + R"(%less = icmp ult i32 %s0, %s1
  %is7 = icmp eq i32 %s0, 7
  %number = )" +
          std::string(Number) + R"(
  %x = select i1 %less, i32 %s2, i32 %s3
  store volatile i32 %x, ptr addrspace(1) @Out
  call void @"luthier::writeReg.i32.i32"(i32 )" +
          std::to_string(AMDGPU::SGPR10) + R"(, i32 %number)
  ret void
}
)";
  }
  return IR;
}

TEST_P(ScalarConditions, LeaveWhatOtherComparisonsSay) {
  Run.parseHooks(hooksThatCompareInBetween());
  const PayloadABI ABI = Run.abi();
  for (const char *Hook : {"compares", "chooses"}) {
    SCOPED_TRACE(Hook);
    const Payload P = compile(Hook, ABI);
    for (const uint32_t First : {7u, 8u})
      for (const uint32_t Second : {0u, 100u}) {
        WaveState Before = Run.initialState(ABI);
        Before.SGPRs[4] = First;
        Before.SGPRs[5] = Second;
        const uint32_t IfSo = Before.SGPRs[6], IfNot = Before.SGPRs[7];
        const WaveState After = Run.run(P, ABI, Before);
        EXPECT_EQ(Run.out(1)[0], First < Second ? IfSo : IfNot);
        EXPECT_EQ(After.SGPRs[10], StringRef(Hook) == "compares"
                                       ? uint32_t(First == 7)
                                       : (First == 7 ? IfSo : IfNot));
      }
  }
}

/// Whether a register is scalar may be known only where a hook is used.
TEST_P(ScalarConditions, AreRefusedOfVectorRegistersWithHookAndLine) {
  Run.compileHooks("\nLUTHIER_HOOK_ANNOTATE copy(uint32_t From) {\n"
                   "  luthier::writeReg<uint32_t>(" +
                   std::to_string(AMDGPU::SGPR10) +
                   ", luthier::readReg<uint32_t>(From));\n}\n"
                   "__device__ uint32_t Out[4];\n");
  auto P = Run.compile("copy", Run.abi(), {uint64_t(AMDGPU::VGPR3)});
  ASSERT_FALSE(bool(P));
  const std::string Text = toString(P.takeError());
  EXPECT_NE(Text.find("hook 'copy' ("), std::string::npos) << Text;
  EXPECT_NE(Text.find("what luthier::writeReg gives a scalar register"),
            std::string::npos)
      << Text;
  EXPECT_TRUE(bool(Run.compile("copy", Run.abi(), {uint64_t(AMDGPU::SGPR3)})));
}

} // namespace
