// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the code of a payload depends on, spelled out so that equal texts mean
// equal code.
#ifndef LUTHIER_HOOK_PAYLOADKEY_H
#define LUTHIER_HOOK_PAYLOADKEY_H

#include "hook/Payload.h"
#include "hook/ir/HookNeeds.h"
#include <string>

namespace luthier {

/// Of a variant, within its module.
std::string keyOf(const PayloadVariant &Variant);

/// What of \p ABI matters to a payload with \p Needs.
std::string keyOf(const PayloadABI &ABI, const HookNeeds &Needs);

/// Appends a number to a key.
void appendToKey(std::string &Key, uint64_t Number);

} // namespace luthier

#endif // LUTHIER_HOOK_PAYLOADKEY_H
