// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/api/LoadedCode.h"
#include "emulator/core/Target.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELF.h"
#include <algorithm>

namespace luthier::emulator::api {

namespace {

using namespace llvm;
using ElfFile = object::ELFFile<object::ELF64LE>;

Error damaged(const Twine &What) {
  return createStringError(inconvertibleErrorCode(), "code object: " + What);
}
Error damaged(const Twine &Where, Error E) {
  return damaged(Where + ": " + toString(std::move(E)));
}
std::string hex(uint64_t Value) { return "0x" + utohexstr(Value, true); }

/// Empty for a processor that is not emulated. LLVM's own table ends the
/// process where it has no row.
StringRef processorName(unsigned Machine) {
  const Target *T = findTarget(Machine);
  return T ? StringRef(T->Name) : "";
}

class Loader {
public:
  Loader(ElfFile File, ArrayRef<uint8_t> Bytes, Memory &Into)
      : File(std::move(File)), Bytes(Bytes), Into(Into) {}

  Error load();
  LoadedCode Result;

private:
  Error checkHeader();
  Error layOut();
  Error readNotes();
  Error readSymbols();
  Error relocate();
  Error apply(uint32_t Type, uint64_t At, uint64_t Value);
  Error readKernels();

  uint64_t deviceAddress(uint64_t Linked) const { return Linked + Bias; }

