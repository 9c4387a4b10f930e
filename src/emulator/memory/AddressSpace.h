// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the device may touch: a map of ranges, not a page table; it answers "is
// this access legal, and where in the host's memory is it" fast. Under a
// runtime device addresses equal host addresses; a device of one's own may
// differ.
#ifndef LUTHIER_EMULATOR_MEMORY_ADDRESSSPACE_H
#define LUTHIER_EMULATOR_MEMORY_ADDRESSSPACE_H

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <vector>

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
    /// Host address less device address.
    uint64_t ToHost = 0;
  };

  virtual ~AddressSpace() = default;

  /// Mappings may overlap, as registered host buffers that share a page do;
  /// each stays until it is itself unmapped.
  void map(uint64_t Address, uint64_t Size);
  /// The same for memory whose host address differs, which may not overlap
  /// anything that is mapped: false if it does.
  bool mapAt(uint64_t Address, uint64_t Size, void *Host);
  /// Undoes the latest map() that began at \p Address.
  void unmap(uint64_t Address);
  /// Undoes one map() of exactly this range.
  void unmap(uint64_t Address, uint64_t Size);

  /// The mapped range around \p Address, if any. Overlapping mappings form one
  /// range; adjacent ones stay separate.
  virtual std::optional<Range> find(uint64_t Address) const;

  /// Whether every byte is mapped, by one range or by several adjacent ones.
  bool contains(uint64_t Address, uint64_t Size) const;

  /// Host address of bytes that are consecutive there too, or null.
  void *pointer(uint64_t Address, uint64_t Size) const;

  /// Everything that is mapped, in ascending order.
  std::vector<Range> ranges() const;

  /// Grows with every map and unmap.
  uint64_t generation() const {
    return Generation.load(std::memory_order_acquire);
  }

private:
  struct Extent {
    uint64_t End;
    uint64_t ToHost;
  };

  std::optional<Range> findLocked(uint64_t Address) const;
  void cover(uint64_t Begin, uint64_t End, uint64_t ToHost);
  void remove(std::multimap<uint64_t, Extent>::iterator Mapping);

  mutable std::shared_mutex Mutex;
  /// What was mapped, by begin.
  std::multimap<uint64_t, Extent> Mappings;
  /// The same without overlaps.
  std::map<uint64_t, Extent> Extents;
  std::atomic<uint64_t> Generation{0};
};

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_MEMORY_ADDRESSSPACE_H
