// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codeobject/CodeObjectTables.h"
#include "luthier/Refusal.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/ELF.h"

using namespace llvm;
using namespace llvm::ELF;

namespace luthier {
namespace {

using ElfFile = object::ELFFile<object::ELF64LE>;

Error malformed(const Twine &What) {
  return refuse(RefusalReason::MalformedCodeObject, What);
}

class Reader {
public:
  explicit Reader(const CodeObject &Original)
      : Original(Original), Bytes(Original.bytes()),
        Header(*reinterpret_cast<const Elf64_Ehdr *>(Bytes.data())) {}

  Expected<CodeObjectTables> run();

private:
  Error readTables();
  Error checkTables();
  Error findNotes();
  Error findNotes(unsigned Segment);
  unsigned noteSectionAt(uint64_t Offset) const;

  const CodeObject &Original;
  ArrayRef<uint8_t> Bytes;
  const Elf64_Ehdr &Header;
  CodeObjectTables T;
};

Error Reader::readTables() {
  Expected<ElfFile> File = ElfFile::create(toStringRef(Bytes));
  if (!File)
    return malformed(toString(File.takeError()));
  auto Headers = File->program_headers();
  auto Found = File->sections();
  if (!Headers || !Found)
    return malformed(
        toString(joinErrors(Headers.takeError(), Found.takeError())));
  T.Segments =
      entriesOf<Elf64_Phdr>(Bytes.slice(Header.e_phoff, Headers->size() * 56));
  T.Sections =
      entriesOf<Elf64_Shdr>(Bytes.slice(Header.e_shoff, Found->size() * 64));
  if (Error E = checkTables())
    return E;
  T.SectionNames =
      StringTable(T.contents(Bytes, T.Sections[Header.e_shstrndx]));
  const Elf64_Shdr *Dynamic = T.section(SHT_DYNSYM);
  T.Symbols = entriesOf<Elf64_Sym>(T.contents(Bytes, *Dynamic));
  T.Names = StringTable(T.contents(Bytes, T.Sections[Dynamic->sh_link]));
  for (const Elf64_Shdr &S : T.Sections)
    if (S.sh_type == SHT_RELA && (S.sh_flags & SHF_ALLOC))
      append_range(T.Relocations, entriesOf<Elf64_Rela>(T.contents(Bytes, S)));
  return Error::success();
}

/// What is to be written anew must be there, each table at a place of its own.
Error Reader::checkTables() {
  for (const Elf64_Shdr &S : T.Sections)
    if (T.hasBytes(S) &&
        (S.sh_offset > Bytes.size() || S.sh_size > Bytes.size() - S.sh_offset))
      return malformed("a section ends beyond the file");
  if (Header.e_shnum != T.Sections.size() ||
      Header.e_phnum != T.Segments.size())
    return malformed("more sections or segments than the header can count");
  if (Header.e_shstrndx >= T.Sections.size())
    return malformed("no section names");
  const Elf64_Shdr *Dynamic = T.section(SHT_DYNSYM);
  if (!Dynamic || Dynamic->sh_size < sizeof(Elf64_Sym) ||
      Dynamic->sh_link >= T.Sections.size() || !T.section(SHT_DYNAMIC) ||
      !T.segment(PT_DYNAMIC) || !T.segment(PT_LOAD))
    return malformed("no dynamic symbols to add to");
  SmallVector<uint32_t, 3> Tables = {Header.e_shstrndx, Dynamic->sh_link};
  if (const Elf64_Shdr *Full = T.section(SHT_SYMTAB))
    Tables.push_back(Full->sh_link);
  for (uint32_t Table : Tables)
    if (Table >= T.Sections.size() || T.Sections[Table].sh_type != SHT_STRTAB ||
        count(Tables, Table) != 1)
      return malformed("symbols and sections share a table of names");
  return Error::success();
}

/// The section and the segment that hold the metadata.
Error Reader::findNotes() {
  if (Original.metadataBlob().empty())
    return Error::success();
  for (auto [Index, P] : enumerate(T.Segments))
    if (P.p_type == PT_NOTE)
      if (Error E = findNotes(Index))
        return E;
  return Error::success();
}

/// Linkers put notes of all kinds into one segment, and device code of several
/// parts has one with metadata for each.
Error Reader::findNotes(unsigned Index) {
  const Elf64_Phdr &P = T.Segments[Index];
  const ElfFile File = cantFail(ElfFile::create(toStringRef(Bytes)));
  const auto Headers = cantFail(File.program_headers());
  // Smaller alignments mean this one.
  const uint64_t Alignment = std::max<uint64_t>(P.p_align, 4);
  SmallSetVector<unsigned, 1> Holders;
  SmallVector<std::pair<unsigned, std::vector<uint8_t>>> Others;
  uint64_t At = P.p_offset;
  Error Failed = Error::success();
  for (const auto Note : File.notes(Headers[Index], Failed)) {
    const unsigned Holder = noteSectionAt(At);
    if (Note.getName() == "AMDGPU" && Note.getType() == NT_AMDGPU_METADATA)
      Holders.insert(Holder);
    else
      Others.push_back({Holder, note(Note.getName(), Note.getType(),
                                     Note.getDesc(Alignment))});
    At += reinterpret_cast<const ElfFile::Elf_Nhdr &>(Bytes[At]).getSize(
        Alignment);
  }
  if (Failed)
    return malformed(toString(std::move(Failed)));
  if (Holders.empty())
    return Error::success();
  if (T.NoteSegment || Holders.size() > 1)
    return malformed("metadata in more than one segment or section of notes");
  T.NoteSegment = Index;
  T.NoteSection = Holders.front();
  if (!T.NoteSection)
    return malformed("the metadata's note is in no section");
  for (const auto &[Holder, Note] : Others)
    append_range(Holder == T.NoteSection ? T.SectionNotes : T.SegmentNotes,
                 Note);
  return Error::success();
}

/// 0 if there is none.
unsigned Reader::noteSectionAt(uint64_t Offset) const {
  for (auto [Index, S] : enumerate(T.Sections))
    if (S.sh_type == SHT_NOTE && Offset >= S.sh_offset &&
        Offset - S.sh_offset < S.sh_size)
      return Index;
  return 0;
}

Expected<CodeObjectTables> Reader::run() {
  if (Error E = readTables())
    return std::move(E);
  if (Error E = findNotes())
    return std::move(E);
  return std::move(T);
}

} // namespace

Elf64_Shdr *CodeObjectTables::section(uint32_t Type) {
  auto It = find_if(Sections, [&](auto &S) { return S.sh_type == Type; });
  return It == Sections.end() ? nullptr : &*It;
}

Elf64_Phdr *CodeObjectTables::segment(uint32_t Type) {
  auto It = find_if(Segments, [&](auto &S) { return S.p_type == Type; });
  return It == Segments.end() ? nullptr : &*It;
}

ArrayRef<uint8_t> CodeObjectTables::contents(ArrayRef<uint8_t> File,
                                             const Elf64_Shdr &S) const {
  return hasBytes(S) ? File.slice(S.sh_offset, S.sh_size) : ArrayRef<uint8_t>();
}

Expected<CodeObjectTables> readCodeObjectTables(const CodeObject &Original) {
  return Reader(Original).run();
}

} // namespace luthier
