// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A device's memory: what its owner lends it, and what it has of its own.
#ifndef LUTHIER_EMULATOR_API_MEMORY_H
#define LUTHIER_EMULATOR_API_MEMORY_H

#include "emulator/memory/AddressSpace.h"
#include <map>

namespace luthier::emulator::api {

class Memory {
public:
  Memory() = default;
  ~Memory();
  Memory(const Memory &) = delete;

  /// False if the device addresses are in use.
  bool lend(uint64_t Address, uint64_t Size, void *Host);
  /// False if nothing was lent at \p Address.
  bool takeBack(uint64_t Address);
  /// Zeroed; 0 if the host has no more. Equal calls on two devices give equal
  /// addresses.
  uint64_t allocate(uint64_t Size, uint64_t Alignment = 256);
  bool free(uint64_t Address);

  /// False, and nothing copied, unless all of it is mapped.
  bool read(uint64_t Address, void *To, uint64_t Size) const;
  bool write(uint64_t Address, const void *From, uint64_t Size);

  /// Makes this, which must be new, see what \p From sees at the same device
  /// addresses, in host memory of its own. Pages that nobody has touched cost
  /// nothing. False if the host has no more memory.
  bool copyFrom(const Memory &From);

  AddressSpace Space;

private:
  struct Own {
    void *Host;
    uint64_t Size;
    /// Bytes that were asked for.
    uint64_t Wanted;
  };
  /// Bytes of \p Address that are consecutive on the host, at most \p Size.
  uint8_t *piece(uint64_t Address, uint64_t &Size) const;

  Own *add(uint64_t Address, uint64_t Size);

  std::map<uint64_t, uint64_t> Lent;
  std::map<uint64_t, Own> Owned;
  uint64_t Next = 0x200000000000;
};

} // namespace luthier::emulator::api

#endif // LUTHIER_EMULATOR_API_MEMORY_H
