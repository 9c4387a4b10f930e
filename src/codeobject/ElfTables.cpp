// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codeobject/ElfTables.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/MathExtras.h"
#include <utility>

using namespace llvm;
using namespace llvm::ELF;

namespace luthier {

StringTable::StringTable(ArrayRef<uint8_t> Old)
    : Bytes(Old.begin(), Old.end()) {
  if (Bytes.empty() || Bytes.back())
    Bytes.push_back(0);
}

uint32_t StringTable::add(const Twine &Text) {
  const uint32_t At = Bytes.size();
  const std::string Copy = Text.str();
  Bytes.insert(Bytes.end(), Copy.begin(), Copy.end());
  Bytes.push_back(0);
  return At;
}

StringRef StringTable::at(uint32_t Offset) const {
  return Offset < Bytes.size()
             ? StringRef(reinterpret_cast<const char *>(&Bytes[Offset]))
             : StringRef();
}

std::vector<uint8_t> hashTable(const std::vector<Elf64_Sym> &Symbols,
                               const StringTable &Names) {
  const uint32_t Count = Symbols.size();
  std::vector<uint32_t> Buckets(Count), Chains(Count);
  for (uint32_t I = 1; I < Count; ++I) {
    uint32_t &Bucket =
        Buckets[object::hashSysV(Names.at(Symbols[I].st_name)) % Count];
    Chains[I] = std::exchange(Bucket, I);
  }
  std::vector<uint32_t> Words = {Count, Count};
  Words.insert(Words.end(), Buckets.begin(), Buckets.end());
  Words.insert(Words.end(), Chains.begin(), Chains.end());
  return bytesOf(Words);
}

std::vector<uint8_t> note(StringRef Owner, uint32_t Type,
                          ArrayRef<uint8_t> Contents) {
  std::vector<uint8_t> Bytes;
  append(Bytes, Elf64_Nhdr{Elf64_Word(Owner.size() + 1),
                           Elf64_Word(Contents.size()), Type});
  Bytes.insert(Bytes.end(), Owner.begin(), Owner.end());
  Bytes.resize(alignTo(Bytes.size() + 1, 4));
  Bytes.insert(Bytes.end(), Contents.begin(), Contents.end());
  Bytes.resize(alignTo(Bytes.size(), 4));
  return Bytes;
}

std::vector<uint8_t> metadataNote(StringRef Metadata) {
  return note("AMDGPU", NT_AMDGPU_METADATA, arrayRefFromStringRef(Metadata));
}

} // namespace luthier
