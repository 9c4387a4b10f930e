// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codeobject/FatBinaryWriter.h"
#include "TestInputs.h"
#include "codeobject/OffloadBundle.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>
#include <random>

using namespace llvm;
using namespace llvm::ELF;
using namespace luthier;
using namespace luthier::test;

namespace {

using Bytes = std::vector<uint8_t>;
using Images = std::map<size_t, Bytes>;

Bytes bundleOf(const char *A, const char *B) {
  static const Bytes Gfx90a = readFile("gfx90a-v5.co"),
                     Gfx1030 = readFile("gfx1030-v5.co");
  auto Image = [](const char *Target) -> ArrayRef<uint8_t> {
    return Target == StringRef("gfx90a") ? Gfx90a : Gfx1030;
  };
  const std::string Prefix = "hipv4-amdgcn-amd-amdhsa--";
  return writeBundle({{"host-x86_64-unknown-linux-gnu-", {}, false},
                      {Prefix + A, Image(A), true},
                      {Prefix + B, Image(B), true}});
}

std::vector<std::string> targetsIn(ArrayRef<uint8_t> File) {
  std::vector<std::string> Names;
  for (const BundledCodeObject &Image : take(findCodeObjects(File)))
    Names.push_back(Image.Target.str() + " of " +
                    std::to_string(Image.Bytes.size()));
  return Names;
}

/// Replaces image \p Number by a file of other length; all others stay.
Bytes expectReplaced(const Bytes &File, size_t Number) {
  const Bytes Other = readFile("gfx942-v5.co");
  const auto Old = take(findCodeObjects(File));
  const Bytes Result = take(replaceCodeObjects(File, {{Number, Other}}));
  const auto New = take(findCodeObjects(Result));
  EXPECT_EQ(New.size(), Old.size());
  for (size_t I = 0; I != std::min(Old.size(), New.size()); ++I)
    EXPECT_EQ(New[I].Bytes, I == Number ? ArrayRef(Other) : Old[I].Bytes) << I;
  return Result;
}

/// A program with bundles and HIP's registration of them. What a linker makes,
/// as far as loaders and HIP look.
struct Program {
  bool HasNote = true, NoteComesFirst = false, HasRelocation = false;
  bool PointsElsewhere = false, IsRegistered = true;
  unsigned Type = ET_DYN;
  std::vector<Bytes> Bundles = {bundleOf("gfx90a", "gfx1030")};

