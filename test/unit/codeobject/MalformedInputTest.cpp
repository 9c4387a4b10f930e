// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Damaged files: an error that says something, never a crash. Run with the
// address and undefined behaviour sanitizers to get everything out of these.
#include "TestInputs.h"
#include "llvm/BinaryFormat/ELF.h"
#include <random>

using namespace llvm;
using namespace luthier;
using namespace luthier::test;

namespace {

/// Everything a user of the code object would touch.
void useAll(const CodeObject &Object) {
  size_t Bytes = 0;
  for (const KernelInfo &Kernel : Object.kernels()) {
    Bytes += take(Object.contents(Kernel.EntryAddress, Kernel.CodeSize)).size();
    if (const auto *T = registerFileTraits(Object.target().Processor))
      Bytes += Kernel.Descriptor.allocatedVGPRs(*T) +
               Kernel.Descriptor.vgprLimit(*T) +
               Kernel.Descriptor.allocatedSGPRs(*T) +
               Kernel.Descriptor.wavesPerSIMD(*T);
    Bytes += Object.findKernel(Kernel.Name)->Name.size();
  }
  for (const char *Name : {".text", ".nothing"})
    if (auto Section = Object.section(Name))
      Bytes += Section->size();
  EXPECT_GE(Bytes, 0u);
}

} // namespace

TEST(MalformedInput, EveryPrefixOfACodeObjectIsAnError) {
  const auto File = readFile("gfx90a-v5.co");
  for (size_t Size = 0; Size < File.size(); ++Size)
    ASSERT_NE(errorOf(CodeObject::create(ArrayRef(File).take_front(Size))), "")
        << Size;
}

TEST(MalformedInput, PrefixesOfALibraryAreErrorsOrHoldWhatTheyHold) {
  const auto File = readFile(ROCRAND);
  std::mt19937_64 Random(2024);
  for (int I = 0; I < 200; ++I) {
    const size_t Size = Random() % File.size();
    auto Images = findCodeObjects(ArrayRef(File).take_front(Size));
    // Section headers are at the end, so all but the shortest are incomplete.
    if (Size >= 4)
      ASSERT_NE(errorOf(std::move(Images)), "") << Size;
    else
      ASSERT_TRUE(take(std::move(Images)).empty());
  }
}

TEST(MalformedInput, ChangedBytesAreReadOrRefused) {
  const uint64_t Seed = 20240607;
  std::mt19937_64 Random(Seed);
  for (const char *Name : {"gfx90a-v5.co", "gfx1030-v5.co", "gfx90a-v4.co"}) {
    const auto File = readFile(Name);
    for (int Round = 0; Round < 4000; ++Round) {
      auto Damaged = File;
      for (unsigned I = 0, E = 1 + Random() % 8; I < E; ++I) {
        // Half of them where structure is: the headers.
        const size_t At =
            Random() % 2 ? Random() % 0x600 : Random() % Damaged.size();
        Damaged[At] = Random() % 4 ? Random() : 0xFF;
      }
      auto Object = CodeObject::create(Damaged);
      if (Object)
        useAll(**Object);
      else
        ASSERT_NE(detailOf(Object.takeError()), "")
            << Name << ", round " << Round << " of seed " << Seed;
    }
  }
}

TEST(MalformedInput, EveryByteOfTheHeadersCanBeWrong) {
  const auto File = readFile("gfx90a-v5.co");
  for (size_t At = 0; At < 0x800; ++At)
    for (uint8_t Value : {0x00, 0x01, 0x7F, 0x80, 0xFF}) {
      auto Damaged = File;
      Damaged[At] = Value;
      auto Object = CodeObject::create(Damaged);
      if (Object)
        useAll(**Object);
      else
        ASSERT_NE(detailOf(Object.takeError()), "") << At;
    }
}

TEST(MalformedInput, SaysWhatIsWrong) {
  const auto File = readFile("gfx90a-v5.co");
  const auto With = [&](size_t At, uint8_t Value) {
    auto Damaged = File;
    Damaged[At] = Value;
    return errorOf(CodeObject::create(Damaged));
  };
  EXPECT_EQ(With(0, 0), "not an ELF file");
  EXPECT_EQ(With(ELF::EI_CLASS, ELF::ELFCLASS32),
            "not a 64-bit little-endian ELF file");
  EXPECT_EQ(With(ELF::EI_OSABI, 0),
            "OS ABI 0 is not that of the HSA runtime (64)");
  EXPECT_EQ(With(ELF::EI_ABIVERSION, 1),
            "code object version 3 is too old; 4, 5 and 6 are supported");
  EXPECT_EQ(With(offsetof(ELF::Elf64_Ehdr, e_type), ELF::ET_REL),
            "not linked: ELF type 1");
  EXPECT_EQ(With(offsetof(ELF::Elf64_Ehdr, e_machine), ELF::EM_X86_64),
            "ELF for machine 62, not for AMD GPUs (224)");
  EXPECT_EQ(With(offsetof(ELF::Elf64_Ehdr, e_flags), 0xFF),
            "e_flags 0x5FF name a processor that is not known");
  EXPECT_EQ(errorOf(CodeObject::create(ArrayRef(File).take_front(20))),
            "ELF header is truncated to 20 bytes");
}
