// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/kfd/MemoryTable.h"
#include "Fixture.h"
#include "emulator/kfd/Interface.h"
#include "gtest/gtest.h"
#include <atomic>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace luthier::emulator {
namespace {

constexpr uint32_t Vram = KFD_IOC_ALLOC_MEM_FLAGS_VRAM;

class MemoryTableTest : public testing::Test {
protected:
  void SetUp() override { ASSERT_TRUE(File) << Error; }

  /// As a runtime does: reserves addresses, allocates and maps for the host.
  struct Memory {
    char *Address = nullptr;
    uint64_t Handle = 0;
    uint64_t begin() const { return reinterpret_cast<uint64_t>(Address); }
  };
  static char *reserve(uint64_t Size) {
    void *Begin = ::mmap(nullptr, Size, PROT_NONE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    EXPECT_NE(Begin, MAP_FAILED);
    return static_cast<char *>(Begin);
  }
  Memory allocate(uint64_t Size, uint32_t Flags = Vram, uint32_t GpuId = 1) {
    Memory Result;
    Result.Address = reserve(Size);
    uint64_t Offset = 0;
    EXPECT_EQ(Table.allocate({GpuId, Result.begin(), Size, Flags},
                             Result.Handle, Offset),
              0);
    const int Fd = File->open(0, 0);
    EXPECT_EQ(::mmap(Result.Address, Size, PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_FIXED, Fd, off_t(Offset)),
              Result.Address);
    ::close(Fd);
    return Result;
  }
  bool mapped(const char *Address) {
    return Space.find(reinterpret_cast<uint64_t>(Address)).has_value();
  }
  int failure(const MemoryTable::Request &R) {
    uint64_t Handle = 0, Offset = 0;
    return Table.allocate(R, Handle, Offset);
  }

  std::string Error;
  std::unique_ptr<MemoryFile> File = MemoryFile::create(Error);
  AddressSpace Space, Second;
  unsigned CodeUnmapped = 0;
  MemoryTable Table{
      *File,
      {MemoryTable::Device{1, &Space, 1 << 20,
                           [this](uint64_t, uint64_t) { ++CodeUnmapped; }},
       MemoryTable::Device{2, &Second, 1 << 20, nullptr}}};
};

TEST_F(MemoryTableTest, ADeviceSeesOnlyWhatIsMappedForIt) {
  const Memory M = allocate(100);
  EXPECT_FALSE(mapped(M.Address));
  EXPECT_EQ(Table.map(M.Handle, 1), 0);
  EXPECT_EQ(Table.map(M.Handle, 1), 0) << "once more is no harm";
  EXPECT_TRUE(mapped(M.Address + 4095));
  EXPECT_FALSE(Second.find(M.begin()));
  EXPECT_EQ(Table.map(M.Handle, 2), 0);
  EXPECT_TRUE(Second.find(M.begin()));
  EXPECT_EQ(Table.unmap(M.Handle, 1), 0);
  EXPECT_FALSE(mapped(M.Address));
  EXPECT_TRUE(Second.find(M.begin()));
  EXPECT_EQ(Table.free(M.Handle), 0);
  EXPECT_FALSE(Second.find(M.begin()));
  EXPECT_EQ(Table.free(M.Handle), EINVAL);
  EXPECT_EQ(Table.map(M.Handle, 1), EINVAL);
}

TEST_F(MemoryTableTest, FreeingUnmapsAndForgetsCode) {
  const Memory M = allocate(4096, Vram | KFD_IOC_ALLOC_MEM_FLAGS_EXECUTABLE);
  Table.map(M.Handle, 1);
  EXPECT_EQ(Table.free(M.Handle), 0);
  EXPECT_FALSE(mapped(M.Address));
  EXPECT_EQ(CodeUnmapped, 1u);
}

TEST_F(MemoryTableTest, LocalMemoryRunsOutForEachDevice) {
  const Memory M = allocate(1 << 20);
  EXPECT_EQ(Table.available(1), 0u);
  EXPECT_EQ(failure({1, M.begin(), 4096, Vram}), ENOMEM);
  allocate(4096, Vram, /*GpuId=*/2);
  // System memory is not counted.
  allocate(2 << 20, KFD_IOC_ALLOC_MEM_FLAGS_GTT);
  Table.free(M.Handle);
  EXPECT_EQ(Table.available(1), 1u << 20);
  EXPECT_EQ(failure({3, M.begin(), 4096, Vram}), EINVAL);
}

TEST_F(MemoryTableTest, MemoryIsZeroAlsoWhereItIsReused) {
  const Memory Old = allocate(8192);
  Old.Address[5000] = 1;
  ::munmap(Old.Address, 8192);
  Table.free(Old.Handle);
  const Memory New = allocate(8192);
  EXPECT_EQ(New.Address[5000], 0);
}

TEST_F(MemoryTableTest, RegisteredMemoryHasAnAddressOfItsOwn) {
  alignas(4096) static char Buffer[8192];
  const auto Device = reinterpret_cast<uint64_t>(reserve(8192));
  MemoryTable::Request R{1, Device, 8192, KFD_IOC_ALLOC_MEM_FLAGS_USERPTR};
  R.HostAddress = reinterpret_cast<uint64_t>(Buffer);
  uint64_t Handle = 0, Offset = R.HostAddress;
  ASSERT_EQ(Table.allocate(R, Handle, Offset), 0);
  EXPECT_EQ(Offset, R.HostAddress) << "that is what came in";
  EXPECT_EQ(Table.map(Handle, 1), 0);
  EXPECT_EQ(Space.pointer(Device + 5000, 1), Buffer + 5000);
  EXPECT_FALSE(mapped(Buffer));
  EXPECT_EQ(Table.free(Handle), 0);
  EXPECT_FALSE(Space.find(Device));
}

TEST_F(MemoryTableTest, AnExportIsTheSameMemoryAndOutlivesTheOriginal) {
  const Memory M = allocate(8192);
  M.Address[4100] = 7;
  const int Fd = Table.exportPages(M.Handle, O_CLOEXEC);
  ASSERT_GE(Fd, 0);
  EXPECT_EQ(Table.exported(Fd).Size, 8192u);
  EXPECT_EQ(Table.exported(Fd).GpuId, 1u);
  EXPECT_EQ(Table.exported(STDIN_FILENO).Size, 0u);
  char *There = reserve(8192);
  uint64_t Import = 0;
  ASSERT_EQ(Table.importPages(Fd, 2, reinterpret_cast<uint64_t>(There), Import),
            0);
  ::close(Fd);
  EXPECT_EQ(There[4100], 7);
  Table.free(M.Handle);
  EXPECT_EQ(There[4100], 7);
  EXPECT_EQ(Table.map(Import, 2), 0);
  EXPECT_TRUE(Second.find(reinterpret_cast<uint64_t>(There)));
  EXPECT_EQ(Table.free(Import), 0);
}

/// What the runtime of another process does with the descriptor.
TEST_F(MemoryTableTest, AnotherProcessImportsByTheDescriptorAlone) {
  const Memory M = allocate(8192);
  M.Address[5] = 9;
  const int Fd = Table.exportPages(M.Handle, 0);
  auto OtherFile = MemoryFile::create(Error);
  ASSERT_TRUE(OtherFile) << Error;
  AddressSpace OtherSpace;
  MemoryTable Other(*OtherFile,
                    {MemoryTable::Device{1, &OtherSpace, 1 << 20, nullptr}});
  char *There = reserve(8192);
  uint64_t Import = 0;
  ASSERT_EQ(Other.importPages(Fd, 1, reinterpret_cast<uint64_t>(There), Import),
            0);
  ::close(Fd);
  // The runtime of the one leaves a number there for that of the other.
  luthier_kfd_metadata Metadata{1, 2, 4, {77}}, Seen{};
  EXPECT_EQ(Table.setMetadata(M.Handle, Metadata), 0);
  EXPECT_EQ(Other.getMetadata(Import, Seen), 0);
  EXPECT_EQ(Seen.Flags, 1u);
  EXPECT_EQ(Seen.TilingInfo, 2u);
  EXPECT_EQ(Seen.Size, 4u);
  EXPECT_EQ(Seen.Data[0], 77u);
  Metadata.Size = sizeof(Metadata.Data) + 1;
  EXPECT_EQ(Table.setMetadata(M.Handle, Metadata), EINVAL);
  EXPECT_EQ(Table.getMetadata(allocate(4096).Handle, Seen), EINVAL)
      << "that is not shared";
  There[6] = 10;
  EXPECT_EQ(There[5], 9);
  EXPECT_EQ(M.Address[6], 10);
  // The owner's end leaves the pages to who has them.
  Table.free(M.Handle);
  EXPECT_EQ(There[5], 9);
  EXPECT_EQ(Other.free(Import), 0);
}

/// The runtime maps what it has imported from another process for the host by
/// an offset, as it does with its own.
TEST_F(MemoryTableTest, AnotherProcessMapsImportsByOffset) {
  const Memory First = allocate(3 * 4096), Second = allocate(4096);
  First.Address[4096] = 1;
  Second.Address[0] = 2;
  auto OtherFile = MemoryFile::create(Error);
  ASSERT_TRUE(OtherFile) << Error;
  AddressSpace OtherSpace;
  MemoryTable Other(*OtherFile,
                    {MemoryTable::Device{1, &OtherSpace, 1 << 20, nullptr}});
  auto Import = [&](const Memory &M) {
    const int Fd = Table.exportPages(M.Handle, 0);
    uint64_t Result = 0;
    EXPECT_EQ(Other.importPages(Fd, 1, /*Address=*/0, Result), 0);
    ::close(Fd);
    return Result;
  };
  const int Device = OtherFile->open(0, 0);
  auto Map = [&](uint64_t Size, uint64_t Offset) -> char * {
    void *There = Other.mapFile(nullptr, Size, MAP_SHARED, Device, Offset);
    return There == MAP_FAILED ? nullptr : static_cast<char *>(There);
  };
  const uint64_t One = Import(First), Two = Import(Second);
  const uint64_t OffsetOfOne = Other.offset(One),
                 OffsetOfTwo = Other.offset(Two);
  EXPECT_EQ(Other.offset(One), OffsetOfOne);
  // libdrm has 32 bits for the number of a page.
  EXPECT_LT(OffsetOfTwo, uint64_t(4096) << 32);
  char *Part = Map(2 * 4096, OffsetOfOne + 4096),
       *Whole = Map(4096, OffsetOfTwo);
  ASSERT_TRUE(Part && Whole);
  EXPECT_EQ(Part[0], 1);
  EXPECT_EQ(Whole[0], 2);
  Part[4096] = 3;
  EXPECT_EQ(First.Address[2 * 4096], 3);
  EXPECT_FALSE(Map(3 * 4096, OffsetOfOne + 4096)) << "it ends before";

  // What is free is used again, by what fits.
  EXPECT_EQ(Other.free(One), 0);
  EXPECT_FALSE(Map(4096, OffsetOfOne));
  EXPECT_GT(Other.offset(Import(allocate(4 * 4096))), OffsetOfTwo);
  EXPECT_EQ(Other.offset(Import(allocate(2 * 4096))), OffsetOfOne);
  EXPECT_EQ(Part[0], 1) << "mappings stay";
  ::close(Device);
}

/// Large blocks are private memory until then, and their pages move.
TEST_F(MemoryTableTest, WhatIsWrittenDuringAnExportIsNotLost) {
  constexpr uint64_t Size = 4 << 20, NumPages = Size / 4096;
  MemoryTable Large(*File, {MemoryTable::Device{1, &Space, 1 << 30, nullptr}});
  char *Memory = reserve(Size);
  uint64_t Handle = 0, Offset = 0;
  ASSERT_EQ(Large.allocate({1, reinterpret_cast<uint64_t>(Memory), Size, Vram},
                           Handle, Offset),
            0);
  const int Device = File->open(0, 0);
  ASSERT_EQ(Large.mapFile(Memory, Size, MAP_SHARED | MAP_FIXED, Device, Offset),
            Memory);
  auto At = [&](uint64_t N) {
    return std::atomic_ref(*reinterpret_cast<uint64_t *>(Memory + N * 4096));
  };
  std::atomic<bool> Stop = false;
  std::atomic<uint64_t> Rounds = 0;
  std::thread Writer([&] {
    for (; !Stop; ++Rounds)
      for (uint64_t N = 0; N != NumPages; N += 2)
        At(N).fetch_add(1);
  });
  EXPECT_TRUE(eventually([&] { return Rounds > 3; }));
  const int Fd = Large.exportPages(Handle, 0);
  const uint64_t Then = Rounds;
  EXPECT_TRUE(eventually([&] { return Rounds > Then + 3; }));
  Stop = true;
  Writer.join();
  ASSERT_GE(Fd, 0);
  for (uint64_t N = 0; N != NumPages; ++N)
    ASSERT_EQ(At(N).load(), N % 2 ? 0 : Rounds.load()) << "page " << N;
  // And others see the same.
  uint64_t Import = 0;
  char *There = reserve(Size);
  ASSERT_EQ(Large.importPages(Fd, 1, reinterpret_cast<uint64_t>(There), Import),
            0);
  EXPECT_EQ(*reinterpret_cast<uint64_t *>(There), Rounds);
  Memory[8] = 42;
  EXPECT_EQ(There[8], 42);
  ::close(Fd);
  ::close(Device);
}

TEST_F(MemoryTableTest, PartsOfAnImportAreMappedWhereOneWants) {
  const Memory M = allocate(8192);
  M.Address[4096] = 3;
  const int Fd = Table.exportPages(M.Handle, 0);
  uint64_t Import = 0;
  ASSERT_EQ(Table.importPages(Fd, 1, /*Address=*/0, Import), 0);
  ::close(Fd);
  char *There = reserve(4096);
  const auto Address = reinterpret_cast<uint64_t>(There);
  EXPECT_EQ(Table.mapPart(Import, 1, 4096, 4096, Address), 0);
  EXPECT_EQ(There[0], 3);
  EXPECT_TRUE(mapped(There));
  EXPECT_EQ(Table.mapPart(Import, 1, 4096, 8192, Address), EINVAL);
  EXPECT_EQ(Table.unmapPart(Import, 1, 4096, Address), 0);
  EXPECT_FALSE(mapped(There));
}

/// Virtual memory management exports each piece that a program has.
TEST_F(MemoryTableTest, ManyBlocksAreExportedAtOnce) {
  constexpr unsigned Many = 5000;
  MemoryTable Large(*File, {MemoryTable::Device{1, &Space, 1 << 30, nullptr}});
  for (unsigned I = 0; I != Many; ++I) {
    uint64_t Handle = 0, Offset = 0, Import = 0;
    ASSERT_EQ(Large.allocate({1, /*Address=*/0, 4096, Vram}, Handle, Offset),
              0);
    const int Fd = Large.exportPages(Handle, O_CLOEXEC);
    ASSERT_GE(Fd, 0) << I;
    ASSERT_EQ(Large.importPages(Fd, 1, /*Address=*/0, Import), 0) << I;
    ::close(Fd);
  }
}

class MemoryFileTest : public testing::Test {
protected:
  void SetUp() override { ASSERT_TRUE(File) << Error; }
  std::shared_ptr<MemoryFile::Pages> allocate(uint64_t NumPages) {
    return File->allocate(NumPages * MemoryFile::PageBytes);
  }
  /// Where pages are that are allocated now, and given back.
  uint64_t nextOffset(uint64_t NumPages) {
    return allocate(NumPages)->offset();
  }

