// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codeobject/CodeObjectWriter.h"
#include "TestInputs.h"
#include "llvm/BinaryFormat/ELF.h"
#include <thread>

using namespace llvm;
using namespace luthier;
using namespace luthier::test;

namespace {

KernelImage imageOf(const CodeObject &Object, const KernelInfo &Kernel) {
  return {Kernel.Name,
          take(Object.contents(Kernel.EntryAddress, Kernel.CodeSize)), 0,
          Kernel.Descriptor};
}

/// Compares all but the distance to the code.
void expectSameDescriptor(KernelDescriptor A, KernelDescriptor B) {
  A.raw().kernel_code_entry_byte_offset = 0;
  B.raw().kernel_code_entry_byte_offset = 0;
  EXPECT_EQ(std::memcmp(&A.raw(), &B.raw(), sizeof(A.raw())), 0);
}

/// Writes \p Kernel unchanged and reads it back.
void expectRoundTrip(const CodeObject &Object, const KernelInfo &Kernel) {
  SCOPED_TRACE(Object.target().str() + " " + Kernel.Name);
  const KernelImage Image = imageOf(Object, Kernel);
  const auto Bytes = take(writeCodeObject(Object, Image, Kernel.Metadata));
  const auto Written = take(CodeObject::create(Bytes));
  EXPECT_EQ(Written->target(), Object.target());
  EXPECT_EQ(Written->version(), Object.version());
  EXPECT_EQ(Written->elfFlags(), Object.elfFlags());
  EXPECT_EQ(Written->abiVersion(), Object.abiVersion());
  EXPECT_TRUE(Written->functions().empty());
  ASSERT_EQ(Written->kernels().size(), 1u);

  const KernelInfo &Copy = Written->kernels()[0];
  EXPECT_EQ(Copy.Name, Kernel.Name);
  EXPECT_EQ(Copy.DescriptorAddress % 64, 0u);
  EXPECT_EQ(Copy.EntryAddress % 256, 0u);
  expectSameDescriptor(Copy.Descriptor, Kernel.Descriptor);
  EXPECT_EQ(take(Written->contents(Copy.EntryAddress, Copy.CodeSize)),
            Image.Code);
  EXPECT_EQ(Copy.Metadata.VGPRs, Kernel.Metadata.VGPRs);
  EXPECT_EQ(Copy.Metadata.SGPRs, Kernel.Metadata.SGPRs);
  EXPECT_EQ(Copy.Metadata.AGPRs, Kernel.Metadata.AGPRs);
  EXPECT_EQ(Copy.Metadata.KernargSegmentSize,
            Kernel.Metadata.KernargSegmentSize);
  // What the hardware fetches ahead of the last instruction.
  EXPECT_EQ(
      take(Written->contents(Copy.EntryAddress + Copy.CodeSize, 1024)).size(),
      1024u);
}

} // namespace

TEST(CodeObjectWriter, WritesEveryKernelSoThatItReadsTheSame) {
  for (const char *Name :
       {"gfx906-v5", "gfx908-v5", "gfx90a-v4", "gfx90a-v5", "gfx90a-v6",
        "gfx90a:sramecc+:xnack--v5", "gfx942-v5", "gfx950-v5", "gfx1030-v5",
        "gfx1100-v5", "gfx1201-v5"}) {
    const auto Object = compiledKernels(Name);
    for (const KernelInfo &Kernel : Object->kernels())
      expectRoundTrip(*Object, Kernel);
  }
}

TEST(CodeObjectWriter, WritesTheKernelsOfRocrand) {
  const auto File = readFile(ROCRAND);
  for (const BundledCodeObject &Image : take(findCodeObjects(File)))
    if (Image.Target.str() == "gfx90a:xnack-") {
      const auto Object = take(CodeObject::create(Image.Bytes));
      for (const KernelInfo &Kernel : Object->kernels())
        expectRoundTrip(*Object, Kernel);
    }
}

