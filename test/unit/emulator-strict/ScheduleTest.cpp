// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Seeds decide in which order waves run, down to single instructions.
#include "../emulator/Machine.h"
#include <algorithm>
#include <set>

namespace luthier::test {
namespace {

class Schedule : public Machine {
protected:
  Schedule() { Request.WorkgroupSize = Request.GridSize = {128, 1, 1}; }
  void seed(uint64_t Seed) {
    auto Opts = gfx90a();
    Opts.Seed = Seed;
    std::string Error;
    Device = emulator::ShaderArray::create(std::move(Opts), Space, Error);
    ASSERT_TRUE(Device) << Error;
  }
  uint32_t result(uint64_t Seed, const std::string &Source) {
    seed(Seed);
    load(Source);
    std::fill_n(Data.as<uint32_t>(), 64, 0u);
    runOk();
    return Data.as<uint32_t>()[0];
  }

  /// Each wave adds one, but not atomically.
  const std::string Race = R"(
    v_mov_b32 v1, 0
    global_load_dword v2, v1, s[0:1]
    s_waitcnt vmcnt(0)
    v_add_u32 v2, 1, v2
    global_store_dword v1, v2, s[0:1]
    s_endpgm)";
};

TEST_F(Schedule, SomeSeedLosesAnUpdateThatIsNotAtomic) {
  EXPECT_EQ(result(0, Race), 2u);
  std::set<uint32_t> Results;
  for (uint64_t Seed = 1; Seed <= 20; ++Seed)
    Results.insert(result(Seed, Race));
  EXPECT_EQ(Results, (std::set<uint32_t>{1, 2}));
}

TEST_F(Schedule, WorkgroupsMixToo) {
  Request.WorkgroupSize = {64, 1, 1};
  std::set<uint32_t> Results;
  for (uint64_t Seed = 1; Seed <= 20; ++Seed)
    Results.insert(result(Seed, Race));
  EXPECT_EQ(Results, (std::set<uint32_t>{1, 2}));
}

TEST_F(Schedule, ASeedRepeats) {
  Request.GridSize = {4096, 1, 1};
  for (uint64_t Seed = 1; Seed <= 5; ++Seed)
    EXPECT_EQ(result(Seed, Race), result(Seed, Race)) << Seed;
}

} // namespace
} // namespace luthier::test
