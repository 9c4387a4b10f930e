// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codeobject/FatBinaryWriter.h"
#include "codeobject/OffloadBundle.h"
#include "luthier/Refusal.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>

using namespace llvm;
using namespace llvm::ELF;

namespace luthier {
namespace {

using ElfFile = object::ELFFile<object::ELF64LE>;
/// HIP maps bundles of its own and wants pages.
constexpr uint64_t PageBytes = 4096;

Error malformed(const Twine &What) {
  return refuse(RefusalReason::MalformedCodeObject, What);
}

/// Replaces code objects in bundles that follow one another, counting on.
class BundleRewriter {
public:
  explicit BundleRewriter(const std::map<size_t, std::vector<uint8_t>> &New)
      : New(New) {}

  struct Moved {
    uint64_t From, To; ///< Offsets of a bundle, in the old and the new bytes.
  };
  struct Rewritten {
    std::vector<uint8_t> Bytes;
    std::vector<Moved> Bundles;
  };
  Expected<Rewritten> rewrite(ArrayRef<uint8_t> Bytes);

private:
  const std::map<size_t, std::vector<uint8_t>> &New;
  size_t Number = 0;
};

Expected<BundleRewriter::Rewritten>
BundleRewriter::rewrite(ArrayRef<uint8_t> Bytes) {
  Rewritten Result;
  for (size_t Offset = 0;;) {
    // Between bundles, linkers pad with zeros.
    Offset = find_if(Bytes.drop_front(Offset), [](uint8_t B) { return B; }) -
             Bytes.begin();
    if (Offset == Bytes.size())
      return Result;
    Expected<Bundle> Read = readWholeBundle(Bytes.drop_front(Offset));
    if (!Read)
      return Read.takeError();
    for (BundleEntry &E : Read->Entries)
      if (E.IsDevice)
        if (auto Other = New.find(Number++); Other != New.end())
          E.Image = Other->second;
    Result.Bytes.resize(alignTo(Result.Bytes.size(), PageBytes));
    Result.Bundles.push_back({Offset, Result.Bytes.size()});
    append_range(Result.Bytes, writeBundle(Read->Entries));
    Offset += Read->Size;
  }
}

/// A program or library with bundles in it.
class HostRewriter {
public:
  HostRewriter(ArrayRef<uint8_t> File,
               const std::map<size_t, std::vector<uint8_t>> &New)
      : Bytes(File.begin(), File.end()), Bundles(New) {}

  Expected<std::vector<uint8_t>> run();

private:
  /// Entry \p Index of a table in the file, to be read and changed.
  template <typename T> T &at(uint64_t Table, uint64_t Index) {
    return reinterpret_cast<T *>(&Bytes[Table])[Index];
  }
  Elf64_Ehdr &header() { return at<Elf64_Ehdr>(0, 0); }
  Elf64_Shdr &section(unsigned Index) {
    return at<Elf64_Shdr>(header().e_shoff, Index);
  }
  Error makeRoom();
  Error move(unsigned Section);
  Error redirect();
  uint64_t *relocationOf(uint64_t Address);

