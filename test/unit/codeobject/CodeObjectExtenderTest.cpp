// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codeobject/CodeObjectExtender.h"
#include "TestInputs.h"
#include "codeobject/SourceLines.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELF.h"
#include <cstring>
#include <random>

using namespace llvm;
using namespace llvm::ELF;
using namespace luthier;
using namespace luthier::test;

namespace {

using Bytes = std::vector<uint8_t>;
using ElfFile = object::ELFFile<object::ELF64LE>;
using Relocation = CodeObjectExtension::Relocation;

/// New code for kernel "add", with two variables whose addresses are in it.
CodeObjectExtension extensionOf(const CodeObject &Object, size_t CodeSize = 512,
                                size_t DataSize = 24, size_t Zeros = 40) {
  CodeObjectExtension New;
  New.Code.assign(CodeSize, 0x5a);
  New.Data.assign(DataSize, 0xa5);
  New.Zeros = Zeros;
  const uint64_t Code = codeAddress(Object);
  const uint64_t Data = dataAddress(Object, CodeSize);
  New.Variables = {
      {"Filled", Data, DataSize},
      {"Cleared", zerosAddress(Object, CodeSize, DataSize), Zeros}};
  New.Relocations = {{Code + 4, Relocation::Absolute32Lo, "Filled", 8},
                     {Code + 8, Relocation::Absolute32Hi, "Cleared", 0},
                     {Data, Relocation::Absolute64, "", 0x1234}};
  if (const KernelInfo *Kernel = Object.findKernel("add")) {
    KernelMetadata Metadata = Kernel->Metadata;
    Metadata.VGPRs = 77;
    New.Kernels.try_emplace(
        "add", CodeObjectExtension::Kernel{Kernel->Descriptor, Metadata, Code,
                                           CodeSize});
  }
  return New;
}

/// Sections and segments of a file that can be changed in place.
struct Editor {
  explicit Editor(Bytes &File) : File(File) {}
  Elf64_Ehdr &header() { return *reinterpret_cast<Elf64_Ehdr *>(File.data()); }
  MutableArrayRef<Elf64_Shdr> sections() {
    return {reinterpret_cast<Elf64_Shdr *>(&File[header().e_shoff]),
            header().e_shnum};
  }
  MutableArrayRef<Elf64_Phdr> segments() {
    return {reinterpret_cast<Elf64_Phdr *>(&File[header().e_phoff]),
            header().e_phnum};
  }
  Elf64_Shdr &section(uint32_t Type) {
    return *find_if(sections(), [&](auto &S) { return S.sh_type == Type; });
  }
  Elf64_Phdr &segment(uint32_t Type) {
    return *find_if(segments(), [&](auto &P) { return P.p_type == Type; });
  }
  Bytes &File;
};

/// Names the section that holds \p Address, and checks what loaders rely on.
void expectLoadable(const Bytes &File) {
  Bytes Copy = File;
  Editor E(Copy);
  uint64_t End = 0;
  auto isLoaded = [&](const Elf64_Phdr &Inner) {
    return any_of(E.segments(), [&](const Elf64_Phdr &P) {
      return P.p_type == PT_LOAD && Inner.p_vaddr >= P.p_vaddr &&
             Inner.p_vaddr + Inner.p_filesz <= P.p_vaddr + P.p_filesz &&
             Inner.p_offset - P.p_offset == Inner.p_vaddr - P.p_vaddr;
    });
  };
  for (const Elf64_Phdr &P : E.segments()) {
    if (P.p_type == PT_LOAD) {
      EXPECT_GE(P.p_vaddr, End) << "segments overlap or are out of order";
      End = P.p_vaddr + P.p_memsz;
      EXPECT_EQ(P.p_vaddr % P.p_align, P.p_offset % P.p_align);
      EXPECT_LE(P.p_filesz, P.p_memsz);
      EXPECT_LE(P.p_offset + P.p_filesz, File.size());
    } else if (P.p_type == PT_PHDR || P.p_type == PT_DYNAMIC ||
               P.p_type == PT_NOTE) {
      EXPECT_TRUE(isLoaded(P)) << "type " << P.p_type;
    }
  }
  EXPECT_EQ(E.segment(PT_PHDR).p_offset, E.header().e_phoff);
  EXPECT_EQ(E.segment(PT_PHDR).p_filesz,
            E.segments().size() * sizeof(Elf64_Phdr));
}

/// The dynamic symbol of this name as a loader finds it: through DT_HASH.
const Elf64_Sym *lookUp(const Bytes &File, StringRef Name) {
  Bytes &Copy = const_cast<Bytes &>(File);
  Editor E(Copy);
  const Elf64_Phdr &Dynamic = E.segment(PT_DYNAMIC);
  uint64_t HashAt = 0, SymbolsAt = 0, NamesAt = 0;
  for (const auto *D = reinterpret_cast<Elf64_Dyn *>(&Copy[Dynamic.p_offset]);
       D->d_tag != DT_NULL; ++D) {
    if (D->d_tag == DT_HASH)
      HashAt = D->d_un.d_val;
    if (D->d_tag == DT_SYMTAB)
      SymbolsAt = D->d_un.d_val;
    if (D->d_tag == DT_STRTAB)
      NamesAt = D->d_un.d_val;
    EXPECT_NE(D->d_tag, DT_GNU_HASH) << "which was not brought up to date";
  }
  // Tables lie where their addresses say.
  const auto *Hash = reinterpret_cast<const uint32_t *>(&Copy[HashAt]);
  const auto *Symbols = reinterpret_cast<const Elf64_Sym *>(&Copy[SymbolsAt]);
  const uint32_t *Buckets = Hash + 2, *Chains = Buckets + Hash[0];
  for (uint32_t I = Buckets[object::hashSysV(Name) % Hash[0]]; I; I = Chains[I])
    if (Name == reinterpret_cast<char *>(&Copy[NamesAt + Symbols[I].st_name]))
      return &Symbols[I];
  return nullptr;
}

/// Extends \p Object and checks that the result is that and what was there.
Bytes expectExtended(const CodeObject &Object, const CodeObjectExtension &New) {
  Bytes File = take(extendCodeObject(Object, New));
  expectLoadable(File);
  const auto Read = take(CodeObject::create(File));
  EXPECT_EQ(Read->target(), Object.target());
  EXPECT_EQ(Read->version(), Object.version());
  EXPECT_EQ(Read->kernels().size(), Object.kernels().size());
  for (const KernelInfo &Old : Object.kernels()) {
    const KernelInfo &Kernel = *Read->findKernel(Old.Name);
    EXPECT_EQ(Kernel.DescriptorAddress, Old.DescriptorAddress);
    const bool IsNew = New.Kernels.contains(Old.Name);
    EXPECT_EQ(Kernel.EntryAddress,
              IsNew ? codeAddress(Object) : Old.EntryAddress);
    EXPECT_EQ(Kernel.CodeSize, IsNew ? New.Code.size() : Old.CodeSize);
    EXPECT_EQ(take(Read->contents(Old.EntryAddress, Old.CodeSize)),
              take(Object.contents(Old.EntryAddress, Old.CodeSize)));
  }
  EXPECT_EQ(take(Read->contents(codeAddress(Object), New.Code.size())),
            ArrayRef(New.Code));
  for (const CodeObjectExtension::Variable &V : New.Variables) {
    const Elf64_Sym *Found = lookUp(File, V.Name);
    if (!Found) {
      ADD_FAILURE() << V.Name << " is not found";
      continue;
    }
    EXPECT_EQ(Found->st_value, V.Address);
    EXPECT_EQ(Found->st_size, V.Size);
  }
  for (const KernelInfo &Old : Object.kernels())
    EXPECT_TRUE(lookUp(File, Old.Name + ".kd")) << Old.Name;
  return File;
}

Bytes fileOf(const char *Name) { return readFile(std::string(Name) + ".co"); }

/// Extends the file as \p Change leaves it.
template <typename T> Bytes extendChanged(const char *Name, T Change) {
  Bytes File = fileOf(Name);
  Change(File);
  const auto Object = take(CodeObject::create(File));
  return expectExtended(*Object, extensionOf(*Object));
}

std::string refusalOf(const Bytes &File) {
  const auto Object = take(CodeObject::create(File));
  return errorOf(extendCodeObject(*Object, extensionOf(*Object)));
}

} // namespace