  static constexpr uint64_t Base = 0x400000, PageBytes = 4096,
                            WrapperBytes = 24;
  Bytes write();
  /// Where HIP finds the bundles of \p File, as loaded.
  static std::vector<uint64_t> registered(const Bytes &File);

private:
  unsigned section(StringRef Name, uint32_t Type, uint64_t Flags,
                   ArrayRef<uint8_t> Contents, uint64_t Alignment);
  Bytes File;
  Bytes Names = {0};
  std::vector<Elf64_Shdr> Sections;
};

unsigned Program::section(StringRef Name, uint32_t Type, uint64_t Flags,
                          ArrayRef<uint8_t> Contents, uint64_t Alignment) {
  File.resize(alignTo(File.size(), Alignment));
  Elf64_Shdr S{};
  S.sh_name = Names.size();
  S.sh_type = Type;
  S.sh_flags = Flags;
  S.sh_offset = File.size();
  S.sh_addr = Flags & SHF_ALLOC ? Base + File.size() : 0;
  S.sh_size = Contents.size();
  S.sh_addralign = Alignment;
  Names.insert(Names.end(), Name.begin(), Name.end());
  Names.push_back(0);
  File.insert(File.end(), Contents.begin(), Contents.end());
  Sections.push_back(S);
  return Sections.size() - 1;
}

template <typename T> ArrayRef<uint8_t> bytesOf(const std::vector<T> &V) {
  return {reinterpret_cast<const uint8_t *>(V.data()), V.size() * sizeof(T)};
}

Bytes Program::write() {
  File.resize(sizeof(Elf64_Ehdr) + 3 * sizeof(Elf64_Phdr));
  Sections.push_back({});
  // Bundles as a linker joins them.
  Bytes Joined;
  std::vector<uint64_t> Starts;
  for (const Bytes &Bundle : Bundles) {
    Joined.resize(alignTo(Joined.size(), PageBytes));
    Starts.push_back(Joined.size());
    Joined.insert(Joined.end(), Bundle.begin(), Bundle.end());
  }
  const unsigned Fat =
      section(".hip_fatbin", SHT_PROGBITS, SHF_ALLOC, Joined, PageBytes);
  std::vector<uint64_t> Wrappers;
  std::vector<Elf64_Rela> Relocations;
  const uint64_t Begin = alignTo(File.size(), 16);
  for (uint64_t Start : Starts) {
    const uint64_t Address =
        Sections[Fat].sh_addr + Start + (PointsElsewhere ? 8 : 0);
    Elf64_Rela R{};
    R.r_offset = Base + Begin + 8 * Wrappers.size() + 8;
    R.r_addend = Address;
    R.setSymbolAndType(0, R_X86_64_RELATIVE);
    Relocations.push_back(R);
    // Magic, version; the bundle; a word nobody uses.
    append_values(Wrappers, uint64_t(1) << 32 | 0x48495046,
                  HasRelocation ? uint64_t(0) : Address, uint64_t(0));
  }
  if (IsRegistered)
    section(".hipFatBinSegment", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE,
            bytesOf(Wrappers), 16);
  if (HasRelocation)
    section(".rela.dyn", SHT_RELA, SHF_ALLOC, bytesOf(Relocations), 8);
  section(".note.gnu.build-id", SHT_NOTE, SHF_ALLOC, Bytes(32), 4);
  const uint64_t Loaded = File.size();
  const unsigned NameSection = section(".shstrtab", SHT_STRTAB, 0, {}, 1);
  Sections[NameSection].sh_size = Names.size();
  File.insert(File.end(), Names.begin(), Names.end());

  Elf64_Phdr Load{}, Note{};
  Load.p_type = PT_LOAD;
  Load.p_flags = PF_R | PF_W;
  Load.p_vaddr = Load.p_paddr = Base;
  Load.p_filesz = Load.p_memsz = Loaded;
  Load.p_align = PageBytes;
  Note.p_type = HasNote ? PT_NOTE : PT_GNU_STACK;
  std::vector<Elf64_Phdr> Segments = {Load, Note};
  if (NoteComesFirst)
    std::swap(Segments[0], Segments[1]);

  Elf64_Ehdr H{};
  std::memcpy(H.e_ident, ElfMagic, 4);
  H.e_ident[EI_CLASS] = ELFCLASS64;
  H.e_ident[EI_DATA] = ELFDATA2LSB;
  H.e_ident[EI_VERSION] = EV_CURRENT;
  H.e_type = Type;
  H.e_machine = EM_X86_64;
  H.e_ehsize = sizeof(H);
  H.e_phoff = sizeof(H);
  H.e_phentsize = sizeof(Elf64_Phdr);
  H.e_phnum = Segments.size();
  H.e_shentsize = sizeof(Elf64_Shdr);
  H.e_shnum = Sections.size();
  H.e_shstrndx = NameSection;
  // At an odd place, as no rule says otherwise.
  H.e_shoff = File.size() | 1;
  File.resize(H.e_shoff);
  append_range(File, bytesOf(Sections));
  std::memcpy(File.data(), &H, sizeof(H));
  std::memcpy(&File[sizeof(H)], bytesOf(Segments).data(),
              bytesOf(Segments).size());
  return File;
}

/// Bytes of \p File from where \p Address is loaded; empty if it is not.
ArrayRef<uint8_t> loadedAt(ArrayRef<uint8_t> File, uint64_t Address) {
  Elf64_Ehdr H;
  std::memcpy(&H, File.data(), sizeof(H));
  for (unsigned I = 0; I != H.e_phnum; ++I) {
    Elf64_Phdr P;
    std::memcpy(&P, &File[H.e_phoff + I * sizeof(P)], sizeof(P));
    if (P.p_type == PT_LOAD && Address >= P.p_vaddr &&
        Address - P.p_vaddr < P.p_filesz)
      return File.slice(P.p_offset, P.p_filesz).drop_front(Address - P.p_vaddr);
  }
  return {};
}

std::vector<uint64_t> Program::registered(const Bytes &File) {
  Elf64_Ehdr H;
  std::memcpy(&H, File.data(), sizeof(H));
  std::vector<Elf64_Shdr> All(H.e_shnum);
  std::memcpy(All.data(), &File[H.e_shoff], H.e_shnum * sizeof(Elf64_Shdr));
  auto Named = [&](StringRef Name) {
    return *find_if(All, [&](const Elf64_Shdr &S) {
      return Name == reinterpret_cast<const char *>(
                         &File[All[H.e_shstrndx].sh_offset + S.sh_name]);
    });
  };
  const Elf64_Shdr Wrappers = Named(".hipFatBinSegment");
  std::map<uint64_t, uint64_t> Relocated;
  for (const Elf64_Shdr &S : All)
    if (S.sh_type == SHT_RELA)
      for (uint64_t At = 0; At != S.sh_size; At += sizeof(Elf64_Rela)) {
        Elf64_Rela R;
        std::memcpy(&R, &File[S.sh_offset + At], sizeof(R));
        Relocated[R.r_offset] = R.r_addend;
      }
  std::vector<uint64_t> Result;
  for (uint64_t At = 8; At < Wrappers.sh_size; At += WrapperBytes) {
    uint64_t Address;
    std::memcpy(&Address, &File[Wrappers.sh_offset + At], 8);
    auto Found = Relocated.find(Wrappers.sh_addr + At);
    Result.push_back(Found == Relocated.end() ? Address : Found->second);
  }
  return Result;
}

/// Looks at the bundles from where HIP does.
void expectBundlesLoaded(const Bytes &File) {
  std::vector<std::string> Found;
  for (uint64_t Address : Program::registered(File)) {
    EXPECT_EQ(Address % Program::PageBytes, 0u) << "HIP maps whole pages";
    const ArrayRef<uint8_t> Bundle = loadedAt(File, Address);
    ASSERT_FALSE(Bundle.empty()) << "not loaded";
    std::vector<BundledCodeObject> Images;
    ASSERT_GT(take(readBundle(Bundle, Images)), 0u);
    for (const BundledCodeObject &Image : Images)
      Found.push_back(Image.Target.str() + " of " +
                      std::to_string(Image.Bytes.size()));
  }
  EXPECT_EQ(Found, targetsIn(File));
}

void expectProgramReplaced(Program P, size_t Number) {
  const Bytes File = P.write();
  const Bytes New = expectReplaced(File, Number);
  expectBundlesLoaded(New);
  // What was there stays, but for headers and pointers.
  const ArrayRef<uint8_t> Kept = ArrayRef(New).take_front(File.size());
  size_t Changed = 0;
  for (size_t I = 0; I != File.size(); ++I)
    Changed += Kept[I] != File[I];
  EXPECT_LT(Changed, 200u);
}

std::string refusalOf(Program P) {
  return errorOf(replaceCodeObjects(P.write(), {}));
}

} // namespace

