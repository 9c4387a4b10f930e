// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Payloads name the variables of their tool by symbols, so that they are the
// same in every process. Addresses come last.
#ifndef LUTHIER_HOOK_VARIABLEADDRESSES_H
#define LUTHIER_HOOK_VARIABLEADDRESSES_H

#include "analysis/ArgumentValue.h"
#include "hook/Payload.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>

namespace luthier {

/// In front of a managed variable's name: its storage, while the name alone is
/// the cell that holds the storage's address.
inline constexpr llvm::StringLiteral StoragePrefix = "luthier.storage.";

/// Bytes from a symbol on.
struct SymbolicAddress {
  std::string Symbol;
  int64_t Offset = 0;
};

/// What \p Address, on the device, is among the variables of \p Module whose
/// size is known; nothing if it is elsewhere, or its code is not loaded.
std::optional<SymbolicAddress> symbolOf(uint64_t Address,
                                        const HookModule &Module);

/// Where nothing is loaded, variables of the tool have *stand-ins* for
/// addresses: places that no device has, with as much room as the variable
/// needs and some behind it. Here is one for a variable behind those that \p
/// Module has already.
uint64_t nextStandIn(const HookModule &Module);

/// What \p Address, on the device, is as an argument of one of \p Module's
/// hooks. What is in a variable's stand-in becomes ArgumentForm::Variable,
/// whose first input is compiled in.
ArgumentValue argumentFor(uint64_t Address, const HookModule &Module);

/// The variable whose begin \p StandIn stands for.
const HookModule::HostVariable &variableAt(uint64_t StandIn,
                                           const HookModule &Module);

/// Puts the addresses of \p Module's variables into \p P, which has no fixups
/// then. Refuses with UnsupportedHook if there is no such variable, and fails
/// as HookModule::Places does.
llvm::Error fillIn(Payload &P, const HookModule &Module);

} // namespace luthier

#endif // LUTHIER_HOOK_VARIABLEADDRESSES_H