TEST(CodeObjectExtender, KeepsWhatWasThereOnEveryTarget) {
  std::vector<std::string> Names = {"gfx90a-v4", "gfx90a-v6"};
  for (const char *Target : Targets)
    Names.push_back(std::string(Target) + "-v5");
  for (const std::string &Name : Names) {
    SCOPED_TRACE(Name);
    const auto Object = compiledKernels(Name);
    const Bytes File = expectExtended(*Object, extensionOf(*Object));
    // Descriptors and headers change in place, nothing else.
    Bytes Old(Object->bytes().begin(), Object->bytes().end());
    const uint64_t Descriptor = Object->findKernel("add")->DescriptorAddress;
    for (size_t At = sizeof(Elf64_Ehdr); At < Old.size(); ++At)
      if (At < Descriptor || At >= Descriptor + 64)
        ASSERT_EQ(File[At], Old[At]) << At;
    EXPECT_EQ(take(CodeObject::create(File))->findKernel("add")->Metadata.VGPRs,
              77u);
  }
}

TEST(CodeObjectExtender, RelocationsNameTheirVariables) {
  const auto Object = compiledKernels("gfx90a-v5");
  const Bytes File = expectExtended(*Object, extensionOf(*Object));
  const ElfFile Elf = take(ElfFile::create(toStringRef(File)));
  std::vector<std::string> Found;
  for (const auto &Section : take(Elf.sections())) {
    if (Section.sh_type != SHT_RELA)
      continue;
    const auto *Symbols = take(Elf.getSection(Section.sh_link));
    for (const auto &R : take(Elf.relas(Section))) {
      std::string Name;
      if (const auto *S = take(Elf.getRelocationSymbol(R, Symbols)))
        Name = take(S->getName(take(Elf.getStringTableForSymtab(*Symbols))));
      Found.push_back(std::to_string(R.getType(false)) + " " + Name + " " +
                      std::to_string(R.r_addend));
    }
  }
  EXPECT_TRUE(
      is_contained(Found, std::to_string(R_AMDGPU_ABS32_LO) + " Filled 8"));
  EXPECT_TRUE(
      is_contained(Found, std::to_string(R_AMDGPU_ABS32_HI) + " Cleared 0"));
  EXPECT_TRUE(
      is_contained(Found, std::to_string(R_AMDGPU_RELATIVE64) + "  4660"));
}

