// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What compilations take and give, as bytes: keys for a PayloadStore, and what
// it keeps. Refusals are results, too: where registers did not suffice, nobody
// needs to try again.
#ifndef LUTHIER_HOOK_PAYLOADARCHIVE_H
#define LUTHIER_HOOK_PAYLOADARCHIVE_H

#include "hook/Archive.h"
#include "hook/NamedFacts.h"
#include "hook/Payload.h"
#include "hook/PayloadABI.h"
#include "hook/PayloadStore.h"
#include "llvm/Support/Error.h"
#include <optional>

namespace luthier {

void visitFields(const PayloadABI &ABI, ArchiveWriter &W);
void visitFields(const ArgumentSlot &Slot, ArchiveWriter &W);
void visitFields(const ComputedArgument &Argument, ArchiveWriter &W);

/// Payloads or facts, or a refusal. Nothing for other errors. Leaves \p Result
/// as it is.
std::optional<std::vector<uint8_t>>
archive(llvm::Expected<std::vector<Payload>> &Result);
std::optional<std::vector<uint8_t>> archive(llvm::Expected<NamedFacts> &Result);

/// Nothing if \p Bytes are not what archive() gives for such a result.
template <typename T>
std::optional<llvm::Expected<T>> unarchive(llvm::ArrayRef<uint8_t> Bytes);
template <>
std::optional<llvm::Expected<std::vector<Payload>>>
unarchive(llvm::ArrayRef<uint8_t> Bytes);
template <>
std::optional<llvm::Expected<NamedFacts>>
unarchive(llvm::ArrayRef<uint8_t> Bytes);

/// What \p W has been given.
PayloadKey digestOf(const ArchiveWriter &W);

} // namespace luthier

#endif // LUTHIER_HOOK_PAYLOADARCHIVE_H
