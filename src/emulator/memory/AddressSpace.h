// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the device may touch. GPU addresses equal CPU addresses, so this is a
// map of ranges, not a page table; it answers "is this access legal" fast.
#ifndef LUTHIER_EMULATOR_MEMORY_ADDRESSSPACE_H
#define LUTHIER_EMULATOR_MEMORY_ADDRESSSPACE_H

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>

namespace luthier::emulator {

/// Flat apertures as ROCr is told them (see emulator.md, GPU node). An address
/// whose high 32 bits equal an aperture's is not a memory address.
inline constexpr uint64_t LdsApertureBase = 0x1000000000000;
inline constexpr uint64_t ScratchApertureBase = 0x2000000000000;

/// Thread-safe. Readers in the shader array look ranges up without a lock most
/// of the time, through a per-thread cache checked against generation().
class AddressSpace {
public:
  struct Range {
    uint64_t Begin = 0;
    uint64_t End = 0;
  };

  void map(uint64_t Address, uint64_t Size);
  /// Unmaps the range that begins at \p Address.
  void unmap(uint64_t Address);

  /// The mapped range around \p Address, if any. Adjacent ranges stay separate.
  std::optional<Range> find(uint64_t Address) const;

  /// Grows with every map and unmap.
  uint64_t generation() const {
    return Generation.load(std::memory_order_acquire);
  }

private:
  mutable std::shared_mutex Mutex;
  std::map<uint64_t, uint64_t> EndOf;
  std::atomic<uint64_t> Generation{0};
};

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_MEMORY_ADDRESSSPACE_H
