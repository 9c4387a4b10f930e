// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/KernargCopies.h"
#include "FakeHsa.h"
#include <deque>
#include <gtest/gtest.h>

using namespace llvm;
using namespace luthier;
using namespace luthier::runtime;

namespace {

constexpr size_t Size = 320;

/// A queue whose device is as late as a test wants.
class KernargCopiesTest : public testing::Test {
protected:
  /// Submits a dispatch whose arguments are its number.
  void dispatch() {
    Expected<uint8_t *> To = Copies->allocate(Size);
    ASSERT_TRUE(bool(To)) << toString(To.takeError());
    const uint32_t Number = ++Submitted;
    std::fill_n(reinterpret_cast<uint32_t *>(*To), Size / 4, Number);
    Queue.push_back({*To, Number, 0});
    hsa_barrier_and_packet_t Marker;
    if (!Copies->submitting(Marker))
      return;
    // It waits for all packets before it.
    EXPECT_TRUE(Marker.header >> HSA_PACKET_HEADER_BARRIER & 1);
    Queue.push_back({nullptr, 0, Marker.completion_signal.handle});
  }
  /// The device executes the oldest packet.
  void execute() {
    const Packet P = Queue.front();
    Queue.pop_front();
    if (P.Signal) {
      --Hsa.Signals[P.Signal - 1];
      return execute();
    }
    const auto *Words = reinterpret_cast<const uint32_t *>(P.Arguments);
    for (size_t N = 0; N < Size / 4; ++N)
      ASSERT_EQ(Words[N], P.Number);
  }

  struct Packet {
    const uint8_t *Arguments;
    uint32_t Number;
    uint64_t Signal; ///< Of a marker; else 0.
  };
  test::FakeHsa Hsa;
  std::optional<KernargCopies> Copies{hsa_agent_t{1}};
  std::deque<Packet> Queue;
  uint32_t Submitted = 0;
};

TEST_F(KernargCopiesTest, AreAlignedAsTheKernelAsks) {
  for (size_t Align : {0, 8, 64, 256, 4096, 64, 1024}) {
    Expected<uint8_t *> To = Copies->allocate(Size, Align);
    ASSERT_TRUE(bool(To)) << toString(To.takeError());
    // Pools give whole pages.
    EXPECT_EQ(
        size_t(*To - Hsa.Memory.back().get()) % std::max<size_t>(Align, 64), 0u)
        << Align;
  }
  for (size_t Align : {96, 8192})
    EXPECT_EQ(toString(Copies->allocate(Size, Align).takeError()),
              "arguments aligned to " + std::to_string(Align) +
                  " bytes cannot be copied");
}

TEST_F(KernargCopiesTest, StayUntilTheirDispatchesAreDone) {
  constexpr unsigned Behind = 1000;
  for (unsigned N = 0; N < 20000; ++N) {
    dispatch();
    if (Submitted > Behind)
      execute();
  }
  while (Queue.size() > 1)
    execute();
  // And then serve others: no more than those under way, and one more chunk
  // that fills up and one whose marker is just behind.
  EXPECT_LE(Hsa.Memory.size(), Behind * Size / KernargCopies::ChunkSize + 3);
}

TEST_F(KernargCopiesTest, NeverWait) {
  Hsa.WhileWaiting = [] { FAIL() << "nobody would come"; };
  for (unsigned N = 0; N < 5000; ++N)
    dispatch();
  while (Queue.size() > 1)
    execute();
}

TEST_F(KernargCopiesTest, MayBeLargerThanAChunk) {
  Expected<uint8_t *> Small = Copies->allocate(64);
  ASSERT_TRUE(bool(Small));
  Expected<uint8_t *> Large = Copies->allocate(3 * KernargCopies::ChunkSize);
  ASSERT_TRUE(bool(Large));
  std::fill_n(*Large, 3 * KernargCopies::ChunkSize, 1);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(*Large) % 16, 0u);
}

TEST_F(KernargCopiesTest, AreGivenBackWithTheQueue) {
  for (unsigned N = 0; N < 1000; ++N)
    dispatch();
  EXPECT_GT(Hsa.Memory.size(), 2u);
  Copies.reset();
  for (const auto &Block : Hsa.Memory)
    EXPECT_FALSE(Block);
}

} // namespace
