// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host's end of luthier/Print.h.
#ifndef LUTHIER_RUNTIME_PRINTS_H
#define LUTHIER_RUNTIME_PRINTS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace luthier::runtime {

/// Of device code that includes luthier/Print.h: the variable that its hooks
/// print to.
inline constexpr llvm::StringLiteral PrintsVariable =
    "_ZN7luthier6detail6PrintsE";

/// Opens the channel \p Variable (see Channels) for messages.
llvm::Error openPrints(const void *Variable, const std::string &Owner);

} // namespace luthier::runtime

#endif // LUTHIER_RUNTIME_PRINTS_H
