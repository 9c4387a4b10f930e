// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which bits of memory are uninitialised: a second, lazily committed copy of
// what a dispatch touches. All of it counts as defined when the dispatch
// starts, since the host may have written it, except a new wave's scratch. Or
// marks of another kind, which a new wave's scratch has none of.
#ifndef LUTHIER_EMULATOR_STRICT_SHADOWSPACE_H
#define LUTHIER_EMULATOR_STRICT_SHADOWSPACE_H

#include "emulator/memory/AddressSpace.h"
#include <map>
#include <vector>

namespace luthier::emulator {
struct Dispatch;
}

namespace luthier::emulator::strict {

/// Used from the one thread of an observed dispatch.
class ShadowSpace final : public AddressSpace {
public:
  /// \p NewScratch is each byte of a new wave's scratch.
  ShadowSpace(const AddressSpace &Real, const Dispatch &D, uint8_t NewScratch);
  ~ShadowSpace() override;

  std::optional<Range> find(uint64_t Address) const override;

  /// A wave starts in \p Slot of the scratch memory. Views of this space must
  /// be made anew.
  void startScratch(unsigned Slot);
  bool isScratch(uint64_t Address) const {
    return Address - ScratchBegin < ScratchSize;
  }

private:
  struct Twin {
    uint64_t End;
    uint8_t *Memory;
  };
  std::optional<Range> findScratch(uint64_t Address) const;

  const AddressSpace &Real;
  const uint8_t NewScratch;
  uint64_t ScratchBegin, ScratchSize, BytesPerWave;
  uint8_t *Scratch = nullptr;
  /// Each slot is cut into pieces of this many bytes, more than any single
  /// access.
  static constexpr uint64_t PieceBytes = 1 << 12;
  uint64_t PiecesPerWave;
  /// Of each slot, the pieces that hold NewScratch, or what was stored since:
  /// the others are NewScratch that has not been written down.
  mutable std::vector<bool> Ready;
  /// Also by the spaces that had the memory before.
  mutable uint64_t PiecesFilled = 0;
  mutable std::map<uint64_t, Twin> Twins;
};

} // namespace luthier::emulator::strict

#endif // LUTHIER_EMULATOR_STRICT_SHADOWSPACE_H