TEST(CodeObjectExtender, RelocationsNameWhatLoadersKnow) {
  const auto Object = compiledKernels("gfx90a-v5");
  CodeObjectExtension New = extensionOf(*Object);
  New.Relocations.front().Variable = "add.kd";
  expectExtended(*Object, New);
  New.Relocations.front().Variable = "hidden.kd";
  EXPECT_EQ(errorOf(extendCodeObject(*Object, New)),
            "loaders do not know the symbol hidden.kd");
}

TEST(CodeObjectExtender, TakesEverySize) {
  const auto Object = compiledKernels("gfx90a-v5");
  for (size_t Code : {4, 4092, 4096, 4100, 70000})
    for (size_t Data : {0, 1, 4095, 4096, 4097})
      for (size_t Zeros : {0, 1, 4097, 100000}) {
        SCOPED_TRACE(std::to_string(Code) + " " + std::to_string(Data) + " " +
                     std::to_string(Zeros));
        expectExtended(*Object, extensionOf(*Object, Code, Data, Zeros));
      }
}

TEST(CodeObjectExtender, TakesFilesWithoutMetadata) {
  const Bytes File = extendChanged("gfx90a-v5", [](Bytes &F) {
    Editor(F).section(SHT_NOTE).sh_type = SHT_PROGBITS;
    Editor(F).segment(PT_NOTE).p_type = PT_NULL;
  });
  EXPECT_TRUE(take(CodeObject::create(File))->metadataBlob().empty());
}

