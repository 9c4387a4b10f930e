// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread's window on an address space: the last few ranges found.
#ifndef LUTHIER_EMULATOR_MEMORY_MEMORYVIEW_H
#define LUTHIER_EMULATOR_MEMORY_MEMORYVIEW_H

#include "emulator/memory/AddressSpace.h"
#include <cstdint>

namespace luthier::emulator {

/// Answers "where in the host's memory is this" from the last few ranges found.
class MemoryView {
public:
  explicit MemoryView(const AddressSpace &Space) : Space(&Space) {}

  /// Host address of [Address, Address + Size), or null where it is not mapped.
  uint8_t *pointer(uint64_t Address, uint64_t Size) {
    if (Recent[0].covers(Address, Size)) [[likely]]
      return reinterpret_cast<uint8_t *>(Address + Recent[0].ToHost);
    return lookUp(Address, Size);
  }
  /// To be called between time slices: ranges may have been unmapped.
  void refresh();

private:
  struct Window {
    uint64_t Begin = 0;
    uint64_t Length = 0;
    uint64_t ToHost = 0;
    bool covers(uint64_t Address, uint64_t Size) const {
      return Address - Begin <= Length - Size && Size <= Length;
    }
  };
  uint8_t *lookUp(uint64_t Address, uint64_t Size);

  const AddressSpace *Space;
  /// The most recent one first.
  Window Recent[4];
  uint64_t Generation = 0;
};

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_MEMORY_MEMORYVIEW_H
