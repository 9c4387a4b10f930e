// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/cp/LoadedElf.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"
#include <algorithm>
#include <cstring>

namespace luthier::emulator {

using namespace llvm::ELF;

template <typename T>
const T *LoadedElf::read(uint64_t VirtualAddress, uint64_t Count) const {
  const uint64_t Available = End - Base;
  if (VirtualAddress > Available || Count > Available / sizeof(T) ||
      Count * sizeof(T) > Available - VirtualAddress ||
      VirtualAddress % alignof(T) != 0)
    return nullptr;
  return reinterpret_cast<const T *>(Base + VirtualAddress);
}

std::optional<LoadedElf> LoadedElf::at(uint64_t Base, uint64_t Limit) {
  if (Limit - Base < sizeof(Elf64_Ehdr))
    return std::nullopt;
  const auto &Header = *reinterpret_cast<const Elf64_Ehdr *>(Base);
  if (!Header.checkMagic() || Header.getFileClass() != ELFCLASS64 ||
      Header.e_machine != EM_AMDGPU || Header.e_phentsize != sizeof(Elf64_Phdr))
    return std::nullopt;
  LoadedElf Elf;
  Elf.Base = Base;
  Elf.End = Limit;
  if (!Elf.readSegments() || !Elf.readDynamic())
    return std::nullopt;
  return Elf;
}

bool LoadedElf::readSegments() {
  const auto &Header = *read<Elf64_Ehdr>(0);
  const auto *Segments = read<Elf64_Phdr>(Header.e_phoff, Header.e_phnum);
  if (!Segments)
    return false;
  uint64_t Size = 0;
  for (unsigned I = 0; I < Header.e_phnum; ++I) {
    const Elf64_Phdr &Segment = Segments[I];
    if (Segment.p_type == PT_LOAD)
      Size = std::max<uint64_t>(Size, Segment.p_vaddr + Segment.p_memsz);
    if (Segment.p_type == PT_DYNAMIC) {
      DynamicAddress = Segment.p_vaddr;
      DynamicSize = Segment.p_memsz;
    }
  }
  if (Size == 0 || Size > End - Base)
    return false;
  End = Base + Size;
  return DynamicSize != 0;
}

bool LoadedElf::readDynamic() {
  const uint64_t Count = DynamicSize / sizeof(Elf64_Dyn);
  const auto *Dynamic = read<Elf64_Dyn>(DynamicAddress, Count);
  if (!Dynamic)
    return false;
  uint64_t Hash = 0, GnuHash = 0;
  for (uint64_t I = 0; I < Count && Dynamic[I].d_tag != DT_NULL; ++I) {
    const uint64_t Value = Dynamic[I].d_un.d_val;
    switch (Dynamic[I].d_tag) {
    case DT_SYMTAB:
      SymbolTable = Value;
      break;
    case DT_STRTAB:
      StringTable = Value;
      break;
    case DT_STRSZ:
      StringTableSize = Value;
      break;
    case DT_HASH:
      Hash = Value;
      break;
    case DT_GNU_HASH:
      GnuHash = Value;
      break;
    }
  }
  // Only the hash tables know how many symbols there are: DT_HASH says so in
  // its second word.
  if (const auto *Words = Hash ? read<uint32_t>(Hash, 2) : nullptr)
    SymbolCount = Words[1];
  else if (GnuHash)
    SymbolCount = countGnuHashSymbols(GnuHash);
  return SymbolTable && StringTable && StringTableSize &&
         read<Elf64_Sym>(SymbolTable, SymbolCount) &&
         read<char>(StringTable, StringTableSize);
}

std::string LoadedElf::digest() const {
  const auto &Header = *read<Elf64_Ehdr>(0);
  const auto *Segments = read<Elf64_Phdr>(Header.e_phoff, Header.e_phnum);
  for (unsigned I = 0; I < Header.e_phnum; ++I) {
    if (Segments[I].p_type != PT_LOAD)
      continue;
    const auto *Bytes = read<uint8_t>(0, Segments[I].p_filesz);
    if (Segments[I].p_offset != 0 || Segments[I].p_vaddr != 0 || !Bytes)
      break;
    return llvm::utohexstr(
        llvm::xxh3_64bits(llvm::ArrayRef(Bytes, Segments[I].p_filesz)),
        /*LowerCase=*/true);
  }
  return "";
}

/// The last symbol is at the end of the chain that begins highest.
uint64_t LoadedElf::countGnuHashSymbols(uint64_t Table) const {
  const auto *Head = read<uint32_t>(Table, 4);
  if (!Head)
    return 0;
  const uint64_t NumBuckets = Head[0], FirstSymbol = Head[1];
  const uint64_t BucketsAt = Table + 16 + uint64_t(Head[2]) * 8;
  const auto *Buckets = read<uint32_t>(BucketsAt, NumBuckets);
  if (!Buckets || NumBuckets == 0)
    return FirstSymbol;
  uint64_t Last = *std::max_element(Buckets, Buckets + NumBuckets);
  if (Last < FirstSymbol)
    return FirstSymbol;
  const uint64_t ChainsAt = BucketsAt + NumBuckets * 4;
  while (const auto *Chain =
             read<uint32_t>(ChainsAt + (Last - FirstSymbol) * 4)) {
    ++Last;
    if (*Chain & 1)
      return Last;
  }
  return 0;
}

void LoadedElf::forEachSymbol(
    llvm::function_ref<bool(llvm::StringRef, uint64_t)> Visit) const {
  const auto *Symbols = read<Elf64_Sym>(SymbolTable, SymbolCount);
  const char *Strings = read<char>(StringTable, StringTableSize);
  for (uint64_t I = 0; I < SymbolCount; ++I) {
    const Elf64_Sym &Symbol = Symbols[I];
    if (Symbol.st_shndx == SHN_UNDEF || Symbol.st_name >= StringTableSize)
      continue;
    const char *Name = Strings + Symbol.st_name;
    const size_t Length = strnlen(Name, StringTableSize - Symbol.st_name);
    if (!Visit(llvm::StringRef(Name, Length), Base + Symbol.st_value))
      return;
  }
}

} // namespace luthier::emulator
