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
#include <optional>

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

/// Replaces code objects, and adds others, in bundles that follow one another,
/// counting on.
class BundleRewriter {
public:
  BundleRewriter(const std::map<size_t, std::vector<uint8_t>> &New,
                 const std::map<size_t, AddedCodeObject> &Beside)
      : New(New), Beside(Beside) {}

  struct Moved {
    uint64_t From, To; ///< Offsets of a bundle, in the old and the new bytes.
  };
  struct Rewritten {
    std::vector<uint8_t> Bytes;
    std::vector<Moved> Bundles;
  };
  /// \p MayGoOn with something that is no bundle, which stays behind them.
  Expected<Rewritten> rewrite(ArrayRef<uint8_t> Bytes, bool MayGoOn = false);

private:
  /// What comes in the place of \p Old.
  void append(const BundleEntry &Old, std::vector<BundleEntry> &Entries);

  const std::map<size_t, std::vector<uint8_t>> &New;
  const std::map<size_t, AddedCodeObject> &Beside;
  size_t Number = 0;
};

/// An ID ends with the target, behind an environment that is left empty:
/// hipv4-amdgcn-amd-amdhsa--gfx10-3-generic.
std::string idFor(StringRef Target, StringRef OtherID) {
  return (OtherID.take_front(OtherID.find("--") + 2) + Target).str();
}

void BundleRewriter::append(const BundleEntry &Old,
                            std::vector<BundleEntry> &Entries) {
  if (!Old.IsDevice)
    return Entries.push_back(Old);
  // In front: HIP 6.4 takes the first that the GPU can run.
  if (auto Added = Beside.find(Number); Added != Beside.end())
    Entries.push_back({idFor(Added->second.Target, Old.ID), Added->second.Bytes,
                       /*IsDevice=*/true});
  Entries.push_back(Old);
  if (auto Other = New.find(Number); Other != New.end())
    Entries.back().Image = Other->second;
  ++Number;
}

Expected<BundleRewriter::Rewritten>
BundleRewriter::rewrite(ArrayRef<uint8_t> Bytes, bool MayGoOn) {
  Rewritten Result;
  for (size_t Offset = 0;;) {
    // Between bundles, linkers pad with zeros.
    Offset = find_if(Bytes.drop_front(Offset), [](uint8_t B) { return B; }) -
             Bytes.begin();
    if (Offset == Bytes.size())
      return Result;
    if (MayGoOn && isNoBundle(Bytes.drop_front(Offset))) {
      append_range(Result.Bytes, Bytes.drop_front(Offset));
      return Result;
    }
    Expected<Bundle> Read = readWholeBundle(Bytes.drop_front(Offset));
    if (!Read)
      return Read.takeError();
    std::vector<BundleEntry> Entries;
    for (const BundleEntry &E : Read->Entries)
      append(E, Entries);
    Result.Bytes.resize(alignTo(Result.Bytes.size(), PageBytes));
    Result.Bundles.push_back({Offset, Result.Bytes.size()});
    append_range(Result.Bytes, writeBundle(Entries));
    Offset += Read->Size;
  }
}

/// A program or library with bundles in it.
class HostRewriter {
public:
  HostRewriter(ArrayRef<uint8_t> File,
               const std::map<size_t, std::vector<uint8_t>> &New,
               const std::map<size_t, AddedCodeObject> &Beside)
      : Bytes(File.begin(), File.end()), Bundles(New, Beside) {}

  /// Whether there is all that run() needs.
  Error prepare();
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
  Elf64_Phdr &segment(unsigned Index) {
    return at<Elf64_Phdr>(header().e_phoff, Index);
  }
  Error findSections(const ElfFile &File);
  Error findRoom();
  bool isFromAnEarlierPass(const Elf64_Phdr &P);
  Error makeRoom();
  Error move(unsigned Section);
  Error redirect();
  uint64_t *relocationOf(uint64_t Address);

  /// Multiples of eight, so that headers can be used in place.
  std::vector<uint8_t> Bytes;
  BundleRewriter Bundles;
  std::vector<uint8_t> Added;
  uint64_t AddedAt = 0;                 ///< Address.
  uint64_t AddedOffset = 0;             ///< In the file.
  unsigned Room = 0;                    ///< The segment header to use.
  std::map<uint64_t, uint64_t> MovedTo; ///< Addresses of bundles.
  SmallVector<unsigned, 1> Holders;     ///< Sections of bundles.
  SmallVector<unsigned, 1> Pointers;    ///< Sections of HIP's wrappers.
};

/// Nothing but bundles, in the last segment that is loaded. They go to another
/// place anyway, so it can have others.
bool HostRewriter::isFromAnEarlierPass(const Elf64_Phdr &P) {
  if (P.p_type != PT_LOAD || P.p_offset % PageBytes || !P.p_filesz ||
      P.p_filesz != P.p_memsz || P.p_offset > Bytes.size() ||
      P.p_filesz != Bytes.size() - P.p_offset)
    return false;
  if (Holders.empty())
    return false;
  // As it ends the file, whatever reaches beyond its begin is in it.
  const Elf64_Ehdr &H = header();
  if (H.e_shoff + H.e_shnum * sizeof(Elf64_Shdr) > P.p_offset ||
      H.e_phoff + H.e_phnum * sizeof(Elf64_Phdr) > P.p_offset)
    return false;
  for (unsigned I = 0; I != H.e_phnum; ++I)
    if (const Elf64_Phdr &Other = segment(I);
        &Other != &P && Other.p_filesz &&
        (Other.p_offset > P.p_offset ||
         Other.p_filesz > P.p_offset - Other.p_offset))
      return false;
  for (unsigned I = 0; I != H.e_shnum; ++I) {
    const Elf64_Shdr &S = section(I);
    if (S.sh_type != SHT_NULL && S.sh_type != SHT_NOBITS &&
        !is_contained(Holders, I) &&
        (S.sh_offset > P.p_offset || S.sh_size > P.p_offset - S.sh_offset))
      return false;
  }
  return all_of(Holders,
                [&](unsigned I) { return section(I).sh_offset >= P.p_offset; });
}

