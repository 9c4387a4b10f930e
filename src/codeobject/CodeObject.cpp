// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codeobject/CodeObject.h"
#include "codeobject/KernelMetadata.h"
#include "codeobject/SourceLines.h"
#include "luthier/Refusal.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <tuple>

using namespace llvm;
using namespace luthier;
using ElfFile = object::ELFFile<object::ELF64LE>;

namespace {

Error malformed(const Twine &Detail) {
  return refuse(RefusalReason::MalformedCodeObject, Detail);
}

/// Says where something went wrong; LLVM's errors become ours.
Error malformed(const Twine &Where, Error E) {
  return malformed(Where + ": " + detailOf(std::move(E)));
}

std::string hex(uint64_t Value) { return "0x" + utohexstr(Value, true); }

} // namespace

namespace luthier {

/// Fills a CodeObject from its bytes.
class CodeObjectReader {
public:
  CodeObjectReader(CodeObject &Object, ElfFile File)
      : Object(Object), File(std::move(File)) {}

  Error read() {
    if (Error E = readHeader())
      return E;
    if (Error E = readSegments())
      return E;
    if (Error E = readNotes())
      return E;
    if (Error E = readSymbols())
      return E;
    readPointers();
    return readKernels();
  }

private:
  struct Symbol {
    StringRef Name;
    uint64_t Address, Size;
  };

  Error readHeader();
  Error readSegments();
  Error readNotes();
  Error readSymbols();
  void readPointers();
  Error readKernels();
  Expected<KernelInfo> readKernel(const Symbol &Descriptor);
  Expected<uint64_t> codeSize(const KernelInfo &Kernel) const;
  void indexKernels();

