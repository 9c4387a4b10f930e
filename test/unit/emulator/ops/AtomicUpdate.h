// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What each atomic does to a value in memory, for all encodings.
#ifndef LUTHIER_TEST_UNIT_EMULATOR_OPS_ATOMICUPDATE_H
#define LUTHIER_TEST_UNIT_EMULATOR_OPS_ATOMICUPDATE_H

#include "SoftFloat.h"
#include <cstdint>
#include <random>
#include <span>

namespace luthier::test {

struct AtomicUpdate {
  /// What it is called in memory instructions, without "flat_atomic_" and the
  /// like, and in LDS instructions, without "ds_" and "rtn_", where Suffix
  /// follows. Either may be absent.
  const char *Memory;
  const char *Lds;
  const char *LdsSuffix;
  unsigned Bytes;
  /// Values of the data register or registers, in the order of operands.
  unsigned NumData;
  uint64_t (*Apply)(uint64_t Old, uint64_t Data, uint64_t Second);
  /// What the values are, for choosing them.
  const Format *F = nullptr;
  /// Later assemblers take the name for another operation.
  unsigned LastGeneration = 12;
};

std::span<const AtomicUpdate> atomicUpdates();

/// Old value and data of \p Update that often meet: equal, zero, next to one
/// another.
struct AtomicValues {
  uint64_t Old, Data, Second;
};
AtomicValues atomicValues(const AtomicUpdate &Update, std::mt19937_64 &Random);

} // namespace luthier::test

#endif // LUTHIER_TEST_UNIT_EMULATOR_OPS_ATOMICUPDATE_H