TEST(CodeObjectExtender, LeavesOtherNotesAlone) {
  for (const char *Name : {"build-id", "build-id-gnu-hash"}) {
    SCOPED_TRACE(Name);
    const auto Object = compiledKernels(Name);
    const auto Old = Object->section(".note.gnu.build-id");
    ASSERT_TRUE(Old);
    const Bytes File = expectExtended(*Object, extensionOf(*Object));
    const auto Read = take(CodeObject::create(File));
    EXPECT_EQ(Read->section(".note.gnu.build-id"), Old);
    EXPECT_EQ(Read->findKernel("add")->Metadata.VGPRs, 77u);
    EXPECT_EQ(Read->findKernel("useStack")->Metadata.VGPRs,
              Object->findKernel("useStack")->Metadata.VGPRs);
  }
}

/// Owners and sizes of what \p Notes has.
template <typename T>
std::vector<std::string> notesIn(const Bytes &File, const T &Notes) {
  const ElfFile Elf = take(ElfFile::create(toStringRef(File)));
  std::vector<std::string> Found;
  Error Failed = Error::success();
  for (const auto Note : Elf.notes(Notes, Failed))
    Found.push_back(Note.getName().str() + " " +
                    std::to_string(unsigned(Note.getType())));
  EXPECT_FALSE(errorToBool(std::move(Failed)));
  return Found;
}

TEST(CodeObjectExtender, KeepsTheNotesThatShareASegmentWithTheMetadata) {
  const auto Object = compiledKernels("build-id");
  const std::string BuildID =
      toStringRef(ArrayRef(*Object->section(".note.gnu.build-id")).take_back(8))
          .str();
  const Bytes File = expectExtended(*Object, extensionOf(*Object));
  const ElfFile Elf = take(ElfFile::create(toStringRef(File)));
  std::vector<std::string> Loaded;
  for (const auto &P : take(Elf.program_headers()))
    if (P.p_type == PT_NOTE) {
      append_range(Loaded, notesIn(File, P));
      EXPECT_TRUE(toStringRef(ArrayRef(File).slice(P.p_offset, P.p_filesz))
                      .contains(BuildID));
    }
  const std::vector<std::string> Expected = {"AMDGPU 32", "GNU 3"};
  EXPECT_EQ(Loaded, Expected);
  // As a section it is where it was.
  for (const auto &S : take(Elf.sections()))
    if (S.sh_type == SHT_NOTE)
      EXPECT_EQ(notesIn(File, S).size(), 1u);
}

TEST(CodeObjectExtender, MergesTheNotesOfSeveralPartitions) {
  const auto Object = compiledKernels("two-notes");
  ASSERT_EQ(Object->kernels().size(), 2u);
  for (const KernelInfo &Kernel : Object->kernels())
    EXPECT_EQ(Kernel.Metadata.KernargSegmentSize,
              Kernel.Name == "one" ? 8u : 16u);
  CodeObjectExtension New = extensionOf(*Object);
  const KernelInfo &One = *Object->findKernel("one");
  KernelMetadata Metadata = One.Metadata;
  Metadata.VGPRs = 77;
  New.Kernels.try_emplace(
      "one", CodeObjectExtension::Kernel{One.Descriptor, Metadata,
                                         codeAddress(*Object), 512});
  const Bytes File = expectExtended(*Object, New);
  const auto Read = take(CodeObject::create(File));
  EXPECT_EQ(Read->findKernel("one")->Metadata.VGPRs, 77u);
  EXPECT_EQ(Read->findKernel("two")->Metadata.KernargSegmentSize, 16u);
  const ElfFile Elf = take(ElfFile::create(toStringRef(File)));
  const std::vector<std::string> Expected = {"AMDGPU 32"};
  for (const auto &P : take(Elf.program_headers()))
    if (P.p_type == PT_NOTE)
      EXPECT_EQ(notesIn(File, P), Expected);
}

