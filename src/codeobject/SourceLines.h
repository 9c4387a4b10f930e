// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The source lines of a code object, from its DWARF. A kernel's are read when
// somebody asks: libraries have thousands of kernels, and programs instrument
// few of them.
#ifndef LUTHIER_CODEOBJECT_SOURCELINES_H
#define LUTHIER_CODEOBJECT_SOURCELINES_H

#include "codeobject/LineTable.h"
#include "llvm/ADT/ArrayRef.h"
#include <memory>

namespace luthier {

/// With full paths. Thread-safe.
class SourceLines {
public:
  /// \p ELF outlives this, and may be empty. There are no lines if it carries
  /// no debug information, or none that can be read.
  explicit SourceLines(llvm::ArrayRef<uint8_t> ELF);
  ~SourceLines();
  SourceLines(const SourceLines &) = delete;
  SourceLines &operator=(const SourceLines &) = delete;

  bool empty() const;
  /// Lines of the code around \p Address, from the first row to the last, such
  /// as those of a kernel; of no code if there are none. Always the same table
  /// for the same code, which lives as long as this.
  const LineTable &around(uint64_t Address) const;
  std::string describe(uint64_t Address) const {
    return around(Address).describe(Address);
  }

private:
  struct Impl;
  std::unique_ptr<Impl> P; ///< Null: empty.
};

} // namespace luthier

#endif // LUTHIER_CODEOBJECT_SOURCELINES_H
