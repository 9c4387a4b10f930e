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

  /// Mappings may overlap, as registered host buffers that share a page do;
  /// each stays until it is itself unmapped.
  void map(uint64_t Address, uint64_t Size);
  /// Undoes the latest map() that began at \p Address.
  void unmap(uint64_t Address);
  /// Undoes one map() of exactly this range.
  void unmap(uint64_t Address, uint64_t Size);

  /// The mapped range around \p Address, if any. Overlapping mappings form one
  /// range; adjacent ones stay separate.
  std::optional<Range> find(uint64_t Address) const;

  /// Whether every byte is mapped, by one range or by several adjacent ones.
  bool contains(uint64_t Address, uint64_t Size) const;

  /// Grows with every map and unmap.
  uint64_t generation() const {
    return Generation.load(std::memory_order_acquire);
  }

private:
  std::optional<Range> findLocked(uint64_t Address) const;
  void cover(uint64_t Begin, uint64_t End);
  void remove(std::multimap<uint64_t, uint64_t>::iterator Mapping);

  mutable std::shared_mutex Mutex;
  /// What was mapped, by begin.
  std::multimap<uint64_t, uint64_t> Mappings;
  /// The same without overlaps: end of each range, by begin.
  std::map<uint64_t, uint64_t> EndOf;
  std::atomic<uint64_t> Generation{0};
};

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_MEMORY_ADDRESSSPACE_H
