// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled kernels on every target, in each wave size and at two levels of
// optimisation, give what the host computes.
#include "Items.h"
#include "luthier/emulator.h"
#include <algorithm>
#include <cstdint>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <random>
#include <string>
#include <vector>

namespace luthier::test {
namespace {

struct Build {
  const char *Target;
  unsigned WaveSize;
  unsigned Level;
};

std::string nameOf(const Build &B) {
  return std::string(B.Target) + "-wave" + std::to_string(B.WaveSize) + "-O" +
         std::to_string(B.Level);
}

void PrintTo(const Build &B, std::ostream *OS) { *OS << nameOf(B); }

class CompiledKernels : public ::testing::TestWithParam<Build> {
protected:
  /// The last workgroup is not full.
  static constexpr uint32_t GroupSize = 96, Groups = 5,
                            Count = GroupSize * (Groups - 1) + 37, Seed = 11;

  CompiledKernels() {
    luthier_emu_device_options Options{};
    Options.struct_size = sizeof(Options);
    Options.target = GetParam().Target;
    EXPECT_EQ(luthier_emu_device_create(&Options, &Device), LUTHIER_EMU_OK)
        << luthier_emu_error(nullptr);
    std::ifstream File(CODE_OBJECTS + nameOf(GetParam()) + ".co",
                       std::ios::binary);
    std::vector<char> Bytes{std::istreambuf_iterator<char>(File), {}};
    EXPECT_EQ(luthier_emu_load(Device, Bytes.data(), Bytes.size(), &Code),
              LUTHIER_EMU_OK)
        << luthier_emu_error(Device);
    std::mt19937 Random(Seed);
    for (uint32_t &Word : In)
      Word = Random();
    // Some operands that are special to integers.
    for (uint32_t Special : {0u, 1u, 0x7fffffffu, 0x80000000u, 0xffffffffu})
      for (unsigned N = 0; N != 12; ++N)
        In[Random() % In.size()] = Special;
    InAddress = allocate(In.size());
    OutAddress = allocate(NumWords);
    luthier_emu_write(Device, InAddress, In.data(), In.size() * 4);
  }
  ~CompiledKernels() override {
    luthier_emu_unload(Code);
    luthier_emu_device_destroy(Device);
  }

  uint64_t allocate(size_t Words) {
    uint64_t Address = 0;
    EXPECT_EQ(luthier_emu_allocate(Device, Words * 4, &Address),
              LUTHIER_EMU_OK);
    return Address;
  }

  template <class Arguments>
  std::vector<uint32_t> run(const char *Kernel, const Arguments &A,
                            const uint32_t (&Grid)[3],
                            const uint32_t (&Workgroup)[3]) {
    std::vector<uint32_t> Out(NumWords, 0);
    luthier_emu_write(Device, OutAddress, Out.data(), Out.size() * 4);
    luthier_emu_launch Launch{};
    Launch.struct_size = sizeof(Launch);
    std::copy_n(Grid, 3, Launch.grid);
    std::copy_n(Workgroup, 3, Launch.workgroup);
    Launch.kernarg = &A;
    Launch.kernarg_size = sizeof(A);
    EXPECT_EQ(luthier_emu_dispatch(Code, Kernel, &Launch, nullptr),
              LUTHIER_EMU_OK)
        << Kernel << ": " << luthier_emu_error(Device);
    luthier_emu_read(Device, OutAddress, Out.data(), Out.size() * 4);
    return Out;
  }
  struct Buffers {
    uint64_t Out, In;
    uint32_t GroupSize, Count;
  };
  std::vector<uint32_t> run(const char *Kernel, uint32_t Items = Count) {
    return run(Kernel, Buffers{OutAddress, InAddress, GroupSize, Items},
               {Items, 1, 1}, {GroupSize, 1, 1});
  }

