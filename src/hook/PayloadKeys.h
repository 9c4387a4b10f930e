// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All that decides what a compilation comes to, for the keys of a PayloadStore.
// Nothing in it differs from process to process: variables of the tool count by
// name, not by address.
#ifndef LUTHIER_HOOK_PAYLOADKEYS_H
#define LUTHIER_HOOK_PAYLOADKEYS_H

#include "amdgpu/MCTarget.h"
#include "hook/Archive.h"
#include "hook/Payload.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace luthier {

/// The hooks, and what they are compiled for.
void addModule(ArchiveWriter &W, const HookModule &Module,
               const amdgpu::MCTarget &Target, unsigned WaveSize);

/// \p IsPointer says whether a parameter of a hook, or 64 bits of it, is a
/// pointer of 64 bits: one that may be given a variable's address.
void addVariant(
    ArchiveWriter &W, const PayloadVariant &Variant,
    llvm::function_ref<bool(llvm::StringRef Hook, size_t Parameter)> IsPointer);

/// For people: "libtool.so gfx90a: countBlock, countLanes".
std::string describe(llvm::ArrayRef<PayloadVariant> Variants,
                     const amdgpu::MCTarget &Target);

} // namespace luthier

#endif // LUTHIER_HOOK_PAYLOADKEYS_H
