// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A random buffer, and where a lane's access to it goes.
#ifndef LUTHIER_TEST_UNIT_EMULATOR_OPS_BUFFERCASE_H
#define LUTHIER_TEST_UNIT_EMULATOR_OPS_BUFFERCASE_H

#include "Trial.h"

namespace luthier::test {

/// Operands of a buffer instruction; the registers are always the same.
struct BufferCase {
  static constexpr unsigned AddressReg = 2, DataReg = 16, ResourceReg = 8,
                            OffsetReg = 12;

  bool HasIndex = false, HasOffset = false;
  unsigned Immediate = 0;
  /// Of the whole access, and the unit in which it is aligned.
  unsigned Bytes = 4, Alignment = 4;

  /// From the address operand to the end.
  std::string text() const;

  /// Sets up a buffer of a random kind: of bytes or of records, interleaved or
  /// not, larger or smaller than what lanes ask for. \p Format is for word 3.
  void prepare(TrialState &S, RandomSource &Random, uint32_t Format = 0,
               uint32_t Select = 0xfac) const;

  /// Whether bytes [Extra, Extra + Size) of a lane's access exist.
  bool exists(const TrialState &S, unsigned L, unsigned Extra,
              unsigned Size) const;
  /// Device address of one byte.
  uint64_t locate(const TrialState &S, unsigned L, unsigned Extra) const;

  uint64_t read(const TrialState &S, unsigned L, unsigned Extra,
                unsigned Size) const;
  void write(TrialState &S, unsigned L, unsigned Extra, uint64_t Value,
             unsigned Size) const;

  /// All ways to write the address of an access.
  static std::vector<BufferCase> all(unsigned Bytes, unsigned Alignment,
                                     RandomSource &Random);

private:
  uint64_t offset(const TrialState &S, unsigned L) const;
  uint64_t index(const TrialState &S, unsigned L) const;
};

} // namespace luthier::test

#endif // LUTHIER_TEST_UNIT_EMULATOR_OPS_BUFFERCASE_H
