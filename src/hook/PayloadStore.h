// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the results of compilations outlast their compiler.
#ifndef LUTHIER_HOOK_PAYLOADSTORE_H
#define LUTHIER_HOOK_PAYLOADSTORE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace luthier {

/// A digest of everything that a result depends on, but for the program that
/// computes it: that is the store's part.
using PayloadKey = std::array<uint8_t, 32>;

/// Thread-safe. Failures are the store's own affair: it finds nothing then.
class PayloadStore {
public:
  virtual ~PayloadStore() = default;
  /// What keep() was given for \p Key, or nothing.
  virtual std::optional<std::vector<uint8_t>> find(const PayloadKey &Key) = 0;
  /// \p What tells people what this is.
  virtual void keep(const PayloadKey &Key, llvm::StringRef What,
                    llvm::ArrayRef<uint8_t> Bytes) = 0;
};

} // namespace luthier

#endif // LUTHIER_HOOK_PAYLOADSTORE_H
