// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plain HIP in hooks, compiled with the plugin for every target. Expressions
// give what the same source gives in a kernel.
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "PayloadRun.h"
#include "luthier/IntrinsicLowering.h"
#include "llvm/IR/IRBuilder.h"
#include <set>

using namespace llvm;
using namespace luthier;
using namespace luthier::test;

namespace {

/// Functions of a lane's number; each is called by a hook and by a kernel.
const char *Expressions[][2] = {
    {"shuffles", R"(
  unsigned V = L * L + 7;
  return __shfl_xor(V, 5) + 3 * __shfl_up(V, 2) + 5 * __shfl_down(V, 3) +
         7 * __shfl(V, (L + 11) % 32) + 9 * __shfl(V, L % 8, 8);)"},
    {"votes", R"(
  auto Odd = __ballot(L & 1);
  return __popcll(Odd) + 100 * __any(L == 5) + 200 * __all(L < 5) +
         400 * __all(L < 64) + 1000 * __ffsll(__ballot(L > 9));)"},
    {"lanes",
     "return __lane_id() + 100 * warpSize + __builtin_amdgcn_wavefrontsize();"},
    {"distant", R"(
  unsigned V = L * L + 7;
  return __shfl_xor(V, 32) + 3 * __shfl_up(V, 20) + 5 * __shfl_down(V, 40) +
         7 * __shfl(V, L * 5 + 33) + 9 * __shfl(V, 50) + 11 * __shfl(V, 3);)"},
    {"masks", R"(
#if __AMDGCN_WAVEFRONT_SIZE == 64
  uint64_t Odd = __builtin_amdgcn_ballot_w64(L % 3 == 0) >> L;
#else
  uint32_t Odd = __builtin_amdgcn_ballot_w32(L % 3 == 0) >> L;
#endif
  return __popcll(Odd) + 100 * sizeof(Odd) + 1000 * __clzll(__ballot(L < 40));)"},
    {"crossings", R"(
  unsigned V = L * L + 7;
  return __builtin_amdgcn_readlane(V, __AMDGCN_WAVEFRONT_SIZE - 5) +
         3 * __builtin_amdgcn_ds_bpermute(4 * (L ^ 37), V) +
         5 * __builtin_amdgcn_ds_permute(4 * (L ^ 9), V) +
         7 * __builtin_amdgcn_ds_swizzle(V, 0x041f) +
         9 * __builtin_amdgcn_update_dpp(1, V, 0x111, 0xf, 0xf, false) +
         11 * __builtin_amdgcn_mbcnt_lo(0x5555, L);)"},
    {"reductions", R"(
  return __ockl_wfred_add_u32(L * L) + 3 * __ockl_wfred_max_u32(L ^ 21) +
         5 * __ockl_wfscan_add_u32(L + 1, true) +
         7 * __ockl_activelane_u32() + 9 * __ockl_wfall_i32(L < 40) +
         11 * __ockl_wfany_i32(L == 50) + 13 * __ockl_wfbcast_u32(L * 3, 9);)"},
    {"groups", R"(
  auto Odd = cooperative_groups::coalesced_threads();
  unsigned V = L * L + 7, R = 0;
  if (L % 3 == 0) {
    auto Some = cooperative_groups::coalesced_threads();
    R = Some.size() + 100 * Some.thread_rank() + Some.shfl(V, 2);
  }
  return R + Odd.size() + 3 * Odd.shfl_up(V, 2) + 5 * Odd.shfl(V, 40);)"},
    {"groupSizes", "return cooperative_groups::coalesced_threads().size();"},
    {"floats", R"(
  float X = L * 0.37f + 0.1f;
  float R = X / 3.0f + sqrtf(X) - fmaf(X, X, 1.5f) + 1.0f / X;
  return __float_as_uint(R);)"},
    {"functions", R"(
  float X = L * 0.37f + 0.1f;
  float R = sinf(X) + expf(-X) * logf(X) - powf(X, 1.3f) + atan2f(X, 2.0f);
  return __float_as_uint(R);)"},
    {"doubles", R"(
  double X = L * 0.37 + 0.1;
  double R = sin(X) + exp(-X) / X - sqrt(X) * pow(X, 0.3);
  unsigned long Bits = __double_as_longlong(R);
  return unsigned(Bits) ^ unsigned(Bits >> 32);)"},
    {"integers", R"(
  long X = L * 123456789012345l + 7, Y = L * 77 - 1000;
  return unsigned(X / (Y | 1)) ^ unsigned(X % (L + 3)) ^ unsigned(X * Y >> 20) ^
         (L * 7919u) / (L % 13 + 1) ^ __mulhi(L * 1000003, 777777777);)"},
    {"locals", R"(
  unsigned Stack[24], Depth = 0;
  for (unsigned I = 0; I < 24; ++I)
    Stack[(I * 7 + L) % 24] = I * L;
  unsigned R = 0;
  for (unsigned I = L % 5; I < 24; I += 3)
    R = R * 31 + Stack[I] + Depth++;
  return R;)"},
    {"loops", R"(
  unsigned N = L + 1, Steps = 0;
  while (N != 1) {
    N = N % 2 ? 3 * N + 1 : N / 2;
    if (++Steps > 100)
      return 1000 + L;
  }
  return Steps;)"},
    {"calls", "return noInline(L, 3) + twice<4>(L) + noInline(7, L);"},
    {"tables", "return Table[L % 5] + Private[L % 3] + \"hooks\"[L % 5];"},
    {"recursion",
     "return fibonacci(L % 10) + ackermann(L % 3, L % 5) + even(L);"},
    {"pointers",
     "return Operations[L % 3](L % 10) + (L & 1 ? first : second)(L);"},
    {"virtuals", R"(
  Square A(L);
  Line B;
  const Shape *Any = L % 3 ? static_cast<Shape *>(&A) : &B;
  return Any->area() + 1000 * Any->doubled();)"},
    {"lambdas", R"(
  unsigned K = 3 * L;
  auto sum = [=](auto A, auto... Rest) { return (A + ... + Rest) + K; };
  return applied(sum, L) + applied(+[](unsigned A) { return A * 5; }, L) +
         sum(1u, L, 7u);)"},
    {"halves", R"(
  _Float16 X = short(L);
  X = X * _Float16(0.25f);
  return __float_as_uint(float(X)) + unsigned(short(int(X)));)"},
};

const char *Common = R"(
#include <hip/hip_cooperative_groups.h>
extern "C" {
__device__ unsigned __ockl_wfred_add_u32(unsigned);
__device__ unsigned __ockl_wfred_max_u32(unsigned);
__device__ unsigned __ockl_wfscan_add_u32(unsigned, bool);
__device__ unsigned __ockl_activelane_u32();
__device__ bool __ockl_wfall_i32(int);
__device__ bool __ockl_wfany_i32(int);
__device__ unsigned __ockl_wfbcast_u32(unsigned, unsigned);
}
__constant__ int Table[5] = {3, 1, 4, 1, 5};
static __constant__ short Private[3] = {100, 200, 300};
__device__ __attribute__((noinline)) unsigned noInline(unsigned A, unsigned B) {
  unsigned R = 1;
  for (unsigned I = 0; I < B; ++I)
    R = R * A + I;
  return R;
}
template <int N> __device__ unsigned twice(unsigned A) {
  return 2 * A + twice<N - 1>(A + 1);
}
template <> __device__ unsigned twice<0>(unsigned A) { return A; }
LUTHIER_MAX_DEPTH(10) __device__ unsigned fibonacci(unsigned N) {
  return N < 2 ? N : fibonacci(N - 1) + fibonacci(N - 2);
}
LUTHIER_MAX_DEPTH(40)
__device__ unsigned ackermann(unsigned M, unsigned N) {
  return M == 0   ? N + 1
         : N == 0 ? ackermann(M - 1, 1)
                  : ackermann(M - 1, ackermann(M, N - 1));
}
__device__ bool odd(unsigned N);
LUTHIER_MAX_DEPTH(40) __device__ bool even(unsigned N) {
  return N == 0 || odd(N - 1);
}
__device__ bool odd(unsigned N) { return N != 0 && even(N - 1); }
__device__ unsigned first(unsigned A) { return A * A; }
__device__ unsigned second(unsigned A) { return A + 1; }
__device__ unsigned (*Operations[])(unsigned) = {first, second, fibonacci};
struct Shape {
  unsigned Width = 3;
  __device__ virtual unsigned area() const = 0;
  __device__ virtual unsigned doubled() const { return 2 * area(); }
};
struct Square : Shape {
  __device__ Square(unsigned W) { Width = W; }
  __device__ unsigned area() const override { return Width * Width; }
};
struct Line : Shape {
  __device__ unsigned area() const override { return Width; }
  __device__ unsigned doubled() const override { return 77; }
};
template <typename F> __device__ unsigned applied(F Function, unsigned A) {
  return Function(A);
}
)";

