// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How code reaches the instrumentation stack before any scalar register of the
// application's has been saved:
//
//   Offset      the instructions' own offset goes that far
//   Register    a register that nobody needs holds the address
//   Exchanged   one that the application needs does, and is in memory meanwhile
#ifndef LUTHIER_REWRITE_EMIT_STACKACCESS_H
#define LUTHIER_REWRITE_EMIT_STACKACCESS_H

#include "rewrite/emit/CallSiteCode.h"
#include "rewrite/plan/StackPlan.h"
#include <optional>

namespace luthier {

class StackAccess {
public:
  enum class Kind : uint8_t { Offset, Register, Exchanged };

  StackAccess() = default;
  static StackAccess through(llvm::MCRegister Free) {
    return StackAccess(Kind::Register, Free);
  }
  /// Without a free register; \p Any is one of the application's. Nothing if
  /// the stack begins too far up for that.
  static std::optional<StackAccess> withoutRegister(const StackPlan &Stack,
                                                    const MemoryTraits &Traits,
                                                    llvm::MCRegister Any);

  /// Around the others. Memory is waited for where a register is exchanged.
  void begin(CallSiteCode &Code, const StackPlan &Stack) const;
  void end(CallSiteCode &Code, const StackPlan &Stack) const;
  /// \p Vector of active lanes and a slot of the stack.
  void store(CallSiteCode &Code, const StackPlan &Stack,
             llvm::MCRegister Vector, unsigned Slot) const;
  void load(CallSiteCode &Code, const StackPlan &Stack, llvm::MCRegister Vector,
            unsigned Slot) const;

  Kind kind() const { return K; }
  /// Invalid where the offset is enough.
  llvm::MCRegister address() const { return Address; }

private:
  StackAccess(Kind K, llvm::MCRegister Address) : K(K), Address(Address) {}
  unsigned offsetOf(const StackPlan &Stack, unsigned Slot) const {
    return K == Kind::Offset ? Stack.Base + Slot : Slot;
  }

  Kind K = Kind::Offset;
  llvm::MCRegister Address;
};

} // namespace luthier

#endif // LUTHIER_REWRITE_EMIT_STACKACCESS_H
