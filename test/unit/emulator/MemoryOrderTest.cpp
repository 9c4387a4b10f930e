// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What others see of a lane's access while it happens. The thread that executes
// the kernel stops behind each of its instructions, as a debugger would have
// it, and the memory is looked at, or changed, in between.
#include "Machine.h"
#include <algorithm>
#include <csignal>
#include <functional>
#include <ucontext.h>
#include <x86intrin.h>

namespace luthier::test {
namespace {

/// While it lives, this thread calls something behind each instruction, with
/// the next one's bytes.
class SingleSteps {
public:
  using Look = std::function<void(const uint8_t *)>;

  explicit SingleSteps(const Look &Between) {
    Now = &Between;
    struct sigaction Action = {};
    Action.sa_flags = SA_SIGINFO;
    Action.sa_sigaction = [](int, siginfo_t *, void *Context) {
      const auto &Registers = static_cast<ucontext_t *>(Context)->uc_mcontext;
      (*Now)(reinterpret_cast<const uint8_t *>(Registers.gregs[REG_RIP]));
    };
    sigaction(SIGTRAP, &Action, &Before);
    __writeeflags(__readeflags() | TrapFlag);
  }
  ~SingleSteps() {
    __writeeflags(__readeflags() & ~TrapFlag);
    sigaction(SIGTRAP, &Before, nullptr);
  }
  SingleSteps(const SingleSteps &) = delete;

private:
  static constexpr unsigned long long TrapFlag = 0x100;
  static inline const Look *Now;
  struct sigaction Before;
};

constexpr unsigned Lanes = 64;

/// One form of a load and its store, of the lane's dwords from v4 or s[4:...]
/// on.
struct Form {
  const char *Name;
  unsigned Dwords;
  /// From one lane's memory to the next one's.
  unsigned Stride;
  /// With those lanes.
  uint64_t Exec;
  const char *Load, *Store;
};

void PrintTo(const Form &F, std::ostream *OS) { *OS << F.Name; }

class WholeAccessTest : public Machine,
                        public ::testing::WithParamInterface<Form> {
protected:
  /// Where the kernel loads from, stores to, and leaves what it has loaded.
  struct Layout {
    uint64_t Shared[Lanes * 4];
    uint32_t Loaded[4][Lanes];
  };
  Layout &memory() { return *Data.as<Layout>(); }

  /// v1 is the offset and v[2:3] the address of the lane's memory, s[8:11] a
  /// buffer of all memory.
  std::string prologue() const {
    return "v_mul_u32_u24 v1, " + std::to_string(GetParam().Stride) +
           R"(, v0
      v_mov_b32 v3, s1
      v_add_co_u32 v2, vcc, s0, v1
      v_addc_co_u32 v3, vcc, 0, v3, vcc
      s_mov_b32 s8, s0
      s_mov_b32 s9, s1
      s_mov_b32 s10, -1
      s_mov_b32 s11, 0x27000
      v_lshlrev_b32 v12, 2, v0
      s_mov_b32 exec_lo, )" +
           std::to_string(uint32_t(GetParam().Exec)) + R"(
      s_mov_b32 exec_hi, )" +
           std::to_string(uint32_t(GetParam().Exec >> 32)) + "\n";
  }

  bool isScalar() const { return GetParam().Load[0] == 's'; }

  /// Behind the lane's first dword, those that have to be equal to it, and to
  /// each other's pair where there are four.
  template <class F> void forEachPair(F Body) {
    for (unsigned L = 0; L != (isScalar() ? 1 : Lanes); ++L)
      if (GetParam().Exec >> L & 1)
        for (unsigned P = 0; P != GetParam().Dwords / 2; ++P)
          Body(memory().Shared[L * GetParam().Stride / 8 + P], L, P);
  }

  /// Runs once before, so that nothing is decoded between the steps.
  uint64_t runInSteps(const std::function<void()> &Between) {
    runOk();
    uint64_t Steps = 0;
    std::optional<emulator::ExecutionFault> Fault;
    const SingleSteps::Look Counted = [&](const uint8_t *) {
      ++Steps;
      Between();
    };
    {
      const SingleSteps Stepping(Counted);
      Fault = run();
    }
    EXPECT_FALSE(Fault) << Fault->Message;
    return Steps;
  }
};

constexpr uint64_t both(uint32_t Value) {
  return Value | uint64_t(Value) << 32;
}