std::string functions() {
  std::string Source = Common;
  for (auto [Name, Body] : Expressions)
    Source += std::string("__device__ unsigned ") + Name + "Of(unsigned L) {" +
              Body + "\n}\n";
  return Source;
}

std::string kernels() {
  std::string Source = "#define LUTHIER_MAX_DEPTH(Calls)\n" + functions();
  for (auto [Name, Body] : Expressions)
    Source += std::string("extern \"C\" __global__ void ") + Name +
              "(unsigned *To) { To[threadIdx.x] = " + Name +
              "Of(threadIdx.x); }\n";
  return Source;
}

std::string hooks() {
  std::string Source = R"(
__device__ uint32_t Out[1024];
__device__ uint64_t Sum, Other;
__device__ float Floats[2];
__attribute__((managed)) uint64_t Managed = 0;
)" + functions();
  for (auto [Name, Body] : Expressions)
    Source += std::string("LUTHIER_HOOK_ANNOTATE ") + Name +
              "() { Out[__lane_id()] = " + Name + "Of(__lane_id()); }\n";
  return Source + R"(
LUTHIER_HOOK_ANNOTATE threads() {
  Out[__lane_id()] = threadIdx.x + 100 * threadIdx.y + 10000 * threadIdx.z;
}
LUTHIER_HOOK_ANNOTATE blocks() {
  const unsigned Values[] = {blockIdx.x, blockIdx.y, blockIdx.z,
                             blockDim.x, blockDim.y, blockDim.z,
                             gridDim.x,  gridDim.y,  gridDim.z};
  for (unsigned I = 0; I < 9; ++I)
    Out[I] = Values[I];
}
LUTHIER_MAX_DEPTH(4) __device__ unsigned depthOf(unsigned N) {
  return N ? 1 + depthOf(N - 1) : 0;
}
__device__ unsigned (*Unset)(unsigned);
LUTHIER_HOOK_ANNOTATE bounds() {
  Out[__lane_id()] = depthOf(__lane_id()) + 10 * Unset(1);
}
LUTHIER_HOOK_ANNOTATE clocks() {
  auto Start = clock64(), Wall = wall_clock64();
  __builtin_amdgcn_s_sleep(1);
  Out[__lane_id()] = (clock64() >= Start) + 2 * (wall_clock64() >= Wall);
}
LUTHIER_HOOK_ANNOTATE shared() {
  __shared__ unsigned Box[64];
  __shared__ unsigned Total;
  Total = 5;
  Box[__lane_id()] = __lane_id();
  atomicAdd(&Total, 2);
  Out[__lane_id()] = Total + Box[__lane_id() ^ 1];
}
LUTHIER_HOOK_ANNOTATE atomics() {
  atomicAdd(&Sum, 3ul);
  atomicMax(&Other, uint64_t(__lane_id()));
  atomicAdd(&Floats[0], 0.5f);
  atomicAdd(reinterpret_cast<unsigned *>(&Floats[1]), 1u);
  Out[__lane_id()] = atomicCAS(&Out[512 + __lane_id()], 0u, __lane_id());
}
__device__ uint64_t Least, Most, All, Any, Last;
__device__ int SignedLeast, SignedMost;
LUTHIER_HOOK_ANNOTATE once(unsigned N, unsigned Bit) {
  const uint64_t Before[] = {
      luthier::waveAtomicAdd(&Sum, N),
      luthier::waveAtomicMin(&Least, N),
      luthier::waveAtomicMax(&Most, N),
      luthier::waveAtomicAnd(&All, ~(1ull << Bit)),
      luthier::waveAtomicOr(&Any, 1ull << Bit),
      luthier::waveAtomicExchange(&Last, N | 1ull << 40),
      uint64_t(luthier::waveAtomicMin(&SignedLeast, int(N) - 100)),
      uint64_t(luthier::waveAtomicMax(&SignedMost, int(N) - 100))};
  luthier::writeExec(2);
  for (unsigned I = 0; I < 8; ++I)
    Out[2 * I] = Before[I], Out[2 * I + 1] = Before[I] >> 32;
}
LUTHIER_HOOK_ANNOTATE onceLoaded() {
  luthier::waveAtomicAdd(
      &Sum, luthier::firstLane(*(volatile unsigned *)&Out[700], 0u));
  luthier::waveAtomicMax(
      &Most, luthier::firstLane(*(volatile uint64_t *)&Out[702], 0));
}
LUTHIER_HOOK_ANNOTATE count(unsigned N) { luthier::waveAdd(Sum, N); }
LUTHIER_HOOK_ANNOTATE flush() { luthier::waveFlush(Sum); }
namespace mine {
LUTHIER_INTRINSIC_ANNOTATE unsigned scaled(unsigned, unsigned) {
  __builtin_trap();
}
LUTHIER_INTRINSIC_ANNOTATE void clear(unsigned) { __builtin_trap(); }
} // namespace mine
LUTHIER_HOOK_ANNOTATE own(unsigned Reg) {
  Out[__lane_id()] = mine::scaled(Reg, 3) + mine::scaled(Reg, 4);
  mine::clear(Reg);
}
LUTHIER_HOOK_ANNOTATE managed(unsigned N) {
  luthier::waveAdd(Managed, N);
  atomicAdd(&Managed, 1ul);
}
struct Four { unsigned A, B, C, D; };
struct Eight { Four L, H; };
LUTHIER_HOOK_ANNOTATE tuples(unsigned From, unsigned To, unsigned Wide) {
  Four F = luthier::readRegs<Four>(From);
  Out[0] = F.A + F.D;
  luthier::writeRegs(To, Four{F.D, F.C, F.B, F.A});
  Eight E = luthier::readRegs<Eight>(Wide);
  Out[1 + __lane_id()] = E.L.A + E.H.D;
}
)";
}

