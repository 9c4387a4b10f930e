// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/strict/ShadowSpace.h"
#include "emulator/exec/Dispatch.h"
#include "gtest/gtest.h"

namespace luthier::emulator::strict {
namespace {

/// Scratch for four waves, of which each has more than a few pages.
class ShadowScratch : public ::testing::Test {
protected:
  ShadowScratch() {
    D.ScratchBase = 0x10000000;
    D.ScratchBytesPerWave = 1 << 20;
    D.ScratchWaves = 4;
  }

  uint64_t address(unsigned Slot, uint64_t Offset) const {
    return D.ScratchBase + Slot * D.ScratchBytesPerWave + Offset;
  }
  static uint8_t &at(const ShadowSpace &S, uint64_t Address) {
    return *static_cast<uint8_t *>(S.pointer(Address, 1));
  }

  static constexpr uint8_t New = 0xff;
  AddressSpace Real;
  Dispatch D;
};

TEST_F(ShadowScratch, IsNewWhereverItIsFirstLookedAt) {
  ShadowSpace S(Real, D, New);
  const uint64_t Last = D.ScratchBytesPerWave - 1;
  for (unsigned Slot : {2, 0, 3, 1})
    for (uint64_t Offset : {Last, uint64_t(0), uint64_t(0x80123)})
      EXPECT_EQ(at(S, address(Slot, Offset)), New) << Slot << ", " << Offset;
}

TEST_F(ShadowScratch, KeepsWhatIsStoredWhenMoreOfItIsUsed) {
  ShadowSpace S(Real, D, New);
  at(S, address(1, 0x5010)) = 1;
  EXPECT_EQ(at(S, address(1, 0x4fff)), New);
  EXPECT_EQ(at(S, address(1, 0x7000)), New);
  EXPECT_EQ(at(S, address(1, 0)), New);
  EXPECT_EQ(at(S, address(1, 0x5010)), 1);
  EXPECT_EQ(at(S, address(1, 0x5011)), New);
}

TEST_F(ShadowScratch, HasRoomForAnAccessAfterEachAddressButInOneSlot) {
  ShadowSpace S(Real, D, New);
  constexpr uint64_t Access = 1024;
  const uint64_t Last = D.ScratchBytesPerWave - Access;
  for (uint64_t Offset : {uint64_t(0), uint64_t(0xfff), uint64_t(0x1001), Last})
    EXPECT_GE(S.find(address(1, Offset))->End, address(1, Offset + Access));
  EXPECT_EQ(S.find(address(1, Last))->End, address(2, 0));
}

TEST_F(ShadowScratch, IsNewAgainForTheNextWaveInASlot) {
  ShadowSpace S(Real, D, New);
  for (unsigned Slot : {0, 1, 2})
    at(S, address(Slot, 0x9000)) = 1;
  S.startScratch(1);
  EXPECT_EQ(at(S, address(0, 0x9000)), 1);
  EXPECT_EQ(at(S, address(1, 0x9000)), New);
  EXPECT_EQ(at(S, address(2, 0x9000)), 1);
}

TEST_F(ShadowScratch, HoldsNothingOfTheDispatchBefore) {
  for (uint8_t Fresh : {New, uint8_t(0), New}) {
    ShadowSpace S(Real, D, Fresh);
    EXPECT_EQ(at(S, address(3, 0x9000)), Fresh);
    at(S, address(3, 0x9000)) = 1;
  }
}

} // namespace
} // namespace luthier::emulator::strict