  /// Multiples of eight, so that headers can be used in place.
  std::vector<uint8_t> Bytes;
  BundleRewriter Bundles;
  std::vector<uint8_t> Added;
  uint64_t AddedAt = 0;                 ///< Address.
  std::map<uint64_t, uint64_t> MovedTo; ///< Addresses of bundles.
  SmallVector<unsigned, 1> Pointers;    ///< Sections of HIP's wrappers.
};

/// Address of what is added: above all that is loaded, at the same distance
/// from its place in the file as the first segment.
Error HostRewriter::makeRoom() {
  uint64_t End = 0;
  for (unsigned I = 0; I != header().e_phnum; ++I) {
    const auto &P = at<Elf64_Phdr>(header().e_phoff, I);
    if (P.p_type == PT_LOAD)
      End = std::max<uint64_t>(End, P.p_vaddr + P.p_memsz);
  }
  if (!End)
    return malformed("the program has no segments");
  constexpr uint64_t Highest = uint64_t(1) << 47; // Of user space.
  if (End > Highest)
    return malformed("the program's segments leave no address for another");
  AddedAt = alignTo(End, PageBytes);
  return Error::success();
}

/// Takes section \p Index out of its segment, as far as readers of sections are
/// concerned, and its bundles to the end.
Error HostRewriter::move(unsigned Index) {
  const Elf64_Shdr Old = section(Index);
  if (Old.sh_offset > Bytes.size() ||
      Old.sh_size > Bytes.size() - Old.sh_offset)
    return malformed("section .hip_fatbin ends beyond the file");
  auto New = Bundles.rewrite(ArrayRef(Bytes).slice(Old.sh_offset, Old.sh_size));
  if (!New)
    return New.takeError();
  Added.resize(alignTo(Added.size(), PageBytes));
  for (auto [From, To] : New->Bundles)
    MovedTo[Old.sh_addr + From] = AddedAt + Added.size() + To;
  Elf64_Shdr &S = section(Index);
  S.sh_addr = AddedAt + Added.size();
  S.sh_offset = alignTo(Bytes.size(), PageBytes) + Added.size();
  S.sh_size = New->Bytes.size();
  append_range(Added, New->Bytes);
  return Error::success();
}

/// The addend of the relocation that fills in the word at \p Address, or null.
uint64_t *HostRewriter::relocationOf(uint64_t Address) {
  for (unsigned I = 0; I != header().e_shnum; ++I) {
    const Elf64_Shdr &S = section(I);
    if (S.sh_type != SHT_RELA || !(S.sh_flags & SHF_ALLOC) ||
        S.sh_offset > Bytes.size() || S.sh_size > Bytes.size() - S.sh_offset)
      continue;
    for (uint64_t N = 0; N != S.sh_size / sizeof(Elf64_Rela); ++N) {
      auto &R = at<Elf64_Rela>(S.sh_offset, N);
      if (R.r_offset == Address)
        return reinterpret_cast<uint64_t *>(&R.r_addend);
    }
  }
  return nullptr;
}

/// Each wrapper holds: magic and version, the bundle's address, a word unused.
Error HostRewriter::redirect() {
  constexpr uint64_t WrapperBytes = 24, PointerOffset = 8;
  size_t Redirected = 0;
  for (unsigned Index : Pointers) {
    const Elf64_Shdr &S = section(Index);
    if (S.sh_offset > Bytes.size() || S.sh_size > Bytes.size() - S.sh_offset)
      return malformed("section .hipFatBinSegment ends beyond the file");
    for (uint64_t At = 0; At + WrapperBytes <= S.sh_size; At += WrapperBytes) {
      auto *Stored = &at<uint64_t>(S.sh_offset + At + PointerOffset, 0);
      // Position-independent programs leave the address to a relocation.
      uint64_t *Addend = relocationOf(S.sh_addr + At + PointerOffset);
      auto To = MovedTo.find(Addend ? *Addend : *Stored);
      if (To == MovedTo.end())
        return malformed("HIP's registration points to no bundle");
      *(Addend ? Addend : Stored) = To->second;
      ++Redirected;
    }
  }
  if (!Redirected)
    return malformed("no code of the program registers its bundles with HIP");
  return Error::success();
}

Expected<std::vector<uint8_t>> HostRewriter::run() {
  Expected<ElfFile> File = ElfFile::create(toStringRef(ArrayRef(Bytes)));
  if (!File)
    return malformed(toString(File.takeError()));
  auto Sections = File->sections();
  auto Segments = File->program_headers();
  if (!Sections || !Segments)
    return malformed(
        toString(joinErrors(Sections.takeError(), Segments.takeError())));
  if (Sections->size() != header().e_shnum)
    return malformed("more sections than the header can count");
  SmallVector<unsigned, 1> Holders;
  for (auto [Index, S] : enumerate(*Sections)) {
    auto Name = File->getSectionName(S);
    if (!Name)
      return malformed(toString(Name.takeError()));
    if (Name->starts_with(".hip_fatbin") && S.sh_type != SHT_NOBITS)
      Holders.push_back(Index);
    if (*Name == ".hipFatBinSegment")
      Pointers.push_back(Index);
  }
  // The last: loaded segments must stay in order, and notes follow them.
  Elf64_Phdr *Room = nullptr;
  unsigned LastLoaded = 0;
  for (unsigned I = 0; I != header().e_phnum; ++I) {
    auto &P = at<Elf64_Phdr>(header().e_phoff, I);
    if (P.p_type == PT_LOAD)
      LastLoaded = I;
    else if (P.p_type == PT_NOTE)
      Room = &P;
  }
  if (!Room || Room < &at<Elf64_Phdr>(header().e_phoff, LastLoaded))
    return malformed("the program's headers have no room for a segment");
  if (Error E = makeRoom())
    return std::move(E);
  for (unsigned Index : Holders)
    if (Error E = move(Index))
      return std::move(E);
  if (Error E = redirect())
    return std::move(E);
  *Room = {};
  Room->p_type = PT_LOAD;
  Room->p_flags = PF_R;
  Room->p_offset = alignTo(Bytes.size(), PageBytes);
  Room->p_vaddr = Room->p_paddr = AddedAt;
  Room->p_filesz = Room->p_memsz = Added.size();
  Room->p_align = PageBytes;
  Bytes.resize(Room->p_offset);
  append_range(Bytes, Added);
  return std::move(Bytes);
}

bool isForGPU(ArrayRef<uint8_t> File) {
  return File.size() >= sizeof(Elf64_Ehdr) &&
         support::endian::read16le(&File[offsetof(Elf64_Ehdr, e_machine)]) ==
             EM_AMDGPU;
}

} // namespace

Expected<std::vector<uint8_t>>
replaceCodeObjects(ArrayRef<uint8_t> File,
                   const std::map<size_t, std::vector<uint8_t>> &New) {
  if (beginsWithBundle(File)) {
    auto Result = BundleRewriter(New).rewrite(File);
    if (!Result)
      return Result.takeError();
    return std::move(Result->Bytes);
  }
  if (!isForGPU(File))
    return HostRewriter(File, New).run();
  auto Only = New.find(0);
  return Only == New.end() ? File.vec() : Only->second;
}

} // namespace luthier