class HipHooks : public ::testing::TestWithParam<EngineTarget> {
protected:
  void SetUp() override { Run.compileHooks(hooks()); }
  PayloadRun Run{GetParam()};
  unsigned lanes() const { return GetParam().WaveSize; }
};
INSTANTIATE_TEST_SUITE_P(Every, HipHooks, ::testing::ValuesIn(allTargets()),
                         targetName);

TEST_P(HipHooks, ExpressionsAreWhatTheyAreInKernels) {
  for (auto [Name, Body] : Expressions) {
    SCOPED_TRACE(Name);
    Run.runHook(Name);
    EXPECT_EQ(Run.out(lanes()), Run.runKernel(kernels(), Name));
  }
}

TEST_P(HipHooks, GroupsOfThreadsAreAsLargeAsTheWave) {
  Run.runHook("groupSizes");
  EXPECT_EQ(Run.out(lanes()), std::vector<uint32_t>(lanes(), lanes()));
}

class HipHooksOfOneWaveSize : public HipHooks {};

TEST_P(HipHooksOfOneWaveSize, OnlyNeutralOnesRunInTheOther) {
  Run.compileHooks(hooks(), /*OneWaveSize=*/true);
  Run.runHook("loops");
  EXPECT_EQ(Run.out()[63], 6u);
  EXPECT_EQ(Run.out()[26], 1026u);
  Run.runHook("lanes");
  for (unsigned Lane = 0; Lane < 64; ++Lane)
    EXPECT_EQ(Run.out()[Lane], Lane + 100 * 64 + 64);
  for (const char *Hook : {"shuffles", "votes"}) {
    auto P = Run.compile(Hook, Run.abi());
    ASSERT_FALSE(bool(P)) << Hook;
    EXPECT_TRUE(StringRef(toString(P.takeError())).starts_with("wave-size"));
  }
}

