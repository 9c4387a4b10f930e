// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// File layout: the original, then in pages of their own, each at a file offset
// equal to its address (which the headers' table must have, for those who find
// it in memory): code, data, tables. Zeros come last and have no bytes. Section
// headers, which nobody loads, end the file.
#include "codeobject/CodeObjectExtender.h"
#include "codeobject/CodeObjectTables.h"
#include "codeobject/KernelMetadata.h"
#include "luthier/Refusal.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>

using namespace llvm;
using namespace llvm::ELF;

namespace luthier {
namespace {

using ElfFile = object::ELFFile<object::ELF64LE>;
constexpr uint64_t PageBytes = 4096;
constexpr uint64_t NoteAlignment = 4;
/// Files are as long as their addresses are high: longer than what is in them,
/// by so much at most.
constexpr uint64_t MostZeros = uint64_t(1) << 28;

Error malformed(const Twine &What) {
  return refuse(RefusalReason::MalformedCodeObject, What);
}

class Extender : CodeObjectTables {
public:
  Extender(CodeObjectTables Read, const CodeObject &Original,
           const CodeObjectExtension &New)
      : CodeObjectTables(std::move(Read)), Original(Original), New(New),
        Bytes(Original.bytes().begin(), Original.bytes().end()) {}

  Expected<std::vector<uint8_t>> run();

private:
  Error checkSpace() const;
  Error checkNames() const;
  void addSections();
  void addLines();
  Error changeKernels();
  void placeContents();
  void writeTables();
  void writeNotes(StringRef Metadata);
  void writeDynamic(uint64_t Relocations, uint64_t RelocationBytes);
  void sortSegments();
  void writeHeaders();

  unsigned addSection(StringRef Name, uint32_t Type, uint64_t Flags,
                      uint64_t Alignment);
  void addSegment(uint32_t Flags, uint64_t Address, uint64_t FileSize,
                  uint64_t Size);
  void padTo(uint64_t Offset) { Bytes.resize(std::max(Offset, Bytes.size())); }
  /// In the tables' pages: the offset is the address. Where it came to lie.
  uint64_t put(unsigned Section, ArrayRef<uint8_t> Contents);
  /// Address and file offset of a table that an old section header is of.
  void putTable(uint32_t SectionType, ArrayRef<uint8_t> Contents);

