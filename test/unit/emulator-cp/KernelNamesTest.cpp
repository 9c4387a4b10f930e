// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/cp/KernelNames.h"
#include "emulator/cp/LoadedElf.h"
#include "llvm/Object/ELF.h"
#include "llvm/Object/ELFTypes.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"
#include <cstring>
#include <random>
#include <sys/mman.h>

namespace luthier::emulator {
namespace {

using ElfFile = llvm::object::ELFFile<llvm::object::ELF64LE>;

/// Loads two-kernels.co the way a loader does, three pages into a mapping.
class KernelNamesTest : public testing::Test {
protected:
  static constexpr uint64_t Lead = 3 * 4096, Bytes = 16 * 4096;

  void SetUp() override {
    auto File = llvm::MemoryBuffer::getFile(CODE_OBJECT);
    ASSERT_TRUE(bool(File));
    auto Elf = llvm::cantFail(ElfFile::create((*File)->getBuffer()));
    void *Map = ::mmap(nullptr, Bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(Map, MAP_FAILED);
    Mapping = reinterpret_cast<uint64_t>(Map);
    Base = Mapping + Lead;
    for (const auto &Segment : llvm::cantFail(Elf.program_headers()))
      if (Segment.p_type == llvm::ELF::PT_LOAD)
        std::memcpy(reinterpret_cast<void *>(Base + Segment.p_vaddr),
                    Elf.base() + Segment.p_offset, Segment.p_filesz);
    for (const auto &Section : llvm::cantFail(Elf.sections())) {
      if (Section.sh_type != llvm::ELF::SHT_SYMTAB)
        continue;
      auto Names = llvm::cantFail(Elf.getStringTableForSymtab(Section));
      for (const auto &Symbol : llvm::cantFail(Elf.symbols(&Section))) {
        llvm::StringRef Name = llvm::cantFail(Symbol.getName(Names));
        if (Name == "first.kd")
          First = Base + Symbol.st_value;
        if (Name == "_Z6secondPf.kd")
          Second = Base + Symbol.st_value;
      }
    }
    ASSERT_TRUE(First && Second);
    Space.map(Mapping, Bytes);
  }
  void TearDown() override {
    ::munmap(reinterpret_cast<void *>(Mapping), Bytes);
  }

  AddressSpace Space;
  uint64_t Mapping = 0, Base = 0, First = 0, Second = 0;
};

TEST_F(KernelNamesTest, ComeFromTheLoadedSymbols) {
  for (auto [Object, Name] :
       {std::pair(First, "first"), {Second, "_Z6secondPf"}}) {
    const auto Found = findKernelSymbol(Space, Object);
    ASSERT_TRUE(Found) << Name;
    EXPECT_EQ(Found->Name, Name);
    EXPECT_EQ(Found->CodeBase, Base);
  }
}

TEST_F(KernelNamesTest, AnAddressThatIsNoKernelHasNone) {
  EXPECT_FALSE(findKernelSymbol(Space, First + 64 + 4096));
  EXPECT_FALSE(findKernelSymbol(Space, Mapping));
  EXPECT_FALSE(findKernelSymbol(Space, 0x1000));
}

TEST_F(KernelNamesTest, DigestsAreOfTheCodeObjectAndNotOfWhereItLies) {
  auto Digest = [](uint64_t At) {
    return LoadedElf::at(At, At + Bytes - Lead).value().digest();
  };
  const std::string Own = Digest(Base);
  EXPECT_EQ(Own.size(), 16u);
  std::vector<uint64_t> Other(Bytes / sizeof(uint64_t));
  std::memcpy(Other.data(), reinterpret_cast<const void *>(Base), Bytes - Lead);
  const auto There = reinterpret_cast<uint64_t>(Other.data());
  EXPECT_EQ(Digest(There), Own);
  // As a build with other sections that are not loaded has it.
  reinterpret_cast<llvm::ELF::Elf64_Ehdr *>(Other.data())->e_shoff += 8;
  EXPECT_NE(Digest(There), Own);
}

TEST_F(KernelNamesTest, AHeaderLeftInBetweenIsSkipped) {
  const uint64_t Stale = First & ~uint64_t(4095);
  ASSERT_NE(Stale, Base);
  std::memcpy(reinterpret_cast<void *>(Stale),
              reinterpret_cast<const void *>(Base), 64);
  EXPECT_EQ(findKernelSymbol(Space, First).value().Name, "first");
}

TEST_F(KernelNamesTest, DamagedCodeObjectsAreSurvived) {
  const unsigned Seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(Seed));
  std::mt19937 Random(Seed);
  const std::vector<uint8_t> Good(reinterpret_cast<uint8_t *>(Base),
                                  reinterpret_cast<uint8_t *>(Base) + 8192);
  for (unsigned Round = 0; Round < 5000; ++Round) {
    std::memcpy(reinterpret_cast<void *>(Base), Good.data(), Good.size());
    for (unsigned I = 0; I < 8; ++I)
      reinterpret_cast<uint8_t *>(Base)[4 + Random() % 2044] =
          uint8_t(Random());
    (void)findKernelSymbol(Space, First);
  }
}

TEST_F(KernelNamesTest, LookupForgetsWhenMappingsChange) {
  KernelNames Names(Space);
  EXPECT_EQ(Names.lookup(First, {}).Name, "first");
  std::memset(reinterpret_cast<void *>(Base), 0, 64);
  EXPECT_EQ(Names.lookup(First, {}).Name, "first");
  Space.map(0x1000, 0x1000);
  EXPECT_EQ(Names.lookup(First, {}).Name.rfind("kernel_0x", 0), 0u);
}

TEST_F(KernelNamesTest, BlitKernelsAreToldByTheirRegisters) {
  KernelObject Blit;
  Blit.HasLegacyHeader = true;
  KernelNames Names(Space);
  Blit.ComputePgmRsrc1 = 3 << 6 | 2;
  EXPECT_EQ(Names.lookup(Mapping, Blit).Name, "rocr.copy_aligned");
  Blit.ComputePgmRsrc1 = 9 << 6 | 2;
  EXPECT_EQ(Names.lookup(Mapping + 64, Blit).Name, "rocr.blit");
}

} // namespace
} // namespace luthier::emulator
