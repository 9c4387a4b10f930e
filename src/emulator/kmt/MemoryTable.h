// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory the runtime has allocated or registered, and which of it each device
// has mapped. A device sees only what is mapped for it.
#ifndef LUTHIER_EMULATOR_KMT_MEMORYTABLE_H
#define LUTHIER_EMULATOR_KMT_MEMORYTABLE_H

#include "emulator/memory/AddressSpace.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <functional>
#include <hsakmt.h>
#include <map>
#include <mutex>

namespace luthier::emulator {

/// Thread-safe.
class MemoryTable {
public:
  struct Device {
    uint32_t Node = 0;
    AddressSpace *Space = nullptr;
    uint64_t LocalBytes = 0;
    /// Called with a range when memory that may hold code is unmapped there.
    std::function<void(uint64_t Begin, uint64_t End)> CodeUnmapped;
  };

  explicit MemoryTable(llvm::SmallVector<Device, 1> Devices)
      : Devices(std::move(Devices)) {}

  HSAKMT_STATUS allocate(uint32_t Node, uint64_t Size, HsaMemFlags Flags,
                         void *&Address);
  HSAKMT_STATUS free(void *Address);

  HSAKMT_STATUS registerHost(void *Address, uint64_t Size, HsaMemFlags Flags);
  HSAKMT_STATUS deregisterHost(void *Address);

  /// Maps for the devices at \p Nodes and, except for scratch, for no other;
  /// for all of them if there are none.
  /// \p DeviceAddress becomes where they see it.
  HSAKMT_STATUS map(void *Address, uint64_t Size,
                    llvm::ArrayRef<uint32_t> Nodes,
                    uint64_t *DeviceAddress = nullptr);
  HSAKMT_STATUS unmap(void *Address);

  HSAKMT_STATUS query(const void *Pointer, HsaPointerInfo &Info);
  HSAKMT_STATUS setUserData(const void *Pointer, void *UserData);

private:
  struct Block {
    uint64_t Begin = 0;
    uint64_t Size = 0;
    /// Where devices see it: registered memory has addresses of its own there.
    uint64_t DeviceBegin = 0;
    uint32_t Node = 0;
    HsaMemFlags Flags{};
    bool IsHost = false; ///< Registered; the application owns it.
    unsigned Registrations = 0;
    void *UserData = nullptr;
    llvm::SmallVector<uint32_t, 1> MappedNodes;
    /// Begin and size of what is mapped: all of the block, but for scratch the
    /// parts that queues hold.
    std::map<uint64_t, uint64_t> Parts;
  };

  Device *device(uint32_t Node);
  /// The block around \p Address: an allocation, else the registration that
  /// begins there, else any registration around it.
  Block *find(uint64_t Address);
  void mapPart(Block &B, uint64_t Begin, uint64_t Size,
               llvm::ArrayRef<uint32_t> Nodes);
  void unmapPart(Block &B, uint64_t Begin);
  void unmapOthers(Block &B, llvm::ArrayRef<uint32_t> Nodes);
  void unmapFrom(Device &D, const Block &B, uint64_t Begin, uint64_t Size);
  void unmapAll(Block &B);

  std::mutex Mutex;
  llvm::SmallVector<Device, 1> Devices;
  std::map<uint64_t, Block> Allocations;
  std::multimap<uint64_t, Block> Registered;
  std::map<uint32_t, uint64_t> LocalBytesUsed;
};

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_KMT_MEMORYTABLE_H
