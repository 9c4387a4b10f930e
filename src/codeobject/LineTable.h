// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which source line each instruction comes from: read from a code object's
// DWARF, and written for code that Luthier made.
#ifndef LUTHIER_CODEOBJECT_LINETABLE_H
#define LUTHIER_CODEOBJECT_LINETABLE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>
#include <vector>

namespace luthier {

/// Rows in ascending order of address; each holds up to the next.
class LineTable {
public:
  struct Row {
    uint64_t Address = 0;
    unsigned File = 0; ///< Index into files().
    unsigned Line = 0; ///< From 1; 0 where the code has no source.
    unsigned Column = 0;
  };

  bool empty() const { return Rows.empty(); }
  llvm::ArrayRef<Row> rows() const { return Rows; }
  llvm::ArrayRef<std::string> files() const { return Files; }

  unsigned fileIndex(llvm::StringRef Path);
  /// \p New does not lie before the last row. Says nothing twice.
  void append(Row New);
  /// append() of all of \p Sorted, to no rows.
  void take(std::vector<Row> Sorted);
  /// Whether \p Address lies between the first row and the last.
  bool covers(uint64_t Address) const {
    return !empty() && Rows.front().Address <= Address &&
           Address < Rows.back().Address;
  }
  /// The row that \p Address belongs to; null before the first, and for code
  /// without source.
  const Row *find(uint64_t Address) const;
  /// "file:line", or "" where find() has nothing.
  std::string describe(uint64_t Address) const;

private:
  std::vector<std::string> Files;
  llvm::StringMap<unsigned> FileIndices;
  std::vector<Row> Rows;
};

/// Contents of debug sections with one compilation unit.
struct DebugSections {
  llvm::SmallVector<uint8_t, 0> Line, Info, Abbrev;
  /// Where Line and Info hold the address of the code's first byte.
  uint64_t AddressInLine = 0, AddressInInfo = 0;
  /// Where Info says how far its parts of Line and Abbrev are from their
  /// sections' beginnings: 4 bytes each.
  uint64_t LineInInfo = 0, AbbrevInInfo = 0;
};

/// DWARF 4 for \p Lines, whose addresses count from the start of \p Size bytes
/// of code.
DebugSections encodeLineTable(const LineTable &Lines, llvm::StringRef UnitName,
                              uint64_t Size);

/// Adds that to \p All, the contents of a linked object's sections, for code
/// that lies at \p Address.
void appendLineTable(DebugSections &All, const LineTable &Lines,
                     llvm::StringRef UnitName, uint64_t Address, uint64_t Size);

} // namespace luthier

#endif // LUTHIER_CODEOBJECT_LINETABLE_H