  CodeObject &Object;
  ElfFile File;
  std::vector<Symbol> Descriptors;
  std::vector<Symbol> Functions; ///< In order of address.
  /// The farthest end of each of them and those before it.
  std::vector<uint64_t> Ends;
};

Error CodeObjectReader::readHeader() {
  const auto &Header = File.getHeader();
  if (Header.e_machine != ELF::EM_AMDGPU)
    return malformed("ELF for machine " + Twine(Header.e_machine) +
                     ", not for AMD GPUs (" + Twine(ELF::EM_AMDGPU) + ")");
  if (Header.e_ident[ELF::EI_OSABI] != ELF::ELFOSABI_AMDGPU_HSA)
    return malformed("OS ABI " +
                     Twine(unsigned(Header.e_ident[ELF::EI_OSABI])) +
                     " is not that of the HSA runtime (" +
                     Twine(ELF::ELFOSABI_AMDGPU_HSA) + ")");
  if (Header.e_type != ELF::ET_DYN)
    return malformed("not linked: ELF type " + Twine(Header.e_type));

  Object.ElfFlags = Header.e_flags;
  Object.AbiVersion = Header.e_ident[ELF::EI_ABIVERSION];
  Expected<unsigned> Version = codeObjectVersion(Object.AbiVersion);
  if (!Version)
    return Version.takeError();
  Object.Version = *Version;
  Expected<TargetID> Target =
      TargetID::fromElf(Object.ElfFlags, Object.AbiVersion);
  if (!Target)
    return Target.takeError();
  Object.Target = std::move(*Target);
  return Error::success();
}

Error CodeObjectReader::readSegments() {
  auto Headers = File.program_headers();
  if (!Headers)
    return malformed("program headers", Headers.takeError());
  for (const auto &Header : *Headers) {
    if (Header.p_type != ELF::PT_LOAD)
      continue;
    const uint64_t Offset = Header.p_offset, Size = Header.p_filesz;
    if (Offset > Object.Bytes.size() || Size > Object.Bytes.size() - Offset)
      return malformed("segment of " + hex(Size) + " bytes at file offset " +
                       hex(Offset) + " ends beyond the file's " +
                       hex(Object.Bytes.size()));
    if (Header.p_vaddr + Size < Size)
      return malformed("segment at " + hex(Header.p_vaddr) +
                       " wraps around the address space");
    Object.Segments.push_back(
        {Header.p_vaddr, Size, Offset, (Header.p_flags & ELF::PF_X) != 0});
  }
  return Error::success();
}

Error CodeObjectReader::readNotes() {
  auto Headers = File.program_headers();
  if (!Headers)
    return malformed("program headers", Headers.takeError());
  SmallVector<StringRef, 4> Blobs;
  for (const auto &Header : *Headers) {
    if (Header.p_type != ELF::PT_NOTE)
      continue;
    Error Failed = Error::success();
    for (const auto Note : File.notes(Header, Failed))
      if (Note.getName() == "AMDGPU" &&
          Note.getType() == ELF::NT_AMDGPU_METADATA)
        // Smaller alignments mean this one, which the iterator knows.
        Blobs.push_back(
            toStringRef(Note.getDesc(std::max<uint64_t>(Header.p_align, 4))));
    if (Failed)
      return malformed("notes at file offset " + hex(Header.p_offset),
                       std::move(Failed));
  }
  if (Blobs.size() == 1)
    Object.Metadata = Blobs.front().str();
  if (Blobs.size() < 2)
    return Error::success();
  Expected<std::string> Merged = mergeKernelMetadata(Blobs);
  if (!Merged)
    return Merged.takeError();
  Object.Metadata = std::move(*Merged);
  return Error::success();
}

Error CodeObjectReader::readSymbols() {
  auto Sections = File.sections();
  if (!Sections)
    return malformed("section headers", Sections.takeError());
  const auto Find = [&](uint32_t Type) {
    return find_if(*Sections, [&](const auto &S) { return S.sh_type == Type; });
  };
  // A stripped code object keeps only what the loader needs.
  auto Table = Find(ELF::SHT_SYMTAB);
  if (Table == Sections->end())
    Table = Find(ELF::SHT_DYNSYM);
  if (Table == Sections->end())
    return malformed("no symbol table");

  auto Symbols = File.symbols(&*Table);
  if (!Symbols)
    return malformed("symbol table", Symbols.takeError());
  auto Strings = File.getStringTableForSymtab(*Table);
  if (!Strings)
    return malformed("symbol names", Strings.takeError());

  for (const auto &[Index, Raw] : enumerate(*Symbols)) {
    if (Raw.st_shndx == ELF::SHN_UNDEF)
      continue;
    auto Name = Raw.getName(*Strings);
    if (!Name)
      return malformed("symbol " + Twine(Index), Name.takeError());
    const Symbol S = {*Name, Raw.st_value, Raw.st_size};
    if (Raw.getType() == ELF::STT_FUNC)
      Functions.push_back(S);
    else if (Raw.getType() == ELF::STT_OBJECT && Name->ends_with(".kd"))
      Descriptors.push_back(S);
  }
  llvm::sort(Functions, [](const Symbol &A, const Symbol &B) {
    return std::tie(A.Address, A.Name) < std::tie(B.Address, B.Name);
  });
  uint64_t End = 0;
  for (const Symbol &Function : Functions)
    Ends.push_back(
        End = std::max(End, SaturatingAdd(Function.Address, Function.Size)));
  return Error::success();
}

/// Relocations: constant are those in memory that is only read once they are
/// done: global offset table, constant tables of functions. Nobody needs them
/// to load the file, so what is wrong with them is no error here.
void CodeObjectReader::readPointers() {
  auto Headers = File.program_headers();
  auto Sections = File.sections();
  if (!Headers || !Sections) {
    consumeError(Headers.takeError());
    consumeError(Sections.takeError());
    return;
  }
  auto isConstant = [&](uint64_t Address) {
    return any_of(*Headers, [&](const auto &H) {
      return H.p_type == ELF::PT_GNU_RELRO && Address >= H.p_vaddr &&
             Address - H.p_vaddr < H.p_memsz;
    });
  };
  for (const auto &Section : *Sections) {
    if (Section.sh_type != ELF::SHT_RELA ||
        !(Section.sh_flags & ELF::SHF_ALLOC))
      continue;
    auto Relocations = File.relas(Section);
    auto Table = File.getSection(Section.sh_link);
    if (!Relocations || !Table) {
      consumeError(Relocations.takeError());
      consumeError(Table.takeError());
      continue;
    }
    for (const auto &Relocation : *Relocations) {
      uint64_t Address = Relocation.r_addend;
      if (Relocation.getType(false) == ELF::R_AMDGPU_ABS64) {
        auto Symbol = File.getRelocationSymbol(Relocation, *Table);
        if (!Symbol || !*Symbol || (*Symbol)->st_shndx == ELF::SHN_UNDEF) {
          consumeError(Symbol.takeError());
          continue;
        }
        Address += (*Symbol)->st_value;
      } else if (Relocation.getType(false) != ELF::R_AMDGPU_RELATIVE64) {
        continue;
      }
      Object.Pointers.push_back(Address);
      if (isConstant(Relocation.r_offset))
        Object.ConstantPointers[Relocation.r_offset] = Address;
    }
  }
  llvm::sort(Object.Pointers);
  Object.Pointers.erase(llvm::unique(Object.Pointers), Object.Pointers.end());
}

Error CodeObjectReader::readKernels() {
  Expected<ModuleMetadata> Metadata = readKernelMetadata(Object.Metadata);
  if (!Metadata)
    return Metadata.takeError();
  Object.CommonMetadata = std::move(Metadata->Common);

  for (const Symbol &Descriptor : Descriptors) {
    Expected<KernelInfo> Kernel = readKernel(Descriptor);
    if (!Kernel)
      return Kernel.takeError();
    if (auto It = Metadata->Kernels.find(Kernel->Name);
        It != Metadata->Kernels.end()) {
      Kernel->Metadata = It->second.Facts;
      Kernel->MetadataEntry = It->second.Blob;
    }
    Object.Kernels.push_back(std::move(*Kernel));
  }
  llvm::sort(Object.Kernels, [](const KernelInfo &A, const KernelInfo &B) {
    return std::tie(A.EntryAddress, A.Name) < std::tie(B.EntryAddress, B.Name);
  });
  indexKernels();

  DenseSet<uint64_t> Entries;
  for (const KernelInfo &Kernel : Object.Kernels)
    Entries.insert(Kernel.EntryAddress);
  for (const Symbol &Function : Functions)
    if (!Entries.contains(Function.Address))
      Object.Functions.push_back(
          {Function.Name.str(), Function.Address, Function.Size});
  return Error::success();
}

/// Of several with one name or place, the first.
void CodeObjectReader::indexKernels() {
  for (const auto &[Index, Kernel] : enumerate(Object.Kernels)) {
    Object.KernelNamed.try_emplace(Kernel.Name, Index);
    Object.KernelAt.try_emplace(Kernel.DescriptorAddress, Index);
  }
}

Expected<KernelInfo> CodeObjectReader::readKernel(const Symbol &Descriptor) {
  const StringRef Name = Descriptor.Name.drop_back(StringRef(".kd").size());
  auto Bytes = Object.contents(Descriptor.Address, Descriptor.Size);
  if (!Bytes)
    return malformed("descriptor of kernel " + Name, Bytes.takeError());
  Expected<KernelDescriptor> Parsed = KernelDescriptor::create(*Bytes);
  if (!Parsed)
    return malformed("kernel " + Name, Parsed.takeError());

  KernelInfo Kernel{.Name = Name.str(),
                    .DescriptorAddress = Descriptor.Address,
                    .Descriptor = *Parsed,
                    .Metadata = {},
                    .MetadataEntry = {}};
  Kernel.EntryAddress =
      Descriptor.Address + Parsed->raw().kernel_code_entry_byte_offset;
  Expected<uint64_t> Size = codeSize(Kernel);
  if (!Size)
    return Size.takeError();
  Kernel.CodeSize = *Size;
  return Kernel;
}

/// To the end of the function that holds the entry. Assembly may leave that
/// without a size or a symbol: then to the next function or the segment's end.
Expected<uint64_t> CodeObjectReader::codeSize(const KernelInfo &Kernel) const {
  const uint64_t Entry = Kernel.EntryAddress;
  const auto Segment = find_if(Object.Segments, [&](const auto &S) {
    return S.Executable && Entry >= S.Address && Entry - S.Address < S.Size;
  });
  if (Segment == Object.Segments.end())
    return malformed("kernel " + Kernel.Name + " begins at " + hex(Entry) +
                     ", outside the executable segments");
  const uint64_t SegmentEnd = Segment->Address + Segment->Size;

  const auto Next = llvm::upper_bound(
      Functions, Entry,
      [](uint64_t Address, const Symbol &S) { return Address < S.Address; });
  uint64_t End = Next == Functions.end() ? SegmentEnd
                                         : std::min(Next->Address, SegmentEnd);
  // Hardly ever is there more than one around the entry.
  size_t First = Next - Functions.begin();
  while (First > 0 && Ends[First - 1] > Entry)
    --First;
  for (const Symbol &Function : make_range(Functions.begin() + First, Next))
    if (Function.Size && Entry - Function.Address < Function.Size) {
      if (Function.Size > SegmentEnd - Function.Address)
        return malformed("kernel " + Kernel.Name + " of " + hex(Function.Size) +
                         " bytes at " + hex(Function.Address) +
                         " ends outside its segment");
      End = Function.Address + Function.Size;
    }
  return End - Entry;
}

} // namespace luthier