  static constexpr size_t NumWords = 4096;
  std::vector<uint32_t> In = std::vector<uint32_t>(NumWords);
  luthier_emu_device *Device = nullptr;
  luthier_emu_code *Code = nullptr;
  uint64_t InAddress = 0, OutAddress = 0;
};

using Item = U32 (*)(Input);
struct NamedItem {
  const char *Kernel;
  Item Fn;
};
constexpr NamedItem Items[] = {
#define ITEM(Name) {#Name "Kernel", Name},
    FOR_EACH_ITEM(ITEM)};

TEST_P(CompiledKernels, ComputeWhatTheHostComputes) {
  for (const NamedItem &Kernel : Items) {
    std::vector<uint32_t> Out = run(Kernel.Kernel);
    unsigned Wrong = 0;
    for (uint32_t N = 0; N != Count; ++N) {
      Input I{In[3 * N], In[3 * N + 1], In[3 * N + 2]};
      if (Out[N] != Kernel.Fn(I) && Wrong++ < 3)
        ADD_FAILURE() << Kernel.Kernel << " of " << std::hex << I.A << " "
                      << I.B << " " << I.C << " is " << Out[N] << ", not "
                      << Kernel.Fn(I);
    }
    EXPECT_EQ(Wrong, 0u) << Kernel.Kernel << ", seed " << Seed;
    EXPECT_EQ(Out[Count], 0u) << Kernel.Kernel;
  }
}

TEST_P(CompiledKernels, KnowTheirPlaceInThreeDimensions) {
  constexpr uint32_t X = 6, Y = 4, Z = 3, GridX = 15, GridY = 9, GridZ = 7;
  struct {
    uint64_t Out;
    uint32_t X, Y, Z, GridX, GridY;
  } Arguments{OutAddress, X, Y, Z, GridX, GridY};
  std::vector<uint32_t> Out =
      run("places", Arguments, {GridX, GridY, GridZ}, {X, Y, Z});
  for (uint32_t N = 0; N != GridX * GridY * GridZ; ++N)
    ASSERT_EQ(Out[N],
              N % GridX | N / GridX % GridY << 8 | N / (GridX * GridY) << 16);
}

TEST_P(CompiledKernels, ExchangeWordsThroughLds) {
  std::vector<uint32_t> Out = run("prefixSums", Groups * GroupSize);
  for (uint32_t G = 0; G != Groups; ++G)
    for (uint32_t L = 0, Sum = 0; L != GroupSize; ++L) {
      Sum += In[G * GroupSize + L];
      ASSERT_EQ(Out[G * GroupSize + L], Sum) << G << " " << L;
    }
}

TEST_P(CompiledKernels, CountWithAtomics) {
  std::vector<uint32_t> Out = run("histogram"), Expected(18);
  for (uint32_t N = 0; N != Count; ++N) {
    ++Expected[In[N] % 16];
    Expected[16] = std::max(Expected[16], In[N]);
    Expected[17] ^= In[N];
  }
  Out.resize(Expected.size());
  EXPECT_EQ(Out, Expected);
}

TEST_P(CompiledKernels, SeeOtherLanesOfTheirWave) {
  // Whole waves only: what inactive lanes have is not defined.
  constexpr uint32_t Size = 64, NumGroups = 3;
  std::vector<uint32_t> Out =
      run("lanes", Buffers{OutAddress, InAddress, Size, 0},
          {Size * NumGroups, 1, 1}, {Size, 1, 1});
  const uint32_t Lanes = GetParam().WaveSize;
  for (uint32_t N = 0; N != Size * NumGroups; ++N) {
    uint32_t First = N / Lanes * Lanes, Odd = 0, Before = 0;
    for (uint32_t L = 0; L != Lanes; ++L) {
      Odd += In[First + L] & 1;
      Before += First + L < N ? In[First + L] & 1 : 0;
    }
    ASSERT_EQ(Out[4 * N], Odd << 16 | Before) << N;
    ASSERT_EQ(Out[4 * N + 1], In[N ^ 5]) << N;
    ASSERT_EQ(Out[4 * N + 2], In[First]) << N;
    ASSERT_EQ(Out[4 * N + 3], In[N ^ 3]) << N;
  }
}

TEST_P(CompiledKernels, AccessMemoryInAllSizes) {
  std::vector<uint32_t> Out = run("sizes", Groups * GroupSize);
  auto *Bytes = reinterpret_cast<const uint8_t *>(In.data());
  auto HalfAt = [&](uint32_t N) {
    return uint16_t(Bytes[2 * N] | Bytes[2 * N + 1] << 8);
  };
  for (uint32_t N = 0; N != Groups * GroupSize; ++N) {
    uint32_t W = Bytes[N] + HalfAt(N) * 256u;
    uint32_t X =
        uint32_t(int8_t(Bytes[N + 1])) ^ uint32_t(int16_t(HalfAt(N + 2)));
    uint32_t Y = (In[4 * N + 1] & ~0xffu) | (W & 0xff);
    uint32_t Z = In[4 * N + 2];
    Z = (Z & 0xffff) | Z << 16;
    ASSERT_EQ(Out[4 * N], X) << N;
    ASSERT_EQ(Out[4 * N + 1], Y) << N;
    ASSERT_EQ(Out[4 * N + 2], Z) << N;
    ASSERT_EQ(Out[4 * N + 3], W) << N;
  }
}

std::vector<Build> builds() {
  std::vector<Build> All;
  for (unsigned Level : {0, 2}) {
    for (const char *Target :
         {"gfx906", "gfx908", "gfx90a", "gfx942", "gfx950"})
      All.push_back({Target, 64, Level});
    for (const char *Target : {"gfx1030", "gfx1100", "gfx1201"})
      for (unsigned WaveSize : {32, 64})
        All.push_back({Target, WaveSize, Level});
  }
  return All;
}

INSTANTIATE_TEST_SUITE_P(Targets, CompiledKernels,
                         ::testing::ValuesIn(builds()), [](const auto &Info) {
                           std::string Name = nameOf(Info.param);
                           std::replace(Name.begin(), Name.end(), '-', '_');
                           return Name;
                         });

} // namespace
} // namespace luthier::test
