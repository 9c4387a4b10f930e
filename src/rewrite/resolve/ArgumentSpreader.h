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

  /// What \p Argument is, for messages: "a Pair of 8 bytes".
  static std::string describe(const HookArgument &Argument, unsigned Dwords);

  /// For the next parameter, or the next ones if it is the bytes of a
  /// structure. \p Dwords are those of the register that it names, if it does;
  /// \p Following arguments come after it.
  llvm::Error add(const HookArgument &Argument, unsigned Dwords,
                  size_t Following);
  /// Has each parameter its argument, and no argument been too many?
  bool isComplete() const {
    return Result.size() == Parameters.size() && !IsTooMany;
  }
  llvm::SmallVector<HookArgument, 2> take() { return std::move(Result); }

private:
  llvm::Error addBytes(const HookArgument &Argument, size_t Following);
  llvm::Error addNumber(double Number);
  void addRegister(const HookArgument &Argument, unsigned Dwords);
  /// What the next argument is for.
  const HookParameter &next() const { return Parameters[Result.size()]; }
  bool isContinued() const {
    return Result.size() < Parameters.size() && next().IsContinued;
  }

  /// Parameters, not their further bits, that have no argument yet.
  size_t numLeft() const;

  llvm::ArrayRef<HookParameter> Parameters;
  llvm::SmallVector<HookArgument, 2> Result;
  bool IsTooMany = false;
};

} // namespace luthier

#endif // LUTHIER_REWRITE_RESOLVE_ARGUMENTSPREADER_H