TEST(CodeObjectExtender, RefusesMetadataInSeveralSegments) {
  Bytes File = fileOf("gfx90a-v5");
  Editor E(File);
  Elf64_Phdr &Unused = E.segment(PT_GNU_STACK);
  Unused = E.segment(PT_NOTE);
  EXPECT_EQ(refusalOf(File),
            "metadata in more than one segment or section of notes");
}

TEST(CodeObjectExtender, TakesFilesWithOnlyAGnuHash) {
  const auto Object = compiledKernels("build-id-gnu-hash");
  Bytes Old(Object->bytes().begin(), Object->bytes().end());
  ASSERT_TRUE(none_of(Editor(Old).sections(),
                      [](auto &S) { return S.sh_type == SHT_HASH; }));
  expectExtended(*Object, extensionOf(*Object));
}

TEST(CodeObjectExtender, TakesManySections) {
  extendChanged("gfx90a-v5", [](Bytes &F) {
    Elf64_Shdr Empty{};
    Empty.sh_type = SHT_PROGBITS;
    const auto Old = Editor(F).sections();
    std::vector<Elf64_Shdr> Table(Old.begin(), Old.end());
    Table.resize(Table.size() + 3000, Empty);
    // At an odd place, as no rule says otherwise.
    Editor(F).header().e_shoff = F.size() + 3;
    Editor(F).header().e_shnum = Table.size();
    F.resize(F.size() + 3);
    const auto *Begin = reinterpret_cast<uint8_t *>(Table.data());
    F.insert(F.end(), Begin, Begin + Table.size() * sizeof(Elf64_Shdr));
  });
}

TEST(CodeObjectExtender, TakesSymbolsWithoutASize) {
  extendChanged("gfx90a-v5", [](Bytes &F) {
    for (uint32_t Type : {SHT_DYNSYM, SHT_SYMTAB}) {
      const Elf64_Shdr Table = Editor(F).section(Type);
      auto *Symbols = reinterpret_cast<Elf64_Sym *>(&F[Table.sh_offset]);
      for (size_t I = 0; I != Table.sh_size / sizeof(Elf64_Sym); ++I)
        if (Symbols[I].getType() == STT_FUNC)
          Symbols[I].st_size = 0;
    }
  });
  const auto Object = compiledKernels("gfx90a-v5");
  CodeObjectExtension New = extensionOf(*Object);
  New.Variables.push_back({"Empty", New.Variables.back().Address, 0});
  expectExtended(*Object, New);
}

/// Changes all kernels of \p Object; the lines of each are 100 and 200.
CodeObjectExtension withLines(const CodeObject &Object) {
  constexpr size_t CodeSize = 512;
  CodeObjectExtension New;
  for (const KernelInfo &Kernel : Object.kernels()) {
    LineTable Lines;
    const unsigned File = Lines.fileIndex("/src/" + Kernel.Name + ".hip");
    Lines.append({0, File, 100, 1});
    Lines.append({8, File, 200, 2});
    const uint64_t At = codeAddress(Object) + New.Code.size();
    New.Kernels.try_emplace(Kernel.Name, CodeObjectExtension::Kernel{
                                             Kernel.Descriptor, Kernel.Metadata,
                                             At, CodeSize, std::move(Lines)});
    New.Code.resize(New.Code.size() + CodeSize);
  }
  return New;
}