/// They are compiled for waves of 32 lanes.
std::vector<EngineTarget> targetsOfTheOther() {
  std::vector<EngineTarget> Result = allTargets();
  erase_if(Result, [](const EngineTarget &T) {
    return !T.isRdna() || T.WaveSize == 32;
  });
  return Result;
}
INSTANTIATE_TEST_SUITE_P(Every, HipHooksOfOneWaveSize,
                         ::testing::ValuesIn(targetsOfTheOther()), targetName);

TEST_P(HipHooks, LaunchIsKnown) {
  Run.runHook("threads");
  for (unsigned Lane = 0; Lane < lanes(); ++Lane)
    EXPECT_EQ(Run.out()[Lane], Lane % 8 + Lane / 8 * 100 + Lane % 3 * 10000);
  const uint64_t Packet = Run.allocate(64);
  Run.write(Packet + 4, std::array<uint16_t, 3>{64, 2, 3});
  Run.write(Packet + 12, std::array<uint32_t, 3>{640, 7, 9});
  Run.State = {{2, uint32_t(Packet)},
               {3, uint32_t(Packet >> 32)},
               {8, 4},
               {9, 3},
               {10, 2}};
  HookNeeds Needs = Run.needs("blocks");
  EXPECT_EQ(Needs.HiddenArguments, 0u);
  Run.runHook("blocks");
  // Of the last workgroup in y only half is in the grid, and counts of
  // workgroups are rounded up; so it is in kernels.
  EXPECT_EQ(Run.out(9), (std::vector<uint32_t>{4, 3, 2, 64, 1, 3, 10, 4, 3}));
  Run.runHook("clocks");
  EXPECT_EQ(Run.out(lanes()), std::vector<uint32_t>(lanes(), 3));
}

