// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/kfd/SvmTable.h"
#include "gtest/gtest.h"
#include <cerrno>
#include <functional>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace luthier::emulator {
namespace {

constexpr uint64_t Page = MemoryFile::PageBytes;
constexpr uint32_t Undefined = KFD_IOCTL_SVM_LOCATION_UNDEFINED;

/// Two devices, 1 and 2, and eight pages of the process.
class SvmTableTest : public testing::Test {
protected:
  void SetUp() override {
    void *Memory = ::mmap(nullptr, NumPages * Page, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(Memory, MAP_FAILED);
    Begin = reinterpret_cast<uint64_t>(Memory);
  }
  void TearDown() override {
    ::munmap(reinterpret_cast<void *>(Begin), NumPages * Page);
  }
  uint64_t at(unsigned Number) const { return Begin + Number * Page; }
  int set(unsigned First, unsigned Count, uint32_t Type, uint32_t Value) {
    return Table.set(at(First), Count * Page, SvmTable::Attribute{Type, Value});
  }
  SvmTable::Attribute get(unsigned First, unsigned Count, uint32_t Type,
                          uint32_t Value = 0) {
    SvmTable::Attribute A{Type, Value};
    EXPECT_EQ(Table.get(at(First), Count * Page, A), 0);
    return A;
  }
  /// A letter for each page that a device sees, a dot for each other.
  std::string seen(const AddressSpace &Space) const {
    std::string Pages;
    for (unsigned I = 0; I != NumPages; ++I)
      Pages += Space.contains(at(I), Page) ? 'x' : '.';
    return Pages;
  }

  static constexpr unsigned NumPages = 8;
  uint64_t Begin = 0;
  AddressSpace Space, Second;
  unsigned CodeUnmapped = 0;
  /// Called once, while the table is changed.
  std::function<void()> During;
  SvmTable Table{{MemoryTable::Device{1, &Space, 0,
                                      [this](uint64_t, uint64_t) {
                                        ++CodeUnmapped;
                                        if (auto Now =
                                                std::exchange(During, nullptr))
                                          Now();
                                      }},
                  MemoryTable::Device{2, &Second, 0, nullptr}}};
};

TEST_F(SvmTableTest, ADeviceSeesWhatItHasAccessTo) {
  EXPECT_EQ(set(0, 8, KFD_IOCTL_SVM_ATTR_PREFERRED_LOC, 1), 0);
  EXPECT_EQ(seen(Space), "........") << "a place alone allows nothing";
  EXPECT_EQ(set(1, 4, KFD_IOCTL_SVM_ATTR_ACCESS, 1), 0);
  EXPECT_EQ(set(3, 4, KFD_IOCTL_SVM_ATTR_ACCESS_IN_PLACE, 2), 0);
  EXPECT_EQ(seen(Space), ".xxxx...");
  EXPECT_EQ(seen(Second), "...xxxx.");
  EXPECT_EQ(set(2, 1, KFD_IOCTL_SVM_ATTR_NO_ACCESS, 1), 0);
  EXPECT_EQ(seen(Space), ".x.xx...");
  EXPECT_EQ(CodeUnmapped, 1u);
  EXPECT_EQ(seen(Second), "...xxxx.");
}

TEST_F(SvmTableTest, NothingIsUnmappedWhereOnlyNotesChange) {
  set(0, 8, KFD_IOCTL_SVM_ATTR_ACCESS, 1);
  set(2, 3, KFD_IOCTL_SVM_ATTR_SET_FLAGS, KFD_IOCTL_SVM_FLAG_GPU_READ_MOSTLY);
  EXPECT_EQ(seen(Space), "xxxxxxxx");
  EXPECT_EQ(CodeUnmapped, 0u);
  EXPECT_EQ(Space.pointer(at(1), 6 * Page), reinterpret_cast<void *>(at(1)))
      << "pieces are as good as the whole";
}

TEST_F(SvmTableTest, TellsWhatAllOfARangeHasInCommon) {
  EXPECT_EQ(get(0, 8, KFD_IOCTL_SVM_ATTR_PREFERRED_LOC).value, Undefined);
  set(0, 2, KFD_IOCTL_SVM_ATTR_PREFERRED_LOC, 1);
  set(2, 2, KFD_IOCTL_SVM_ATTR_PREFERRED_LOC, 2);
  set(0, 4, KFD_IOCTL_SVM_ATTR_PREFETCH_LOC, KFD_IOCTL_SVM_LOCATION_SYSMEM);
  EXPECT_EQ(get(0, 2, KFD_IOCTL_SVM_ATTR_PREFERRED_LOC).value, 1u);
  EXPECT_EQ(get(3, 1, KFD_IOCTL_SVM_ATTR_PREFERRED_LOC).value, 2u);
  EXPECT_EQ(get(1, 2, KFD_IOCTL_SVM_ATTR_PREFERRED_LOC).value, Undefined);
  EXPECT_EQ(get(1, 2, KFD_IOCTL_SVM_ATTR_PREFETCH_LOC).value, 0u);
  EXPECT_EQ(get(1, 5, KFD_IOCTL_SVM_ATTR_PREFETCH_LOC).value, Undefined);

  constexpr uint32_t ReadMostly = KFD_IOCTL_SVM_FLAG_GPU_READ_MOSTLY,
                     Coherent = KFD_IOCTL_SVM_FLAG_COHERENT;
  set(0, 1, KFD_IOCTL_SVM_ATTR_SET_FLAGS, ReadMostly);
  set(1, 1, KFD_IOCTL_SVM_ATTR_CLR_FLAGS, Coherent);
  EXPECT_TRUE(get(0, 1, KFD_IOCTL_SVM_ATTR_SET_FLAGS).value & ReadMostly);
  EXPECT_FALSE(get(0, 2, KFD_IOCTL_SVM_ATTR_SET_FLAGS).value &
               (ReadMostly | Coherent));
  EXPECT_TRUE(get(1, 1, KFD_IOCTL_SVM_ATTR_CLR_FLAGS).value & Coherent);
  EXPECT_FALSE(get(0, 2, KFD_IOCTL_SVM_ATTR_CLR_FLAGS).value & Coherent);

  set(1, 1, KFD_IOCTL_SVM_ATTR_GRANULARITY, 4);
  set(0, 1, KFD_IOCTL_SVM_ATTR_GRANULARITY, 1000);
  EXPECT_EQ(get(0, 1, KFD_IOCTL_SVM_ATTR_GRANULARITY).value, 63u);
  EXPECT_EQ(get(0, 8, KFD_IOCTL_SVM_ATTR_GRANULARITY).value, 4u);
}

TEST_F(SvmTableTest, TellsWhoHasAccess) {
  set(0, 4, KFD_IOCTL_SVM_ATTR_ACCESS, 1);
  set(0, 2, KFD_IOCTL_SVM_ATTR_ACCESS_IN_PLACE, 2);
  auto access = [&](unsigned First, unsigned Count, uint32_t GpuId) {
    return get(First, Count, KFD_IOCTL_SVM_ATTR_ACCESS, GpuId).type;
  };
  EXPECT_EQ(access(0, 4, 1), KFD_IOCTL_SVM_ATTR_ACCESS);
  EXPECT_EQ(access(0, 2, 2), KFD_IOCTL_SVM_ATTR_ACCESS_IN_PLACE);
  EXPECT_EQ(access(0, 4, 2), KFD_IOCTL_SVM_ATTR_NO_ACCESS);
  EXPECT_EQ(access(0, 5, 1), KFD_IOCTL_SVM_ATTR_NO_ACCESS);
}

TEST_F(SvmTableTest, MemoryThatIsUnmappedIsForgotten) {
  set(0, 8, KFD_IOCTL_SVM_ATTR_ACCESS, 1);
  set(0, 8, KFD_IOCTL_SVM_ATTR_PREFERRED_LOC, 1);
  Table.forget(at(3), Page + 1);
  EXPECT_EQ(seen(Space), "xxx..xxx");
  EXPECT_EQ(CodeUnmapped, 1u);
  EXPECT_EQ(get(3, 2, KFD_IOCTL_SVM_ATTR_PREFERRED_LOC).value, Undefined);
  EXPECT_EQ(get(5, 3, KFD_IOCTL_SVM_ATTR_PREFERRED_LOC).value, 1u);
  Table.forget(at(0), 8 * Page);
  Table.forget(at(0), 8 * Page);
  EXPECT_EQ(seen(Space), "........");
}

/// As allocators do, whose memory comes and goes by mmap(2) and munmap(2).
TEST_F(SvmTableTest, MemoryMayEndWhileTheTableIsChanged) {
  ::alarm(60); // It used to wait for itself.
  set(0, 8, KFD_IOCTL_SVM_ATTR_ACCESS, 1);
  During = [this] { Table.forget(at(6), Page); };
  EXPECT_EQ(set(0, 1, KFD_IOCTL_SVM_ATTR_NO_ACCESS, 1), 0);
  EXPECT_EQ(seen(Space), ".xxxxx.x");
  During = [this] { Table.forget(at(5), Page); };
  Table.forget(at(1), Page);
  EXPECT_EQ(seen(Space), "..xxx..x");
  ::alarm(0);
}

/// Which may hold an allocator's lock that the first is waiting for.
TEST_F(SvmTableTest, MemoryOfAnotherThreadMayEndWhileTheTableIsChanged) {
  ::alarm(60);
  set(0, 8, KFD_IOCTL_SVM_ATTR_ACCESS, 1);
  During = [this] {
    std::thread([this] { Table.forget(at(6), 2 * Page); }).join();
  };
  EXPECT_EQ(set(0, 1, KFD_IOCTL_SVM_ATTR_NO_ACCESS, 1), 0);
  EXPECT_EQ(seen(Space), ".xxxxx..");
  ::alarm(0);
}

TEST_F(SvmTableTest, WhatMakesNoSenseIsRefusedAndSetsNothing) {
  using A = SvmTable::Attribute;
  EXPECT_EQ(Table.set(at(0) + 8, Page, {}), EINVAL);
  EXPECT_EQ(Table.set(at(0), 0, {}), EINVAL);
  EXPECT_EQ(set(0, 1, KFD_IOCTL_SVM_ATTR_ACCESS, 3), EINVAL);
  EXPECT_EQ(set(0, 1, KFD_IOCTL_SVM_ATTR_PREFETCH_LOC, Undefined), EINVAL);
  EXPECT_EQ(set(0, 1, KFD_IOCTL_SVM_ATTR_PREFERRED_LOC, Undefined), 0);
  EXPECT_EQ(set(0, 1, 99, 0), EINVAL);
  EXPECT_EQ(Table.set(at(0), Page, {A{KFD_IOCTL_SVM_ATTR_ACCESS, 1}, A{99, 0}}),
            EINVAL);
  EXPECT_EQ(seen(Space), "........");
  A Unknown{KFD_IOCTL_SVM_ATTR_NO_ACCESS, 1};
  EXPECT_EQ(Table.get(at(0), Page, Unknown), EINVAL);
  // A hole.
  ::munmap(reinterpret_cast<void *>(at(2)), Page);
  EXPECT_EQ(set(0, 4, KFD_IOCTL_SVM_ATTR_ACCESS, 1), EFAULT);
  EXPECT_EQ(seen(Space), "........");
}

} // namespace
} // namespace luthier::emulator