TEST(CodeObjectExtender, AddsLinesToThoseThatThereAre) {
  std::vector<uint8_t> Old = readFile("lines.co");
  for (bool HasLines : {true, false}) {
    const auto Object =
        HasLines ? take(CodeObject::create(Old)) : compiledKernels("gfx90a-v5");
    const CodeObjectExtension New = withLines(*Object);
    const auto Longer =
        take(CodeObject::create(take(extendCodeObject(*Object, New))));
    ASSERT_GT(Object->kernels().size(), 1u);
    for (const KernelInfo &Kernel : Object->kernels()) {
      SCOPED_TRACE(Kernel.Name);
      const KernelInfo &Moved = *Longer->findKernel(Kernel.Name);
      const SourceLines &Lines = Longer->lines();
      const std::string File = "/src/" + Kernel.Name + ".hip";
      EXPECT_EQ(Lines.describe(Moved.EntryAddress), File + ":100");
      EXPECT_EQ(Lines.describe(Moved.EntryAddress + 508), File + ":200");
      const SourceLines &Before = Object->lines(), &After = Longer->lines();
      EXPECT_EQ(Before.empty(), !HasLines);
      for (uint64_t N = 0; N < Kernel.CodeSize; N += 4)
        EXPECT_EQ(After.describe(Kernel.EntryAddress + N),
                  Before.describe(Kernel.EntryAddress + N));
    }
  }
}

TEST(CodeObjectExtender, LeavesCompressedDebugInformationAlone) {
  Bytes File = take(CodeObject::create(readFile("lines.co")))->bytes().vec();
  Editor E(File);
  const Elf64_Shdr &Names = E.sections()[E.header().e_shstrndx];
  unsigned Compressed = 0;
  for (Elf64_Shdr &S : E.sections())
    if (StringRef(reinterpret_cast<const char *>(
            &File[Names.sh_offset + S.sh_name])) == ".debug_line") {
      S.sh_flags |= SHF_COMPRESSED;
      ++Compressed;
    }
  ASSERT_EQ(Compressed, 1u);
  const auto Object = take(CodeObject::create(File));
  Bytes Longer = take(extendCodeObject(*Object, withLines(*Object)));
  const auto After = Editor(Longer).sections();
  ASSERT_GT(After.size(), E.sections().size());
  for (auto [Before, Now] : zip(E.sections(), After))
    if (!(Before.sh_flags & SHF_ALLOC) && Before.sh_type == SHT_PROGBITS) {
      EXPECT_EQ(Now.sh_offset, Before.sh_offset);
      EXPECT_EQ(Now.sh_size, Before.sh_size);
      EXPECT_EQ(Now.sh_flags, Before.sh_flags);
    }
}

TEST(CodeObjectExtender, RefusesWhatItCannotExtend) {
  const auto Changed = [](auto Change) {
    Bytes File = fileOf("gfx90a-v5");
    Change(Editor(File));
    return refusalOf(File);
  };
  EXPECT_EQ(Changed([](Editor E) { E.segment(PT_DYNAMIC).p_type = PT_NULL; }),
            "no dynamic symbols to add to");
  EXPECT_EQ(
      Changed([](Editor E) { E.section(SHT_DYNAMIC).sh_type = SHT_PROGBITS; }),
      "no dynamic symbols to add to");
  EXPECT_EQ(Changed([](Editor E) { E.section(SHT_DYNSYM).sh_size = 0; }),
            "no dynamic symbols to add to");
  EXPECT_EQ(Changed([](Editor E) { E.section(SHT_HASH).sh_offset = 1 << 30; }),
            "a section ends beyond the file");
  EXPECT_EQ(Changed([](Editor E) {
              E.section(SHT_DYNSYM).sh_link = E.header().e_shstrndx;
            }),
            "symbols and sections share a table of names");
  EXPECT_EQ(Changed([](Editor E) {
              E.segments().back().p_type = PT_LOAD;
              E.segments().back().p_vaddr = uint64_t(1) << 40;
              E.segments().back().p_memsz = 0;
            }).substr(0, 35),
            "the file would have to be 0x1000000");
  EXPECT_EQ(Changed([](Editor E) {
              E.segments().back().p_type = PT_LOAD;
              E.segments().back().p_vaddr = UINT64_MAX - 0x1000;
              E.segments().back().p_memsz = 0x2000;
            }),
            "a segment wraps around the address space");
}