TEST(FatBinaryWriter, ReplacesACodeObjectAsAWhole) {
  const Bytes File = readFile("gfx90a-v5.co");
  expectReplaced(File, 0);
  EXPECT_EQ(take(replaceCodeObjects(File, {})), File);
  EXPECT_EQ(take(replaceCodeObjects(File, {{1, {1, 2, 3}}})), File);
}

TEST(FatBinaryWriter, ReplacesOneImageOfABundle) {
  const Bytes File = bundleOf("gfx90a", "gfx1030");
  for (size_t Number : {0, 1})
    expectReplaced(File, Number);
  EXPECT_EQ(take(replaceCodeObjects(File, {})), File);
}

TEST(FatBinaryWriter, PutsCodeForAProcessorBesideAnImage) {
  const Bytes Other = readFile("gfx942-v5.co");
  const auto OfFile = [&](const Bytes &File, size_t Number) {
    return targetsIn(
        take(replaceCodeObjects(File, {}, {{Number, {"gfx942", Other}}})));
  };
  std::vector<std::string> Expected = targetsIn(bundleOf("gfx90a", "gfx1030"));
  Expected.insert(Expected.begin(),
                  "gfx942 of " + std::to_string(Other.size()));
  EXPECT_EQ(OfFile(bundleOf("gfx90a", "gfx1030"), 0), Expected);
  EXPECT_EQ(OfFile(Program().write(), 0), Expected);
  EXPECT_EQ(OfFile(readFile("gfx90a-v5.co"), 0), std::vector{Expected[0]})
      << "no bundle has room for one";
}

