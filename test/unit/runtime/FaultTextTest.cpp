// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/FaultText.h"
#include "codeobject/CodeObjectWriter.h"
#include "codeobject/LineTable.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace llvm;
using namespace luthier;
using namespace luthier::runtime;
using testing::HasSubstr;
using testing::Not;

namespace {

/// An instrumented version of which bytes 4 to 12 come from a hook.
class FaultTextTest : public testing::Test {
protected:
  FaultTextTest() {
    auto File = cantFail(errorOrToExpected(MemoryBuffer::getFile(KERNELS)));
    Original =
        cantFail(CodeObject::create(arrayRefFromStringRef(File->getBuffer())));
    Kernel = &Original->kernels()[0];
    LineTable Lines;
    const unsigned Hook = Lines.fileIndex("/tools/hook.hip");
    Lines.append({4, Hook, 33, 1});
    Lines.append({12, Hook, 0, 0});
    const std::vector<uint8_t> Code(64, 0);
    KernelImage Image{Kernel->Name, Code, 0, Kernel->Descriptor, &Lines};
    Instrumented = cantFail(CodeObject::create(
        cantFail(writeCodeObject(*Original, Image, Kernel->Metadata))));
  }

  std::string at(uint64_t Offset) const {
    return describeFault(*Original, *Kernel, *Instrumented, Map, Offset);
  }
  std::string hex(uint64_t Address) const {
    return "0x" + utohexstr(Address, /*LowerCase=*/true);
  }

  std::unique_ptr<CodeObject> Original, Instrumented;
  const KernelInfo *Kernel = nullptr;
  std::vector<PCPair> Map;
};

} // namespace

TEST_F(FaultTextTest, NamesTheApplicationsInstruction) {
  Map = {{0, Kernel->EntryAddress}, {12, Kernel->EntryAddress + 4}};
  EXPECT_THAT(at(12), HasSubstr("application's own instruction at " +
                                hex(Kernel->EntryAddress + 4)));
  EXPECT_THAT(at(12), HasSubstr("of kernel " + Kernel->Name));
  EXPECT_THAT(at(0), HasSubstr("kernels.cpp:"));
}

TEST_F(FaultTextTest, NamesTheHooksLineAndTheApplicationsPlace) {
  Map = {{0, Kernel->EntryAddress}, {12, Kernel->EntryAddress + 4}};
  EXPECT_THAT(at(8), HasSubstr("of a hook, from /tools/hook.hip:33, before"));
  EXPECT_THAT(at(8), HasSubstr(hex(Kernel->EntryAddress + 4)));
}

TEST_F(FaultTextTest, CodeAroundAHookHasNoLine) {
  Map = {{0, Kernel->EntryAddress}, {20, Kernel->EntryAddress + 4}};
  EXPECT_THAT(at(16), HasSubstr("inserted code, before"));
  EXPECT_THAT(at(24), HasSubstr("behind the application's instruction at " +
                                hex(Kernel->EntryAddress + 4)));
}