  ElfFile File;
  ArrayRef<uint8_t> Bytes;
  Memory &Into;
  uint64_t Bias = 0;
  /// One blob for each note that the linker left.
  std::vector<StringRef> Metadata;
};

Error Loader::load() {
  if (Error E = checkHeader())
    return E;
  if (Error E = layOut())
    return E;
  Error E = readNotes();
  if (!E)
    E = readSymbols();
  if (!E)
    E = relocate();
  if (!E)
    E = readKernels();
  if (E)
    Into.free(Result.Begin);
  return E;
}

Error Loader::checkHeader() {
  const auto &Header = File.getHeader();
  if (Header.e_machine != ELF::EM_AMDGPU)
    return damaged("ELF machine " + Twine(Header.e_machine) +
                   " is not an AMD GPU");
  if (Header.e_ident[ELF::EI_OSABI] != ELF::ELFOSABI_AMDGPU_HSA)
    return damaged("OS ABI " + Twine(unsigned(Header.e_ident[ELF::EI_OSABI])) +
                   " is not HSA's");
  if (Header.e_type != ELF::ET_DYN)
    return damaged("it is not linked");
  const unsigned Abi = Header.e_ident[ELF::EI_ABIVERSION];
  if (Abi < ELF::ELFABIVERSION_AMDGPU_HSA_V4 ||
      Abi > ELF::ELFABIVERSION_AMDGPU_HSA_V6)
    return damaged("ABI version " + Twine(Abi) +
                   " is not that of code object version 4, 5 or 6");
  Result.Processor = processorName(Header.e_flags & ELF::EF_AMDGPU_MACH);
  if (Result.Processor.empty())
    return damaged("processor " + hex(Header.e_flags & ELF::EF_AMDGPU_MACH) +
                   " is not one that is emulated");
  return Error::success();
}

/// One piece of memory for all segments, so that distances stay as linked.
Error Loader::layOut() {
  auto Headers = File.program_headers();
  if (!Headers)
    return damaged("program headers", Headers.takeError());
  constexpr uint64_t Most = uint64_t(1) << 32, PageBytes = 4096;
  uint64_t Begin = UINT64_MAX, End = 0;
  for (const auto &H : *Headers) {
    if (H.p_type != ELF::PT_LOAD)
      continue;
    if (H.p_offset > Bytes.size() || H.p_filesz > Bytes.size() - H.p_offset)
      return damaged("segment of " + hex(H.p_filesz) +
                     " bytes at file offset " + hex(H.p_offset) +
                     " ends beyond the file's " + hex(Bytes.size()));
    if (H.p_memsz < H.p_filesz || H.p_vaddr > Most || H.p_memsz > Most)
      return damaged("segment of " + hex(H.p_memsz) + " bytes at " +
                     hex(H.p_vaddr));
    Begin = std::min<uint64_t>(Begin, H.p_vaddr / PageBytes * PageBytes);
    End = std::max<uint64_t>(End, H.p_vaddr + H.p_memsz);
  }
  if (Begin >= End)
    return damaged("no segments");
  Result.Size = End - Begin;
  Result.Begin = Into.allocate(Result.Size);
  if (!Result.Begin)
    return createStringError(std::errc::not_enough_memory,
                             "no memory for a code object of %s bytes",
                             hex(Result.Size).c_str());
  Bias = Result.Begin - Begin;
  for (const auto &H : *Headers)
    if (H.p_type == ELF::PT_LOAD)
      Into.write(deviceAddress(H.p_vaddr), Bytes.data() + H.p_offset,
                 H.p_filesz);
  return Error::success();
}

Error Loader::readNotes() {
  auto Headers = File.program_headers();
  if (!Headers)
    return damaged("program headers", Headers.takeError());
  for (const auto &H : *Headers) {
    if (H.p_type != ELF::PT_NOTE)
      continue;
    Error Failed = Error::success();
    for (const auto Note : File.notes(H, Failed))
      if (Note.getName() == "AMDGPU" &&
          Note.getType() == ELF::NT_AMDGPU_METADATA)
        Metadata.push_back(
            Note.getDescAsStringRef(std::max<uint64_t>(H.p_align, 4)));
    if (Failed)
      return damaged("notes", std::move(Failed));
  }
  return Error::success();
}

Error Loader::readSymbols() {
  auto Sections = File.sections();
  if (!Sections)
    return damaged("section headers", Sections.takeError());
  // The full table also has local functions; a stripped file lacks it.
  for (uint32_t Type : {ELF::SHT_DYNSYM, ELF::SHT_SYMTAB})
    for (const auto &Section : *Sections) {
      if (Section.sh_type != Type)
        continue;
      auto Symbols = File.symbols(&Section);
      if (!Symbols)
        return damaged("symbols", Symbols.takeError());
      auto Strings = File.getStringTableForSymtab(Section);
      if (!Strings)
        return damaged("symbol names", Strings.takeError());
      for (const auto &S : *Symbols) {
        if (S.st_shndx == ELF::SHN_UNDEF || S.getType() > ELF::STT_FUNC)
          continue;
        auto Name = S.getName(*Strings);
        if (!Name)
          return damaged("symbol name", Name.takeError());
        const bool IsAbsolute = S.st_shndx == ELF::SHN_ABS;
        Result.Symbols[*Name] = {IsAbsolute ? uint64_t(S.st_value)
                                            : deviceAddress(S.st_value),
                                 S.st_size};
      }
    }
  return Error::success();
}

Error Loader::relocate() {
  auto Sections = File.sections();
  if (!Sections)
    return damaged("section headers", Sections.takeError());
  for (const auto &Section : *Sections) {
    if (Section.sh_type != ELF::SHT_RELA ||
        !(Section.sh_flags & ELF::SHF_ALLOC))
      continue;
    auto Relocations = File.relas(Section);
    auto Table = File.getSection(Section.sh_link);
    if (!Relocations)
      return damaged("relocations", Relocations.takeError());
    if (!Table)
      return damaged("symbols of relocations", Table.takeError());
    for (const auto &R : *Relocations) {
      uint64_t Value = uint64_t(R.r_addend);
      if (R.getType(false) == ELF::R_AMDGPU_RELATIVE64)
        Value = deviceAddress(Value);
      auto S = File.getRelocationSymbol(R, *Table);
      if (!S)
        return damaged("symbol of a relocation", S.takeError());
      if (*S && (*S)->st_shndx != ELF::SHN_UNDEF) {
        Value += deviceAddress((*S)->st_value);
      } else if (*S && (*S)->getBinding() != ELF::STB_WEAK) {
        auto Strings = File.getStringTableForSymtab(**Table);
        auto Name = Strings ? (*S)->getName(*Strings)
                            : Expected<StringRef>(Strings.takeError());
        if (!Name)
          return damaged("symbol name", Name.takeError());
        return damaged("symbol " + *Name + " is not defined");
      }
      if (Error E = apply(R.getType(false), deviceAddress(R.r_offset), Value))
        return E;
    }
  }
  return Error::success();
}

Error Loader::apply(uint32_t Type, uint64_t At, uint64_t Value) {
  unsigned Size = 8;
  switch (Type) {
  case ELF::R_AMDGPU_NONE:
    return Error::success();
  case ELF::R_AMDGPU_ABS64:
  case ELF::R_AMDGPU_RELATIVE64:
    break;
  case ELF::R_AMDGPU_REL64:
    Value -= At;
    break;
  case ELF::R_AMDGPU_ABS32:
  case ELF::R_AMDGPU_ABS32_LO:
    Size = 4;
    break;
  case ELF::R_AMDGPU_ABS32_HI:
    Size = 4;
    Value >>= 32;
    break;
  case ELF::R_AMDGPU_REL32:
  case ELF::R_AMDGPU_REL32_LO:
    Size = 4;
    Value -= At;
    break;
  case ELF::R_AMDGPU_REL32_HI:
    Size = 4;
    Value = (Value - At) >> 32;
    break;
  default:
    return damaged("relocation of type " + Twine(Type));
  }
  if (At < Result.Begin || At + Size > Result.Begin + Result.Size)
    return damaged("relocation outside the segments");
  Into.write(At, &Value, Size);
  return Error::success();
}

Error Loader::readKernels() {
  std::vector<KernelMetadata> Described;
  for (StringRef Blob : Metadata) {
    auto Some = readKernelMetadata(Blob);
    if (!Some)
      return damaged("notes", Some.takeError());
    llvm::append_range(Described, std::move(*Some));
  }
  for (const auto &Entry : Result.Symbols) {
    StringRef Name = Entry.first();
    const LoadedCode::Symbol &S = Entry.second;
    LoadedKernel K;
    if (!Name.consume_back(".kd"))
      continue;
    if (S.Size != sizeof(K.Descriptor) ||
        !Into.read(S.Address, &K.Descriptor, sizeof(K.Descriptor)))
      return damaged("descriptor of kernel " + Name);
    K.Name = Name.str();
    K.DescriptorAddress = S.Address;
    K.EntryAddress =
        S.Address + uint64_t(K.Descriptor.kernel_code_entry_byte_offset);
    if (K.EntryAddress < Result.Begin ||
        K.EntryAddress >= Result.Begin + Result.Size)
      return damaged("kernel " + Name + " begins outside the segments");
    for (KernelMetadata &M : Described)
      if (M.Name == Name)
        K.Metadata = std::move(M);
    Result.Kernels.push_back(std::move(K));
  }
  llvm::sort(Result.Kernels, [](const LoadedKernel &A, const LoadedKernel &B) {
    return A.Name < B.Name;
  });
  return Error::success();
}

} // namespace

uint32_t LoadedKernel::kernargSize() const {
  return std::max(Metadata.KernargSize, Descriptor.kernarg_size);
}

uint32_t LoadedKernel::explicitKernargSize() const {
  uint32_t End = 0;
  for (const KernelArgument &A : Metadata.Arguments)
    if (!A.isHidden())
      End = std::max(End, A.Offset + A.Size);
  return Metadata.Arguments.empty() ? kernargSize() : End;
}

const LoadedKernel *LoadedCode::findKernel(StringRef Name) const {
  const auto Found =
      find_if(Kernels, [&](const LoadedKernel &K) { return K.Name == Name; });
  return Found == Kernels.end() ? nullptr : &*Found;
}

Expected<LoadedCode> loadCode(ArrayRef<uint8_t> Elf, Memory &Into) {
  if (!toStringRef(Elf).starts_with(StringRef(ELF::ElfMagic, 4)))
    return damaged("it is not an ELF file");
  if (Elf.size() < sizeof(ElfFile::Elf_Ehdr))
    return damaged("its header is truncated");
  if (Elf[ELF::EI_CLASS] != ELF::ELFCLASS64 ||
      Elf[ELF::EI_DATA] != ELF::ELFDATA2LSB)
    return damaged("it is not a 64-bit little-endian ELF file");
  // Headers are read in place, which wants them aligned.
  std::vector<uint64_t> Aligned((Elf.size() + 7) / 8);
  std::copy(Elf.begin(), Elf.end(),
            reinterpret_cast<uint8_t *>(Aligned.data()));
  ArrayRef<uint8_t> Bytes(reinterpret_cast<uint8_t *>(Aligned.data()),
                          Elf.size());
  Expected<ElfFile> File = ElfFile::create(toStringRef(Bytes));
  if (!File)
    return damaged("ELF header", File.takeError());
  Loader L(std::move(*File), Bytes, Into);
  if (Error E = L.load())
    return std::move(E);
  return std::move(L.Result);
}

} // namespace luthier::emulator::api
