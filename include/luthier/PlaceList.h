// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which instructions a tool's counters belong to. Instructions that are
// executed equally often share a counter: countPlaces() (Counters.h) fills the
// list and inserts the hooks.
#ifndef LUTHIER_PLACELIST_H
#define LUTHIER_PLACELIST_H

#include "luthier/Export.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace llvm {
class MachineInstr;
}

namespace luthier {
class LiftedRepresentation;

/// Thread-safe.
class LUTHIER_API PlaceList {
public:
  struct Place {
    std::string Kernel;
    uint64_t Address; ///< As linked.
    std::string Instruction;
    std::string Line; ///< "file:line", or empty.
    uint64_t Count;
  };

  PlaceList();
  ~PlaceList();

  /// The number of a new counter that counts all of \p Of, instructions of
  /// \p LR: from 0 on.
  uint32_t add(const LiftedRepresentation &LR,
               llvm::ArrayRef<const llvm::MachineInstr *> Of);
  /// How many add() has given.
  uint32_t size() const;

  /// In the order of kernels and addresses. \p Counts are the counters. What
  /// different devices have counted of one instruction is added up.
  std::vector<Place> places(llvm::ArrayRef<uint64_t> Counts) const;
  /// printReport() of the \p Most places with the largest counts, at their
  /// lines or, where these are not known, at their addresses.
  void print(llvm::ArrayRef<uint64_t> Counts, size_t Most) const;
  /// An object with "places", which have a "kernel", an "address", an
  /// "instruction", a "line" if it is known, and a "count"; see
  /// KernelReport::writeJSON().
  void writeJSON(llvm::StringRef FileName,
                 llvm::ArrayRef<uint64_t> Counts) const;

private:
  struct Impl;
  std::unique_ptr<Impl> P;
};

} // namespace luthier

#endif // LUTHIER_PLACELIST_H