TEST_P(WholeAccessTest, NobodySeesHalfAStore) {
  constexpr uint64_t Old = both(5), New = both(6);
  load(prologue() + R"(
    v_mov_b32 v4, 6
    v_mov_b32 v5, 6
    v_mov_b32 v6, 6
    v_mov_b32 v7, 6
    s_mov_b32 s4, 6
    s_mov_b32 s5, 6
    s_mov_b32 s6, 6
    s_mov_b32 s7, 6
    )" +
       GetParam().Store +
       R"(
    s_endpgm)");
  std::fill_n(memory().Shared, Lanes * 4, Old);
  uint64_t SeenOld = 0, SeenNew = 0, SeenHalf = 0;
  bool IsFirstRun = true;
  const uint64_t Steps = runInSteps([&] {
    if (IsFirstRun)
      std::fill_n(memory().Shared, Lanes * 4, Old);
    IsFirstRun = false;
    forEachPair([&](uint64_t Pair, unsigned, unsigned) {
      SeenOld += Pair == Old;
      SeenNew += Pair == New;
      SeenHalf += Pair != Old && Pair != New;
    });
  });
  EXPECT_GT(Steps, 100u);
  EXPECT_GT(SeenOld, 0u);
  EXPECT_GT(SeenNew, 0u);
  EXPECT_EQ(SeenHalf, 0u);
}

TEST_P(WholeAccessTest, NoLoadSeesTwoMoments) {
  std::string Keep;
  for (unsigned N = 0; N != GetParam().Dwords; ++N) {
    const std::string Register = std::to_string(4 + N);
    if (isScalar())
      Keep += "v_mov_b32 v" + Register + ", s" + Register + "\n";
    Keep += "global_store_dword v12, v" + Register + ", s[0:1] offset:" +
            std::to_string(offsetof(Layout, Loaded) + N * Lanes * 4) + "\n";
  }
  load(prologue() + GetParam().Load + "\ns_waitcnt vmcnt(0) lgkmcnt(0)\n" +
       Keep + "s_endpgm");
  uint32_t Moment = 0;
  runInSteps([&] {
    ++Moment;
    std::fill_n(memory().Shared, Lanes * 4, both(Moment));
  });
  forEachPair([&](uint64_t, unsigned L, unsigned P) {
    const uint32_t First = memory().Loaded[2 * P][L];
    EXPECT_GT(First, 0u);
    EXPECT_LT(First, Moment);
    EXPECT_EQ(memory().Loaded[2 * P + 1][L], First) << L << ", " << P;
  });
}

constexpr uint64_t All = ~uint64_t(0), Some = 0x1fff'ffff'ffff'fff7;

INSTANTIATE_TEST_SUITE_P(
    Forms, WholeAccessTest,
    ::testing::Values(
        Form{"ConsecutivePairs", 2, 8, All,
             "global_load_dwordx2 v[4:5], v1, s[0:1]",
             "global_store_dwordx2 v1, v[4:5], s[0:1]"},
        Form{"Consecutive", 4, 16, All,
             "global_load_dwordx4 v[4:7], v1, s[0:1]",
             "global_store_dwordx4 v1, v[4:7], s[0:1]"},
        Form{"SomeLanesPairs", 2, 8, Some,
             "global_load_dwordx2 v[4:5], v1, s[0:1]",
             "global_store_dwordx2 v1, v[4:5], s[0:1]"},
        // As RCCL's LL protocol does where a line is not there yet.
        Form{"SomeLanes", 4, 16, Some, "global_load_dwordx4 v[4:7], v1, s[0:1]",
             "global_store_dwordx4 v1, v[4:7], s[0:1]"},
        Form{"Apart", 2, 16, All, "global_load_dwordx2 v[4:5], v1, s[0:1]",
             "global_store_dwordx2 v1, v[4:5], s[0:1]"},
        Form{"Flat", 4, 16, Some, "flat_load_dwordx4 v[4:7], v[2:3]",
             "flat_store_dwordx4 v[2:3], v[4:7]"},
        Form{"BufferPairs", 2, 8, All,
             "buffer_load_dwordx2 v[4:5], v1, s[8:11], 0 offen",
             "buffer_store_dwordx2 v[4:5], v1, s[8:11], 0 offen"},
        Form{"Buffer", 4, 16, All,
             "buffer_load_dwordx4 v[4:7], v1, s[8:11], 0 offen",
             "buffer_store_dwordx4 v[4:7], v1, s[8:11], 0 offen"},
        Form{"ScalarPair", 2, 8, All, "s_load_dwordx2 s[4:5], s[0:1], 0",
             "s_store_dwordx2 s[4:5], s[0:1], 0"},
        Form{"Scalar", 4, 16, All, "s_load_dwordx4 s[4:7], s[0:1], 0",
             "s_store_dwordx4 s[4:7], s[0:1], 0"},
        Form{"ScalarBuffer", 2, 8, All,
             "s_buffer_load_dwordx2 s[4:5], s[8:11], 0",
             "s_buffer_store_dwordx2 s[4:5], s[8:11], 0"}),
    [](const auto &Info) { return std::string(Info.param.Name); });

/// A store, and a load behind it that looks at what others have stored.
struct Order {
  const char *Name, *Processor;
  /// What waits for the store and loads into v4. The addresses are v1 + s[0:1].
  const char *Load;
};

void PrintTo(const Order &O, std::ostream *OS) { *OS << O.Name; }

