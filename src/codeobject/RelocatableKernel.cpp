// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codeobject/RelocatableKernel.h"
#include "amdgpu/TargetTraits.h"
#include "codeobject/ElfTables.h"
#include "codeobject/GenericTarget.h"
#include "codeobject/LineTable.h"
#include "luthier/Refusal.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>

using namespace llvm;
using namespace llvm::ELF;
using namespace luthier;

namespace {

/// Section header indices. Names of sections and symbols share one table.
enum SectionIndex : uint16_t {
  NullSection,
  Text,
  ReadOnlyData,
  Relocations,
  Note,
  SymbolTable,
  NameTable,
  NumSections,
  // Only with source lines:
  DebugLine = NumSections,
  DebugLineRelocations,
  DebugInfo,
  DebugInfoRelocations,
  DebugAbbrev,
  NumSectionsWithDebug
};

/// Symbol table indices.
enum SymbolIndex : uint32_t { NullSymbol, KernelSymbol, DescriptorSymbol };

void appendPrefetchPadding(SmallVectorImpl<uint8_t> &Code,
                           const InstructionTraits &Traits) {
  Code.resize(alignTo(Code.size(), sizeof(uint32_t)));
  for (unsigned I = 0; I < Traits.PaddingBytes; I += sizeof(uint32_t))
    append(Code, Traits.PaddingWord);
}

/// The distance from the descriptor to the entry, known once both have
/// addresses: S + A - P, where P lies behind the descriptor's start.
Elf64_Rela entryRelocation() {
  constexpr uint64_t Field = amdhsa::KERNEL_CODE_ENTRY_BYTE_OFFSET_OFFSET;
  Elf64_Rela Relocation{};
  Relocation.r_offset = Field;
  Relocation.setSymbolAndType(KernelSymbol, R_AMDGPU_REL64);
  Relocation.r_addend = Field;
  return Relocation;
}

Elf64_Sym symbol(uint32_t Name, uint8_t Type, SectionIndex Section,
                 uint64_t Value, uint64_t Size) {
  Elf64_Sym Symbol{};
  Symbol.st_name = Name;
  Symbol.setBindingAndType(STB_GLOBAL, Type);
  Symbol.st_other = STV_PROTECTED;
  Symbol.st_shndx = Section;
  Symbol.st_value = Value;
  Symbol.st_size = Size;
  return Symbol;
}

Elf64_Ehdr fileHeader(const CodeObject &Original, uint16_t Sections) {
  Elf64_Ehdr Header{};
  std::memcpy(Header.e_ident, ElfMagic, 4);
  Header.e_ident[EI_CLASS] = ELFCLASS64;
  Header.e_ident[EI_DATA] = ELFDATA2LSB;
  Header.e_ident[EI_VERSION] = EV_CURRENT;
  Header.e_ident[EI_OSABI] = ELFOSABI_AMDGPU_HSA;
  Header.e_ident[EI_ABIVERSION] = Original.abiVersion();
  Header.e_type = ET_REL;
  Header.e_machine = EM_AMDGPU;
  Header.e_version = EV_CURRENT;
  Header.e_flags = flagsFor(Original.target().Processor, Original.elfFlags());
  Header.e_ehsize = sizeof(Elf64_Ehdr);
  Header.e_shentsize = sizeof(Elf64_Shdr);
  Header.e_shnum = Sections;
  Header.e_shstrndx = NameTable;
  return Header;
}

/// Puts sections behind the file header and their headers behind them.
class ObjectFile {
public:
  explicit ObjectFile(const Elf64_Ehdr &Header) : Headers(Header.e_shnum) {
    append(Bytes, Header);
  }

  Elf64_Shdr &add(SectionIndex Index, uint32_t Name, uint32_t Type,
                  uint64_t Flags, uint64_t Alignment,
                  ArrayRef<uint8_t> Contents) {
    Bytes.resize(alignTo(Bytes.size(), Alignment));
    Elf64_Shdr &Header = Headers[Index];
    Header.sh_name = Name;
    Header.sh_type = Type;
    Header.sh_flags = Flags;
    Header.sh_offset = Bytes.size();
    Header.sh_size = Contents.size();
    Header.sh_addralign = Alignment;
    Bytes.append(Contents.begin(), Contents.end());
    return Header;
  }

