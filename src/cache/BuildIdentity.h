// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which builds of libraries this process has.
#ifndef LUTHIER_CACHE_BUILDIDENTITY_H
#define LUTHIER_CACHE_BUILDIDENTITY_H

#include "llvm/ADT/ArrayRef.h"
#include <string>

namespace luthier::cache {

/// The build ids, which linkers make of all that they link, of the libraries or
/// programs that \p Addresses lie in. Empty if one of them has none.
std::string buildIdentity(llvm::ArrayRef<const void *> Addresses);

} // namespace luthier::cache

#endif // LUTHIER_CACHE_BUILDIDENTITY_H
