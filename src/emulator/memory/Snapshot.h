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
  class Moment;

public:
  /// Where one moment after the other is held. Memory of one that nobody looks
  /// at any more is used again, since new memory costs more than the copy.
  class Storage {
    friend class Snapshot;
    std::shared_ptr<const Moment> Last;
  };

  /// A part of what the device sees, by its addresses.
  struct Extent {
    uint64_t Begin, End;
  };

  /// Null if there is no memory for it. Of anonymous memory that is mapped
  /// where it is in the host, only written pages are copied. What cannot be
  /// read, because the host took it away meanwhile, is zero.
  static std::unique_ptr<Snapshot> create(const AddressSpace &From,
                                          Storage &In);
  /// The same moment once more, without what was written to this one since.
  /// The two share the pages that neither has written.
  std::unique_ptr<Snapshot> again() const;
  ~Snapshot();
  Snapshot(const Snapshot &) = delete;
  Snapshot &operator=(const Snapshot &) = delete;

  AddressSpace &space() { return Space; }
  /// False if that is not mapped.
  bool write(uint64_t Address, const void *From, uint64_t Size);
  /// Whole pages, in ascending order: all that was written since the moment of
  /// the copy, and more if the kernel does not tell.
  std::vector<Extent> written() const;

private:
  struct Piece {
    uint64_t Begin, Size;
    /// Whole pages, in the first of which the piece begins.
    uint8_t *Pages;
    uint64_t PagesSize;
  };
  explicit Snapshot(std::shared_ptr<const Moment> M) : Copied(std::move(M)) {}
  bool add(uint64_t Begin, uint64_t Size);

  /// A snapshot is a private mapping of it, so what it writes is its own.
  std::shared_ptr<const Moment> Copied;
  AddressSpace Space;
  std::vector<Piece> Pieces;
};

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_MEMORY_SNAPSHOT_H