Expected<std::unique_ptr<CodeObject>>
CodeObject::create(ArrayRef<uint8_t> Bytes) {
  if (!toStringRef(Bytes).starts_with(StringRef(ELF::ElfMagic, 4)))
    return malformed("not an ELF file");
  // The reader below knows one layout; check before it interprets anything.
  if (Bytes.size() < sizeof(ElfFile::Elf_Ehdr))
    return malformed("ELF header is truncated to " + Twine(Bytes.size()) +
                     " bytes");
  if (Bytes[ELF::EI_CLASS] != ELF::ELFCLASS64 ||
      Bytes[ELF::EI_DATA] != ELF::ELFDATA2LSB)
    return malformed("not a 64-bit little-endian ELF file");

  std::unique_ptr<CodeObject> Object(new CodeObject());
  Object->Bytes.assign(Bytes.begin(), Bytes.end());
  Expected<ElfFile> File = ElfFile::create(toStringRef(Object->Bytes));
  if (!File)
    return malformed("ELF header", File.takeError());
  if (Error E = CodeObjectReader(*Object, std::move(*File)).read())
    return E;
  return Object;
}

const KernelInfo *CodeObject::findKernel(StringRef Name) const {
  const auto It = KernelNamed.find(Name);
  return It == KernelNamed.end() ? nullptr : &Kernels[It->second];
}

