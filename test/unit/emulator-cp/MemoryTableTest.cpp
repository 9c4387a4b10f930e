// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/kmt/MemoryTable.h"
#include "gtest/gtest.h"

namespace luthier::emulator {
namespace {

class MemoryTableTest : public testing::Test {
protected:
  void *allocate(uint64_t Size, HsaMemFlags Flags = {}, uint32_t Node = 1) {
    void *Address = nullptr;
    EXPECT_EQ(Table.allocate(Node, Size, Flags, Address),
              HSAKMT_STATUS_SUCCESS);
    return Address;
  }
  bool mapped(const void *Address) {
    return Space.find(reinterpret_cast<uint64_t>(Address)).has_value();
  }
  /// Where the device has the host's byte at \p Address.
  uint64_t seenAt(const void *Address) {
    HsaPointerInfo Info;
    EXPECT_EQ(Table.query(Address, Info), HSAKMT_STATUS_SUCCESS);
    return Info.GPUAddress + static_cast<const char *>(Address) -
           static_cast<const char *>((void *)Info.CPUAddress);
  }
  static char *offset(void *Address, uint64_t By) {
    return static_cast<char *>(Address) + By;
  }

  AddressSpace Space;
  unsigned CodeUnmapped = 0;
  MemoryTable Table{{MemoryTable::Device{
      1, &Space, 1 << 20, [this](uint64_t, uint64_t) { ++CodeUnmapped; }}}};
};

TEST_F(MemoryTableTest, TheDeviceSeesOnlyWhatIsMapped) {
  void *Memory = allocate(100);
  EXPECT_FALSE(mapped(Memory));
  EXPECT_EQ(Table.map(Memory, 100, {}), HSAKMT_STATUS_SUCCESS);
  EXPECT_TRUE(mapped(offset(Memory, 4095)));
  EXPECT_EQ(Table.map(Memory, 100, {1u}), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(Table.unmap(Memory), HSAKMT_STATUS_SUCCESS);
  EXPECT_FALSE(mapped(Memory));
  EXPECT_EQ(Table.free(Memory), HSAKMT_STATUS_SUCCESS);
}

TEST_F(MemoryTableTest, FreeingUnmapsAndForgetsCode) {
  HsaMemFlags Executable{};
  Executable.ui32.ExecuteAccess = 1;
  void *Memory = allocate(4096, Executable);
  Table.map(Memory, 4096, {});
  EXPECT_EQ(Table.free(Memory), HSAKMT_STATUS_SUCCESS);
  EXPECT_FALSE(mapped(Memory));
  EXPECT_EQ(CodeUnmapped, 1u);
}

TEST_F(MemoryTableTest, LocalMemoryRunsOut) {
  void *Memory = allocate(1 << 20), *More = nullptr;
  EXPECT_EQ(Table.allocate(1, 4096, {}, More), HSAKMT_STATUS_NO_MEMORY);
  Table.free(Memory);
  More = allocate(4096);
  // System memory is not counted.
  allocate(2 << 20, {}, /*Node=*/0);
}

TEST_F(MemoryTableTest, ScratchIsMappedInParts) {
  HsaMemFlags Scratch{};
  Scratch.ui32.Scratch = 1;
  void *Memory = allocate(uint64_t(4) << 30, Scratch);
  Table.map(offset(Memory, 8192), 4096, {});
  EXPECT_FALSE(mapped(Memory));
  EXPECT_TRUE(mapped(offset(Memory, 8192)));
  Table.unmap(offset(Memory, 8192));
  EXPECT_FALSE(mapped(offset(Memory, 8192)));
}

TEST_F(MemoryTableTest, PointerInfoKnowsInteriorPointers) {
  void *Memory = allocate(8192);
  Table.map(Memory, 8192, {});
  Table.setUserData(Memory, this);
  HsaPointerInfo Info;
  ASSERT_EQ(Table.query(offset(Memory, 5000), Info), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(Info.Type, HSA_POINTER_ALLOCATED);
  // The thunk's structures are packed: take values, not references.
  EXPECT_EQ((void *)Info.CPUAddress, Memory);
  EXPECT_EQ(uint64_t(Info.SizeInBytes), 8192u);
  EXPECT_EQ(Info.Node, 1u);
  EXPECT_EQ(Info.NMappedNodes, 1u);
  EXPECT_EQ(Info.MappedNodes[0], 1u);
  EXPECT_EQ((void *)Info.UserData, this);
  EXPECT_EQ(Table.query(this, Info), HSAKMT_STATUS_ERROR);
  EXPECT_EQ(Info.Type, HSA_POINTER_UNKNOWN);
}

TEST_F(MemoryTableTest, RegisteredBuffersMaySharePages) {
  alignas(4096) static char Buffer[3 * 4096];
  char *First = Buffer + 10, *Second = Buffer + 200;
  EXPECT_EQ(Table.registerHost(First, 100, {}), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(Table.registerHost(Second, 8000, {}), HSAKMT_STATUS_SUCCESS);
  Table.map(First, 100, {});
  Table.map(Second, 8000, {});
  const uint64_t FirstSeen = seenAt(First), SecondSeen = seenAt(Second + 7999);
  EXPECT_EQ(Space.pointer(FirstSeen, 100), First);
  EXPECT_EQ(Space.pointer(SecondSeen, 1), Second + 7999);
  Table.unmap(First);
  EXPECT_EQ(Table.deregisterHost(First), HSAKMT_STATUS_SUCCESS);
  EXPECT_FALSE(Space.find(FirstSeen));
  EXPECT_TRUE(Space.find(SecondSeen));
  Table.unmap(Second);
  EXPECT_EQ(Table.deregisterHost(Second), HSAKMT_STATUS_SUCCESS);
  EXPECT_FALSE(Space.find(SecondSeen));
  EXPECT_NE(Table.deregisterHost(Second), HSAKMT_STATUS_SUCCESS);
}

TEST_F(MemoryTableTest, RegisteredMemoryHasAnAddressOfItsOwn) {
  static char Buffer[5000];
  Table.registerHost(Buffer, 5000, {});
  uint64_t Seen = 0;
  EXPECT_EQ(Table.map(Buffer, 5000, {}, &Seen), HSAKMT_STATUS_SUCCESS);
  EXPECT_NE(Seen, reinterpret_cast<uint64_t>(Buffer));
  EXPECT_FALSE(mapped(Buffer));
  EXPECT_EQ(Space.pointer(Seen, 5000), Buffer);
  // Runtimes ask about either.
  HsaPointerInfo Info;
  ASSERT_EQ(Table.query(reinterpret_cast<void *>(Seen + 4999), Info),
            HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(Info.Type, HSA_POINTER_REGISTERED_USER);
  EXPECT_EQ((void *)Info.CPUAddress, Buffer);
  EXPECT_EQ(uint64_t(Info.GPUAddress), Seen);
  void *Allocated = allocate(100);
  EXPECT_EQ(Table.map(Allocated, 100, {}, &Seen), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(Seen, reinterpret_cast<uint64_t>(Allocated));
}

TEST_F(MemoryTableTest, RegisteringTwiceNeedsDeregisteringTwice) {
  alignas(4096) static char Buffer[4096];
  uint64_t Seen = 0;
  for (unsigned I = 0; I < 2; ++I) {
    Table.registerHost(Buffer, 4096, {});
    Table.map(Buffer, 4096, {}, &Seen);
  }
  Table.unmap(Buffer);
  Table.deregisterHost(Buffer);
  EXPECT_TRUE(Space.find(Seen));
  Table.unmap(Buffer);
  Table.deregisterHost(Buffer);
  EXPECT_FALSE(Space.find(Seen));
}

TEST_F(MemoryTableTest, UnlockingAllocatedMemoryLeavesItMapped) {
  void *Memory = allocate(4096);
  Table.map(Memory, 4096, {});
  Table.registerHost(offset(Memory, 64), 100, {});
  Table.map(offset(Memory, 64), 100, {});
  Table.unmap(offset(Memory, 64));
  Table.deregisterHost(offset(Memory, 64));
  EXPECT_TRUE(mapped(Memory));
}

TEST(SeveralDevicesTest, AnAccessListReplacesTheOneBefore) {
  AddressSpace First, Second;
  MemoryTable Table{{MemoryTable::Device{1, &First, 1 << 20, nullptr},
                     MemoryTable::Device{2, &Second, 1 << 20, nullptr}}};
  void *Memory = nullptr;
  ASSERT_EQ(Table.allocate(1, 4096, {}, Memory), HSAKMT_STATUS_SUCCESS);
  const auto Address = reinterpret_cast<uint64_t>(Memory);
  Table.map(Memory, 4096, {1u});
  EXPECT_TRUE(First.find(Address));
  EXPECT_FALSE(Second.find(Address));
  Table.map(Memory, 4096, {1u, 2u});
  EXPECT_TRUE(First.find(Address));
  EXPECT_TRUE(Second.find(Address));
  Table.map(Memory, 4096, {1u});
  EXPECT_TRUE(First.find(Address));
  EXPECT_FALSE(Second.find(Address));
  Table.map(Memory, 4096, {});
  EXPECT_TRUE(Second.find(Address));
  Table.free(Memory);
  EXPECT_FALSE(First.find(Address));
  EXPECT_FALSE(Second.find(Address));
}

TEST(SeveralDevicesTest, EachHasItsOwnMemory) {
  AddressSpace First, Second;
  MemoryTable Table{{MemoryTable::Device{1, &First, 1 << 20, nullptr},
                     MemoryTable::Device{2, &Second, 1 << 20, nullptr}}};
  void *Memory = nullptr;
  EXPECT_EQ(Table.allocate(1, 1 << 20, {}, Memory), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(Table.allocate(1, 4096, {}, Memory), HSAKMT_STATUS_NO_MEMORY);
  EXPECT_EQ(Table.allocate(2, 1 << 20, {}, Memory), HSAKMT_STATUS_SUCCESS);
}

} // namespace
} // namespace luthier::emulator
