// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a device sees, copied at one moment and mapped at the same addresses.
#ifndef LUTHIER_EMULATOR_MEMORY_SNAPSHOT_H
#define LUTHIER_EMULATOR_MEMORY_SNAPSHOT_H

#include "emulator/memory/AddressSpace.h"
#include <memory>
#include <vector>

namespace luthier::emulator {

class Snapshot {
public:
  /// Null if there is no memory for it. Ranges that are mapped where they are
  /// in the host are anonymous memory, of which only written pages are copied.
  /// What cannot be read, because the host took it away meanwhile, is zero.
  static std::unique_ptr<Snapshot> create(const AddressSpace &From);
  std::unique_ptr<Snapshot> clone() const;
  ~Snapshot();
  Snapshot(const Snapshot &) = delete;
  Snapshot &operator=(const Snapshot &) = delete;

  AddressSpace &space() { return Space; }
  /// False if that is not mapped.
  bool write(uint64_t Address, const void *From, uint64_t Size);

private:
  struct Piece {
    void *Host;
    uint64_t Size;
  };
  Snapshot() = default;
  static std::unique_ptr<Snapshot> copyOf(const AddressSpace &From,
                                          bool AllAnonymous);
  bool add(const AddressSpace::Range &Range);

  AddressSpace Space;
  std::vector<Piece> Pieces;
};

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_MEMORY_SNAPSHOT_H