TEST(FatBinaryWriter, KeepsEntriesThatAreNoCodeForGPUs) {
  const Bytes Spirv = {1, 2, 3};
  const Bytes File = writeBundle(
      {{"host-x86_64-unknown-linux-gnu-", {}, false},
       {"hip-spirv64-amd-amdhsa--amdgcnspirv", Spirv, false},
       {"hipv4-amdgcn-amd-amdhsa--gfx90a", readFile("gfx90a-v5.co"), true}});
  const auto Read = take(readWholeBundle(expectReplaced(File, 0)));
  ASSERT_EQ(Read.Entries.size(), 3u);
  EXPECT_EQ(Read.Entries[1].ID, "hip-spirv64-amd-amdhsa--amdgcnspirv");
}

TEST(FatBinaryWriter, CountsOnThroughSeveralBundles) {
  Bytes File = bundleOf("gfx90a", "gfx1030");
  // Padding of a length that nothing is aligned to.
  File.resize(File.size() + 777);
  append_range(File, bundleOf("gfx1030", "gfx90a"));
  File.resize(File.size() + 5);
  for (size_t Number : {0, 1, 2, 3})
    expectReplaced(File, Number);
}

TEST(FatBinaryWriter, KeepsWhatFollowsTheBundlesOfAFile) {
  Bytes File = bundleOf("gfx90a", "gfx1030");
  const Bytes Bundle = File;
  append_range(File, StringRef("signed by nobody"));
  EXPECT_TRUE(toStringRef(expectReplaced(File, 1)).ends_with("by nobody"));
  // Another bundle that was cut off is no such thing, and no part of its magic.
  for (StringRef Magic : {"__CLANG_OFFLOAD_BUNDLE__", "CCOB"})
    for (size_t Size = 1; Size <= Magic.size(); ++Size) {
      File = Bundle;
      append_range(File, Magic.take_front(Size));
      EXPECT_NE(errorOf(findCodeObjects(File)), "") << Size;
      EXPECT_NE(errorOf(replaceCodeObjects(File, {})), "") << Size;
    }
  // In a program's section there is nothing else.
  Program P;
  append_range(P.Bundles.front(), StringRef("signed by nobody"));
  EXPECT_NE(errorOf(findCodeObjects(P.write())), "");
}

TEST(FatBinaryWriter, UnpacksWhatWasCompressed) {
  const Bytes File = readFile("compressed.bundle");
  const Bytes New = expectReplaced(File, 1);
  EXPECT_TRUE(toStringRef(New).starts_with("__CLANG_OFFLOAD_BUNDLE__"));
}

TEST(FatBinaryWriter, RefusesBundlesThatEndEarly) {
  const Bytes File = bundleOf("gfx90a", "gfx1030");
  for (size_t Size = 25; Size < File.size(); Size += Size < 400 ? 7 : 511)
    EXPECT_NE(errorOf(replaceCodeObjects(ArrayRef(File).take_front(Size), {})),
              "")
        << Size;
}

TEST(FatBinaryWriter, MovesBundlesOfPrograms) {
  for (bool HasRelocation : {false, true})
    for (size_t Number : {0, 1}) {
      Program P;
      P.HasRelocation = HasRelocation;
      expectProgramReplaced(P, Number);
    }
}

TEST(FatBinaryWriter, MovesTheBundlesOfSeveralSourceFiles) {
  Program P;
  P.Bundles = {bundleOf("gfx90a", "gfx1030"), bundleOf("gfx1030", "gfx90a"),
               readFile("compressed.bundle")};
  for (size_t Number : {0, 3, 5})
    expectProgramReplaced(P, Number);
}

