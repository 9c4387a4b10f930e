// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A random computation on scalars, which hooks do for the wave whatever EXEC
// is, and the host does to compare.
#ifndef LUTHIER_TEST_RANDOM_RANDOMSCALARS_H
#define LUTHIER_TEST_RANDOM_RANDOMSCALARS_H

#include "llvm/ADT/APInt.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <string>

namespace luthier::test {

class Dice;

/// Arguments of a hook.
struct ScalarArguments {
  uint64_t A = 0, B = 0;
  uint32_t C = 0;
};

/// Of call site \p Number. Small numbers, equal ones and those with many bits
/// are all frequent.
ScalarArguments scalarArguments(uint64_t Seed, unsigned Number);

class ScalarComputation {
public:
  explicit ScalarComputation(uint64_t Seed);
  /// LLVM IR of the hook "scalars", which adds the result to the wave's counter
  /// of @Counters.
  std::string hook() const;
  uint64_t evaluate(const ScalarArguments &Arguments) const;

private:
  enum class Kind {
    Binary,
    Shift,
    Compare,
    Select,
    Cast,
    Unary,
    Minimum,
    Joined
  };
  struct Node {
    Kind K = Kind::Binary;
    /// Of the result, in bits.
    unsigned Width = 0;
    /// Within its kind, as LLVM IR spells it.
    const char *Name = "";
    llvm::SmallVector<unsigned, 3> From;
  };

  unsigned constant(unsigned Width, Dice &D);
  unsigned any(unsigned Width, Dice &D);
  void add(Dice &D);
  void addFlag(Dice &D);
  void addNumber(Dice &D);
  std::string operand(unsigned Value) const;
  unsigned widthOf(unsigned Value) const;
  llvm::APInt compute(const Node &N, llvm::ArrayRef<llvm::APInt> Values) const;
  void print(const Node &N, unsigned Value, std::string &Block,
             std::string &Text) const;

  /// Values are numbered: the arguments, constants, nodes, in that order.
  llvm::SmallVector<llvm::APInt, 0> Constants;
  llvm::SmallVector<Node, 0> Nodes;
};

} // namespace luthier::test

#endif // LUTHIER_TEST_RANDOM_RANDOMSCALARS_H