  SmallVector<uint8_t, 0> finish() {
    Bytes.resize(alignTo(Bytes.size(), alignof(Elf64_Shdr)));
    const uint64_t Offset = Bytes.size();
    std::memcpy(&Bytes[offsetof(Elf64_Ehdr, e_shoff)], &Offset, sizeof(Offset));
    for (const Elf64_Shdr &Header : Headers)
      append(Bytes, Header);
    return std::move(Bytes);
  }

private:
  SmallVector<uint8_t, 0> Bytes;
  SmallVector<Elf64_Shdr, NumSectionsWithDebug> Headers;
};

/// One relocation of a section that nobody loads.
void addRelocation(ObjectFile &File, luthier::StringTable &Names,
                   SectionIndex Index, StringRef Name, SectionIndex Of,
                   const Elf64_Rela &Entry) {
  SmallVector<uint8_t, 0> Bytes;
  append(Bytes, Entry);
  Elf64_Shdr &Header = File.add(Index, Names.add(".rela" + Name), SHT_RELA,
                                SHF_INFO_LINK, 8, Bytes);
  Header.sh_link = SymbolTable;
  Header.sh_info = Of;
  Header.sh_entsize = sizeof(Elf64_Rela);
}

/// \p Field holds the address of the code's first byte.
Elf64_Rela codeAddress(uint64_t Field, const KernelImage &Image) {
  Elf64_Rela Relocation{};
  Relocation.r_offset = Field;
  Relocation.setSymbolAndType(KernelSymbol, R_AMDGPU_ABS64);
  Relocation.r_addend = -static_cast<int64_t>(Image.EntryOffset);
  return Relocation;
}

void addDebugSections(ObjectFile &File, luthier::StringTable &Names,
                      const KernelImage &Image, const DebugSections &Debug) {
  File.add(DebugLine, Names.add(".debug_line"), SHT_PROGBITS, 0, 1, Debug.Line);
  addRelocation(File, Names, DebugLineRelocations, ".debug_line", DebugLine,
                codeAddress(Debug.AddressInLine, Image));
  File.add(DebugInfo, Names.add(".debug_info"), SHT_PROGBITS, 0, 1, Debug.Info);
  addRelocation(File, Names, DebugInfoRelocations, ".debug_info", DebugInfo,
                codeAddress(Debug.AddressInInfo, Image));
  File.add(DebugAbbrev, Names.add(".debug_abbrev"), SHT_PROGBITS, 0, 1,
           Debug.Abbrev);
}

} // namespace

Expected<SmallVector<uint8_t, 0>>
luthier::makeRelocatableKernel(const CodeObject &Original,
                               const KernelImage &Image, StringRef Metadata) {
  const TargetTraits *Traits = targetTraits(Original.target().Processor);
  if (!Traits)
    return refuse(RefusalReason::UnsupportedTarget, Original.target().str());
  luthier::StringTable Names;
  SmallVector<uint8_t, 0> Code(Image.Code), Descriptor, Relocation, Symbols;
  appendPrefetchPadding(Code, Traits->Instructions);

  amdhsa::kernel_descriptor_t Raw = Image.Descriptor.raw();
  Raw.kernel_code_entry_byte_offset = 0;
  append(Descriptor, Raw);
  append(Relocation, entryRelocation());

  append(Symbols, Elf64_Sym{});
  append(Symbols,
         symbol(Names.add(Image.Name), STT_FUNC, Text, Image.EntryOffset,
                Image.Code.size() - Image.EntryOffset));
  append(Symbols, symbol(Names.add(Image.Name + ".kd"), STT_OBJECT,
                         ReadOnlyData, 0, Descriptor.size()));

  const bool HasLines = Image.Lines && !Image.Lines->empty();
  ObjectFile File(
      fileHeader(Original, HasLines ? NumSectionsWithDebug : NumSections));
  File.add(Text, Names.add(".text"), SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR,
           256, Code);
  File.add(ReadOnlyData, Names.add(".rodata"), SHT_PROGBITS, SHF_ALLOC, 64,
           Descriptor);
  File.add(Note, Names.add(".note"), SHT_NOTE, SHF_ALLOC, 4,
           metadataNote(Metadata));
  Elf64_Shdr &Rela = File.add(Relocations, Names.add(".rela.rodata"), SHT_RELA,
                              SHF_INFO_LINK, 8, Relocation);
  Rela.sh_link = SymbolTable;
  Rela.sh_info = ReadOnlyData;
  Rela.sh_entsize = sizeof(Elf64_Rela);
  Elf64_Shdr &Table =
      File.add(SymbolTable, Names.add(".symtab"), SHT_SYMTAB, 0, 8, Symbols);
  Table.sh_link = NameTable;
  Table.sh_info = KernelSymbol; // The first that is not local.
  Table.sh_entsize = sizeof(Elf64_Sym);
  if (HasLines)
    addDebugSections(
        File, Names, Image,
        encodeLineTable(*Image.Lines, Image.Name, Image.Code.size()));
  const uint32_t OwnName = Names.add(".strtab");
  File.add(NameTable, OwnName, SHT_STRTAB, 0, 1, Names.bytes());
  return File.finish();
}
