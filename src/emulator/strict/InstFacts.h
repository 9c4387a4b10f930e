// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the checks need to know of an instruction, worked out once.
#ifndef LUTHIER_EMULATOR_STRICT_INSTFACTS_H
#define LUTHIER_EMULATOR_STRICT_INSTFACTS_H

#include "emulator/exec/InstInfo.h"
#include "emulator/isa/Operation.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace luthier::emulator {
struct Target;
}

namespace luthier::emulator::strict {

/// See UndefinedRules.def.
enum class UndefinedRule : uint8_t {
  Default,
  Copy,
  Move,
  Permute,
  And,
  AndNot,
  Or,
  OrNot,
  AndOr,
  Xor,
  Upward,
  UpwardMask,
  ShiftUp,
  Select,
  WithMask,
  BitSet,
  BitTest,
  Equal,
};

/// What waits count. Targets before generation 12 have one counter for Lds and
/// Scalar, so a wait for it is one for both.
enum class Counter : uint8_t { Memory, Lds, Scalar, Export };
inline constexpr unsigned NumCounters = 4;

/// How an instruction treats operands.
enum class Shape : uint8_t {
  Nothing, ///< Neither reads nor writes what can be uninitialised.
  Scalar,
  Vector,
  Matrix,
  ScalarMemory,
  Flat,
  Buffer,
  Lds,
  Branch,
  Message,
};

struct Span {
  uint16_t First;
  uint8_t Count;
};

/// A bit for each register modulo 64: sets without a common bit have no common
/// register.
inline uint64_t summary(Span S) {
  uint64_t Bits = 0;
  for (unsigned N = 0; N != S.Count; ++N)
    Bits |= uint64_t(1) << ((S.First + N) % 64);
  return Bits;
}

struct MatrixHazard;

struct InstFacts final : InstNote {
  InstFacts(const Target &T, const Inst &I);
  static const InstFacts &of(const Target &T, const Inst &I) {
    return static_cast<const InstFacts &>(
        I.Info->Note.get([&] { return std::make_unique<InstFacts>(T, I); }));
  }

  // EXEC is not among them, nor what is no state.
  llvm::SmallVector<Span, 4> VectorReads, VectorWrites, ScalarReads,
      ScalarWrites;
  /// The vector and scalar ones together, as summary() has them.
  uint64_t Vectors = 0, Scalars = 0;
  Shape Form = Shape::Nothing;
  UndefinedRule Rule = UndefinedRule::Default;
  /// Operands that say how the others are moved; 24 for 24-bit factors.
  uint8_t Control = 0;
  /// Lanes see each other's values, or EXEC does not matter.
  bool CrossesLanes = false;
  /// Every active lane's result, or the scalar one, is made of its own sources
  /// alone, and is wholly overwritten but for what Inst::DstSelect and DPP
  /// leave alone: where the sources are defined, so is it.
  bool IsPlain = false;
  bool IsCompare = false;
  /// Gives a scalar register what a lane holds, active or not.
  bool IsLaneRead = false;
  /// Writes its vector registers whatever EXEC is.
  bool IgnoresExec = false;
  bool ReadsExec = false, WritesExec = false, WritesScc = false,
       ReadsScc = false;
  /// SCC becomes "the result is not zero".
  bool ConditionIsNonZero = false;
  /// Its destination becomes what EXEC was, and EXEC its result.
  bool SavesExec = false;
  /// A choice between its source and what the destination holds.
  bool KeepsDestination = false;
  bool ReadsM0 = false;
  /// Loads one value for all lanes of LDS, from where M0 points to; a source is
  /// such a value.
  bool IsLdsDirect = false, ReadsLdsDirect = false;
  /// M0 offsets register numbers.
  bool IsRelative = false;
  /// Writes a lane mask besides its destination.
  bool WritesMask = false;
  bool Loads = false, Stores = false;
  /// Exchanges old and new values as they are.
  bool Swaps = false;
  bool BypassesRegisters = false; ///< Memory straight to LDS.
  /// Moves registers to or from what may be scratch.
  bool MovesScratch = false;
  /// Where no value is stray and lanes are active, some may be stray, or
  /// registers be written in other lanes, only by an instruction of this kind.
  bool MayMakeStray = false;
  /// Bits of a data register that a narrow store takes.
  uint32_t StoredBits = ~0u;
  /// Stands in for any other atomic update of undefined bits.
  Handler AtomicOr = nullptr;
  bool IsSdwa = false;
  bool BeginsClause = false;
  /// See HazardClasses.h.
  uint32_t HazardClasses = 0, HazardFamily = 0;
  /// Classes that are a hazard shortly before it.
  uint32_t HazardProducers = 0;
  /// Of a matrix operation on AGPRs; null for other operations, and where
  /// there is no row.
  const MatrixHazard *Matrix = nullptr;
  /// Waits for counters, or is counted by one.
  bool IsWait = false, IsCounted = false;
  /// Counters that count it, and whether it is back before later ones that they
  /// count in order.
  bool CountedBy[NumCounters] = {};
  bool IsOrdered = false;
  /// Data registers of an atomic operation that compares first.
  bool HasComparand = false;
  const InstInfo &Info;
  const OperationFacts &Op;

private:
  Shape shapeOf() const;
  void classify(const Target &T);
  void classifyMemory();
  void classifyCounters(const Target &T);
  void classifyHazards(const Target &T, const Inst &I);
};

/// The handler of an operation; null where there is none.
Handler handlerOf(llvm::StringRef Operation);

} // namespace luthier::emulator::strict

#endif // LUTHIER_EMULATOR_STRICT_INSTFACTS_H
