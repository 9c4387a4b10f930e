// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a code object keeps what LLVM's instrumentation counts. Sections say
// it; where a file has no section headers any more, the symbols that its loader
// sees do, and the records of functions themselves.
#ifndef LUTHIER_PGO_COUNTERSECTIONS_H
#define LUTHIER_PGO_COUNTERSECTIONS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <optional>
#include <string>

namespace luthier::pgo {

/// Addresses as linked.
struct AddressRange {
  uint64_t Begin = 0, Size = 0;
  uint64_t end() const { return Begin + Size; }
};

struct CounterSections {
  std::string Processor; ///< Such as "gfx90a".
  AddressRange Counters;
  AddressRange Bitmaps; ///< Of MC/DC; may be empty.
  AddressRange Records;
  AddressRange Values; ///< What device/ProfiledValues.h counts in, if it does.
  /// LLVM's version and kind of instrumentation.
  uint64_t Version = 0;
  /// As in the file: the device does not change them.
  llvm::ArrayRef<uint8_t> RecordBytes, NameBytes;
};

/// Nothing if \p Elf, a linked code object, was not compiled to count. Fails if
/// what it has is not as this version of LLVM makes it. The result refers to
/// \p Elf.
llvm::Expected<std::optional<CounterSections>>
findCounterSections(llvm::ArrayRef<uint8_t> Elf);

} // namespace luthier::pgo

#endif // LUTHIER_PGO_COUNTERSECTIONS_H
