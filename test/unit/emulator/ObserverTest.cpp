// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/core/Observer.h"
#include "Machine.h"
#include "emulator/core/Wave.h"
#include "emulator/exec/InstInfo.h"

namespace luthier::test {
namespace {

using namespace emulator;

struct Recorder final : DispatchObserver {
  explicit Recorder(std::vector<InstInfo> &Seen) : Seen(Seen) {}
  void execute(Wave &W, const Inst &I, Handler Fn) override {
    Seen.push_back(*I.Info);
    Fn(W, I);
  }
  std::vector<InstInfo> &Seen;
};

class Observer : public Machine {
protected:
  Observer() : Machine(watched(this)) {}
  static ShaderArray::Options watched(Observer *Self) {
    ShaderArray::Options Opts = gfx90a();
    Opts.Observe = [Self](const LaunchPlan &) {
      return std::make_unique<Recorder>(Self->Seen);
    };
    return Opts;
  }
  std::vector<InstInfo> Seen;
};

TEST_F(Observer, SeesEveryInstructionWithItsRegisters) {
  load(R"(
    v_add_co_u32 v1, vcc, s2, v3
    v_mov_b32 v6, 0
    global_load_dwordx2 v[4:5], v6, s[0:1]
    s_endpgm)");
  runOk();
  ASSERT_EQ(Seen.size(), 4u);
  EXPECT_EQ(Seen[0].Mnemonic, "v_add_co_u32");
  auto Has = [](const std::vector<RegisterRange> &List, RegisterFile File,
                unsigned First, unsigned Count) {
    for (const RegisterRange &R : List)
      if (R.File == File && R.First == First && R.Count == Count)
        return true;
    return false;
  };
  EXPECT_TRUE(Has(Seen[0].Writes, RegisterFile::Vector, 1, 1));
  EXPECT_TRUE(Has(Seen[0].Writes, RegisterFile::Scalar, sreg::Vcc, 2));
  EXPECT_TRUE(Has(Seen[0].Reads, RegisterFile::Scalar, 2, 1));
  EXPECT_TRUE(Has(Seen[0].Reads, RegisterFile::Scalar, sreg::Exec, 2));
  EXPECT_TRUE(Has(Seen[2].Writes, RegisterFile::Vector, 4, 2));
  EXPECT_TRUE(Has(Seen[2].Reads, RegisterFile::Scalar, 0, 2));
  EXPECT_TRUE(Seen[2].MayLoad);
}

TEST_F(Machine, AddressesMayDifferFromTheHosts) {
  constexpr uint64_t Address = 0x40000000000;
  alignas(64) static uint32_t Buffer[64];
  for (uint32_t N = 0; N != 64; ++N)
    Buffer[N] = N;
  ASSERT_TRUE(Space.mapAt(Address, sizeof(Buffer), Buffer));
  EXPECT_FALSE(Space.mapAt(Address + 8, 8, Buffer)) << "overlaps";
  load(R"(
    s_mov_b32 s0, 0
    s_movk_i32 s1, 0x400
    s_load_dword s6, s[0:1], 0x8
    v_lshlrev_b32 v1, 2, v0
    global_load_dword v2, v1, s[0:1]
    s_waitcnt vmcnt(0) lgkmcnt(0)
    v_mad_u32_u24 v2, v2, 2, s6
    global_store_dword v1, v2, s[0:1]
    s_endpgm)");
  runOk();
  for (uint32_t N = 0; N != 64; ++N)
    EXPECT_EQ(Buffer[N], 2 * N + 2);
  Space.unmap(Address);
  EXPECT_TRUE(run()) << "no longer mapped";
}

} // namespace
} // namespace luthier::test
