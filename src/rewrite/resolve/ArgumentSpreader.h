// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arguments of more than 64 bits become several, and structures as many as
// clang makes parameters of them.
#ifndef LUTHIER_REWRITE_RESOLVE_ARGUMENTSPREADER_H
#define LUTHIER_REWRITE_RESOLVE_ARGUMENTSPREADER_H

#include "hook/PayloadCompiler.h"
#include "luthier/HookArgument.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

namespace luthier {

/// What \p Argument is, for messages: "a Pair of 8 bytes". \p Dwords are those
/// of the register that it names, if it does.
std::string describeArgument(const HookArgument &Argument, unsigned Dwords);

class ArgumentSpreader {
public:
  explicit ArgumentSpreader(llvm::ArrayRef<HookParameter> Parameters)
      : Parameters(Parameters) {}

  /// For the next parameter, or the next ones if it is the bytes of a
  /// structure. \p Dwords are those of the register that it names, if it does;
  /// \p Following arguments come after it.
  llvm::Error add(const HookArgument &Argument, unsigned Dwords,
                  llvm::ArrayRef<HookArgument> Following);
  /// Has each parameter its argument, and no argument been too many?
  bool isComplete() const {
    return Result.size() == Parameters.size() && !IsTooMany;
  }
  llvm::SmallVector<HookArgument, 2> take() { return std::move(Result); }

private:
  llvm::Error addBytes(const HookArgument &Argument,
                       llvm::ArrayRef<HookArgument> Following);
  llvm::Error addNumber(double Number);
  /// Has \p Argument a type that the next parameter cannot have?
  bool isOfOtherKind(const HookArgument &Argument) const;
  void addRegister(const HookArgument &Argument, unsigned Dwords);
  /// What the next argument is for.
  const HookParameter &next() const { return Parameters[Result.size()]; }
  bool isContinued() const {
    return Result.size() < Parameters.size() && next().IsContinued;
  }

  /// Behind parameter \p First and its further bits.
  size_t endOfParameter(size_t First) const;
  /// Of a parameter, or of 64 bits of it.
  unsigned bytesOf(size_t Parameter) const;
  /// Where it lies in \p Argument, whose bytes up to \p Behind the parameters
  /// before it have.
  unsigned placeOf(size_t Parameter, unsigned Behind,
                   const HookArgument &Argument) const;
  /// Where the parameters may end that \p Argument is for, if they begin with
  /// \p First.
  llvm::SmallVector<size_t, 2> endsOf(const HookArgument &Argument,
                                      size_t First) const;
  /// Can \p Given be for all parameters from \p First on?
  bool fit(llvm::ArrayRef<HookArgument> Given, size_t First) const;

  llvm::ArrayRef<HookParameter> Parameters;
  llvm::SmallVector<HookArgument, 2> Result;
  bool IsTooMany = false;
};

} // namespace luthier

#endif // LUTHIER_REWRITE_RESOLVE_ARGUMENTSPREADER_H
