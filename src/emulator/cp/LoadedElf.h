// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the dynamic symbols of an AMDGPU code object as a loader left it in
// memory: no section headers, and nothing about it can be trusted.
#ifndef LUTHIER_EMULATOR_CP_LOADEDELF_H
#define LUTHIER_EMULATOR_CP_LOADEDELF_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/BinaryFormat/ELF.h"
#include <cstdint>
#include <optional>
#include <string>

namespace luthier::emulator {

class LoadedElf {
public:
  /// The code object whose header is at \p Base, if there is one. Nothing is
  /// read at or above \p Limit, which bounds the mapped memory.
  static std::optional<LoadedElf> at(uint64_t Base, uint64_t Limit);

  uint64_t begin() const { return Base; }
  /// End of the last loaded segment.
  uint64_t end() const { return End; }

  /// Of what the file has in the first segment, which loading does not change:
  /// header, symbols and metadata, so that no two code objects have the same.
  /// Empty if there is no such segment.
  std::string digest() const;

  /// Calls \p Visit(name, address) for each defined dynamic symbol until it
  /// returns false.
  void forEachSymbol(
      llvm::function_ref<bool(llvm::StringRef, uint64_t)> Visit) const;

private:
  /// \p Count objects at a link-time address, or null if any lies outside.
  template <typename T>
  const T *read(uint64_t VirtualAddress, uint64_t Count = 1) const;
  bool readSegments();
  bool readDynamic();
  uint64_t countGnuHashSymbols(uint64_t Table) const;

  uint64_t Base = 0;
  uint64_t End = 0;
  uint64_t DynamicAddress = 0, DynamicSize = 0;
  uint64_t SymbolTable = 0, SymbolCount = 0;
  uint64_t StringTable = 0, StringTableSize = 0;
};

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_CP_LOADEDELF_H
