// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codeobject/KernelMetadata.h"
#include "TestInputs.h"
#include "luthier/Refusal.h"
#include "llvm/BinaryFormat/MsgPackDocument.h"

using namespace llvm;
using namespace luthier;
using namespace luthier::test;

namespace {

/// As a compiler writes it, with the strings of printf that it has.
std::string blobOf(StringRef Kernel, unsigned KernargSize,
                   ArrayRef<StringRef> Formats = {}) {
  msgpack::Document Document;
  msgpack::MapDocNode Root = Document.getRoot().getMap(/*Convert=*/true);
  Root["amdhsa.target"] = Document.getNode("amdgcn-amd-amdhsa--gfx90a");
  msgpack::ArrayDocNode Version = Document.getArrayNode();
  Version.push_back(Document.getNode(1u));
  Version.push_back(Document.getNode(2u));
  Root["amdhsa.version"] = Version;
  msgpack::MapDocNode Entry = Document.getMapNode();
  Entry[".symbol"] = Document.getNode((Kernel + ".kd").str(), /*Copy=*/true);
  Entry[".kernarg_segment_size"] = Document.getNode(KernargSize);
  msgpack::ArrayDocNode Kernels = Document.getArrayNode();
  Kernels.push_back(Entry);
  Root["amdhsa.kernels"] = Kernels;
  if (!Formats.empty()) {
    msgpack::ArrayDocNode Printf = Document.getArrayNode();
    for (StringRef Format : Formats)
      Printf.push_back(Document.getNode(Format));
    Root["amdhsa.printf"] = Printf;
  }
  std::string Blob;
  Document.writeToBlob(Blob);
  return Blob;
}

std::vector<std::string> strings(msgpack::DocNode List) {
  std::vector<std::string> Result;
  for (msgpack::DocNode Node : List.getArray())
    Result.push_back(Node.isString() ? Node.getString().str()
                                     : std::to_string(Node.getUInt()));
  return Result;
}

} // namespace

TEST(KernelMetadata, MergesListsAndKeepsTheRestOnce) {
  const std::string A = blobOf("a", 8, {"1:0:%d"}), B = blobOf("b", 16),
                    C = blobOf("c", 24, {"2:0:%f", "3:0:%s"});
  const std::string Merged = take(mergeKernelMetadata({A, B, C}));
  const auto Kernels = take(readKernelMetadata(Merged)).Kernels;
  EXPECT_EQ(Kernels.size(), 3u);
  EXPECT_EQ(Kernels.lookup("a").Facts.KernargSegmentSize, 8u);
  EXPECT_EQ(Kernels.lookup("b").Facts.KernargSegmentSize, 16u);
  EXPECT_EQ(Kernels.lookup("c").Facts.KernargSegmentSize, 24u);
  msgpack::Document Document;
  ASSERT_TRUE(Document.readFromBlob(Merged, /*Multi=*/false));
  msgpack::MapDocNode Root = Document.getRoot().getMap();
  const std::vector<std::string> Version = {"1", "2"},
                                 Formats = {"1:0:%d", "2:0:%f", "3:0:%s"};
  EXPECT_EQ(strings(Root["amdhsa.version"]), Version);
  EXPECT_EQ(strings(Root["amdhsa.printf"]), Formats);
  EXPECT_EQ(take(mergeKernelMetadata({A})), A);
}

/// Of what nobody here looks at.
TEST(KernelMetadata, KeysMayBeNumbersAndTruthValues) {
  const std::string Plain = blobOf("kernel", 8), Other = blobOf("other", 16);
  msgpack::Document Document;
  ASSERT_TRUE(Document.readFromBlob(Plain, /*Multi=*/false));
  msgpack::MapDocNode Root = Document.getRoot().getMap();
  msgpack::MapDocNode Config = Document.getMapNode();
  Config[Document.getNode(3u)] = Document.getNode("three");
  Config[Document.getNode(int64_t(-1))] = Document.getNode("minus one");
  Config[Document.getNode(true)] = Document.getNode("true");
  Config["text"] = Document.getNode(4u);
  Root["custom.config"] = Config;
  std::string Blob;
  Document.writeToBlob(Blob);

  EXPECT_EQ(take(readKernelMetadata(Blob))
                .Kernels.lookup("kernel")
                .Facts.KernargSegmentSize,
            8u);
  const std::string Merged = take(mergeKernelMetadata({Blob, Other}));
  msgpack::Document Read;
  ASSERT_TRUE(Read.readFromBlob(Merged, /*Multi=*/false));
  msgpack::MapDocNode Kept = Read.getRoot().getMap()["custom.config"].getMap();
  EXPECT_EQ(Kept.size(), 4u);
  EXPECT_EQ(Kept[Read.getNode(3u)].getString(), "three");
}

TEST(KernelMetadata, RefusesKeysThatHaveNoOrder) {
  // {{}: 0} and {[]: 0}, which a document could not hold.
  for (StringRef Blob :
       {StringRef("\x81\x80\x00", 3), StringRef("\x81\x90\x00", 3)}) {
    auto Read = readKernelMetadata(Blob);
    ASSERT_FALSE(bool(Read));
    EXPECT_EQ(
        detailOf(Read.takeError()),
        "kernel metadata: a map's key is neither a string nor an integer");
  }
}

/// Or the cost of instrumenting a kernel would grow with its module.
TEST(KernelMetadata, WhatAKernelHasIsTheSameInALargerModule) {
  const std::string Alone = blobOf("kernel", 8);
  std::vector<std::string> Others = {Alone};
  for (unsigned N = 0; N != 200; ++N)
    Others.push_back(blobOf("other" + std::to_string(N), N));
  const std::string Large = take(mergeKernelMetadata(
      std::vector<StringRef>(Others.begin(), Others.end())));
  const ModuleMetadata InSmall = take(readKernelMetadata(Alone)),
                       InLarge = take(readKernelMetadata(Large));
  EXPECT_EQ(InLarge.Kernels.size(), 201u);
  EXPECT_EQ(InLarge.Kernels.lookup("kernel").Blob,
            InSmall.Kernels.lookup("kernel").Blob);
  EXPECT_EQ(InLarge.Common, InSmall.Common);
}

TEST(KernelMetadata, RefusesToMergeWhatIsNoMetadata) {
  const std::string A = blobOf("a", 8);
  for (size_t Size = 0; Size < A.size(); ++Size)
    EXPECT_NE(errorOf(mergeKernelMetadata({A, StringRef(A).take_front(Size)})),
              "");
  // A list where the other has a map.
  EXPECT_EQ(errorOf(mergeKernelMetadata({A, "\x90"})),
            "kernel metadata: notes that contradict each other");
  EXPECT_EQ(errorOf(mergeKernelMetadata({A, "\x81\xae"
                                            "amdhsa.kernels"
                                            "\x01"})),
            "kernel metadata: notes that contradict each other");
}
