// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/ChannelRing.h"
#include "llvm/Support/MathExtras.h"
#include "gtest/gtest.h"
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace luthier;
using namespace luthier::detail;
using runtime::ChannelRing;

namespace {

/// Threads push as waves do: some words, of which each tells who has sent it.
class ChannelRingTest : public testing::Test {
protected:
  static constexpr unsigned Log2Units = 6;

  void SetUp() override { open(/*Waits=*/true); }
  void open(bool Waits) {
    const size_t Bytes = ChannelRing::bytesFor(Log2Units);
    Memory.reset(std::aligned_alloc(128, Bytes));
    std::memset(Memory.get(), 0, Bytes);
    Ring = std::make_unique<ChannelRing>(Memory.get(), Log2Units);
    State = Ring->stateFor(reinterpret_cast<uint64_t>(Memory.get()), Waits);
  }

  ChannelSlot begin(uint32_t Words) {
    return reserve(State, Words * 8, Words, [] { std::this_thread::yield(); });
  }
  void fill(const ChannelSlot &Slot, uint64_t First, uint32_t Words) {
    auto *Header = reinterpret_cast<ChannelHeader *>(Slot.Block);
    *Header = {0, 0, Words * 8};
    auto *To = reinterpret_cast<uint64_t *>(Header + 1);
    for (uint32_t N = 0; N < Words; ++N)
      To[N] = First + N;
  }
  bool push(uint64_t First, uint32_t Words) {
    const ChannelSlot Slot = begin(Words);
    if (!Slot.Block)
      return false;
    fill(Slot, First, Words);
    publish(Slot);
    return true;
  }

  /// What the next block has; nothing if there is none.
  std::vector<uint64_t> take() {
    const std::optional<ChannelRing::Block> Block = Ring->next();
    if (!Block)
      return {};
    std::vector<uint64_t> Words(Block->Header->Bytes / 8);
    std::memcpy(Words.data(), Block->Records, Block->Header->Bytes);
    Ring->pass();
    return Words;
  }