TEST_P(HipHooks, CallsBeyondTheBoundAreLeftOut) {
  Run.runHook("bounds");
  for (unsigned Lane = 0; Lane < lanes(); ++Lane)
    EXPECT_EQ(Run.out()[Lane], std::min(Lane, 4u));
}

TEST_P(HipHooks, SharedMemoryIsTheWorkgroups) {
  Run.State = {{11, PayloadRun::LdsBase}};
  EXPECT_EQ(Run.needs("shared").LdsBytes, 260u);
  Run.runHook("shared");
  for (unsigned Lane = 0; Lane < lanes(); ++Lane)
    EXPECT_EQ(Run.out()[Lane], 5 + 2 * lanes() + (Lane ^ 1));
}

TEST_P(HipHooks, AtomicsAddUp) {
  Run.runHook("atomics");
  EXPECT_EQ(Run.read<uint64_t>(Run.Hooks.Variables["Sum"], 1)[0], 3 * lanes());
  EXPECT_EQ(Run.read<uint64_t>(Run.Hooks.Variables["Other"], 1)[0],
            lanes() - 1);
  EXPECT_EQ(Run.read<float>(Run.Hooks.Variables["Floats"], 1)[0],
            0.5f * lanes());
  auto Swapped = Run.read<uint32_t>(Run.Out + 2048, lanes());
  EXPECT_EQ(Swapped[5], 5u);
}

