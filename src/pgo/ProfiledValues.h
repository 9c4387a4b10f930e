// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values that code has recorded of itself: which functions a call through a
// pointer went to, and which sizes a copy had. device/ProfiledValues.h is what
// records them.
#ifndef LUTHIER_PGO_PROFILEDVALUES_H
#define LUTHIER_PGO_PROFILEDVALUES_H

#include "pgo/CounterSections.h"
#include "pgo/RawRecord.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <map>
#include <vector>

namespace luthier::pgo {

/// Copies from the device what lies at an address as linked.
using ReadDevice = llvm::function_ref<llvm::Error(
    uint64_t Address, llvm::MutableArrayRef<uint8_t> To)>;

class ProfiledValues {
public:
  /// Fails as \p Read does. Code that records no values has none, and so have
  /// the places where none was recorded.
  static llvm::Expected<ProfiledValues> read(const CounterSections &Sections,
                                             ReadDevice Read);

  /// The records, with the addresses of their functions as linked, by which
  /// values name them.
  llvm::ArrayRef<uint8_t> recordBytes() const { return Records; }
  /// Of a record, by its number, as LLVM's raw profiles have them; nothing if
  /// it has no places for values.
  void append(uint64_t Which, std::vector<uint8_t> &To) const;

private:
  /// Of a place, how often there was which value. What is not known is 0.
  using Values = std::map<uint64_t, uint64_t>;

  llvm::Error readTable(const CounterSections &Sections, ReadDevice Read);
  llvm::Error readRests(ReadDevice Read);
  void takeAddresses(llvm::ArrayRef<uint8_t> Loaded, uint64_t Bias);
  uint64_t numRecords() const { return Records.size() / sizeof(RawRecord); }

  std::vector<uint8_t> Records;
  std::map<uint64_t, Values> Places; ///< By address as linked.
};

} // namespace luthier::pgo

#endif // LUTHIER_PGO_PROFILEDVALUES_H
