// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TestInputs.h"
#include "llvm/Support/Compression.h"
#include <string>

using namespace llvm;
using namespace luthier;
using namespace luthier::test;

namespace {

template <typename T> void append(std::vector<uint8_t> &To, T Value) {
  const auto *Bytes = reinterpret_cast<const uint8_t *>(&Value);
  To.insert(To.end(), Bytes, Bytes + sizeof(T));
}

void appendText(std::vector<uint8_t> &To, StringRef Text) {
  To.insert(To.end(), Text.begin(), Text.end());
}

using Entries = std::vector<std::pair<std::string, std::vector<uint8_t>>>;

std::vector<uint8_t> makeBundle(const Entries &Images) {
  std::vector<uint8_t> Bundle;
  appendText(Bundle, "__CLANG_OFFLOAD_BUNDLE__");
  append(Bundle, uint64_t(Images.size()));
  uint64_t Offset = 4096;
  for (const auto &[ID, Bytes] : Images) {
    append(Bundle, Offset);
    append(Bundle, uint64_t(Bytes.size()));
    append(Bundle, uint64_t(ID.size()));
    appendText(Bundle, ID);
    Offset += Bytes.size();
  }
  Bundle.resize(4096);
  for (const auto &[ID, Bytes] : Images)
    Bundle.insert(Bundle.end(), Bytes.begin(), Bytes.end());
  return Bundle;
}

std::vector<uint8_t> compress(ArrayRef<uint8_t> Bundle, unsigned Version,
                              compression::Format Format) {
  SmallVector<uint8_t, 0> Data;
  compression::compress(compression::Params(Format), Bundle, Data);
  const size_t HeaderSize = Version == 1 ? 20 : Version == 2 ? 24 : 32;
  std::vector<uint8_t> Result;
  appendText(Result, "CCOB");
  append(Result, uint16_t(Version));
  append(Result, uint16_t(Format));
  if (Version == 2)
    append(Result, uint32_t(HeaderSize + Data.size()));
  if (Version == 3) {
    append(Result, uint64_t(HeaderSize + Data.size()));
    append(Result, uint64_t(Bundle.size()));
  } else {
    append(Result, uint32_t(Bundle.size()));
  }
  append(Result, uint64_t(0)); // The hash, which nobody checks.
  Result.insert(Result.end(), Data.begin(), Data.end());
  return Result;
}

std::vector<uint8_t> exampleBundle() {
  return makeBundle(
      {{"host-x86_64-unknown-linux-gnu-", {}},
       {"hipv4-amdgcn-amd-amdhsa--gfx90a", readFile("gfx90a-v5.co")},
       {"hip-amdgcn-amd-amdhsa--gfx1030", readFile("gfx1030-v5.co")},
       {"hip-spirv64-amd-amdhsa--amdgcnspirv", {1, 2, 3}}});
}

void expectExamples(ArrayRef<BundledCodeObject> Images) {
  ASSERT_EQ(Images.size(), 2u);
  EXPECT_EQ(Images[0].Target.str(), "gfx90a");
  EXPECT_EQ(Images[1].Target.str(), "gfx1030");
  EXPECT_EQ(Images[0].Bytes, ArrayRef(readFile("gfx90a-v5.co")));
  EXPECT_EQ(Images[1].Bytes, ArrayRef(readFile("gfx1030-v5.co")));
}

struct Packing {
  unsigned Version;
  compression::Format Format;
};
constexpr Packing Packings[] = {
    {1, compression::Format::Zlib}, {1, compression::Format::Zstd},
    {2, compression::Format::Zlib}, {2, compression::Format::Zstd},
    {3, compression::Format::Zlib}, {3, compression::Format::Zstd}};

} // namespace

TEST(FatBinary, FindsTheEightyKernelsOfRocrandPerTarget) {
  const auto File = readFile(ROCRAND);
  unsigned Gfx90a = 0;
  const auto Images = take(findCodeObjects(File));
  for (const BundledCodeObject &Image : Images) {
    const auto Object = take(CodeObject::create(Image.Bytes));
    EXPECT_EQ(Object->target(), Image.Target);
    EXPECT_EQ(Object->kernels().size(), 80u) << Image.Target.str();
    Gfx90a += Image.Target.Processor == "gfx90a";
  }
  EXPECT_EQ(Gfx90a, 2u); // With XNACK and without.
}