  const CodeObject &Original;
  const CodeObjectExtension &New;
  std::vector<uint8_t> Bytes;
  std::vector<Elf64_Sym> AllSymbols; ///< Of the table that is not loaded.
  StringTable AllNames;
  unsigned CodeSection = 0, DataSection = 0, ZeroSection = 0,
           RelocationSection = 0;
  /// With a section for each, if there are lines to add.
  DebugSections Debug;
  unsigned LineSection = 0, InfoSection = 0, AbbrevSection = 0;
  uint64_t TablesBegin = 0;
};

unsigned Extender::addSection(StringRef Name, uint32_t Type, uint64_t Flags,
                              uint64_t Alignment) {
  Elf64_Shdr S{};
  S.sh_name = SectionNames.add(Name);
  S.sh_type = Type;
  S.sh_flags = Flags;
  S.sh_addralign = Alignment;
  Sections.push_back(S);
  return Sections.size() - 1;
}

void Extender::addSegment(uint32_t Flags, uint64_t Address, uint64_t FileSize,
                          uint64_t Size) {
  Elf64_Phdr P{};
  P.p_type = PT_LOAD;
  P.p_flags = Flags;
  P.p_offset = P.p_vaddr = P.p_paddr = Address;
  P.p_filesz = FileSize;
  P.p_memsz = Size;
  P.p_align = PageBytes;
  Segments.push_back(P);
}

Error Extender::checkSpace() const {
  uint64_t End =
      zerosAddress(Original, New.Code.size(), New.Data.size()) + New.Zeros;
  for (const Elf64_Phdr &P : Segments)
    if (P.p_type == PT_LOAD) {
      if (P.p_vaddr + P.p_memsz < P.p_vaddr)
        return malformed("a segment wraps around the address space");
      End = std::max<uint64_t>(End, P.p_vaddr + P.p_memsz);
    }
  if (End >
      Original.bytes().size() + New.Code.size() + New.Data.size() + MostZeros)
    return refuse(RefusalReason::LinkFailed,
                  "the file would have to be 0x" + utohexstr(End) +
                      " bytes long, as its addresses are that high");
  return Error::success();
}

Error Extender::checkNames() const {
  StringMap<bool> Known;
  for (const Elf64_Sym &S : Symbols)
    Known[Names.at(S.st_name)] = true;
  for (const CodeObjectExtension::Variable &V : New.Variables)
    if (!Known.try_emplace(V.Name, true).second)
      return refuse(RefusalReason::LinkFailed,
                    "the tool's variable " + V.Name +
                        " has a name that is taken already");
  for (const CodeObjectExtension::Relocation &R : New.Relocations)
    if (!R.Variable.empty() && !Known.contains(R.Variable))
      return refuse(RefusalReason::LinkFailed,
                    "loaders do not know the symbol " + R.Variable);
  return Error::success();
}

/// Old sections keep their numbers, which symbols refer to.
void Extender::addSections() {
  CodeSection =
      addSection(".luthier.text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 256);
  DataSection =
      addSection(".luthier.data", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 256);
  ZeroSection =
      addSection(".luthier.bss", SHT_NOBITS, SHF_ALLOC | SHF_WRITE, 256);
  for (auto [Index, S] : enumerate(Sections)) {
    const bool IsRela = S.sh_type == SHT_RELA && (S.sh_flags & SHF_ALLOC);
    // What is sorted by hash cannot grow at its end; System V's table does. Not
    // SHT_NULL: loaders fall over one in the middle.
    if (S.sh_type == SHT_GNU_HASH || (IsRela && RelocationSection))
      S.sh_type = SHT_PROGBITS;
    else if (IsRela)
      RelocationSection = Index;
  }
  if (!RelocationSection)
    RelocationSection = addSection(".rela.dyn", SHT_RELA, SHF_ALLOC, 8);
  Elf64_Shdr &Rela = Sections[RelocationSection];
  Rela.sh_entsize = sizeof(Elf64_Rela);
  Rela.sh_link = section(SHT_DYNSYM) - Sections.data();
  if (!section(SHT_HASH)) {
    Elf64_Shdr &Hash = Sections[addSection(".hash", SHT_HASH, SHF_ALLOC, 4)];
    Hash.sh_link = section(SHT_DYNSYM) - Sections.data();
    Hash.sh_entsize = 4;
  }
}

/// Each kernel's lines become a unit behind those that there are. Debug
/// information that is compressed, or in another file, is left as it is.
void Extender::addLines() {
  if (all_of(New.Kernels, [](auto &K) { return K.second.Lines.empty(); }))
    return;
  auto Find = [&](StringRef Name, SmallVectorImpl<uint8_t> &Contents) {
    unsigned Index = 0;
    while (Index != Sections.size() &&
           SectionNames.at(Sections[Index].sh_name) != Name)
      ++Index;
    if (Index == Sections.size())
      return addSection(Name, SHT_PROGBITS, 0, 1);
    Contents.assign(contents(Original.bytes(), Sections[Index]).begin(),
                    contents(Original.bytes(), Sections[Index]).end());
    return Index;
  };
  if (any_of(Sections, [&](const Elf64_Shdr &S) {
        const StringRef Name = SectionNames.at(S.sh_name);
        return Name.starts_with(".zdebug_") ||
               (Name.starts_with(".debug_") &&
                ((S.sh_flags & SHF_COMPRESSED) || !hasBytes(S)));
      }))
    return;
  LineSection = Find(".debug_line", Debug.Line);
  InfoSection = Find(".debug_info", Debug.Info);
  AbbrevSection = Find(".debug_abbrev", Debug.Abbrev);
  using Entry = StringMapEntry<CodeObjectExtension::Kernel>;
  SmallVector<const Entry *> Kernels;
  for (const Entry &K : New.Kernels)
    Kernels.push_back(&K);
  sort(Kernels, [](const Entry *A, const Entry *B) {
    return A->second.EntryAddress < B->second.EntryAddress;
  });
  for (const Entry *K : Kernels)
    if (const CodeObjectExtension::Kernel &Code = K->second;
        !Code.Lines.empty())
      appendLineTable(Debug, Code.Lines, K->first(), Code.EntryAddress,
                      Code.CodeSize);
}

/// Descriptors in place, and where functions of the kernels' names are: in the
/// dynamic symbols and in the full table that linkers leave for debuggers.
Error Extender::changeKernels() {
  auto Change = [&](Elf64_Sym &S, StringRef Name) {
    auto K = New.Kernels.find(Name);
    if (K == New.Kernels.end() || S.getType() != STT_FUNC)
      return;
    S.st_value = K->second.EntryAddress;
    S.st_size = K->second.CodeSize;
    S.st_shndx = CodeSection;
  };
  for (Elf64_Sym &S : Symbols)
    Change(S, Names.at(S.st_name));
  if (const Elf64_Shdr *Table = section(SHT_SYMTAB);
      Table && Table->sh_link < Sections.size()) {
    AllNames =
        StringTable(contents(Original.bytes(), Sections[Table->sh_link]));
    AllSymbols = entriesOf<Elf64_Sym>(contents(Original.bytes(), *Table));
    for (Elf64_Sym &S : AllSymbols)
      Change(S, AllNames.at(S.st_name));
  }
  for (const auto &Entry : New.Kernels) {
    const KernelInfo *Info = Original.findKernel(Entry.first());
    if (!Info)
      return malformed("no kernel " + Entry.first());
    auto Old = Original.contents(Info->DescriptorAddress,
                                 sizeof(amdhsa::kernel_descriptor_t));
    if (!Old)
      return Old.takeError();
    amdhsa::kernel_descriptor_t Raw = Entry.second.Descriptor.raw();
    Raw.kernel_code_entry_byte_offset =
        int64_t(Entry.second.EntryAddress - Info->DescriptorAddress);
    std::memcpy(&Bytes[Old->data() - Original.bytes().data()], &Raw,
                sizeof(Raw));
  }
  return Error::success();
}

void Extender::placeContents() {
  auto Place = [&](unsigned Index, uint64_t Address, uint64_t Size) {
    Elf64_Shdr &S = Sections[Index];
    S.sh_addr = Address;
    S.sh_offset = std::min<uint64_t>(Address, Bytes.size());
    S.sh_size = Size;
  };
  const uint64_t Code = codeAddress(Original);
  const uint64_t Data = dataAddress(Original, New.Code.size());
  const uint64_t Zeros =
      zerosAddress(Original, New.Code.size(), New.Data.size());
  padTo(Code);
  Bytes.insert(Bytes.end(), New.Code.begin(), New.Code.end());
  Place(CodeSection, Code, New.Code.size());
  addSegment(PF_R | PF_X, Code, New.Code.size(), New.Code.size());
  padTo(Data);
  Bytes.insert(Bytes.end(), New.Data.begin(), New.Data.end());
  Place(DataSection, Data, New.Data.size());
  if (!New.Data.empty())
    addSegment(PF_R | PF_W, Data, New.Data.size(), New.Data.size());
  if (New.Zeros)
    addSegment(PF_R | PF_W, Zeros, 0, New.Zeros);
  Place(ZeroSection, Zeros, New.Zeros);

  for (const CodeObjectExtension::Variable &V : New.Variables) {
    Elf64_Sym S{};
    S.st_name = Names.add(V.Name);
    S.setBindingAndType(STB_GLOBAL, STT_OBJECT);
    S.st_other = STV_PROTECTED;
    S.st_shndx = V.Address >= Zeros ? ZeroSection : DataSection;
    S.st_value = V.Address;
    S.st_size = V.Size;
    Symbols.push_back(S);
    // Loaders take the full table where there is one.
    if (AllSymbols.empty())
      continue;
    S.st_name = AllNames.add(V.Name);
    AllSymbols.push_back(S);
  }
  // Offsets equal addresses, which are used up to the end of the zeros.
  TablesBegin =
      alignTo(std::max<uint64_t>(Bytes.size(), Zeros + New.Zeros), PageBytes);
  padTo(TablesBegin);
}

uint64_t Extender::put(unsigned Index, ArrayRef<uint8_t> Contents) {
  padTo(alignTo(Bytes.size(), 16));
  Elf64_Shdr &S = Sections[Index];
  S.sh_offset = S.sh_addr = Bytes.size();
  S.sh_size = Contents.size();
  Bytes.insert(Bytes.end(), Contents.begin(), Contents.end());
  return S.sh_addr;
}

void Extender::putTable(uint32_t SectionType, ArrayRef<uint8_t> Contents) {
  put(unsigned(section(SectionType) - Sections.data()), Contents);
}

void Extender::writeTables() {
  using Extra = CodeObjectExtension::Relocation;
  StringMap<uint32_t> Numbers;
  for (auto [Number, S] : enumerate(Symbols))
    Numbers[Names.at(S.st_name)] = Number;
  for (const Extra &R : New.Relocations) {
    static constexpr uint32_t Types[] = {R_AMDGPU_ABS64, R_AMDGPU_ABS32_LO,
                                         R_AMDGPU_ABS32_HI};
    Elf64_Rela Raw{};
    Raw.r_offset = R.Address;
    Raw.r_addend = R.Addend;
    if (R.Variable.empty())
      Raw.setSymbolAndType(0, R_AMDGPU_RELATIVE64);
    else
      Raw.setSymbolAndType(Numbers.lookup(R.Variable), Types[R.Kind]);
    Relocations.push_back(Raw);
  }

  StringMap<KernelMetadata> Changed;
  for (const auto &Entry : New.Kernels)
    Changed.try_emplace(Entry.first(), Entry.second.Metadata);
  // Without metadata there is none to bring up to date.
  if (NoteSection)
    writeNotes(updateKernelMetadata(Original.metadataBlob(), Changed));

  putTable(SHT_DYNSYM, bytesOf(Symbols));
  put(section(SHT_DYNSYM)->sh_link, Names.bytes());
  putTable(SHT_HASH, hashTable(Symbols, Names));
  const uint64_t At = put(RelocationSection, bytesOf(Relocations));
  writeDynamic(At, Sections[RelocationSection].sh_size);
}

/// What else was in the segment follows: it is looked for in loaded memory. Its
/// sections stay where they are.
void Extender::writeNotes(StringRef Metadata) {
  std::vector<uint8_t> Notes = metadataNote(Metadata);
  append_range(Notes, SectionNotes);
  const uint64_t At = put(NoteSection, Notes);
  Bytes.insert(Bytes.end(), SegmentNotes.begin(), SegmentNotes.end());
  Sections[NoteSection].sh_addralign = NoteAlignment;
  Elf64_Phdr &P = Segments[*NoteSegment];
  P.p_offset = P.p_vaddr = P.p_paddr = At;
  P.p_filesz = P.p_memsz = Notes.size() + SegmentNotes.size();
  P.p_align = NoteAlignment;
}

void Extender::writeDynamic(uint64_t RelocationsAt, uint64_t RelocationBytes) {
  const Elf64_Shdr &Table = *section(SHT_DYNSYM);
  const Elf64_Shdr &TableNames = Sections[Table.sh_link];
  std::vector<Elf64_Dyn> Entries;
  auto Add = [&](int64_t Tag, uint64_t Value) {
    Elf64_Dyn Entry{};
    Entry.d_tag = Tag;
    Entry.d_un.d_val = Value;
    Entries.push_back(Entry);
  };
  Add(DT_SYMTAB, Table.sh_addr);
  Add(DT_SYMENT, sizeof(Elf64_Sym));
  Add(DT_STRTAB, TableNames.sh_addr);
  Add(DT_STRSZ, TableNames.sh_size);
  Add(DT_HASH, section(SHT_HASH)->sh_addr);
  if (RelocationBytes) {
    Add(DT_RELA, RelocationsAt);
    Add(DT_RELASZ, RelocationBytes);
    Add(DT_RELAENT, sizeof(Elf64_Rela));
  }
  // What else there was: flags, names.
  for (const Elf64_Dyn &Old : entriesOf<Elf64_Dyn>(
           contents(Original.bytes(), *section(SHT_DYNAMIC)))) {
    constexpr int64_t Replaced[] = {
        DT_NULL, DT_SYMTAB, DT_SYMENT,  DT_STRTAB,   DT_STRSZ,    DT_HASH,
        DT_RELA, DT_RELASZ, DT_RELAENT, DT_GNU_HASH, DT_RELACOUNT};
    if (!is_contained(Replaced, Old.d_tag))
      Add(Old.d_tag, Old.d_un.d_val);
  }
  Add(DT_NULL, 0);
  putTable(SHT_DYNAMIC, bytesOf(Entries));
  const Elf64_Shdr &S = *section(SHT_DYNAMIC);
  Elf64_Phdr &P = *segment(PT_DYNAMIC);
  P.p_offset = S.sh_offset;
  P.p_vaddr = P.p_paddr = S.sh_addr;
  P.p_filesz = P.p_memsz = S.sh_size;
}

/// Loaders expect those that are loaded in order. The others stay where they
/// are.
void Extender::sortSegments() {
  std::vector<Elf64_Phdr> Loaded;
  for (const Elf64_Phdr &P : Segments)
    if (P.p_type == PT_LOAD)
      Loaded.push_back(P);
  llvm::sort(Loaded, [](const Elf64_Phdr &A, const Elf64_Phdr &B) {
    return A.p_vaddr < B.p_vaddr;
  });
  auto Next = Loaded.begin();
  for (Elf64_Phdr &P : Segments)
    if (P.p_type == PT_LOAD)
      P = *Next++;
}

void Extender::writeHeaders() {
  padTo(alignTo(Bytes.size(), 16));
  const uint64_t SegmentsAt = Bytes.size();
  // The one that holds the tables counts, too.
  const uint64_t Size = (Segments.size() + 1) * sizeof(Elf64_Phdr);
  if (Elf64_Phdr *Own = segment(PT_PHDR)) {
    Own->p_offset = Own->p_vaddr = Own->p_paddr = SegmentsAt;
    Own->p_filesz = Own->p_memsz = Size;
  }
  const uint64_t TablesSize = SegmentsAt + Size - TablesBegin;
  addSegment(PF_R, TablesBegin, TablesSize, TablesSize);
  sortSegments();
  for (const Elf64_Phdr &P : Segments)
    append(Bytes, P);

  Elf64_Ehdr Header;
  std::memcpy(&Header, Bytes.data(), sizeof(Header));
  auto PutUnloaded = [&](Elf64_Shdr &S, ArrayRef<uint8_t> Contents) {
    padTo(alignTo(Bytes.size(), 16));
    S.sh_offset = Bytes.size();
    S.sh_size = Contents.size();
    Bytes.insert(Bytes.end(), Contents.begin(), Contents.end());
  };
  if (!AllSymbols.empty()) {
    Elf64_Shdr &Table = *section(SHT_SYMTAB);
    PutUnloaded(Table, bytesOf(AllSymbols));
    PutUnloaded(Sections[Table.sh_link], AllNames.bytes());
  }
  if (LineSection) {
    PutUnloaded(Sections[LineSection], Debug.Line);
    PutUnloaded(Sections[InfoSection], Debug.Info);
    PutUnloaded(Sections[AbbrevSection], Debug.Abbrev);
  }
  Elf64_Shdr &NameSection = Sections[Header.e_shstrndx];
  PutUnloaded(NameSection, SectionNames.bytes());
  padTo(alignTo(Bytes.size(), 16));
  Header.e_phoff = SegmentsAt;
  Header.e_phnum = Segments.size();
  Header.e_shoff = Bytes.size();
  Header.e_shnum = Sections.size();
  for (const Elf64_Shdr &S : Sections)
    append(Bytes, S);
  std::memcpy(Bytes.data(), &Header, sizeof(Header));
}

Expected<std::vector<uint8_t>> Extender::run() {
  if (Error E = checkSpace())
    return std::move(E);
  if (Error E = checkNames())
    return std::move(E);
  addSections();
  addLines();
  if (Error E = changeKernels())
    return std::move(E);
  placeContents();
  writeTables();
  writeHeaders();
  return std::move(Bytes);
}

} // namespace

uint64_t codeAddress(const CodeObject &Original) {
  uint64_t End = Original.bytes().size();
  Expected<ElfFile> File = ElfFile::create(toStringRef(Original.bytes()));
  if (auto Headers = cantFail(std::move(File)).program_headers())
    for (const auto &P : *Headers)
      if (P.p_type == PT_LOAD)
        End = std::max<uint64_t>(End, P.p_vaddr + P.p_memsz);
  return alignTo(End, PageBytes);
}

uint64_t dataAddress(const CodeObject &Original, uint64_t CodeSize) {
  return alignTo(codeAddress(Original) + CodeSize, PageBytes);
}

uint64_t zerosAddress(const CodeObject &Original, uint64_t CodeSize,
                      uint64_t DataSize) {
  return alignTo(dataAddress(Original, CodeSize) + DataSize, PageBytes);
}

Expected<std::vector<uint8_t>>
extendCodeObject(const CodeObject &Original,
                 const CodeObjectExtension &Extension) {
  Expected<CodeObjectTables> Tables = readCodeObjectTables(Original);
  if (!Tables)
    return Tables.takeError();
  return Extender(std::move(*Tables), Original, Extension).run();
}

} // namespace luthier