TEST(FatBinaryWriter, RefusesProgramsThatItCannotChange) {
  Program P;
  P.HasNote = false;
  EXPECT_EQ(refusalOf(P), "the program's headers have no room for a segment; "
                          "linked with --build-id they would");
  P = {};
  P.NoteComesFirst = true;
  EXPECT_EQ(refusalOf(P), "the program's headers have no room for a segment; "
                          "linked with --build-id they would");
  P = {};
  P.PointsElsewhere = true;
  EXPECT_EQ(refusalOf(P), "HIP's registration points to no bundle");
  P = {};
  P.IsRegistered = false;
  EXPECT_EQ(refusalOf(P),
            "no code of the program registers its bundles with HIP");
  P = {};
  P.Type = ET_REL;
  EXPECT_EQ(refusalOf(P), "it is not linked yet; the program or library that "
                          "it becomes part of can be changed");
}

TEST(FatBinaryWriter, SaysEarlyWhatItCannotChange) {
  const auto Check = [](Program P) {
    return detailOf(checkReplaceable(P.write()));
  };
  Program P;
  EXPECT_FALSE(errorToBool(checkReplaceable(P.write())));
  P.HasNote = false;
  EXPECT_EQ(Check(P), refusalOf(P));
  P = {};
  P.Type = ET_REL;
  EXPECT_EQ(Check(P), refusalOf(P));
  P = {};
  P.IsRegistered = false;
  EXPECT_EQ(Check(P), refusalOf(P));
  EXPECT_FALSE(errorToBool(checkReplaceable(readFile("gfx90a-v5.co"))));
  EXPECT_FALSE(errorToBool(checkReplaceable(bundleOf("gfx90a", "gfx1030"))));
}

TEST(FatBinaryWriter, ReplacesAgainWhatItHasReplaced) {
  for (bool HasRelocation : {false, true}) {
    Program P;
    P.HasRelocation = HasRelocation;
    P.Bundles = {bundleOf("gfx90a", "gfx1030"), bundleOf("gfx1030", "gfx90a")};
    const Bytes First = expectReplaced(P.write(), 0);
    const Bytes Second = expectReplaced(First, 3);
    expectBundlesLoaded(Second);
    // In the place of the first, and all else as it was.
    const Bytes Same = take(replaceCodeObjects(First, {}));
    EXPECT_EQ(Same, First);
    EXPECT_EQ(Program::registered(Second).front(),
              Program::registered(First).front());
  }
}

TEST(FatBinaryWriter, TakesNoSegmentThatHoldsAnythingElse) {
  Bytes First = expectReplaced(Program().write(), 0);
  First.push_back(0); // The segment does not end the file any more.
  EXPECT_EQ(errorOf(replaceCodeObjects(First, {})),
            "the program's headers have no room for a segment; linked with "
            "--build-id they would");
}

TEST(FatBinaryWriter, RefusesProgramsThatEndEarly) {
  const Bytes File = Program().write();
  for (size_t Size = 0; Size < File.size(); Size += Size < 700 ? 1 : 1021)
    EXPECT_NE(errorOf(replaceCodeObjects(ArrayRef(File).take_front(Size), {})),
              "")
        << Size;
}

TEST(FatBinaryWriter, SurvivesChangedBytes) {
  const uint64_t Seed = 20240609;
  std::mt19937_64 Random(Seed);
  Program P;
  P.HasRelocation = true;
  const Bytes File = P.write();
  Elf64_Ehdr H;
  std::memcpy(&H, File.data(), sizeof(H));
  size_t Written = 0;
  for (int Round = 0; Round < 3000; ++Round) {
    Bytes Damaged = File;
    for (unsigned I = 0, E = 1 + Random() % 4; I < E; ++I)
      // Of the headers, or the sections' headers.
      Damaged[Random() % 2 ? Random() % 240
                           : H.e_shoff + Random() % (File.size() - H.e_shoff)] =
          Random() % 4 ? Random() : 0xFF;
    auto New = replaceCodeObjects(Damaged, {});
    if (New)
      ++Written;
    else
      ASSERT_NE(detailOf(New.takeError()), "") << "round " << Round;
  }
  EXPECT_GT(Written, 100u) << "or this tests nothing";
}