TEST_P(HipHooks, AtomicsOfTheWaveHappenOnceWhateverLanesAreActive) {
  for (uint64_t EXEC : {~uint64_t(0), uint64_t(0), uint64_t(0x1230)}) {
    Run.EXEC = EXEC;
    const std::map<std::string, uint64_t> Starts = {
        {"Sum", 1ull << 40}, {"Least", 8ull << 32}, {"Most", 5}, {"All", ~0ull},
        {"Any", 1},          {"Last", 77}};
    auto variable = [&](const std::string &Name) {
      return Run.read<uint64_t>(Run.Hooks.Variables[Name], 1)[0];
    };
    auto number = [&](const char *Name) {
      return Run.read<int32_t>(Run.Hooks.Variables[Name], 1)[0];
    };
    for (auto &[Name, Value] : Starts)
      Run.write(Run.Hooks.Variables[Name], Value);
    for (const char *Name : {"SignedLeast", "SignedMost"})
      Run.write(Run.Hooks.Variables[Name], int32_t(-50));
    Run.runHook("once", {7, 35});
    const std::vector<uint64_t> Before = {
        1ull << 40, 8ull << 32, 5, ~0ull, 1, 77, uint64_t(-50), uint64_t(-50)};
    EXPECT_EQ(Run.read<uint64_t>(Run.Out, 8), Before);
    EXPECT_EQ(variable("Sum"), (1ull << 40) + 7);
    EXPECT_EQ(variable("Least"), 7u);
    EXPECT_EQ(variable("Most"), 7u);
    EXPECT_EQ(variable("All"), ~(1ull << 35));
    EXPECT_EQ(variable("Any"), 1 | 1ull << 35);
    EXPECT_EQ(variable("Last"), 7 | 1ull << 40);
    EXPECT_EQ(number("SignedLeast"), -93);
    EXPECT_EQ(number("SignedMost"), -50);
  }
}

TEST_P(HipHooks, AtomicsOfTheWaveTakeWhatActiveLanesHave) {
  for (uint64_t EXEC : {~uint64_t(0), uint64_t(0x1230)}) {
    Run.EXEC = EXEC;
    for (const char *Name : {"Sum", "Most"})
      Run.write<uint64_t>(Run.Hooks.Variables[Name], 1000);
    Run.write<uint32_t>(Run.Out + 4 * 700, 77);
    Run.write<uint64_t>(Run.Out + 4 * 702, 5ull << 32 | 3);
    Run.runHook("onceLoaded");
    EXPECT_EQ(Run.read<uint64_t>(Run.Hooks.Variables["Sum"], 1)[0], 1077u);
    EXPECT_EQ(Run.read<uint64_t>(Run.Hooks.Variables["Most"], 1)[0],
              5ull << 32 | 3);
  }
}

TEST_P(HipHooks, CountersAreFlushedOnce) {
  for (uint64_t EXEC : {~uint64_t(0), uint64_t(0), uint64_t(0x1234)}) {
    Run.EXEC = EXEC;
    Run.State = {{24, 0}, {25, 0}};
    Run.write<uint64_t>(Run.Hooks.Variables["Sum"], 1000);
    const PayloadABI ABI = Run.abi();
    auto Compiler = PayloadCompiler::create(*Run.MC, Run.Hooks, lanes());
    ASSERT_TRUE(bool(Compiler)) << toString(Compiler.takeError());
    PayloadVariant Variants[] = {{{&Run.Hooks, "count"}, {uint64_t(7)}},
                                 {{&Run.Hooks, "flush"}, {}}};
    auto Payloads = (*Compiler)->compile(Variants, ABI);
    ASSERT_TRUE(bool(Payloads)) << toString(Payloads.takeError());
    WaveState S = Run.run((*Payloads)[0], ABI, Run.initialState(ABI));
    EXPECT_EQ(S.VGPRs[16][24], 7u);
    S = Run.run((*Payloads)[0], ABI, S);
    S = Run.run((*Payloads)[1], ABI, S);
    EXPECT_EQ(S.VGPRs[16][24], 0u);
    Run.run((*Payloads)[1], ABI, S);
    EXPECT_EQ(Run.read<uint64_t>(Run.Hooks.Variables["Sum"], 1)[0], 1014u);
  }
}