TEST(FatBinary, TakesACodeObjectAsItIs) {
  const auto File = readFile("gfx942-v5.co");
  const auto Images = take(findCodeObjects(File));
  ASSERT_EQ(Images.size(), 1u);
  EXPECT_EQ(Images[0].Target.str(), "gfx942");
  EXPECT_EQ(Images[0].Bytes, ArrayRef(File));
}

TEST(FatBinary, TakesOnlyDeviceCodeFromABundle) {
  const auto Bundle = exampleBundle();
  expectExamples(take(findCodeObjects(Bundle)));
}

TEST(FatBinary, UnpacksEveryVersionAndMethod) {
  for (const Packing &P : Packings) {
    SCOPED_TRACE(P.Version);
    const auto Packed = compress(exampleBundle(), P.Version, P.Format);
    expectExamples(take(findCodeObjects(Packed)));
  }
}

TEST(FatBinary, UnpacksWhatClangPacked) {
  expectExamples(take(findCodeObjects(readFile("compressed.bundle"))));
}

TEST(FatBinary, SkipsPaddingBetweenBundles) {
  for (unsigned Version : {2, 3}) {
    std::vector<uint8_t> File = exampleBundle();
    File.resize((File.size() + 4095) / 4096 * 4096);
    const auto Packed =
        compress(exampleBundle(), Version, compression::Format::Zstd);
    File.insert(File.end(), Packed.begin(), Packed.end());
    File.resize(File.size() + 999);
    const auto Images = take(findCodeObjects(File));
    ASSERT_EQ(Images.size(), 4u);
    expectExamples(ArrayRef(Images).drop_front(2));
  }
}

TEST(FatBinary, FindsNothingInOtherFiles) {
  const uint8_t Text[] = "#!/bin/sh\n";
  EXPECT_TRUE(take(findCodeObjects(Text)).empty());
  EXPECT_TRUE(take(findCodeObjects({})).empty());
  EXPECT_TRUE(take(findCodeObjects(readFile("/proc/self/exe"))).empty());
}

TEST(FatBinary, ReadsARegisteredBundleWithoutKnowingItsSize) {
  const auto Bundle = exampleBundle();
  expectExamples(take(readRegisteredBundle(Bundle.data())));
  for (const Packing &P : Packings) {
    const auto Packed = compress(exampleBundle(), P.Version, P.Format);
    auto Images = readRegisteredBundle(Packed.data());
    if (P.Version == 1)
      EXPECT_EQ(errorOf(std::move(Images)),
                "offload bundle: compressed in a version that does not say its "
                "size");
    else
      expectExamples(take(std::move(Images)));
  }
}

TEST(FatBinary, RefusesABundleThatEndsEarly) {
  const auto Bundle = exampleBundle();
  // Whole pages are enough; the table is read step by step.
  for (size_t Size = 25; Size < Bundle.size(); Size += Size < 400 ? 1 : 511)
    EXPECT_NE(errorOf(findCodeObjects(ArrayRef(Bundle).take_front(Size))), "")
        << Size;
}

TEST(FatBinary, RefusesACompressedBundleThatEndsEarly) {
  for (const Packing &P : Packings) {
    const auto Packed = compress(exampleBundle(), P.Version, P.Format);
    for (size_t Size = 4; Size < Packed.size(); Size += Size < 64 ? 1 : 37)
      EXPECT_NE(errorOf(findCodeObjects(ArrayRef(Packed).take_front(Size))), "")
          << Size << " of version " << P.Version;
  }
}

TEST(FatBinary, DoesNotBelieveImpossibleSizes) {
  auto Packed = compress(exampleBundle(), 3, compression::Format::Zstd);
  Packed[16 + 5] = 0x7F; // Unpacks to more than there is memory.
  EXPECT_NE(errorOf(findCodeObjects(Packed)), "");
  Packed = compress(exampleBundle(), 3, compression::Format::Zlib);
  Packed[16 + 5] = 0x7F;
  EXPECT_NE(errorOf(findCodeObjects(Packed)), "");
  auto Bundle = exampleBundle();
  Bundle[24 + 7] = 0x7F; // As many entries.
  EXPECT_NE(errorOf(findCodeObjects(Bundle)), "");
  EXPECT_NE(errorOf(readRegisteredBundle(Bundle.data())), "");
}
