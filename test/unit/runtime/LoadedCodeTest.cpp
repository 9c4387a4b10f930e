// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/LoadedCode.h"
#include "FakeHsa.h"
#include "codeobject/CodeObject.h"
#include "luthier/Tool.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include <gtest/gtest.h>

using namespace llvm;
using namespace luthier;
using namespace luthier::runtime;

namespace {

constexpr uint64_t Base = 0x7f0000000000, Size = 0x10000;

class LoadedCodeTest : public testing::Test {
protected:
  LoadedCodeTest() {
    auto File = MemoryBuffer::getFile(KERNELS, false, false);
    StringRef Contents = (*File)->getBuffer();
    Bytes.assign(Contents.begin(), Contents.end());
    Expected = std::move(*CodeObject::create(Bytes));
    Hsa.Executables = {{&Bytes, Base, Size, int64_t(Base)},
                       {&Bytes, 2 * Base, Size, int64_t(2 * Base)}};
  }

  uint64_t descriptor(StringRef Kernel) {
    return Expected->findKernel(Kernel)->DescriptorAddress;
  }
  StringRef nameAt(uint64_t Object) {
    KernelPointer Kernel = Code.findKernel(Object);
    return Kernel ? Kernel->name() : "unknown";
  }

  test::FakeHsa Hsa;
  std::vector<uint8_t> Bytes;
  std::unique_ptr<CodeObject> Expected;
  LoadedCode Code;
};

TEST_F(LoadedCodeTest, KernelObjectsLeadToKernels) {
  Code.frozen({0});
  EXPECT_EQ(nameAt(Base + descriptor("_Z5firstPi")), "_Z5firstPi");
  KernelPointer Second = Code.findKernel(Base + descriptor("_Z6secondPi"));
  ASSERT_TRUE(Second);
  EXPECT_EQ(Second->name(), "_Z6secondPi");
  EXPECT_EQ(Second->agent().handle, 7u);
  EXPECT_EQ(KernelAccess::loadBias(*Second), Base);
  EXPECT_EQ(Second->kernelObject(), Base + descriptor("_Z6secondPi"));
}

TEST_F(LoadedCodeTest, EqualCodeInTwoPlacesIsToldApart) {
  Code.frozen({0});
  Code.frozen({1});
  KernelPointer One = Code.findKernel(Base + descriptor("_Z5firstPi"));
  KernelPointer Two = Code.findKernel(2 * Base + descriptor("_Z5firstPi"));
  ASSERT_TRUE(One && Two);
  EXPECT_NE(KernelAccess::codeObject(*One), KernelAccess::codeObject(*Two));
}

TEST_F(LoadedCodeTest, ObjectsSayWhatIsInThem) {
  std::vector<hsa::LoadedCodeObject> New = Code.frozen({1});
  ASSERT_EQ(New.size(), 1u);
  EXPECT_EQ(New[0].agent().handle, 7u);
  EXPECT_EQ(New[0].address(), 2 * Base);
  EXPECT_EQ(New[0].size(), Size);
  std::vector<std::string> Names;
  for (const hsa::LoadedCodeObjectKernel &Kernel : New[0].kernels()) {
    Names.push_back(Kernel.name().str());
    EXPECT_EQ(Kernel.kernelObject(), 2 * Base + descriptor(Kernel.name()));
  }
  EXPECT_TRUE(is_contained(Names, "_Z5firstPi"));
  EXPECT_TRUE(is_contained(Names, "_Z6secondPi"));
  EXPECT_EQ(Code.objectsOf({1}).size(), 1u);
  EXPECT_TRUE(Code.objectsOf({0}).empty());
  Code.destroyed({1});
  EXPECT_TRUE(Code.objectsOf({1}).empty());
  EXPECT_EQ(New[0].kernels().size(), Names.size()) << "still to be read";
}

TEST_F(LoadedCodeTest, OtherAddressesAreUnknown) {
  Code.frozen({0});
  EXPECT_EQ(nameAt(Base + descriptor("_Z5firstPi") + 4), "unknown");
  EXPECT_EQ(nameAt(Base - 64), "unknown");
  EXPECT_EQ(nameAt(Base + Size), "unknown");
}

TEST_F(LoadedCodeTest, ApplicationMayFreeBytesOnceLoaded) {
  Code.loaded({0}, {0});
  std::fill(Bytes.begin(), Bytes.end(), 0);
  Code.frozen({0});
  EXPECT_EQ(nameAt(Base + descriptor("_Z5firstPi")), "_Z5firstPi");
}

TEST_F(LoadedCodeTest, KernelsOfDestroyedExecutableAreForgotten) {
  uint64_t Object = Base + descriptor("_Z5firstPi");
  Code.frozen({0});
  Code.frozen({1});
  KernelPointer Kept = Code.findKernel(Object);
  std::vector<AddressRange> Freed = Code.destroyed({0});
  ASSERT_EQ(Freed.size(), 1u);
  EXPECT_EQ(Freed[0].Begin, Base);
  EXPECT_EQ(nameAt(Object), "unknown");
  EXPECT_EQ(nameAt(Object + Base), "_Z5firstPi");
  // Who still holds it can still name it.
  EXPECT_EQ(Kept->name(), "_Z5firstPi");
}

TEST_F(LoadedCodeTest, ReusedAddressesGetTheNewKernel) {
  uint64_t Object = Base + descriptor("_Z5firstPi");
  EXPECT_EQ(nameAt(Object), "unknown");
  Code.frozen({0});
  EXPECT_EQ(nameAt(Object), "_Z5firstPi");
  KernelPointer Old = Code.findKernel(Object);
  Code.destroyed({0});
  Code.frozen({0});
  EXPECT_NE(Code.findKernel(Object), Old);
}

TEST_F(LoadedCodeTest, KernelsOfGarbageAreCountedAsRefused) {
  uint64_t Object = Base + descriptor("_Z5firstPi");
  Bytes.resize(100);
  Code.frozen({0});
  size_t Before = refusals().size();
  EXPECT_EQ(nameAt(Object), "unknown");
  EXPECT_EQ(nameAt(Object), "unknown");
  std::vector<RefusedKernel> Refused = refusals();
  ASSERT_EQ(Refused.size(), Before + 1);
  EXPECT_EQ(Refused.back().Reason, "malformed-code-object");
}

} // namespace