TEST_P(HipHooks, ManagedVariablesAreReachedDirectly) {
  const uint64_t Storage = Run.allocate(8);
  Run.Hooks.ManagedStorage["Managed"] = Storage;
  Run.State = {{24, 0}, {25, 0}};
  WaveState S = Run.runHook("managed", {5});
  EXPECT_EQ(S.VGPRs[16][24], 5u);
  EXPECT_EQ(Run.read<uint64_t>(Storage, 1)[0], lanes());
}

TEST_P(HipHooks, ToolsAddIntrinsics) {
  auto Refused = Run.compile("own", Run.abi(), {AMDGPU::SGPR5});
  ASSERT_FALSE(bool(Refused));
  EXPECT_NE(toString(Refused.takeError()).find("mine::scaled"),
            std::string::npos);
  Run.forgetCompiled();
  // A scalar register, times a constant that must be known.
  registerIntrinsic(
      "mine::scaled", [](IntrinsicCall &Call) -> Expected<Value *> {
        auto *Reg = dyn_cast<ConstantInt>(Call.argument(0));
        if (!Reg)
          return createStringError("which register?");
        IRBuilderBase &B = Call.builder();
        Value *Read = Call.readReg(Reg->getZExtValue(), B.getInt32Ty());
        return B.CreateMul(Read, Call.argument(1));
      });
  registerIntrinsic(
      "mine::clear", [](IntrinsicCall &Call) -> Expected<Value *> {
        Call.writeReg(cast<ConstantInt>(Call.argument(0))->getZExtValue(),
                      Call.builder().getInt32(0));
        return nullptr;
      });
  const PayloadABI ABI = Run.abi();
  auto P = Run.compile("own", ABI, {AMDGPU::SGPR5});
  registerIntrinsic("mine::scaled", nullptr);
  registerIntrinsic("mine::clear", nullptr);
  ASSERT_TRUE(bool(P)) << toString(P.takeError());
  const WaveState Before = Run.initialState(ABI);
  const WaveState After = Run.run(*P, ABI, Before);
  EXPECT_EQ(Run.out()[3], 7 * Before.SGPRs[5]);
  EXPECT_EQ(After.SGPRs[5], 0u);
}

TEST_P(HipHooks, TuplesAreReadAndWritten) {
  const PayloadABI ABI = Run.abi();
  auto P = Run.compile(
      "tuples", ABI,
      {AMDGPU::SGPR4_SGPR5_SGPR6_SGPR7, AMDGPU::SGPR8_SGPR9_SGPR10_SGPR11,
       AMDGPU::VGPR2_VGPR3_VGPR4_VGPR5_VGPR6_VGPR7_VGPR8_VGPR9});
  ASSERT_TRUE(bool(P)) << toString(P.takeError());
  const WaveState Before = Run.initialState(ABI);
  const WaveState After = Run.run(*P, ABI, Before);
  EXPECT_EQ(Run.out()[0], Before.SGPRs[4] + Before.SGPRs[7]);
  for (unsigned I = 0; I < 4; ++I)
    EXPECT_EQ(After.SGPRs[8 + I], Before.SGPRs[7 - I]);
  EXPECT_EQ(Run.out()[1 + 9], Before.VGPRs[2][9] + Before.VGPRs[9][9]);
}

TEST_P(HipHooks, LinesLeadToTheSource) {
  auto P = Run.compile("calls", Run.abi());
  ASSERT_TRUE(bool(P)) << toString(P.takeError());
  ASSERT_FALSE(P->Lines.empty());
  // The loop of noInline() comes from a line of its own, called from the
  // hook's.
  std::set<unsigned> Lines, HookLines;
  unsigned Last = 0;
  for (const LineEntry &L : P->Lines) {
    EXPECT_GE(L.Offset, Last);
    EXPECT_LT(L.Offset, P->Code.size());
    EXPECT_TRUE(StringRef(L.HookFile).ends_with(".hip")) << L.HookFile;
    Last = L.Offset;
    Lines.insert(L.Line);
    HookLines.insert(L.HookLine);
  }
  EXPECT_EQ(HookLines.size(), 1u);
  EXPECT_GE(Lines.size(), 2u);
}

} // namespace
