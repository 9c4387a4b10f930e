// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tables of a code object's file, read to be written again with more in
// them: headers, symbols, relocations, names, and the notes beside metadata.
#ifndef LUTHIER_CODEOBJECT_CODEOBJECTTABLES_H
#define LUTHIER_CODEOBJECT_CODEOBJECTTABLES_H

#include "codeobject/CodeObject.h"
#include "codeobject/ElfTables.h"
#include <optional>

namespace luthier {

struct CodeObjectTables {
  std::vector<llvm::ELF::Elf64_Phdr> Segments;
  std::vector<llvm::ELF::Elf64_Shdr> Sections;
  std::vector<llvm::ELF::Elf64_Sym> Symbols; ///< Dynamic ones.
  std::vector<llvm::ELF::Elf64_Rela> Relocations;
  StringTable Names, SectionNames;
  /// Of the metadata; there may be notes of other kinds. 0 and none if there is
  /// no metadata.
  unsigned NoteSection = 0;
  std::optional<unsigned> NoteSegment; ///< Number.
  /// The other notes of that section, and those of the segment's other
  /// sections.
  std::vector<uint8_t> SectionNotes, SegmentNotes;

  /// The first one, or null.
  llvm::ELF::Elf64_Shdr *section(uint32_t Type);
  llvm::ELF::Elf64_Phdr *segment(uint32_t Type);
  static bool hasBytes(const llvm::ELF::Elf64_Shdr &S) {
    return S.sh_type != llvm::ELF::SHT_NOBITS &&
           S.sh_type != llvm::ELF::SHT_NULL;
  }
  /// Those of an original section, in \p File.
  llvm::ArrayRef<uint8_t> contents(llvm::ArrayRef<uint8_t> File,
                                   const llvm::ELF::Elf64_Shdr &S) const;
};

/// Fails with MalformedCodeObject where a table that has to grow is missing,
/// shares its place with another, or ends beyond the file.
llvm::Expected<CodeObjectTables>
readCodeObjectTables(const CodeObject &Original);

} // namespace luthier

#endif // LUTHIER_CODEOBJECT_CODEOBJECTTABLES_H