TEST(CodeObjectWriter, BringsRegisterCountsUpToDate) {
  const auto Object = compiledKernels("gfx90a-v5");
  const KernelInfo &Kernel = *Object->findKernel("add");
  const RegisterFileTraits &Traits = *registerFileTraits("gfx90a");
  KernelImage Image = imageOf(*Object, Kernel);
  KernelMetadata Metadata = Kernel.Metadata;
  Metadata.VGPRs = 77;
  Metadata.SGPRs = 55;
  Metadata.PrivateSegmentSize = 128;
  Image.Descriptor.setVGPRs(77, 0, Traits);
  const auto Bytes = take(writeCodeObject(*Object, Image, Metadata));
  const auto Written = take(CodeObject::create(Bytes));
  const KernelInfo &Copy = Written->kernels()[0];
  EXPECT_EQ(Copy.Metadata.VGPRs, 77u);
  EXPECT_EQ(Copy.Metadata.SGPRs, 55u);
  EXPECT_EQ(Copy.Metadata.PrivateSegmentSize, 128u);
  EXPECT_EQ(Copy.Descriptor.allocatedVGPRs(Traits), 80u);
  // What only the original's entry says is still there.
  EXPECT_TRUE(Written->metadataBlob().contains(".args"));
  EXPECT_TRUE(Written->metadataBlob().contains("amdhsa.version"));
  EXPECT_FALSE(Written->metadataBlob().contains("useStack"));
}

TEST(CodeObjectWriter, WritesCodeLargerThanAPipeHolds) {
  const auto Object = compiledKernels("gfx90a-v5");
  KernelImage Image = imageOf(*Object, *Object->findKernel("add"));
  std::vector<uint8_t> Code(9 << 20);
  for (size_t I = 0; I < Code.size(); ++I)
    Code[I] = I * 2654435761u >> 13;
  Image.Code = Code;
  Image.EntryOffset = 512;
  const auto Bytes = take(writeCodeObject(*Object, Image, {}));
  const auto Written = take(CodeObject::create(Bytes));
  const KernelInfo &Copy = Written->kernels()[0];
  EXPECT_EQ(Copy.CodeSize, Code.size() - 512);
  EXPECT_EQ(take(Written->contents(Copy.EntryAddress - 512, Code.size())),
            ArrayRef(Code));
}

TEST(CodeObjectWriter, MakesUpMetadataThatIsMissing) {
  const auto Object = compiledKernels("gfx90a-v5");
  KernelImage Image = imageOf(*Object, *Object->findKernel("add"));
  Image.Name = "not.in the metadata";
  KernelMetadata Metadata;
  Metadata.KernargSegmentSize = 24;
  const auto Bytes = take(writeCodeObject(*Object, Image, Metadata));
  const auto Written = take(CodeObject::create(Bytes));
  ASSERT_EQ(Written->kernels().size(), 1u);
  EXPECT_EQ(Written->kernels()[0].Name, Image.Name);
  EXPECT_EQ(Written->kernels()[0].Metadata.KernargSegmentSize, 24u);
}

TEST(CodeObjectWriter, RefusesEntriesTheHardwareCannotStartAt) {
  const auto Object = compiledKernels("gfx90a-v5");
  KernelImage Image = imageOf(*Object, *Object->findKernel("add"));
  for (uint64_t Offset : {4, 128, 1 << 20}) {
    Image.EntryOffset = Offset;
    EXPECT_NE(errorOf(writeCodeObject(*Object, Image, {})), "") << Offset;
  }
}

TEST(CodeObjectWriter, LinksForSeveralThreads) {
  const auto Object = compiledKernels("gfx90a-v5");
  const KernelInfo &Kernel = *Object->findKernel("useStack");
  const auto Expected =
      take(writeCodeObject(*Object, imageOf(*Object, Kernel), Kernel.Metadata));
  std::vector<std::thread> Threads;
  for (int I = 0; I < 4; ++I)
    Threads.emplace_back([&] {
      for (int J = 0; J < 20; ++J)
        EXPECT_EQ(take(writeCodeObject(*Object, imageOf(*Object, Kernel),
                                       Kernel.Metadata)),
                  Expected);
    });
  for (std::thread &Thread : Threads)
    Thread.join();
}