  std::string Error;
  std::unique_ptr<MemoryFile> File = MemoryFile::create(Error);
};

TEST_F(MemoryFileTest, PagesOfAnotherSizeTakeThePlaceOfOldOnes) {
  constexpr uint64_t Page = MemoryFile::PageBytes;
  auto First = allocate(3), Second = allocate(5), Third = allocate(2);
  const auto Guard = allocate(1);
  const uint64_t Begin = First->offset();
  First.reset();
  Third.reset();
  EXPECT_EQ(nextOffset(1), Begin + 8 * Page) << "the smallest that will do";
  Second.reset();
  EXPECT_EQ(nextOffset(10), Begin) << "the three are one";
  const auto Piece = allocate(4);
  EXPECT_EQ(Piece->offset(), Begin);
  EXPECT_EQ(nextOffset(6), Begin + 4 * Page) << "the rest";
  EXPECT_GT(nextOffset(7), Guard->offset());
}

TEST_F(MemoryFileTest, ThereIsRoomAgainAfterAnyNumberOfSizes) {
  constexpr uint64_t TiB = uint64_t(1) << 40;
  for (uint64_t I = 0; I != 16; ++I)
    ASSERT_TRUE(File->allocate(TiB + I * MemoryFile::PageBytes)) << I;
}

TEST_F(MemoryFileTest, SharedPagesAreReusedWhenOtherProcessesHaveLetGo) {
  auto Other = MemoryFile::create(Error);
  ASSERT_TRUE(Other) << Error;
  auto Mine = allocate(2);
  const auto Guard = allocate(1);
  const uint64_t Offset = Mine->offset();
  const int Fd = Mine->share(/*Flags=*/0, /*GpuId=*/1, /*OpenFlags=*/0);
  ASSERT_GE(Fd, 0);
  auto Theirs = Other->find(Fd).ThePages;
  ASSERT_TRUE(Theirs);
  ::close(Fd);
  void *Mapped = Theirs->map(nullptr, 0, Theirs->size());
  ASSERT_TRUE(Mapped);
  Mine.reset();
  EXPECT_NE(nextOffset(2), Offset);
  Theirs.reset();
  EXPECT_NE(nextOffset(2), Offset) << "it still has them mapped";
  ::munmap(Mapped, 2 * MemoryFile::PageBytes);
  EXPECT_EQ(nextOffset(2), Offset);
}

TEST_F(MemoryFileTest, SharedPagesAreReusedWhenOtherProcessesAreKilled) {
  auto Mine = allocate(2);
  const auto Guard = allocate(1);
  const uint64_t Offset = Mine->offset();
  const int Fd = Mine->share(/*Flags=*/0, /*GpuId=*/1, /*OpenFlags=*/0);
  ASSERT_GE(Fd, 0);
  const pid_t Child = ::fork();
  if (Child == 0) {
    auto Other = MemoryFile::create(Error);
    const auto Theirs = Other->find(Fd).ThePages;
    ::kill(::getpid(), Theirs ? SIGKILL : SIGTERM);
  }
  int Status = 0;
  ASSERT_EQ(::waitpid(Child, &Status, 0), Child);
  EXPECT_EQ(WTERMSIG(Status), SIGKILL);
  ::close(Fd);
  Mine.reset();
  EXPECT_EQ(nextOffset(2), Offset);
}

TEST_F(MemoryFileTest, DescriptorsAreToldApartByTheirPositions) {
  auto Other = MemoryFile::create(Error);
  ASSERT_TRUE(Other) << Error;
  const int First = File->open(128, O_CLOEXEC), Second = File->open(129, 0);
  const int Copy = ::dup(First);
  EXPECT_EQ(MemoryFile::positionOf(Copy), 128u);
  EXPECT_EQ(MemoryFile::positionOf(Second), 129u);
  for (int Fd : {First, Second, Copy}) {
    EXPECT_TRUE(File->owns(Fd));
    EXPECT_FALSE(Other->owns(Fd));
    ::close(Fd);
  }
  EXPECT_FALSE(File->owns(First)) << "it is closed";
}

} // namespace
} // namespace luthier::emulator