  struct Free {
    void operator()(void *P) const { std::free(P); }
  };
  std::unique_ptr<void, Free> Memory;
  std::unique_ptr<ChannelRing> Ring;
  ChannelState State = {};
};

using Words = std::vector<uint64_t>;

TEST_F(ChannelRingTest, BlocksOfAnySizeArriveInOrderForManyLaps) {
  uint64_t Next = 0;
  for (unsigned N = 0; N < 1000; ++N) {
    const uint32_t Size = 1 + N % 200;
    ASSERT_TRUE(push(Next, Size));
    const Words Taken = take();
    ASSERT_EQ(Taken.size(), Size) << N;
    for (uint64_t Word : Taken)
      ASSERT_EQ(Word, Next++);
    Ring->tell();
  }
  EXPECT_TRUE(take().empty());
  EXPECT_EQ(Ring->dropped(), 0u);
}

TEST_F(ChannelRingTest, ABlockIsNotThereUntilItIsPublished) {
  const ChannelSlot First = begin(1);
  ASSERT_TRUE(push(2, 1));
  EXPECT_TRUE(take().empty());
  fill(First, 1, 1);
  publish(First);
  EXPECT_EQ(take(), Words{1});
  EXPECT_EQ(take(), Words{2});
}

TEST_F(ChannelRingTest, NothingIsOverwrittenBeforeTheConsumerTells) {
  open(/*Waits=*/false);
  // A unit each.
  for (uint64_t N = 0; N < 64; ++N)
    ASSERT_TRUE(push(N, 1));
  EXPECT_FALSE(push(64, 1));
  EXPECT_EQ(take(), Words{0});
  EXPECT_FALSE(push(64, 1));
  Ring->tell();
  EXPECT_TRUE(push(64, 1));
  EXPECT_FALSE(push(65, 1));
  EXPECT_EQ(Ring->dropped(), 3u);
  for (uint64_t N = 1; N <= 64; ++N)
    EXPECT_EQ(take(), Words{N});
}

TEST_F(ChannelRingTest, RecordsAreCountedThatCanNeverHaveRoom) {
  ASSERT_TRUE(push(0, 31 * 8)); // 32 units with the header.
  EXPECT_FALSE(push(0, 32 * 8));
  EXPECT_EQ(Ring->dropped(), 32u * 8);
}

TEST_F(ChannelRingTest, WithoutAReaderNothingIsSent) {
  State = {};
  EXPECT_FALSE(push(0, 1));
}

TEST_F(ChannelRingTest, BlocksThatWereNeverFinishedCanBePassed) {
  begin(20); // Three units.
  ASSERT_TRUE(push(1, 1));
  begin(1);
  EXPECT_TRUE(take().empty());
  EXPECT_EQ(Ring->passGap(), 3u);
  EXPECT_EQ(take(), Words{1});
  EXPECT_TRUE(take().empty());
  EXPECT_EQ(Ring->passGap(), 0u);
}

TEST_F(ChannelRingTest, KilledProducersThatHoldAllRoomCanBePassedByHalves) {
  constexpr uint64_t Units = uint64_t(1) << Log2Units;
  for (uint64_t N = 0; N < Units; ++N)
    begin(1);
  EXPECT_EQ(Ring->passHalf(), 0u) << "nobody lacks room";
  std::thread Waiting([&] { push(1, 1); });
  while (!Ring->isFull())
    std::this_thread::yield();
  EXPECT_EQ(Ring->passGap(), 0u);
  EXPECT_EQ(Ring->passHalf(), Units / 2);
  EXPECT_FALSE(Ring->isFull());
  Ring->tell();
  Waiting.join();
  EXPECT_EQ(Ring->passGap(), Units / 2);
  EXPECT_EQ(take(), Words{1});
}

TEST_F(ChannelRingTest, TheEndOfWhatIsPublishedIsBehindGaps) {
  EXPECT_EQ(Ring->publishedEnd(), 0u);
  begin(1);
  EXPECT_EQ(Ring->publishedEnd(), 0u);
  ASSERT_TRUE(push(1, 20));
  EXPECT_EQ(Ring->publishedEnd(), 4u);
}

TEST_F(ChannelRingTest, TheEndOfWhatIsPublishedIsKnownInEachLap) {
  for (unsigned N = 0; N < 500; ++N) {
    // One to five units; up to four blocks are there at a time.
    const uint32_t Size = 1 + N * 7 % 33;
    const ChannelSlot Slot = begin(Size);
    EXPECT_LT(Ring->publishedEnd(), State.Head);
    fill(Slot, N, Size);
    publish(Slot);
    const uint64_t End = State.Head;
    ASSERT_EQ(Ring->publishedEnd(), End) << N;
    if (N < 3)
      continue;
    EXPECT_FALSE(take().empty());
    Ring->tell();
    ASSERT_EQ(Ring->publishedEnd(), End) << N;
  }
}

TEST_F(ChannelRingTest, TheEndIsKnownThoughAnEarlierProducerMarksLater) {
  for (uint64_t N = 0; N < 69; ++N) {
    if (N >= 64) {
      ASSERT_EQ(take(), Words{N - 64});
      Ring->tell();
    }
    ASSERT_TRUE(push(N, 1));
  }
  // While it waits, the others go on up to the next lap of its own group.
  const ChannelSlot Late = reserve(State, 8, 1, [&] {
    for (uint64_t N = 5; N < 69; ++N)
      ASSERT_EQ(take(), Words{N});
    Ring->tell();
    for (uint64_t N = 70; N < 129; ++N)
      ASSERT_TRUE(push(N, 1));
  });
  EXPECT_EQ(Ring->publishedEnd(), 129u);
  fill(Late, 69, 1);
  publish(Late);
  for (uint64_t N = 69; N < 128; ++N)
    ASSERT_EQ(take(), Words{N});
  EXPECT_EQ(Ring->publishedEnd(), 129u);
}

/// Reading others ends the test.
TEST(LargeChannelRing, TheEndIsFoundWithoutLookingAtMostWords) {
  constexpr unsigned Log2Units = 16;
  const size_t Bytes = ChannelRing::bytesFor(Log2Units);
  void *Memory = ::mmap(nullptr, Bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(Memory, MAP_FAILED);
  ChannelRing Ring(Memory, Log2Units);
  ChannelState State =
      Ring.stateFor(reinterpret_cast<uint64_t>(Memory), /*Waits=*/true);
  for (unsigned N = 0; N < 3; ++N)
    publish(reserve(State, 8, 1, [] {}));
  // The first and the last page have more than words.
  const size_t Page = ::sysconf(_SC_PAGESIZE),
               Words = llvm::alignDown(sizeof(uint64_t) << Log2Units, Page);
  ASSERT_EQ(
      ::mprotect(static_cast<char *>(Memory) + Page, Words - Page, PROT_NONE),
      0);
  EXPECT_EQ(Ring.publishedEnd(), 3u);
  ::munmap(Memory, Bytes);
}

TEST_F(ChannelRingTest, ChannelsAreAsLargeAsAskedForOrLarger) {
  for (size_t Bytes : {0, 1, 1024, 1025, 4096, 1 << 20}) {
    const size_t Has = size_t(ChannelUnit) << ChannelRing::log2UnitsFor(Bytes);
    EXPECT_GE(Has, Bytes);
    EXPECT_LE(Has, std::max<size_t>(2 * Bytes, 1024));
  }
}

TEST_F(ChannelRingTest, BlocksOfTheLargestRingHaveWordsAndMemoryOfTheirOwn) {
  const unsigned Most = ChannelRing::log2UnitsFor(SIZE_MAX);
  const uint64_t Units = uint64_t(1) << Most;
  const uint64_t Groups = Units >> log2UnitsOfGroup(Most);
  // Of all its memory, only the last mark is there.
  alignas(128) uint32_t LastMark[32] = {};
  State.Control =
      reinterpret_cast<uint64_t>(LastMark + 32) - ChannelRing::bytesFor(Most);
  State.Units = Units;
  State.Log2Units = Most;
  State.KnownTail = Units; // So that nobody looks at its memory.
  State.Head = Units - 1;
  const ChannelSlot Last = begin(1);
  const uint64_t Marks = State.Control + ChannelRing::bytesFor(Most) -
                         Groups * 2 * sizeof(uint32_t);
  EXPECT_EQ(Last.Block, Marks - ChannelUnit);
  EXPECT_EQ(Last.Word, Marks - Units * ChannelUnit - sizeof(uint64_t));
  EXPECT_EQ(LastMark[31], 1u);
}

/// \p Each(thread, number) until it is called often enough by each thread.
template <typename Push>
std::vector<std::thread> producers(unsigned Threads, unsigned Count,
                                   Push Each) {
  std::vector<std::thread> Result;
  for (uint64_t T = 0; T < Threads; ++T)
    Result.emplace_back([=] {
      for (uint64_t N = 0; N < Count; ++N)
        Each(T, N);
    });
  return Result;
}

TEST_F(ChannelRingTest, ManyProducersLoseNothingWhereTheyWait) {
  constexpr unsigned Threads = 4, Count = 5000;
  auto sizeOf = [](uint64_t N) { return uint32_t(1 + N * 7 % 60); };
  std::vector<std::thread> All =
      producers(Threads, Count, [&](uint64_t T, uint64_t N) {
        EXPECT_TRUE(push(T << 48 | N << 16, sizeOf(N)));
      });
  uint64_t Next[Threads] = {};
  for (unsigned Taken = 0; Taken < Threads * Count;) {
    const Words Block = take();
    if (Block.empty()) {
      Ring->tell();
      std::this_thread::yield();
      continue;
    }
    ++Taken;
    const uint64_t T = Block[0] >> 48, N = Next[T]++;
    ASSERT_EQ(Block.size(), sizeOf(N));
    for (size_t I = 0; I < Block.size(); ++I)
      ASSERT_EQ(Block[I], (T << 48 | N << 16) + I);
  }
  for (std::thread &T : All)
    T.join();
  EXPECT_TRUE(take().empty());
  EXPECT_EQ(Ring->dropped(), 0u);
}

TEST_F(ChannelRingTest, ManyProducersCountExactlyWhatTheyDrop) {
  open(/*Waits=*/false);
  constexpr unsigned Threads = 4, Count = 20000;
  std::atomic<uint64_t> Refused = 0;
  std::atomic<unsigned> Ended = 0;
  std::vector<std::thread> All =
      producers(Threads, Count, [&](uint64_t T, uint64_t N) {
        Refused += push(T << 48 | N << 16, 3) ? 0 : 3;
        Ended += N + 1 == Count;
      });
  uint64_t Arrived = 0, Last[Threads] = {};
  for (bool AreAllIn = false; !AreAllIn;) {
    AreAllIn = Ended == Threads;
    for (Words Block = take(); !Block.empty(); Block = take()) {
      Arrived += Block.size();
      const uint64_t T = Block[0] >> 48, N = (Block[0] >> 16 & 0xffffffff) + 1;
      EXPECT_GT(N, Last[T]);
      Last[T] = N;
    }
    Ring->tell();
  }
  for (std::thread &T : All)
    T.join();
  EXPECT_EQ(Ring->dropped(), Refused);
  EXPECT_EQ(Arrived + Refused, uint64_t(Threads) * Count * 3);
}

} // namespace