class StoreThenLoadTest : public Machine,
                          public ::testing::WithParamInterface<Order> {
protected:
  StoreThenLoadTest() : Machine(on(GetParam().Processor), waveSize()) {}
  static unsigned waveSize() {
    const std::string Processor = GetParam().Processor;
    return Processor.size() > 6 ? 32 : 64;
  }

  struct Layout {
    uint32_t Mine[16], Other[16], Loaded[Lanes];
  };
  /// The host's loads may overtake its stores, but none of these.
  static bool isFence(const uint8_t *Code) {
    constexpr uint8_t Lock = 0xf0, Mfence[] = {0x0f, 0xae, 0xf0};
    return *Code == Lock || std::equal(Mfence, std::end(Mfence), Code);
  }
};

/// Else two devices that each store and then load may both miss the other's
/// store, which no order of the four explains.
TEST_P(StoreThenLoadTest, TheStoreIsVisibleBefore) {
  load(std::string("v_mov_b32 v1, 0\nv_mov_b32 v3, 1\n"
                   "v_lshlrev_b32 v2, 2, v0\n"
                   "global_store_dword v1, v3, s[0:1]\n") +
       GetParam().Load + R"(
    global_store_dword v2, v4, s[0:1] offset:128
    s_endpgm)");
  auto &L = *Data.as<Layout>();
  runOk();
  // By step: how often others may have seen the store since then.
  constexpr unsigned MostSteps = 1 << 20;
  std::vector<uint8_t> Fences(MostSteps);
  uint32_t Step = 0, Stored = 0;
  L.Mine[0] = 0;
  const SingleSteps::Look Look = [&](const uint8_t *Next) {
    L.Other[0] = ++Step;
    if (!Stored && L.Mine[0])
      Stored = Step;
    Fences[Step % MostSteps] = isFence(Next);
  };
  std::optional<emulator::ExecutionFault> Fault;
  {
    const SingleSteps Stepping(Look);
    Fault = run();
  }
  ASSERT_FALSE(Fault) << Fault->Message;
  ASSERT_LT(Step, MostSteps);
  const uint32_t Loaded = L.Loaded[0];
  ASSERT_GT(Stored, 0u);
  ASSERT_GT(Loaded, Stored);
  // What comes behind a step is executed before the next one.
  EXPECT_NE(std::count(&Fences[Stored], &Fences[Loaded], 1), 0);
}

INSTANTIATE_TEST_SUITE_P(
    Orders, StoreThenLoadTest,
    ::testing::Values(Order{"Global", "gfx90a", R"(s_waitcnt vmcnt(0)
                            global_load_dword v4, v1, s[0:1] offset:64 glc
                            s_waitcnt vmcnt(0))"},
                      Order{"Buffer", "gfx90a", R"(s_waitcnt vmcnt(0)
                            s_mov_b32 s8, s0
                            s_mov_b32 s9, s1
                            s_mov_b32 s10, -1
                            s_mov_b32 s11, 0x27000
                            buffer_load_dword v4, off, s[8:11], 0 offset:64 glc
                            s_waitcnt vmcnt(0))"},
                      Order{"BehindAnInvalidation", "gfx90a",
                            R"(s_waitcnt vmcnt(0)
                            buffer_wbinvl1_vol
                            global_load_dword v4, v1, s[0:1] offset:64
                            s_waitcnt vmcnt(0))"},
                      Order{"ScalarBehindAnInvalidation", "gfx90a",
                            R"(s_waitcnt vmcnt(0)
                            s_dcache_inv
                            s_load_dword s4, s[0:1], 64
                            s_waitcnt lgkmcnt(0)
                            v_mov_b32 v4, s4)"},
                      Order{"OfTheDevice", "gfx942", R"(s_waitcnt vmcnt(0)
                            global_load_dword v4, v1, s[0:1] offset:64 sc1
                            s_waitcnt vmcnt(0))"},
                      Order{"WithCountersOfStores", "gfx1030",
                            R"(s_waitcnt_vscnt null, 0
                            global_load_dword v4, v1, s[0:1] offset:64 glc dlc
                            s_waitcnt vmcnt(0))"},
                      Order{"BehindAnInvalidationOfOneCache", "gfx1100",
                            R"(s_waitcnt_vscnt null, 0
                            buffer_gl0_inv
                            global_load_b32 v4, v1, s[0:1] offset:64
                            s_waitcnt vmcnt(0))"},
                      Order{"OfAScope", "gfx1201", R"(s_wait_storecnt 0
                            global_load_b32 v4, v1, s[0:1] offset:64 scope:SCOPE_DEV
                            s_wait_loadcnt 0)"},
                      Order{"BehindAnInvalidationOfAScope", "gfx1201",
                            R"(s_wait_storecnt 0
                            global_inv scope:SCOPE_DEV
                            global_load_b32 v4, v1, s[0:1] offset:64
                            s_wait_loadcnt 0)"}),
    [](const auto &Info) { return std::string(Info.param.Name); });

} // namespace
} // namespace luthier::test