// RCCL's kernels have 43 MB of code each, and several times that with hooks.
TEST(CodeObjectExtender, TakesAnyAmountOfCode) {
  const auto Object = compiledKernels("gfx90a-v5");
  const size_t Code = (size_t(1) << 28) + 4096;
  const Bytes Longer =
      take(extendCodeObject(*Object, extensionOf(*Object, Code)));
  EXPECT_GT(Longer.size(), Code);
  const Elf64_Sym *Filled = lookUp(Longer, "Filled");
  ASSERT_NE(Filled, nullptr);
  EXPECT_EQ(Filled->st_value, dataAddress(*Object, Code));
}

TEST(CodeObjectExtender, TakesSoManyZerosAndNoMore) {
  const auto Object = compiledKernels("gfx90a-v5");
  constexpr size_t Code = 4097, Data = 24, Most = size_t(1) << 28;
  const size_t Zeros = Object->bytes().size() + Code + Data + Most -
                       zerosAddress(*Object, Code, Data);
  take(extendCodeObject(*Object, extensionOf(*Object, Code, Data, Zeros)));
  auto Longer =
      extendCodeObject(*Object, extensionOf(*Object, Code, Data, Zeros + 1));
  ASSERT_FALSE(bool(Longer));
  handleAllErrors(Longer.takeError(), [](const Refusal &R) {
    EXPECT_EQ(R.reason(), RefusalReason::LinkFailed);
  });
}

TEST(CodeObjectExtender, RefusesNamesThatAreTaken) {
  const auto Object = compiledKernels("gfx90a-v5");
  CodeObjectExtension New = extensionOf(*Object);
  New.Variables[0].Name = "_Z10notAKernelPU3AS1i";
  EXPECT_EQ(errorOf(extendCodeObject(*Object, New)),
            "the tool's variable _Z10notAKernelPU3AS1i has a name that is "
            "taken already");
  New.Variables[0].Name = New.Variables[1].Name;
  EXPECT_EQ(errorOf(extendCodeObject(*Object, New)),
            "the tool's variable Cleared has a name that is taken already");
  New = extensionOf(*Object);
  New.Kernels.try_emplace("absent", New.Kernels.find("add")->second);
  EXPECT_EQ(errorOf(extendCodeObject(*Object, New)), "no kernel absent");
}

/// Damaged files are extended or refused, never a crash, and never by more than
/// was added.
TEST(CodeObjectExtender, SurvivesChangedBytes) {
  const uint64_t Seed = 20240608;
  std::mt19937_64 Random(Seed);
  const Bytes File = fileOf("gfx90a-v5");
  const auto Original = take(CodeObject::create(File));
  const uint64_t Headers = Editor(const_cast<Bytes &>(File)).header().e_shoff;
  size_t Extended = 0;
  for (int Round = 0; Round < 3000; ++Round) {
    Bytes Damaged = File;
    for (unsigned I = 0, E = 1 + Random() % 4; I < E; ++I) {
      // Of program headers, or section headers.
      const size_t At = Random() % 2
                            ? 64 + Random() % 0x200
                            : Headers + Random() % (File.size() - Headers);
      Damaged[At] = Random() % 4 ? Random() : 0xFF;
    }
    auto Object = CodeObject::create(Damaged);
    if (!Object) {
      consumeError(Object.takeError());
      continue;
    }
    auto New = extendCodeObject(**Object, extensionOf(**Object));
    if (New) {
      ++Extended;
      ASSERT_LE(New->size(), size_t(1) << 29) << "round " << Round;
    } else {
      ASSERT_NE(detailOf(New.takeError()), "") << "round " << Round;
    }
  }
  EXPECT_GT(Extended, 100u) << "or this tests nothing";
}
