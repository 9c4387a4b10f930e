// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One way to write an operation: an encoding with chosen operands and
// modifiers, as assembly and as what the reference needs to know of it.
#ifndef LUTHIER_TEST_UNIT_EMULATOR_OPS_VECTORVARIANT_H
#define LUTHIER_TEST_UNIT_EMULATOR_OPS_VECTORVARIANT_H

#include "VectorRow.h"
#include <random>
#include <string>
#include <vector>

namespace luthier::test {

struct TargetTraits {
  std::string Processor;
  unsigned Generation; ///< 9 to 12.
  unsigned WaveSize;
};
/// Each processor, in each wave size that it has.
const std::vector<TargetTraits> &testedTargets();
TargetTraits traitsOf(const std::string &Processor);

/// What SDWA selects, as encoded.
enum class Section : uint8_t { Byte0, Byte1, Byte2, Byte3, Word0, Word1, All };

struct SourceSpec {
  enum Place { Vgpr, Sgpr, Constant } From = Vgpr;
  uint64_t Value = 0; ///< Of a constant.
  std::string Text;   ///< Of a constant.
  bool Negate = false, Absolute = false, SignExtend = false;
  Section Select = Section::All;
  /// Packed: where each half comes from, and its sign. Others: the half used.
  bool High = false, HighOfHigh = true, NegateHigh = false;
};

enum class Encoding { Short, Long, Sdwa, Dpp, LongDpp, Packed };

struct Variant {
  const VectorRow *Row = nullptr;
  Encoding Form = Encoding::Short;
  /// One that must assemble; others need not be legal for the operation.
  bool Required = false;
  SourceSpec Src[3];
  bool Clamp = false;
  unsigned OutputModifier = 0;
  Section DstSelect = Section::All;
  /// Zero, sign, preserve.
  unsigned DstUnused = 0;
  bool DstHigh = false;
  /// Halves are named by their registers.
  bool Halves = false;
  bool BoundControl = false;
  bool FetchInactive = false;
  unsigned RowMask = 15, BankMask = 15;
  /// Index in the list of DPP controls.
  unsigned Permutation = 0;
  unsigned OpSel = 0;
  unsigned Byte = 0;
  uint32_t Immediate = 0;
};

/// First VGPR of each source, and of the destination.
inline constexpr unsigned SourceVgpr[] = {2, 40, 80}, ResultVgpr = 120;
/// First SGPR of scalar sources, of a mask read and of a mask written.
inline constexpr unsigned SourceSgpr = 20, MaskSgpr = 40, ResultSgpr = 44;
inline constexpr unsigned VccSgpr = 106;

/// The lane that \p Lane reads, or -1.
int permutedLane(unsigned Permutation, unsigned Lane);
std::string textOf(const Variant &V, const TargetTraits &T);
/// The variants worth trying for \p Row, the required one first.
std::vector<Variant> variantsOf(const VectorRow &Row, const TargetTraits &T,
                                std::mt19937_64 &Random);
/// True when masks are in VCC rather than in named registers.
bool usesVcc(const Variant &V);

/// A value of \p K, often a special one.
uint64_t randomValue(Kind K, std::mt19937_64 &Random);

} // namespace luthier::test

#endif // LUTHIER_TEST_UNIT_EMULATOR_OPS_VECTORVARIANT_H
