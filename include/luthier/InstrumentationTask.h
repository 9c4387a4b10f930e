// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a tool wants inserted, collected while it walks a LiftedRepresentation.
#ifndef LUTHIER_INSTRUMENTATIONTASK_H
#define LUTHIER_INSTRUMENTATIONTASK_H

#include "luthier/Export.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/MC/MCRegister.h"
#include "llvm/Support/Error.h"
#include <concepts>
#include <cstdint>
#include <optional>
#include <variant>

namespace llvm {
class MachineInstr;
}

namespace luthier {

/// One argument of a hook: a constant, or a register of the application whose
/// value at the point is passed. A vector register arrives lane by lane, valid
/// in the lanes that are active there.
class LUTHIER_API HookArgument {
public:
  HookArgument(llvm::Constant *C) : Value(C) {}
  HookArgument(llvm::MCRegister Reg) : Value(Reg) {}
  template <std::integral T>
  HookArgument(T Number) : Value(static_cast<uint64_t>(Number)) {}

  bool isRegister() const {
    return std::holds_alternative<llvm::MCRegister>(Value);
  }
  llvm::MCRegister reg() const { return std::get<llvm::MCRegister>(Value); }
  /// Bits of an integer constant, or nothing for another kind of constant.
  std::optional<uint64_t> integer() const;

private:
  std::variant<llvm::Constant *, llvm::MCRegister, uint64_t> Value;
};

class LUTHIER_API InstrumentationTask {
public:
  struct Insertion {
    llvm::MachineInstr *Before;
    const void *Hook;
    llvm::SmallVector<HookArgument, 2> Arguments;
  };

  /// Runs the hook each time control reaches \p MI, before it. \p Handle comes
  /// from LUTHIER_GET_HOOK_HANDLE. Hooks at one instruction run in the order of
  /// these calls. Where nothing may be inserted (inside a clause or a paired
  /// sequence) the hook runs at the nearest earlier legal place.
  llvm::Error insertHookBefore(llvm::MachineInstr &MI, const void *Handle,
                               llvm::ArrayRef<HookArgument> Arguments = {});

  llvm::ArrayRef<Insertion> insertions() const { return Insertions; }

private:
  llvm::SmallVector<Insertion, 0> Insertions;
};

} // namespace luthier

#endif // LUTHIER_INSTRUMENTATIONTASK_H