const KernelInfo *CodeObject::findKernelAt(uint64_t Descriptor) const {
  const auto It = KernelAt.find(Descriptor);
  return It == KernelAt.end() ? nullptr : &Kernels[It->second];
}

bool CodeObject::isKernelEntry(uint64_t Address) const {
  const auto It = partition_point(
      Kernels, [&](const KernelInfo &K) { return K.EntryAddress < Address; });
  return It != Kernels.end() && It->EntryAddress == Address;
}

const FunctionInfo *CodeObject::findFunction(uint64_t Address) const {
  const auto It = partition_point(
      Functions, [&](const FunctionInfo &F) { return F.Address < Address; });
  return It != Functions.end() && It->Address == Address ? &*It : nullptr;
}

Expected<ArrayRef<uint8_t>> CodeObject::contents(uint64_t Address,
                                                 uint64_t Size) const {
  for (const Segment &S : Segments) {
    if (Address < S.Address || Address - S.Address > S.Size)
      continue;
    const uint64_t Offset = Address - S.Address;
    if (Size <= S.Size - Offset)
      return ArrayRef(Bytes).slice(S.FileOffset + Offset, Size);
  }
  return malformed(hex(Size) + " bytes at " + hex(Address) +
                   " are not in the file");
}

std::optional<ArrayRef<uint8_t>> CodeObject::code(uint64_t Address) const {
  for (const Segment &S : Segments)
    if (S.Executable && Address >= S.Address && Address - S.Address < S.Size)
      return ArrayRef(Bytes)
          .slice(S.FileOffset, S.Size)
          .drop_front(Address - S.Address);
  return std::nullopt;
}

std::vector<std::pair<uint64_t, ArrayRef<uint8_t>>> CodeObject::code() const {
  std::vector<std::pair<uint64_t, ArrayRef<uint8_t>>> Result;
  for (const Segment &S : Segments)
    if (S.Executable)
      Result.push_back(
          {S.Address, ArrayRef(Bytes).slice(S.FileOffset, S.Size)});
  return Result;
}

std::optional<uint64_t> CodeObject::constantPointer(uint64_t Address) const {
  auto It = ConstantPointers.find(Address);
  if (It == ConstantPointers.end())
    return std::nullopt;
  return It->second;
}

std::optional<ArrayRef<uint8_t>> CodeObject::section(StringRef Name) const {
  const auto Absent = [](Error E) {
    consumeError(std::move(E));
    return std::nullopt;
  };
  Expected<ElfFile> File = ElfFile::create(toStringRef(Bytes));
  if (!File)
    return Absent(File.takeError());
  auto Sections = File->sections();
  if (!Sections)
    return Absent(Sections.takeError());
  for (const auto &Section : *Sections) {
    auto SectionName = File->getSectionName(Section);
    if (!SectionName)
      return Absent(SectionName.takeError());
    if (*SectionName != Name || Section.sh_type == ELF::SHT_NOBITS)
      continue;
    auto Contents = File->getSectionContents(Section);
    if (!Contents)
      return Absent(Contents.takeError());
    return *Contents;
  }
  return std::nullopt;
}

const SourceLines &CodeObject::lines() const {
  std::call_once(HasLines, [&] {
    Lines = std::make_unique<const SourceLines>(
        section(".debug_line") ? ArrayRef(Bytes) : ArrayRef<uint8_t>());
  });
  return *Lines;
}

CodeObject::~CodeObject() = default;