/// Loaded segments must stay in order, and notes follow them.
Error HostRewriter::findRoom() {
  std::optional<unsigned> LastLoaded, LastNote;
  for (unsigned I = 0; I != header().e_phnum; ++I)
    if (segment(I).p_type == PT_LOAD)
      LastLoaded = I;
    else if (segment(I).p_type == PT_NOTE)
      LastNote = I;
  if (LastLoaded && isFromAnEarlierPass(segment(*LastLoaded)))
    Room = *LastLoaded;
  else if (LastNote && (!LastLoaded || *LastNote > *LastLoaded))
    Room = *LastNote;
  else
    return malformed("the program's headers have no room for a segment; "
                     "linked with --build-id they would");
  return Error::success();
}

/// Address of what is added: above all else that is loaded, in pages of its
/// own.
Error HostRewriter::makeRoom() {
  uint64_t End = 0;
  for (unsigned I = 0; I != header().e_phnum; ++I)
    if (const Elf64_Phdr &P = segment(I); P.p_type == PT_LOAD && I != Room)
      End = std::max<uint64_t>(End, P.p_vaddr + P.p_memsz);
  if (!End)
    return malformed("the program has no segments");
  constexpr uint64_t Highest = uint64_t(1) << 47; // Of user space.
  if (End > Highest)
    return malformed("the program's segments leave no address for another");
  AddedAt = alignTo(End, PageBytes);
  AddedOffset = segment(Room).p_type == PT_LOAD
                    ? uint64_t(segment(Room).p_offset)
                    : alignTo(Bytes.size(), PageBytes);
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
  S.sh_offset = AddedOffset + Added.size();
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

Error HostRewriter::findSections(const ElfFile &File) {
  auto Sections = File.sections();
  auto Segments = File.program_headers();
  if (!Sections || !Segments)
    return malformed(
        toString(joinErrors(Sections.takeError(), Segments.takeError())));
  if (Sections->size() != header().e_shnum)
    return malformed("more sections than the header can count");
  for (auto [Index, S] : enumerate(*Sections)) {
    auto Name = File.getSectionName(S);
    if (!Name)
      return malformed(toString(Name.takeError()));
    if (Name->starts_with(".hip_fatbin") && S.sh_type != SHT_NOBITS)
      Holders.push_back(Index);
    if (*Name == ".hipFatBinSegment")
      Pointers.push_back(Index);
  }
  return Error::success();
}

Error HostRewriter::prepare() {
  Expected<ElfFile> File = ElfFile::create(toStringRef(ArrayRef(Bytes)));
  if (!File)
    return malformed(toString(File.takeError()));
  if (header().e_type == ET_REL)
    return malformed("it is not linked yet; the program or library that it "
                     "becomes part of can be changed");
  if (Error E = findSections(*File))
    return E;
  if (Error E = findRoom())
    return E;
  if (Pointers.empty())
    return malformed("no code of the program registers its bundles with HIP");
  return makeRoom();
}

Expected<std::vector<uint8_t>> HostRewriter::run() {
  if (Error E = prepare())
    return std::move(E);
  for (unsigned Index : Holders)
    if (Error E = move(Index))
      return std::move(E);
  if (Error E = redirect())
    return std::move(E);
  Elf64_Phdr &P = segment(Room);
  P = {};
  P.p_type = PT_LOAD;
  P.p_flags = PF_R;
  P.p_offset = AddedOffset;
  P.p_vaddr = P.p_paddr = AddedAt;
  P.p_filesz = P.p_memsz = Added.size();
  P.p_align = PageBytes;
  Bytes.resize(AddedOffset);
  append_range(Bytes, Added);
  return std::move(Bytes);
}

bool isForGPU(ArrayRef<uint8_t> File) {
  return File.size() >= sizeof(Elf64_Ehdr) &&
         support::endian::read16le(&File[offsetof(Elf64_Ehdr, e_machine)]) ==
             EM_AMDGPU;
}

} // namespace

Error checkReplaceable(ArrayRef<uint8_t> File) {
  if (beginsWithBundle(File) || isForGPU(File))
    return Error::success();
  return HostRewriter(File, {}, {}).prepare();
}

Expected<std::vector<uint8_t>>
replaceCodeObjects(ArrayRef<uint8_t> File,
                   const std::map<size_t, std::vector<uint8_t>> &New,
                   const std::map<size_t, AddedCodeObject> &Beside) {
  if (beginsWithBundle(File)) {
    auto Result = BundleRewriter(New, Beside).rewrite(File, /*MayGoOn=*/true);
    if (!Result)
      return Result.takeError();
    return std::move(Result->Bytes);
  }
  if (!isForGPU(File))
    return HostRewriter(File, New, Beside).run();
  if (auto Added = Beside.find(0); Added != Beside.end())
    return Added->second.Bytes;
  auto Only = New.find(0);
  return Only == New.end() ? File.vec() : Only->second;
}

} // namespace luthier
