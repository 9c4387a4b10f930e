// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device memory as the kernel driver hands it out. The runtime chooses the
// addresses and maps the pages for the host itself, by the offset that
// allocation returns; a device sees only what is mapped for it.
#ifndef LUTHIER_EMULATOR_KFD_MEMORYTABLE_H
#define LUTHIER_EMULATOR_KFD_MEMORYTABLE_H

#include "emulator/kfd/MemoryFile.h"
#include "emulator/memory/AddressSpace.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>

namespace luthier::emulator {

/// Thread-safe. Functions that return an int return 0 or what errno shall be.
class MemoryTable {
public:
  struct Device {
    uint32_t GpuId = 0;
    AddressSpace *Space = nullptr;
    uint64_t LocalBytes = 0;
    /// Called with a range when memory that may hold code is unmapped there.
    std::function<void(uint64_t Begin, uint64_t End)> CodeUnmapped;
  };

  MemoryTable(MemoryFile &File, llvm::SmallVector<Device, 1> Devices)
      : File(File), Devices(std::move(Devices)) {}

  struct Request {
    uint32_t GpuId = 0;
    /// Where devices will see it; 0 for pages that get addresses later.
    uint64_t Address = 0;
    uint64_t Size = 0;
    /// KFD_IOC_ALLOC_MEM_FLAGS_*.
    uint32_t Flags = 0;
    /// Of host memory that is registered.
    uint64_t HostAddress = 0;
  };
  /// \p Offset becomes the one to pass to mmap(2), unless it is host memory.
  int allocate(const Request &R, uint64_t &Handle, uint64_t &Offset);
  int free(uint64_t Handle);
  int map(uint64_t Handle, uint32_t GpuId);
  int unmap(uint64_t Handle, uint32_t GpuId);
  /// What the device has left; 0 if there is no such device.
  uint64_t available(uint32_t GpuId);

  /// mmap(2) of a device's descriptor, whose protection only says what the host
  /// shall see: the command processor and the waves use device memory by its
  /// address, so it is always accessible.
  void *mapFile(void *Address, uint64_t Size, int MapFlags, int Fd,
                uint64_t Offset);

  /// Maps memory of the device for the host once more; null if there is none.
  void *mapForHost(uint64_t Handle);

  // Between processes and between libraries of one.
  /// A descriptor, or -1 and errno.
  int exportPages(uint64_t Handle, int OpenFlags);
  int importPages(int Fd, uint32_t GpuId, uint64_t Address, uint64_t &Handle);
  struct Exported {
    uint64_t Size = 0;
    uint32_t Flags = 0, GpuId = 0;
  };
  /// Size is 0 if \p Fd is no export.
  Exported exported(int Fd);

  /// Of exports and imports; EINVAL for other memory, and for a size beyond the
  /// data. Whoever gets the descriptor later sees what was set before.
  int setMetadata(uint64_t Handle, const luthier_kfd_metadata &New);
  int getMetadata(uint64_t Handle, luthier_kfd_metadata &Result);

  /// Virtual memory management: maps a part of an import at \p Address, for the
  /// host as well, since device addresses are the host's.
  int mapPart(uint64_t Handle, uint32_t GpuId, uint64_t From, uint64_t Size,
              uint64_t Address);
  int unmapPart(uint64_t Handle, uint32_t GpuId, uint64_t Size,
                uint64_t Address);
  /// For mmap(2); 0 if the block has no pages.
  uint64_t offset(uint64_t Handle);
  uint64_t size(uint64_t Handle);

private:
  struct Block {
    uint64_t Address = 0;
    uint64_t Size = 0;
    uint64_t HostAddress = 0;
    uint32_t GpuId = 0;
    uint32_t Flags = 0;
    bool IsCounted = false; ///< In its device's local memory.
    std::shared_ptr<MemoryFile::Pages> Pages;
    /// The host has other memory in their place, which nobody can share.
    bool IsPrivate = false;
    llvm::SmallVector<uint32_t, 1> MappedFor;
    /// Of another process's pages, once somebody has asked; else 0.
    uint64_t ForeignOffset = 0;
  };

  Device *device(uint32_t GpuId);
  Block *find(uint64_t Handle);
  uint64_t add(Block New);
  Block *findPrivatisable(const void *Address, uint64_t Size, uint64_t Offset);
  void unmapFrom(Block &B, Device &D);
  uint64_t placeOfForeign(uint64_t Handle, Block &B);
  const Block *findForeign(uint64_t Offset, uint64_t &Begin);

  MemoryFile &File;
  std::mutex Mutex;
  llvm::SmallVector<Device, 1> Devices;
  std::map<uint64_t, Block> Blocks;
  /// Handles of allocations, by their pages' offset.
  std::map<uint64_t, uint64_t> Handles;
  /// Handles of other processes' pages, by what stands for their offset here.
  std::map<uint64_t, uint64_t> ForeignHandles;
  uint64_t LastHandle = 0;
  std::map<uint32_t, uint64_t> LocalBytesUsed;
};

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_KFD_MEMORYTABLE_H
